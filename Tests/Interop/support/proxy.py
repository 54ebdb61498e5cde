"""A TCP proxy that can be cut: what a page's network does to its WebSocket while UDP goes on."""

from __future__ import annotations

import socket
import threading


class CuttableProxy:
    """Forwards a loopback port to the server. ``cut()`` drops every connection and refuses new ones."""

    def __init__(self, target_port: int):
        self._target = ("127.0.0.1", target_port)
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._open = True
        self._marker: bytes | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if not self._open:
                    client.close()
                    continue
                try:
                    server = socket.create_connection(self._target, 5)
                    # Otherwise a connection over which the server says nothing for so long would end.
                    server.settimeout(None)
                except OSError:
                    client.close()
                    continue
                self._pairs.append((client, server))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink, source is server), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        try:
            tail, withholds = b"", False
            while data := source.recv(65536):
                withholds = withholds or is_answer and self._is_marked(tail + data)
                tail = (tail + data)[-100:]
                if not withholds:
                    sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _is_marked(self, data: bytes) -> bool:
        with self._lock:
            if self._marker is None or self._marker not in data:
                return False
            self._marker = None
            return True

    def withhold_at(self, marker: bytes) -> None:
        """From when the server says this, at most 100 bytes, over a connection, nothing more that it says arrives
        there: it does what it is asked for, and the answers are lost."""
        with self._lock:
            self._marker = marker

    def withholds(self) -> bool:
        """Whether the server has said that."""
        with self._lock:
            return self._marker is None

    def cut(self) -> None:
        """Drops every connection and refuses new ones until ``mend()``."""
        with self._lock:
            self._open = False
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def mend(self) -> None:
        """Lets connections through again."""
        with self._lock:
            self._open = True

    def close(self) -> None:
        self.cut()
        self._listener.close()
