# SPDX-License-Identifier: Apache-2.0
"""What native documents mean, and how they are refused."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from moorage.formats import load, read
from moorage.formats.native import read as read_tree
from moorage.formats.tree import parse
from moorage.model import (
    BadInput,
    Dirtying,
    Fleet,
    FrozenMap,
    GoalChoice,
    GuestKind,
    Health,
    HostState,
    Load,
    NotFound,
    Pressure,
    Resource,
    Strength,
    UnknownFormat,
    Unsupported,
    Verdict,
)
from moorage.rules.registry import registry
from moorage.verifying import check

if TYPE_CHECKING:
    from pathlib import Path

TWO_HOSTS = "hosts:\n  a: {memory: 8 GiB}\n  b: {memory: 8 GiB}\n"
TWO_GUESTS = "guests:\n  db-1: {host: a, tags: [db]}\n  db-2: {host: b, tags: [db], kind: ct}\n"
BOTH = TWO_HOSTS + TWO_GUESTS


def fleet_of(text: str) -> Fleet:
    """Read a native text."""
    return read_tree(parse(dedent(text), name="f"))


def refusal(text: str) -> BadInput:
    """Return the error that a native text is refused with."""
    with pytest.raises(BadInput) as refused:
        fleet_of(text)
    return refused.value


def test_every_key_of_a_host_has_its_meaning() -> None:
    """A host with all keys is the host that they describe."""
    host = fleet_of("""
        resources: {licences: {unit: seats, hard: false, held_until_end: true, price: 3}}
        hosts:
          1:
            name: the first
            memory: 64 GiB
            cpu: 16
            storage: {local: 1 TiB}
            resources: {licences: 5}
            cores: 8
            reserve: {memory: 1 GiB, cpu: 0.5, storage: {local: 1}, resources: {licences: 1}}
            overcommit: {cpu: 4, memory: 1.2, storage: {local: 2}, resources: {licences: 1}}
            thresholds: {memory: 32 GiB}
            labels: {rack: 7}
            state: draining
            health: {verdict: degraded, findings: [fan]}
            heartbeat_age: 90 s
            pressure: {cpu: 12.5, memory: 1, io: 0.25}
            bandwidth: 10 Gb/s
            devices: {gpu: 2}
            cpu_features: [aes]
            tags: [new]
        """).hosts["1"]
    assert host.name == "the first"
    assert host.capacity == {"memory": 65536, "cpu": 16000, "disk:local": 1 << 20, "licences": 5}
    assert host.reserve == {"memory": 1024, "cpu": 500, "disk:local": 1, "licences": 1}
    ratios = {"memory": 1200, "cpu": 4000, "disk:local": 2000, "licences": 1000}
    assert host.overcommit_permille == ratios
    assert host.thresholds == {"memory": 32768}
    assert host.labels == {"rack": "7"}
    assert (host.state, host.cores) == (HostState.DRAINING, 8)
    assert host.verdict == Verdict(Health.DEGRADED, ("fan",))
    assert (host.heartbeat_age_s, host.bandwidth_mbps) == (90, 10_000)
    assert host.pressure == Pressure(1250, 100, 25)
    assert host.devices == {"gpu": 2}
    assert (host.cpu_features, host.tags) == (("aes",), ("new",))


def test_every_key_of_a_guest_has_its_meaning() -> None:
    """A guest with all keys is the guest that they describe."""
    guest = fleet_of("""
        resources: {licences: {}}
        hosts: {a: {}}
        volumes: {v: {home: a, size: 1 GiB, exclusive: false}}
        guests:
          g:
            name: the guest
            kind: microvm
            host: a
            memory: 512 MiB
            cpu: 500m
            disks: {ceph: 8 GiB}
            resources: {licences: 1}
            stopped: true
            vcpus: 2
            load: {cpu: 0.66, memory: 300 MiB, pressure: {cpu: 3}}
            priority: 5
            volumes: [v]
            devices: {gpu: 1}
            cpu_features: [aes]
            dirty: {hot: 64 MiB, hot_period: 500 ms, cold: 1 MiB/s}
            lock: backup
            tags: [x]
            project: p
            group: r
            move_price: 7
            move_duration: 2 min
        """).guests["g"]
    assert (guest.name, guest.kind, guest.host) == ("the guest", GuestKind.MICROVM, "a")
    assert guest.demand == {"memory": 512, "cpu": 500, "disk:ceph": 8192, "licences": 1}
    assert (guest.stopped, guest.vcpus, guest.priority) == (True, 2, 5)
    assert guest.load == Load(660, 300, Pressure(300))
    assert guest.volumes == ("v",)
    assert guest.devices == {"gpu": 1}
    assert guest.dirtying == Dirtying(64, 500, 1024)
    assert (guest.lock, guest.project, guest.group) == ("backup", "p", "r")
    assert (guest.cpu_features, guest.tags) == (("aes",), ("x",))
    assert (guest.move_price, guest.move_duration_s) == (7, 120)


def test_the_rest_of_a_fleet_has_its_meaning() -> None:
    """Links, limits, overhead, prices, goal and notes are what they say."""
    fleet = fleet_of("""
        name: all
        hosts: {a: {}, b: {}}
        links: {uplink: {capacity: 25 Gb/s, sides: [[a], [b]], duplex: false}}
        limits: {at_once: 4, per_pool: 1}
        overhead: {microvm: {memory: 128 MiB, cpu: 0.25}}
        prices:
          balance: [{of: cpu, to: memory, target: 2, price: 10}]
          guest_weight: 1
          between: {hosts: [a, b], matrix: [[0, 1], [2, 0]]}
        goal: {name: balance, options: {weights: [1, 2.5]}}
        notes: {ticket: 7}
        """)
    assert (fleet.name, fleet.notes) == ("all", {"ticket": 7})
    (link,) = fleet.links
    assert (link.id, link.capacity_mbps, link.duplex) == ("uplink", 25_000, False)
    assert link.sides == (("a",), ("b",))
    assert (fleet.limits.at_once, fleet.limits.per_pool, fleet.limits.into_host) == (4, 1, None)
    assert fleet.overhead == {GuestKind.MICROVM: {"memory": 128, "cpu": 250}}
    assert fleet.prices.balance[0].price == 10
    assert fleet.prices.between is not None
    assert fleet.prices.between.matrix == ((0, 1), (2, 0))
    assert fleet.goal == GoalChoice("balance", FrozenMap({"weights": (1, 2.5)}))


def test_a_shared_pool_is_attached_by_its_hosts() -> None:
    """Hosts of a shared pool have all of its room, unless they say otherwise."""
    fleet = fleet_of("""
        pools:
          ceph: {shared: true, capacity: 10 TiB}
          nfs: {shared: true, capacity: 1 TiB, hosts: [b], hard: false, price: 2}
          local: {held_until_end: true}
        hosts: {a: {storage: {ceph: 1 TiB, local: 5}}, b: {}}
        """)
    tib = 1 << 20
    assert fleet.hosts["a"].capacity == {"disk:ceph": tib, "disk:local": 5}
    assert fleet.hosts["b"].capacity == {"disk:ceph": 10 * tib, "disk:nfs": tib}
    assert fleet.resources["disk:nfs"] == Resource("disk:nfs", "MiB", tib, hard=False, price=2)
    assert fleet.resources["disk:local"] == Resource("disk:local", "MiB", held_until_end=True)


def test_a_pool_that_is_only_named_is_local() -> None:
    """Naming a pool is enough where each host has its own."""
    fleet = fleet_of("hosts: {a: {storage: {local: 1}}}\nguests: {g: {disks: {scratch: 1}}}")
    assert fleet.resources["disk:local"] == Resource("disk:local", "MiB")
    assert fleet.resources["disk:scratch"] == Resource("disk:scratch", "MiB")


def test_memory_and_cpu_can_be_declared_otherwise() -> None:
    """With another unit their amounts are bare numbers; absent ones are not counted."""
    fleet = fleet_of("""
        resources: {memory: {unit: pages}, cpu: {absent: true}}
        hosts: {a: {resources: {memory: 70}}}
        """)
    assert fleet.resources == {"memory": Resource("memory", "pages")}
    assert fleet.hosts["a"].capacity == {"memory": 70}


def test_defaults_lie_under_every_entry() -> None:
    """Mappings are merged, other values replaced, and an empty value takes a default away."""
    fleet = fleet_of("""
        defaults:
          host: {memory: 8 GiB, cpu: 4, labels: {zone: z1, rack: a}, tags: [x]}
          guest: {kind: ct, memory: 1 GiB}
        hosts:
          plain:
          other: {memory: 16 GiB, labels: {rack: b}, tags: [], cpu: }
        guests: {g: {memory: 2 GiB}}
        """)
    plain, other = fleet.hosts["plain"], fleet.hosts["other"]
    assert plain.capacity == {"memory": 8192, "cpu": 4000}
    assert (plain.labels, plain.tags) == ({"zone": "z1", "rack": "a"}, ("x",))
    assert other.capacity == {"memory": 16384}
    assert (other.labels, other.tags) == ({"zone": "z1", "rack": "b"}, ())
    assert fleet.guests["g"].kind is GuestKind.CONTAINER


def test_empty_sections_are_empty() -> None:
    """A section that somebody has emptied by hand is no mistake."""
    fleet = fleet_of("hosts:\nguests:\nrules:\nvolumes:\nnotes:\npools:\nlinks:\ndefaults:\n")
    assert fleet == Fleet()


def test_rules_take_their_keys_from_their_classes() -> None:
    """A rule is built with its own keys and those of all rules; what is absent is usual."""
    rules = fleet_of(
        BOTH
        + dedent("""
        rules:
          - apart: {name: dbs, guests: [db-1, db-2], domain: rack, at_most: 2, weight: 5,
                    strength: should, when: at_end, origin: pve}
          - split: {groups: [[db-1], [db-2]]}
          - together: {guests: [db-1], parts: [[a], [b]]}
          - prefer: {guests: [db-1], hosts: {a: 10, b: -1}}
          - quota: {project: p, limits: {memory: 1 GiB, cpu: 1.5}, at_most: 3}
          - group_capacity: {hosts: [a, b], resource: memory, at_most: 2 GiB}
          - health: {admit: [nominal, unknown], max_heartbeat_age_s: 2 min, exempt: [a]}
          - drain:
        """)
    ).rules
    known = registry()
    assert rules[0] == known["apart"](
        name="dbs", guests=("db-1", "db-2"), domain="rack", at_most=2, weight=5,  # type: ignore[call-arg]
        strength=Strength.SHOULD, when="at_end", origin="pve",  # type: ignore[arg-type]
    )  # fmt: skip
    values: list[Any] = list(rules)
    assert values[1].groups == (("db-1",), ("db-2",))
    assert values[2].parts == (("a",), ("b",))
    assert values[3].hosts == {"a": 10, "b": -1}
    assert values[3].strength is Strength.SHOULD
    assert values[4].limits == {"memory": 1024, "cpu": 1500}
    assert values[5].at_most == 2048
    assert values[6].admit == (Health.NOMINAL, Health.UNKNOWN)
    assert values[6].max_heartbeat_age_s == 120
    assert values[7].hosts == ()


def test_rules_without_a_name_are_numbered() -> None:
    """Unnamed rules are called after their kind, past names that are taken."""
    rules = fleet_of(
        BOTH
        + dedent("""
        rules:
          - ban: {guests: [db-1], hosts: [a]}
          - ban: {name: ban-2, guests: [db-1], hosts: [a]}
          - ban: {guests: [db-1], hosts: [a]}
          - maintenance: {hosts: [a]}
          - capacity: {}
        """)
    ).rules
    names = [rule.name for rule in rules]
    assert names == ["ban", "ban-2", "ban-3", "maintenance-2", "capacity"]


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        ("{tag: db}", ("db-1", "db-2")),
        ("{kind: ct}", ("db-2",)),
        ("{tag: db, kind: vm}", ("db-1",)),
        ("{all: true}", ("db-1", "db-2")),
        ("[db-2]", ("db-2",)),
    ],
)
def test_guests_can_be_selected(selector: str, chosen: tuple[str, ...]) -> None:
    """A selector stands for the guests that have all of it."""
    (rule,) = fleet_of(BOTH + f"rules:\n  - apart: {{guests: {selector}}}\n").rules
    assert list(rule.guests_named(Fleet()) or ()) == list(chosen)


def test_a_selector_that_finds_nobody_is_warned_of() -> None:
    """A rule that binds nobody is probably a slip of the pen."""
    fleet = fleet_of(BOTH + "rules:\n  - apart: {guests: {tag: bd}}\n")
    assert fleet.warnings == ("rule 0 (apart): no guest has tag: bd, so the rule binds nobody",)


def test_orphans_are_accepted_with_a_warning() -> None:
    """A guest or a volume on a host that isn't there is what a live system may show."""
    fleet = fleet_of("hosts: {a: {}}\nguests: {g: {host: gone}}\nvolumes: {v: {home: gone}}")
    assert fleet.orphans == ("g",)
    assert list(check(fleet).to_dict()["warnings"]) == list(fleet.warnings), "each is said once"
    assert fleet.warnings == (
        "guest g is on host gone, which is not in the fleet",
        "volume v is at home on gone, which is not in the fleet",
    )


REFUSED = [
    ("hosts:\n  a: {memroy: 1}\n", "f:2:7", "unknown key 'memroy'", "did you mean memory?"),
    ("hots: {}\n", "f:1:1", "unknown key 'hots'", "did you mean hosts?"),
    ("hosts:\n  a: {memory: -1}\n", "f:2:15", "an amount can't be negative", None),
    ("hosts:\n  a: {memory: }\n", "f:2:15", "nothing is no amount", None),
    ("hosts: [a]\n", "f:1:8", "a mapping is expected here", None),
    ("- a\n", "f:1:1", "a fleet is a mapping", "begin with `hosts:`"),
    ("schema: moorage/fleet/v9\n", "f:1:9", "the version is not known",
     "known is 'moorage/fleet/v1'"),
    ("hosts:\n  a:\n    state: maintainance\n", "f:3:12",
     "'maintainance' is none of active, maintenance, draining, disabled, degraded, down",
     "did you mean maintenance?"),
    ("hosts:\n  a: {state: on}\n  a: {}\n", "f:3:3", "duplicate key 'a'",
     "the first one is on line 2"),
    ('hosts:\n  "": {}\n', "f:2:3", "a name can't be empty", None),
    ('hosts:\n  a: {storage: {"": 1 GiB}}\n', "f:2:17", "a name can't be empty", None),
    ("guests:\n  g: {host: [a, b]}\n", "f:2:13", "a guest is on one host, or on none",
     "keep the one where it runs"),
    ("guests:\n  g: {host: 1.5}\n", "f:2:13", "1.5 is not a name", "put it in quotes"),
    ("guests:\n  g: {stopped: 1}\n", "f:2:16", "1 is not true or false", "write true or false"),
    ("guests:\n  g: {vcpus: 1.5}\n", "f:2:14", "1.5 is not a whole number", None),
    ("guests:\n  g: {volumes: [v]}\nvolumes: {w: {}}\n", "f:2:17", "there is no volume 'v'",
     "known are w"),
    ("guests:\n  g: {volumes: [v, w]}\nvolumes: {v: {home: a}, w: {home: b}}\n", "f:2:20",
     "volume v is at home on a, but w on b", "no host can run guest g with both"),
    ("guests:\n  g: {resources: {licence: 1}}\nresources: {licences: {}}\n", "f:2:19",
     "the resource 'licence' is not declared",
     "did you mean licences? Or declare it: `resources: {licence: {}}` at the top"),
    ("guests:\n  g: {resources: {memory: 1}}\n", "f:2:19", "memory has a key of its own",
     "write `memory` beside `resources`"),
    ("hosts:\n  a: {memory: 1}\nresources: {memory: {unit: pages}}\n", "f:2:7",
     "memory is measured in pages", "write it under `resources`, in pages"),
    ("hosts:\n  a: {cpu: 1}\nresources: {cpu: {absent: true}}\n", "f:2:7",
     "cpu is declared absent", None),
    ("resources: {x: {absent: true}}\n", "f:1:25", "only memory and cpu can be absent", None),
    ("pools: {p: {shared: true}}\n", "f:1:12", "the capacity of the shared pool is missing", None),
    ("pools: {p: {capacity: 1}}\n", "f:1:12", "the room of a local pool",
     "write `shared: true`, or give the room under `storage` of each host"),
    ("pools: {p: {shared: true, capacity: 1, hosts: [b]}}\nhosts: {a: {}}\n", "f:1:48",
     "there is no host 'b'", "known are a"),
    ("links: {l: {capacity: 1, sides: [[x]]}}\n", "f:1:35", "there is no host 'x'", None),
    ("links: {l: {capacity: 1}}\n", "f:1:12", "the key 'sides' is missing", None),
    ("prices: {balance: [{of: disk, to: cpu, target: 1, price: 1}]}\n", "f:1:25",
     "there is no resource 'disk'", "known are cpu, memory"),
    ("hosts: {a: {}}\nprices: {between: {hosts: [a], matrix: [[1, 2]]}}\n", "f:2:40",
     "the matrix needs 1 rows of 1 prices, one for each host", None),
]  # fmt: skip

REFUSED_RULES = [
    ("- appart: {guests: []}", "f:8:5", "unknown key 'appart'", "did you mean apart?"),
    ("- apart: {guest: [db-1]}", "f:8:13", "unknown key 'guest'", "did you mean guests?"),
    ("- apart: {domain: rack}", "f:8:12", "the key 'guests' is missing", None),
    ("- apart: {guests: [db-9]}", "f:8:22", "there is no guest 'db-9'", "did you mean db-2?"),
    ("- ban: {guests: [db-1], hosts: [c]}", "f:8:35", "there is no host 'c'", "known are a, b"),
    ("- prefer: {guests: [db-1], hosts: {c: 1}}", "f:8:38", "there is no host 'c'",
     "known are a, b"),
    ("- apart: {guests: [db-1, db-1]}", "f:8:28", "'db-1' is named twice", None),
    ("- apart: {guests: [db-1], at_most: 0}", "f:8:12", "at_most is 0, but must be at least 1",
     None),
    ("- apart: {guests: {label: x}}", "f:8:21", "guests can't be chosen by 'label'",
     "known are all, group, kind, project, tag"),
    ("- apart: {guests: [db-1], strength: shuold}", "f:8:39", "'shuold' is none of must, should",
     "did you mean should?"),
    ("- {apart: {guests: []}, drain: {}}", "f:8:5",
     "a rule has one kind; this one has apart, drain", "begin each rule with a dash of its own"),
    ("- apart", "f:8:5", "a mapping is expected here", None),
    ("- ban: {name: x, guests: [], hosts: []}\n  - stay: {name: x, guests: []}", "f:9:18",
     "two rules are called 'x'", "the other one is number 1 in the list"),
    ("- quota: {project: p, limits: {memroy: 1}}", "f:8:34", "there is no resource 'memroy'",
     "did you mean memory?"),
    ("- quota: {project: p, limits: {memory: 1.5}}", "f:8:42", "1.5 is no whole number of MiB",
     "it is 1.5 MiB; write 1 or 2"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "message", "hint"), REFUSED)
def test_mistakes_are_refused_with_their_place(
    text: str, place: str, message: str, hint: str | None
) -> None:
    """A mistake is told with line and column, in words, and with what was probably meant."""
    error = refusal(text)
    assert (error.code, error.place, error.message) == ("bad_input", place, message)
    assert hint is None or error.hint == hint


@pytest.mark.parametrize(("rule", "place", "message", "hint"), REFUSED_RULES)
def test_mistakes_in_rules_are_refused_with_their_place(
    rule: str, place: str, message: str, hint: str | None
) -> None:
    """A rule names kinds, keys, guests, hosts and resources that are there."""
    error = refusal(f"{BOTH}rules:\n  {rule}\n")
    assert (error.code, error.place, error.message) == ("bad_input", place, message)
    assert hint is None or error.hint == hint


def test_mistakes_in_json_have_lines_too() -> None:
    """JSON is refused like YAML."""
    error = refusal('{"hosts": {\n  "a": {"memory": "8 gigs"}}}')
    assert (error.place, error.message) == ("f:2:19", "'8 gigs' has an unknown unit")


def test_all_mistakes_are_told_at_once() -> None:
    """The first in the file is the error; the others follow with their places, up to twenty."""
    guests = "".join(f"  g{i}: {{cpus: 1}}\n" for i in range(30))
    error = refusal(f"guests:\n{guests}hosts: {{a: {{memory: x}}}}\n")
    assert (error.place, error.message) == ("f:2:8", "unknown key 'cpus'")
    lines = (error.hint or "").splitlines()
    assert lines[0] == "did you mean vcpus?"
    assert lines[1] == "also f:3:8: unknown key 'cpus' (did you mean vcpus?)"
    assert lines[-2].startswith("also f:32:21: 'x' is no amount")
    assert lines[-1] == "and 11 more"


def test_a_mapping_is_refused_with_its_path() -> None:
    """A value that never was text tells where in it the mistake is."""
    with pytest.raises(BadInput) as refused:
        read({"hosts": {"a": {"memory": "much"}}})
    assert refused.value.place == "<mapping>: hosts.a.memory"


def test_a_source_is_read_in_its_format(tmp_path: Path) -> None:
    """The fleet knows where it came from; the text and the format come with it."""
    path = tmp_path / "fleet.yaml"
    path.write_text(BOTH, "utf-8")
    loaded = load(path)
    assert (loaded.format, loaded.text) == ("native", BOTH)
    assert loaded.fleet.source == str(path)
    assert read(str(path)) == loaded.fleet == read(path, format="native")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the document is empty"),
        ("- 1\n", "a fleet is a mapping, and this is a list"),
        ("animals: {}\n", "no known format has these keys: 'animals'"),
        ("1 2\n3 4\n", "a fleet is a mapping, and this is a str"),
    ],
)
def test_what_no_format_knows_is_told(tmp_path: Path, text: str, message: str) -> None:
    """A document in no known format is refused with what was seen in it."""
    path = tmp_path / "fleet.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(UnknownFormat) as refused:
        read(path)
    assert refused.value.message == message
    assert refused.value.hint is not None


def test_unknown_formats_are_told() -> None:
    """A format that isn't there is refused with those that are."""
    with pytest.raises(UnknownFormat, match="there is no format 'xml'") as refused:
        read({}, format="xml")
    assert refused.value.hint == "formats: native, proxlb, btrplace, gmrp"


def test_two_paths_are_gmrp(tmp_path: Path) -> None:
    """Two files joined by a colon are a model and an assignment; the missing one is named."""
    (tmp_path / "model").write_text("0\n", "utf-8")
    with pytest.raises(NotFound, match="assignment"):
        read(f"{tmp_path}/model:{tmp_path}/assignment", format="gmrp")
    with pytest.raises(UnknownFormat) as refused:
        read(f"{tmp_path}/model", format="gmrp")
    assert refused.value.hint == "a GMRP source is MODEL:ASSIGNMENT, two paths and a colon"


def test_only_native_texts_are_written_over() -> None:
    """A base in another format is refused before anything is written."""
    from moorage.formats import write

    with pytest.raises(Unsupported, match="proxlb files are written anew"):
        write(Fleet(), "proxlb", base="nodes: {}\n")
