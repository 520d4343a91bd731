# SPDX-License-Identifier: Apache-2.0
"""A sheet of variables with their bounds, and how to fill each in once the placement is known.

CP-SAT profits from a hint that is complete. Whatever stands on a sheet can be computed from the
placement, but for flags that a rule ties up in constraints of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ortools.sat.python import cp_model
from ortools.sat.python.cp_model_helper import FlatIntExpr

from moorage.model.compiled import Term

Values: TypeAlias = dict[int, int]
Recipe: TypeAlias = Callable[[Values], int]


class Flat:
    """A term as a sum: places of variables, what each is multiplied by, and a constant."""

    __slots__ = ("coefficients", "offset", "places")

    def __init__(self, term: Term) -> None:
        if isinstance(term, int):
            self.places: list[int] = []
            self.coefficients: list[int] = []
            self.offset = term
        else:
            flat = FlatIntExpr(term)
            self.places = [v.index for v in flat.vars]
            self.coefficients = [int(c) for c in flat.coeffs]
            self.offset = int(flat.offset)

    def value(self, values: Values) -> int:
        """What it is worth; KeyError if a variable has no value."""
        pairs = zip(self.places, self.coefficients, strict=True)
        return self.offset + sum(values[i] * c for i, c in pairs)


def add_up(parts: Sequence[Term]) -> Term:
    """Add up many terms at once."""
    numbers = sum(part for part in parts if isinstance(part, int))
    terms = [part for part in parts if not isinstance(part, int)]
    return cp_model.LinearExpr.sum(terms) + numbers if terms else numbers


class Sheet:
    """Variables over a CP-SAT model."""

    def __init__(self) -> None:
        self.model: Any = cp_model.CpModel()
        self.least: dict[int, int] = {}
        self.most: dict[int, int] = {}
        self._recipes: list[tuple[int, Recipe]] = []

    def variable(self, least: int, most: int, recipe: Recipe | None = None, name: str = "") -> Any:
        """Return a new variable; *recipe* tells its value from those of the variables before."""
        if (least, most) == (0, 1):
            found = self.model.new_bool_var(name)
        else:
            found = self.model.new_int_var(least, most, name)
        self.least[found.index], self.most[found.index] = least, most
        if recipe is not None:
            self._recipes.append((found.index, recipe))
        return found

    def fill_in(self, values: Values) -> None:
        """Add to *values* those of all variables that follow from them."""
        for place, recipe in self._recipes:
            try:
                values[place] = recipe(values)
            except KeyError:
                continue

    def bounds(self, term: Term) -> tuple[int, int]:
        """Return between what *term* must lie."""
        return self.bounds_of(Flat(term))

    def bounds_of(self, flat: Flat) -> tuple[int, int]:
        """Return between what a flat term must lie."""
        least = most = flat.offset
        for place, factor in zip(flat.places, flat.coefficients, strict=True):
            low, high = self.least[place], self.most[place]
            least += factor * (low if factor > 0 else high)
            most += factor * (high if factor > 0 else low)
        return least, most

    def sum_of(self, variables: Sequence[Any], factors: Sequence[int], offset: int = 0) -> Term:
        """Return the sum of *variables* times *factors*; a plain number where there are none."""
        if not variables:
            return offset
        if len(variables) == 1 and factors[0] == 1 and not offset:
            return variables[0]
        return cp_model.LinearExpr.weighted_sum(variables, factors) + offset

    def alias(self, term: Term) -> Any:
        """Return a variable that equals *term*."""
        flat = Flat(term)
        if len(flat.places) == 1 and flat.coefficients == [1] and not flat.offset:
            return term
        found = self.variable(*self.bounds_of(flat), flat.value)
        self.model.add(found == term)
        return found

    def at_least(self, term: Term, most: int | None = None) -> Any:
        """Return max(0, *term*), or more where nothing keeps it small; an int where that is known.

        Args:
            term: any term.
            most: the result is at most that, and *term* too.
        """
        flat = Flat(term)
        low, high = self.bounds_of(flat)
        top = max(0, high) if most is None else min(max(0, high), most)
        if high <= 0:
            return 0
        if low >= 0 and (most is None or high <= most):
            return term
        found = self.variable(0, top, lambda values: max(0, flat.value(values)))
        self.model.add(found >= term)
        return found

    def any_of(self, terms: Sequence[Term]) -> Term:
        """Return 1 if at least one of the 0/1 *terms* is 1, else 0."""
        flats = [Flat(term) for term in terms]
        if any(self.bounds_of(flat)[0] >= 1 for flat in flats):
            return 1
        open_ = [i for i, flat in enumerate(flats) if self.bounds_of(flat)[1] >= 1]
        if len(open_) <= 1:
            return terms[open_[0]] if open_ else 0
        kept = [flats[i] for i in open_]
        found = self.variable(0, 1, lambda values: int(any(f.value(values) for f in kept)))
        for i in open_:
            self.model.add(found >= terms[i])
        self.model.add(found <= sum(terms[i] for i in open_))
        return found

    def extreme(self, terms: Sequence[Term], sign: int) -> Term:
        """Return the largest (*sign* 1) or smallest (*sign* -1) of *terms*."""
        if not terms:
            return 0
        pick = max if sign > 0 else min
        flats = [Flat(term) for term in terms]
        if not any(flat.places for flat in flats):
            return pick(flat.offset for flat in flats)
        bounds = [self.bounds_of(flat) for flat in flats]
        low, high = pick(b[0] for b in bounds), pick(b[1] for b in bounds)
        found = self.variable(low, high, lambda values: pick(f.value(values) for f in flats))
        aliases = [
            self.alias(t) if f.places else f.offset for t, f in zip(terms, flats, strict=True)
        ]
        add = self.model.add_max_equality if sign > 0 else self.model.add_min_equality
        add(found, aliases)
        return found

    def rising(self, term: Term, most: int) -> Term:
        """Return n (n + 1) / 2 for a *term* n of at most *most*, or more where that is allowed."""
        flat = Flat(term)
        high = min(most, self.bounds_of(flat)[1])
        if high <= 0:
            return 0
        if not flat.places:
            return high * (high + 1) // 2

        def recipe(values: Values) -> int:
            n = max(0, flat.value(values))
            return n * (n + 1) // 2

        found = self.variable(0, high * (high + 1) // 2, recipe)
        # Each tangent of its own would repeat all that the term adds up.
        one = term if high == 1 else self.alias(term)
        for k in range(1, high + 1):
            self.model.add(found >= k * one - k * (k - 1) // 2)
        return found

    def given(self, flag: Term, term: Term, most: int) -> Term:
        """Return *term*, of 0 to *most*, where *flag* is 1; else 0."""
        flag_flat, flat = Flat(flag), Flat(term)
        high = min(most, self.bounds_of(flat)[1])
        if high <= 0 or self.bounds_of(flag_flat)[1] <= 0:
            return 0
        if self.bounds_of(flag_flat)[0] >= 1:
            return term
        found = self.variable(0, high, lambda v: flag_flat.value(v) * flat.value(v))
        self.model.add(found >= term - high * (1 - flag))
        self.model.add(found <= high * flag)
        self.model.add(found <= term)
        return found
