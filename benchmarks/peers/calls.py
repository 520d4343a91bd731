# SPDX-License-Identifier: Apache-2.0
"""Asking peers: a fleet becomes their request, their answer a placement."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.peers.environment import Peer, Unavailable, python_of
from benchmarks.running import Finished, run
from moorage.model import Fleet, HostState
from moorage.rules.apart import Apart

# What a peer may take longer than its own limit before it is ended: building its model counts.
GRACE_S = 60


@dataclass(frozen=True, slots=True)
class Peers:
    """The environments of all peers, and how much they may take.

    Attributes:
        folder: where the environments are.
        memory_mib: limit on a peer's address space; 0 is none.
    """

    folder: Path
    memory_mib: int = 0

    def ask(self, peer: Peer, request: Mapping[str, Any], time_s: float) -> Finished:
        """Run the peer's adapter.

        Raises:
            Unavailable: the peer can't be had here.
        """
        python = python_of(peer, self.folder)
        return run(
            [str(python), "-I", str(peer.program)],
            stdin=json.dumps(request),
            timeout_s=time_s + GRACE_S,
            memory_mib=self.memory_mib,
        )


@contextmanager
def unpacked(file: Path) -> Iterator[Path]:
    """Give a file that a peer can read: a compressed one is unpacked meanwhile."""
    if file.suffix != ".gz":
        yield file
        return
    with TemporaryDirectory(prefix="moorage-bench-") as folder:
        plain = Path(folder) / file.stem
        plain.write_bytes(gzip.decompress(file.read_bytes()))
        yield plain


def request_of(fleet: Fleet) -> dict[str, Any]:
    """Say what a fleet is in plain words: memory, vCPUs, replicas, hosts to drain."""
    apart = [rule for rule in fleet.rules if isinstance(rule, Apart)]
    if len(apart) != len(fleet.rules):
        raise Unavailable("the adapter knows no rules but replicas apart")
    return {
        "hosts": {
            host.id: {resource: host.usable(resource) for resource in ("memory", "cpu")}
            for host in fleet.hosts.values()
        },
        "guests": {
            guest: {"host": fleet.placement[guest], **fleet.demand_of(guest)}
            for guest in fleet.running
        },
        "apart": {rule.label: list(rule.guests) for rule in apart},
        "drained": [h.id for h in fleet.hosts.values() if h.state is HostState.MAINTENANCE],
    }
