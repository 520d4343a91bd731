# SPDX-License-Identifier: Apache-2.0
"""What may be left out of a document, put in before it is validated: empty parts, defaults."""

from __future__ import annotations

from typing import Any, Final

Plain = dict[str, Any]

_SECTIONS_OF_ENTRIES: Final = ("resources", "pools", "hosts", "guests", "volumes", "overhead")
_SECTIONS: Final = (*_SECTIONS_OF_ENTRIES, "defaults", "rules", "links", "notes")


def normalised(document: Plain) -> Plain:
    """Return *document* with empty sections and entries in place of nothing, and with defaults.

    Values that have the wrong form are left for the validation to refuse.
    """
    found = {k: v for k, v in document.items() if v is not None or k not in _SECTIONS}
    for section in _SECTIONS_OF_ENTRIES:
        if isinstance(found.get(section), dict):
            found[section] = _without_gaps(found[section])
    defaults = found.get("defaults")
    if isinstance(defaults, dict):
        for section, key in (("hosts", "host"), ("guests", "guest")):
            if isinstance(found.get(section), dict) and isinstance(defaults.get(key), dict):
                found[section] = _with_defaults(found[section], defaults[key])
    if isinstance(found.get("rules"), list):
        found["rules"] = [_rule(rule) for rule in found["rules"]]
    return found


def _without_gaps(entries: Plain) -> Plain:
    if None not in entries.values():
        return entries
    return {key: {} if entry is None else entry for key, entry in entries.items()}


def _rule(rule: Any) -> Any:
    return _without_gaps(rule) if isinstance(rule, dict) else rule


def _with_defaults(entries: Plain, defaults: Plain) -> Plain:
    return {
        key: laid_over(defaults, entry) if isinstance(entry, dict) else entry
        for key, entry in entries.items()
    }


def laid_over(defaults: Plain, entry: Plain) -> Plain:
    """Return *entry* over *defaults*: mappings are merged, other values replace.

    An empty value where there is a default takes the default away.
    """
    found = dict(defaults)
    for key, value in entry.items():
        default = defaults.get(key)
        if isinstance(value, dict) and isinstance(default, dict):
            found[key] = laid_over(default, value)
        elif value is None and key in defaults:
            del found[key]
        else:
            found[key] = value
    return found


def over_defaults(document: Plain, defaults: Any) -> Plain:
    """Return *document* so written that it means the same below *defaults*."""
    found = dict(document)
    if isinstance(defaults, dict):
        for section, key in (("hosts", "host"), ("guests", "guest")):
            default = defaults.get(key)
            if isinstance(default, dict) and section in found:
                entries = found[section].items()
                found[section] = {name: _over(default, entry) for name, entry in entries}
    return found


def _over(defaults: Plain, entry: Plain) -> Plain:
    """Say of each default that *entry* lacks that it is not so."""
    found = dict(entry)
    for key, default in defaults.items():
        if default is not None and key not in entry:
            found[key] = None
        elif isinstance(default, dict) and isinstance(entry.get(key), dict):
            found[key] = _over(default, entry[key])
    return found
