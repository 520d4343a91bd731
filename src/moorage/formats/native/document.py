# SPDX-License-Identifier: Apache-2.0
"""The native document as pydantic sees it: every key, its kind of value, its default.

The descriptions below go into the published JSON Schema.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from moorage.formats.native.fields import (
    ABSENT,
    Cores,
    Flag,
    HealthWord,
    HostOfGuest,
    KibPerSecond,
    KindWord,
    Mbps,
    MeasuredCores,
    MeasuredMib,
    Mib,
    Milliseconds,
    Name,
    Percent,
    Ratio,
    Seconds,
    StateWord,
    Text,
    Whole,
)
from moorage.model.guests import GuestKind
from moorage.model.hosts import HostState

SCHEMA: Final = "moorage/fleet/v1"


def _empty() -> dict[str, Any]:
    return {}


def _no_items() -> list[Any]:
    return []


class Section(BaseModel):
    """A mapping with known keys; any other key is refused."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Amounts(Section):
    """Amounts of several resources."""

    memory: Mib = ABSENT
    cpu: Cores = ABSENT
    storage: dict[str, Mib] = Field(default_factory=_empty)
    """By the name of the pool."""
    resources: dict[str, Whole] = Field(default_factory=_empty)
    """By the name of any other resource, in its own unit."""


class Ratios(Section):
    """Factors for several resources."""

    memory: Ratio = ABSENT
    cpu: Ratio = ABSENT
    storage: dict[str, Ratio] = Field(default_factory=_empty)
    """By the name of the pool."""
    resources: dict[str, Ratio] = Field(default_factory=_empty)
    """By the name of any other resource."""


class PressureEntry(Section):
    """Stall information (PSI): the share of time in which something waited."""

    cpu: Percent = 0
    memory: Percent = 0
    io: Percent = 0


def _word_or(key: str, section: Any) -> BeforeValidator:
    """Take a single word for a mapping that has only *key*."""

    def widen(value: Any) -> Any:
        return {key: value} if isinstance(value, str) else value

    return BeforeValidator(widen, json_schema_input_type=str | section)


class HealthEntry(Section):
    """What telemetry says of a host."""

    verdict: HealthWord
    findings: list[Text] = Field(default_factory=_no_items)
    """Why, in words."""


class HostEntry(Amounts):
    """A hypervisor. Its amounts are what it has."""

    name: Text = ""
    """What people call it, if that is not its id."""
    cores: Whole = ABSENT
    """Physical cores; no guest with more vCPUs fits. Not known if absent."""
    reserve: Amounts | None = None
    """Kept back for the host itself."""
    overcommit: Ratios | None = None
    """How often what remains may be given out; 1 if absent."""
    thresholds: Amounts | None = None
    """Above which a resource has a price."""
    labels: dict[str, Text] = Field(default_factory=_empty)
    """Domains that it is in: rack, zone, or any other word."""
    state: StateWord = HostState.ACTIVE
    """What an operator says of it."""
    health: Annotated[HealthEntry | None, _word_or("verdict", HealthEntry)] = None
    """What telemetry says of it: a verdict, or a verdict with findings. Absent: not monitored."""
    heartbeat_age: Seconds = ABSENT
    """Since it was last heard of."""
    pressure: PressureEntry | None = None
    bandwidth: Mbps = ABSENT
    """Of the network that moves use."""
    devices: dict[str, Whole] = Field(default_factory=_empty)
    """How many of each kind of device it has."""
    cpu_features: list[Name] = Field(default_factory=_no_items)
    tags: list[Name] = Field(default_factory=_no_items)


class LoadEntry(Section):
    """What was measured. A key that is absent was not measured."""

    cpu: MeasuredCores = ABSENT
    memory: MeasuredMib = ABSENT
    pressure: PressureEntry | None = None


class DirtyEntry(Section):
    """How fast a guest rewrites its memory."""

    hot: Mib = 0
    """The part that is rewritten over and over."""
    hot_period: Milliseconds = 1000
    """In which the hot part is rewritten once."""
    cold: KibPerSecond = 0
    """How much of the rest turns dirty."""


class GuestEntry(Section):
    """A virtual machine, container or microVM."""

    name: Text = ""
    """What people call it, if that is not its id."""
    kind: KindWord = GuestKind.VM
    host: HostOfGuest = ABSENT
    """Where it is now; absent or null: nowhere yet."""
    memory: Mib = ABSENT
    cpu: Cores = ABSENT
    disks: dict[str, Mib] = Field(default_factory=_empty)
    """By the name of the pool."""
    resources: dict[str, Whole] = Field(default_factory=_empty)
    """By the name of any other resource, in its own unit."""
    stopped: Flag = False
    """It is off: it holds nothing but its disks."""
    vcpus: Whole = ABSENT
    load: LoadEntry | None = None
    priority: Whole = 1
    """Weight of its load, for goals that have priorities."""
    volumes: list[Name] = Field(default_factory=_no_items)
    """Ids of the volumes that it attaches."""
    devices: dict[str, Whole] = Field(default_factory=_empty)
    """How many of each kind of device it needs."""
    cpu_features: list[Name] = Field(default_factory=_no_items)
    """What it needs of its host's CPU."""
    dirty: DirtyEntry | None = None
    lock: Name = ABSENT
    """What holds it (backup, snapshot …); a locked guest isn't moved."""
    tags: list[Name] = Field(default_factory=_no_items)
    project: Name = ABSENT
    group: Name = ABSENT
    """The application that it is a replica of."""
    move_price: Whole = 0
    """For goals that have prices."""
    move_duration: Seconds = ABSENT
    """How long a move takes, where that is known beforehand."""


class ResourceEntry(Section):
    """A resource, or what is unusual about one that every fleet has."""

    unit: Text = ""
    """What one is. Memory is in MiB, cpu in millicores; others are in units."""
    shared_total: Whole = ABSENT
    """The room over all hosts, for what they share."""
    hard: Flag = True
    """A must for capacity; one that is not is weighed, never refused."""
    held_until_end: Flag = False
    """A moved guest holds it on its first host until the plan has ended."""
    price: Whole = 0
    """Of one unit above a host's threshold."""
    absent: Flag = False
    """Memory or cpu is no resource of this fleet."""


class PoolEntry(Section):
    """A storage pool."""

    shared: Flag = False
    """Its hosts share its room; otherwise each has its own, under `storage`."""
    capacity: Mib | None = None
    """Of a shared pool."""
    hosts: list[Name] | None = None
    """Which attach the shared pool; all if absent. A host may state another amount itself."""
    hard: Flag = True
    held_until_end: Flag = False
    price: Whole = 0


class VolumeEntry(Section):
    """A disk with a life of its own, that guests attach."""

    home: Name = ABSENT
    """The only host on which it can be used."""
    size: Mib = 0
    exclusive: Flag = True
    """One guest at a time."""


class LinkEntry(Section):
    """Something that a move crosses when its hosts are on different sides of it."""

    capacity: Mbps
    sides: list[list[Name]]
    """Sets of hosts."""
    duplex: Flag = True
    """Both directions have the full capacity."""


class LimitsEntry(Section):
    """How many moves may run at the same time. No limit if absent."""

    at_once: Whole = ABSENT
    into_host: Whole = ABSENT
    out_of_host: Whole = ABSENT
    over_link: Whole = ABSENT
    per_pool: Whole = ABSENT


class BalanceEntry(Section):
    """A price for each unit by which less than target x free *of* is left as free *to*."""

    of: Name
    to: Name
    target: Whole
    price: Whole


class BetweenEntry(Section):
    """What a move between two hosts costs."""

    hosts: list[Name]
    matrix: list[list[Whole]]
    """A row for each host, in the order of `hosts`."""


class PricesEntry(Section):
    """Weights and prices of a fleet."""

    balance: list[BalanceEntry] = Field(default_factory=_no_items)
    guest_weight: Whole = 0
    """Factor for the sum of the guests' own move prices."""
    group_weight: Whole = 0
    """Price of the largest number of guests moved in any one group."""
    pair_weight: Whole = 0
    """Factor for the sum of `between` over all moves."""
    between: BetweenEntry | None = None


class GoalEntry(Section):
    """What to optimise."""

    name: Name
    options: dict[str, Any] = Field(default_factory=_empty)


class DefaultsEntry(Section):
    """What every host and every guest has that doesn't say otherwise."""

    host: HostEntry | None = None
    guest: GuestEntry | None = None


class FleetDocument(Section):
    """A fleet: hosts, guests, rules, and what they are measured in."""

    # `schema` is a method of pydantic's models, so the attribute has another name.
    schema_: Literal["moorage/fleet/v1"] = Field(default=SCHEMA, alias="schema")
    """The version of this format."""
    name: Text = ""
    resources: dict[str, ResourceEntry] = Field(default_factory=_empty)
    """Resources beside memory, cpu and storage; or what is unusual about those two."""
    pools: dict[str, PoolEntry] = Field(default_factory=_empty)
    """Storage pools. One that hosts name and that is not listed is local."""
    defaults: DefaultsEntry | None = None
    hosts: dict[str, HostEntry] = Field(default_factory=_empty)
    """By id."""
    guests: dict[str, GuestEntry] = Field(default_factory=_empty)
    """By id."""
    volumes: dict[str, VolumeEntry] = Field(default_factory=_empty)
    """By id."""
    rules: list[Any] = Field(default_factory=_no_items)
    links: dict[str, LinkEntry] = Field(default_factory=_empty)
    """By id."""
    limits: LimitsEntry | None = None
    overhead: dict[KindWord, Amounts] = Field(default_factory=dict)
    """What a guest of each kind takes on top of its own amounts."""
    prices: PricesEntry | None = None
    goal: Annotated[GoalEntry | None, _word_or("name", GoalEntry)] = None
    notes: dict[str, Any] = Field(default_factory=_empty)
    """Anything else; kept, and without a meaning here."""
