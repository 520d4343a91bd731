# SPDX-License-Identifier: Apache-2.0
"""Calls watcher's consolidation of servers: {hosts, guests, drained} in, placements out.

Nova and telemetry are stood in for: the cluster model is filled from the request, and each
instance is measured as using all that it was given, as the request's capacities mean it. Strategy
and model are watcher's own.
"""

from __future__ import annotations

import json
import sys
import time
import uuid
from types import SimpleNamespace
from typing import Any

from watcher.common import utils
from watcher.decision_engine.model import element, model_root
from watcher.decision_engine.strategy.strategies.vm_workload_consolidation import (
    VMWorkloadConsolidation,
)

PROJECT = str(uuid.UUID(int=1))


class Measured:
    """Telemetry: everybody uses what it was given; nothing is known of hosts beyond that."""

    def get_instance_cpu_usage(self, **_: Any) -> float:
        """In percent of the instance's vCPUs."""
        return 100.0

    def get_instance_ram_usage(self, resource: Any, **_: Any) -> int:
        """In MiB."""
        return int(resource.memory)

    def get_instance_ram_allocated(self, resource: Any, **_: Any) -> int:
        """In MiB."""
        return int(resource.memory)

    def get_instance_root_disk_size(self, **_: Any) -> int:
        """Disks play no part in these workloads; zero would be taken for no answer."""
        return 1

    def get_host_cpu_usage(self, *_: Any) -> None:
        """Not measured, so that the instances' use is added up."""

    def get_host_ram_usage(self, *_: Any) -> None:
        """Not measured, so that the instances' use is added up."""


class Offline(VMWorkloadConsolidation):
    """The strategy, on a cluster model that is handed to it."""

    given: Any = None

    @property
    def compute_model(self) -> Any:
        """The model that was handed over."""
        return self.given

    @property
    def datasource_backend(self) -> Any:
        """Telemetry."""
        return Measured()


def cluster(request: dict[str, Any]) -> tuple[Any, dict[str, str]]:
    """Return watcher's model of the request, and {uuid: guest}."""
    model = model_root.ModelRoot()
    nodes = {}
    for name, room in request["hosts"].items():
        drained = name in request["drained"]
        nodes[name] = element.ComputeNode(
            uuid=str(uuid.uuid5(uuid.NAMESPACE_DNS, name)),
            hostname=name,
            status=(
                element.ServiceState.DISABLED if drained else element.ServiceState.ENABLED
            ).value,
            state=element.ServiceState.ONLINE.value,
            memory=room["memory"],
            memory_mb_reserved=0,
            memory_ratio=1.0,
            vcpus=room["cpu"] // 1000,
            vcpu_reserved=0,
            vcpu_ratio=1.0,
            disk=1_000_000,
            disk_gb_reserved=0,
            disk_ratio=1.0,
        )
        model.add_node(nodes[name])
    guests = {}
    for name, data in request["guests"].items():
        instance = element.Instance(
            uuid=str(uuid.uuid5(uuid.NAMESPACE_DNS, name)),
            name=name,
            state=element.InstanceState.ACTIVE.value,
            memory=data["memory"],
            vcpus=data["cpu"] // 1000,
            disk=1,
            metadata={},
            project_id=PROJECT,
        )
        guests[instance.uuid] = name
        model.add_instance(instance)
        model.map_instance(instance, nodes[data["host"]])
    return model, guests


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    model, guests = cluster(request)
    strategy = Offline(utils.Struct(datasources=None))
    strategy.given = model
    strategy.input_parameters = SimpleNamespace(
        get=lambda key, default=None: {"period": 3600, "granularity": 300}.get(key, default)
    )
    start = time.perf_counter()
    strategy.execute()
    took = time.perf_counter() - start
    where = {
        name: model.get_node_by_instance_uuid(known).hostname for known, name in guests.items()
    }
    json.dump({"placements": where, "solve_s": took}, sys.stdout)


if __name__ == "__main__":
    main()
