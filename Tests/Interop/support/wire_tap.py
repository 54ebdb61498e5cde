"""Proxies for TCP and UDP that keep everything that passes, in both directions."""

from __future__ import annotations

import select
import socket
import threading


class WireTap:
    """Forwards a loopback port to the server. ``traffic()`` is all that passed, without WebSocket masks."""

    def __init__(self, target_port: int):
        self._target = ("127.0.0.1", target_port)
        self._streams: list[bytearray] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://localhost:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target, 5)
                # Otherwise a connection over which the server says nothing for so long would end.
                server.settimeout(None)
            except OSError:
                return
            for source, sink in ((client, server), (server, client)):
                stream = bytearray()
                self._streams.append(stream)
                threading.Thread(target=self._pump, args=(source, sink, stream), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, sink: socket.socket, stream: bytearray) -> None:
        try:
            while data := source.recv(65536):
                stream += data
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def traffic(self) -> bytes:
        return b"\n".join(_plain(bytes(stream)) for stream in self._streams)

    def close(self) -> None:
        self._listener.close()


class DatagramTap:
    """Forwards a UDP port of loopback to the server's media. ``traffic()`` is all that passed."""

    def __init__(self, target_port: int):
        self._target = ("127.0.0.1", target_port)
        self._datagrams: list[bytes] = []
        self._front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._front.bind(("127.0.0.1", 0))
        self.port = self._front.getsockname()[1]
        #: A socket of its own for each client, by which the server tells them apart.
        self._backs: dict[tuple[str, int], socket.socket] = {}
        self._clients: dict[socket.socket, tuple[str, int]] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._forward, daemon=True)
        self._thread.start()

    def _forward(self) -> None:
        while not self._closing.is_set():
            for source in select.select([self._front, *self._clients], [], [], 0.2)[0]:
                try:
                    data, sender = source.recvfrom(65536)
                except OSError:
                    continue
                self._datagrams.append(data)
                if source is self._front:
                    self._back(sender).send(data)
                else:
                    self._front.sendto(data, self._clients[source])

    def _back(self, client: tuple[str, int]) -> socket.socket:
        if client not in self._backs:
            back = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            back.connect(self._target)
            self._backs[client], self._clients[back] = back, client
        return self._backs[client]

    def traffic(self) -> bytes:
        return b"\n".join(list(self._datagrams))

    def close(self) -> None:
        self._closing.set()
        self._thread.join(5)
        for each in (self._front, *self._clients):
            each.close()


def _plain(stream: bytes) -> bytes:
    """A stream as it was before it was masked (RFC 6455 section 5.2)."""
    head, _, rest = stream.partition(b"\r\n\r\n")
    if b"upgrade: websocket" not in head.lower():
        return stream
    parts, at = [head], 0
    while len(rest) - at >= 2:
        assert rest[at] & 0x40 == 0, "the frames are compressed"
        is_masked, length = rest[at + 1] & 0x80, rest[at + 1] & 0x7F
        at += 2
        if length >= 126:
            size = 2 if length == 126 else 8
            length = int.from_bytes(rest[at:at + size])
            at += size
        mask = rest[at:at + 4] if is_masked else bytes(4)
        at += 4 if is_masked else 0
        payload = rest[at:at + length]
        parts.append(bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload)) if is_masked else payload)
        at += length
    return b"\n".join(parts)
