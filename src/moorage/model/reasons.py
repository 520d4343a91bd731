# SPDX-License-Identifier: Apache-2.0
"""Reason codes: constants that others may build on, each with the sentence it stands for."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Reason(StrEnum):
    """Why a guest can't be somewhere, or why a plan is refused. The values are stable.

    Three families carry a name in the code itself: `no_capacity_<resource>`,
    `apart_<domain>` and `together_<domain>`; the functions below build them.
    """

    NO_CAPACITY_MEMORY = "no_capacity_memory"
    NO_CAPACITY_CPU = "no_capacity_cpu"
    NO_CAPACITY_DISK = "no_capacity_disk"
    NO_CAPACITY_GUESTS = "no_capacity_guests"
    NO_CAPACITY_HOSTS = "no_capacity_hosts"
    VOLUME_LOCALITY_NO_NODE = "volume_locality_no_node"
    VOLUME_IN_USE = "volume_in_use"
    NO_NODES_ACTIVE = "no_nodes_active"
    HEALTH_DEGRADED = "health_degraded"
    HEALTH_CRITICAL = "health_critical"
    HEALTH_UNKNOWN = "health_unknown"
    HEALTH_PARTITIONED = "health_partitioned"
    MAINTENANCE = "maintenance"
    DRAINING = "draining"
    HOST_DISABLED = "host_disabled"
    HOST_UNREACHABLE = "host_unreachable"
    PINNED_ELSEWHERE = "pinned_elsewhere"
    BANNED = "banned"
    NOT_PREFERRED = "not_preferred"
    DEDICATED = "dedicated"
    SPLIT = "split"
    NEAR = "near"
    STAY = "stay"
    LOCKED = "locked"
    QUARANTINED = "quarantined"
    DEVICE_MISSING = "device_missing"
    CPU_INCOMPATIBLE = "cpu_incompatible"
    VCPUS_EXCEED_CORES = "vcpus_exceed_cores"
    HEADROOM = "headroom"
    QUOTA = "quota"
    NOT_PLACED = "not_placed"
    MOVE_LIMIT = "move_limit"
    NO_PATH = "no_path"
    DOES_NOT_CONVERGE = "does_not_converge"
    PLATFORM_ERROR = "platform_error"
    GUEST_VANISHED = "guest_vanished"
    CANCELLED = "cancelled"
    PLAN_SOURCE = "plan_source"
    PLAN_OVERLAP = "plan_overlap"
    PLAN_ORDER = "plan_order"
    PLAN_INCOMPLETE = "plan_incomplete"


SENTENCES: Final[dict[str, str]] = {
    "no_capacity_memory": "the host has not enough memory left",
    "no_capacity_cpu": "the host has not enough CPU left",
    "no_capacity_disk": "the storage pool has not enough room left",
    "no_capacity_guests": "the hosts hold as many guests as they may",
    "no_capacity_hosts": "as many hosts are in use as may be",
    "no_capacity_<resource>": "the host has not enough of the resource left",
    "volume_locality_no_node": "the guest must be where its volume lives",
    "volume_in_use": "another guest uses the same exclusive volume",
    "no_nodes_active": "no host is active",
    "health_degraded": "the host is degraded",
    "health_critical": "the host is in a critical state",
    "health_unknown": "nothing is known of the host's health",
    "health_partitioned": "the host is cut off from the rest",
    "maintenance": "the host is in maintenance",
    "draining": "the host is being emptied",
    "host_disabled": "the host takes no new guests",
    "host_unreachable": "the host is down or does not answer",
    "pinned_elsewhere": "the guest is pinned to other hosts",
    "banned": "the guest is banned from the host",
    "not_preferred": "the guest prefers another host",
    "dedicated": "the host is kept for other guests",
    "split": "the host holds a guest of a group that must stay away",
    "near": "no guest that it must be near is in the same domain",
    "apart_<domain>": "too many guests of one group share the domain",
    "together_<domain>": "guests that belong together are in different domains",
    "stay": "the guest must stay where it is",
    "locked": "the guest is locked by another operation",
    "quarantined": "nothing enters or leaves the host",
    "device_missing": "the host has not the devices that the guest needs",
    "cpu_incompatible": "the host's CPU lacks features that the guest needs",
    "vcpus_exceed_cores": "the guest has more vCPUs than the host has cores",
    "headroom": "the loss of hosts could not be survived any more",
    "quota": "the project is at its quota",
    "not_placed": "the guest has no host",
    "move_limit": "more moves run at once than the limits allow",
    "no_path": "no order of moves leads there without breaking a limit on the way",
    "does_not_converge": "the guest writes faster than its memory can be copied",
    "platform_error": "the platform failed to do what it had begun",
    "guest_vanished": "the guest is gone",
    "cancelled": "somebody stopped the move",
    "plan_source": "the plan moves a guest from a host that it is not on",
    "plan_overlap": "the plan moves a guest twice at the same time",
    "plan_order": "a step starts before a step that it depends on has ended",
    "plan_incomplete": "the plan does not end at its own placements",
}

_DISK_PREFIX = "disk:"


def no_capacity(resource: str) -> str:
    """Return the code for too little of *resource*: every storage pool counts as disk."""
    return f"no_capacity_{'disk' if resource.startswith(_DISK_PREFIX) else resource}"


def apart(domain: str) -> str:
    """Return the code for guests that share a *domain* they must not share."""
    return f"apart_{domain}"


def together(domain: str) -> str:
    """Return the code for guests in different *domain* values that belong together."""
    return f"together_{domain}"


def sentence(code: str) -> str:
    """Return the general sentence for *code*."""
    if code in SENTENCES:
        return SENTENCES[code]
    for family in ("no_capacity", "apart", "together"):
        if code.startswith(f"{family}_"):
            return next(s for c, s in SENTENCES.items() if c.startswith(f"{family}_<"))
    raise KeyError(code)
