# SPDX-License-Identifier: Apache-2.0
"""The options of proxlb's objective, with the defaults that its scenario files have."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from moorage.goals.options import Options
from moorage.goals.proxlb import dimensions
from moorage.goals.proxlb.dimensions import Dimension
from moorage.problem.problem import Problem

WEIGHTS: Final = {
    "w_cpu_usage": 1,
    "w_mem_usage": 1,
    "w_io_usage": 1,
    "w_cpu_psi": 1,
    "w_mem_psi": 1,
    "w_io_psi": 1,
    "w_global_mem": 10,
    "w_global_cpu": 10,
    "w_global_io": 1,
}
THRESHOLDS: Final = ("memory_threshold", "cpu_threshold", "disk_threshold")
OPTIONS: Final = (
    *("method", "mode", "balanciness", "w_balance", "w_stickiness"),
    *THRESHOLDS,
    *WEIGHTS,
)
MODERATE: Final = 3
LEVELS: Final = {
    1: (0, 1, Fraction(1)),
    2: (1, 50, Fraction(1, 4)),
    3: (10, 10, Fraction(3, 20)),
    4: (50, 5, Fraction(1, 20)),
    5: (100, 1, Fraction(0)),
}
"""{balanciness: (w_balance, w_stickiness, gap that must be reached)}."""

RESOURCES: Final = ("memory", "cpu", "io")
SHORT: Final = {"memory": "mem", "cpu": "cpu", "io": "io"}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a scenario asks for.

    Attributes:
        resource: memory, cpu or io; empty for all three.
        usage: whether the gap in usage counts.
        psi: whether the gap in pressure counts.
        known: whether the method is one that the original knows.
        assigned: whether CPU is counted by vCPUs.
        trigger: the gap that must be reached before anything is balanced.
        thresholds: percent of memory, cpu and disk that some node has to pass, if any is given.
    """

    resource: str
    usage: bool
    psi: bool
    known: bool
    assigned: bool
    w_balance: int
    w_stickiness: int
    trigger: Fraction
    thresholds: tuple[Fraction | None, ...]
    weights: dict[str, int]

    @property
    def is_smart(self) -> bool:
        """Whether usage and pressure count together."""
        return self.usage and self.psi

    def parts(self) -> tuple[str, ...]:
        """The resources that count."""
        return (self.resource,) if self.resource else RESOURCES

    def weight_of(self, resource: str) -> int:
        """What *resource* weighs among the three; 1 where it is the only one."""
        return 1 if self.resource else self.weights[f"w_global_{SHORT[resource]}"]

    def usage_weight(self, resource: str) -> int:
        """What the usage of *resource* weighs beside its pressure."""
        return self.weights[f"w_{SHORT[resource]}_usage"] if self.is_smart else int(self.usage)

    def psi_weight(self, resource: str) -> int:
        """What the pressure of *resource* weighs beside its usage."""
        return self.weights[f"w_{SHORT[resource]}_psi"] if self.is_smart else int(self.psi)

    def dimensions(self, problem: Problem) -> list[Dimension]:
        """The loads whose gaps count, weighted."""
        found = []
        for resource in self.parts():
            weight = self.weight_of(resource)
            if self.usage:
                usage = self.usage_of(problem, resource)
                found.append(usage.weighing(weight * self.usage_weight(resource)))
            if self.psi:
                stalls = dimensions.stalls(problem, f"{resource}_pressure")
                found.append(stalls.weighing(weight * self.psi_weight(resource)))
        return found

    def usage_of(self, problem: Problem, resource: str) -> Dimension:
        """The usage of *resource*."""
        if resource == "memory":
            return dimensions.memory(problem)
        if resource == "cpu":
            return dimensions.cpu(problem, assigned=self.assigned)
        return dimensions.storage(problem)


def read(options: Options) -> Settings:
    """Read the options of a scenario."""
    level = options.whole("balanciness", MODERATE, least=1, most=5)
    w_balance, w_stickiness, trigger = LEVELS[level]
    resource, usage, psi, known = _method(options)
    return Settings(
        resource=resource,
        usage=usage,
        psi=psi,
        known=known,
        assigned=options.word("mode", "used") == "assigned",
        w_balance=options.whole("w_balance", w_balance),
        w_stickiness=options.whole("w_stickiness", w_stickiness),
        trigger=trigger,
        thresholds=tuple(options.number(name) for name in THRESHOLDS),
        weights={name: options.whole(name, usual) for name, usual in WEIGHTS.items()},
    )


def _method(options: Options) -> tuple[str, bool, bool, bool]:
    """Tell (resource, usage, psi, known). A method that nobody knows is disk, as there."""
    method = options.word("method", "memory")
    if method == "global_smart":
        return "", True, True, True
    name, _, kind = method.partition("_")
    if kind in ("psi", "smart") and name in RESOURCES:
        return name, kind == "smart", True, True
    known = method in ("memory", "cpu", "disk")
    psi = options.word("mode", "used") == "psi"
    return (name if method in ("memory", "cpu") else "io"), not psi, psi, known
