"""The memory of a process, searched for what must not be in it."""

from __future__ import annotations

from pathlib import Path


def memory_has(pid: int, *needles: bytes) -> list[bytes]:
    """Those of some byte strings that a process has in its memory."""
    found = set()
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, access, *_ = line.split()
        if not access.startswith("rw"):
            continue
        start, end = (int(part, 16) for part in span.split("-"))
        try:
            with open(f"/proc/{pid}/mem", "rb", 0) as memory:
                memory.seek(start)
                content = memory.read(end - start)
        except OSError:
            continue
        found.update(needle for needle in needles if needle in content)
    return sorted(found)


def forget_peak(pid: int) -> int:
    """Lets a process's peak of memory begin again at the bytes that it has now, which are returned."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return peak_memory(pid)


def peak_memory(pid: int) -> int:
    """The most bytes of memory that a process has had at a time."""
    [line] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1_024
