"""Ports for servers under test that nobody else gets."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path
from typing import Iterator

#: How many ports a process of tests takes at a time, and how many times as many there are.
BLOCK, BLOCKS = 50, 200

_locks: list[socket.socket] = []
_turn = threading.Lock()


def _own() -> Iterator[int]:
    """Ports below those that the kernel gives to whoever names none. To hold one of those would not be enough: media
    takes any UDP port that is free, and then the TCP port of this number. A UDP socket at the beginning of a block
    keeps other processes of tests from it."""
    end = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for first in range(end - BLOCKS * BLOCK, end, BLOCK):
        lock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        try:
            lock.bind(("::", first))
        except OSError:
            lock.close()
            continue
        _locks.append(lock)
        yield from range(first + 1, first + BLOCK)


_ports = _own()


def free_port() -> int:
    """A TCP port that nothing listens on, and that nobody gets who does not name it, as long as this process runs: a
    server that is started again finds it free. Until one listens connections are refused."""
    with _turn:
        for port in _ports:
            with socket.socket(socket.AF_INET6) as probe, contextlib.suppress(OSError):
                # As servers here bind theirs: connections that are over don't hinder them.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("::", port))
                probe.listen()
                return port
    raise AssertionError(f"no port is left: {len(_locks)} of {BLOCKS} blocks of {BLOCK} are of this process, the others of others")
