# SPDX-License-Identifier: Apache-2.0
"""Runs a command and writes down what it took: wall time, CPU time, peak memory.

    python measured.py TIMEOUT_S MEMORY_MIB STATS_FILE COMMAND...

A program of its own, and a small one, because Linux counts the memory of whoever starts a
process towards that process's peak. MEMORY_MIB is a limit on address space; 0 is none.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time


def main(timeout_s: str, memory_mib: str, stats_file: str, *command: str) -> int:
    """Run *command* with our own stdin, stdout and stderr; return its exit code."""
    limit = int(memory_mib) << 20

    def confine() -> None:
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    start = time.perf_counter()
    # A session of its own, so that children of the command end with it.
    child = subprocess.Popen(command, start_new_session=True, preexec_fn=confine)
    timed_out = False
    try:
        child.wait(float(timeout_s))
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        _end(child)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    stats = {
        "returncode": child.returncode,
        "timed_out": timed_out,
        "wall_s": time.perf_counter() - start,
        "cpu_s": used.ru_utime + used.ru_stime,
        "peak_mib": used.ru_maxrss // 1024,
    }
    with open(stats_file, "w", encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to load
        json.dump(stats, file)
    return 0


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
