"""The Swift client while addresses of its machine come and go, and where there is only IPv6: in a network of the test's
own."""

from __future__ import annotations

import os
import subprocess
import unittest

from client import Client
from server import Server


class Network:
    """A network namespace with one cable whose ends are both in it. Use it in a ``with`` block."""

    def __init__(self, name: str):
        self.name = f"{name}-{os.getpid()}"
        #: Before a command, to run it there.
        self.within = ("ip", "netns", "exec", self.name)

    def __enter__(self) -> "Network":
        self._run("ip", "netns", "add", self.name)
        self.ip("link", "set", "lo", "up")
        self.ip("link", "add", "left", "type", "veth", "peer", "name", "right")
        self.ip("link", "set", "left", "up")
        self.ip("link", "set", "right", "up")
        return self

    def __exit__(self, *_: object) -> None:
        self._run("ip", "netns", "delete", self.name)

    def ip(self, *arguments: str) -> None:
        """``ip`` with these arguments, inside."""
        self._run("ip", "-n", self.name, *arguments)

    @staticmethod
    def _run(*command: str) -> None:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: {done.stderr}")


@unittest.skipUnless(os.geteuid() == 0, "only root may make a network of its own")
class Addresses(unittest.TestCase):
    def pair(self, network: Network, host: str) -> tuple[Client, Client]:
        """Ann, who publishes, and Ben, who records what he sees, by the server's address ``host``."""
        server = self.enterContext(Server(
            "--host", "::" if ":" in host else "0.0.0.0", "--admin-host", host.strip("[]"), within=network.within))
        ann, ben = (self.enterContext(Client(f"http://{host}:{server.port}", "r", name, *options, within=network.within))
                    for name, options in (("Ann", ("--publish", "testsrc")), ("Ben", ())))
        ann.joined(), ben.joined()
        ben.sees("Ann")
        return ann, ben

    @staticmethod
    def decoded(client: Client) -> int:
        return sum(each["framesDecoded"] for each in client.received("video"))

    def goes_on(self, client: Client, frames: int = 50) -> None:
        """Waits until so many more pictures have been decoded."""
        before = self.decoded(client)
        client.statistics(f"{frames} more pictures than {before}", lambda: self.decoded(client) >= before + frames)

    def test_an_address_that_comes_and_one_that_goes_disturb_nobody_who_does_not_use_them(self) -> None:
        network = self.enterContext(Network("parley-more"))
        network.ip("address", "add", "192.0.2.1/24", "dev", "left")
        # A host without another address uses this one.
        network.ip("address", "delete", "127.0.0.1/8", "dev", "lo")
        ann, ben = self.pair(network, "192.0.2.1")
        self.goes_on(ben, 25)
        network.ip("address", "add", "198.51.100.7/24", "dev", "right")
        self.goes_on(ben)
        network.ip("address", "delete", "198.51.100.7/24", "dev", "right")
        self.goes_on(ben)
        for client in (ann, ben):
            self.assertEqual(client.all("reconnecting"), [], client.name)

    def test_a_meeting_goes_on_when_the_address_in_use_gives_way_to_another(self) -> None:
        network = self.enterContext(Network("parley-other"))
        network.ip("address", "add", "192.0.2.1/24", "dev", "left")
        network.ip("address", "add", "192.0.2.9/24", "dev", "right")
        network.ip("address", "delete", "127.0.0.1/8", "dev", "lo")
        ann, ben = self.pair(network, "192.0.2.1")
        self.goes_on(ben, 25)
        events = len(ben.events)
        # All of the client's own addresses but one new one go; the server's stays.
        network.ip("address", "delete", "192.0.2.9/24", "dev", "right")
        network.ip("address", "add", "192.0.2.10/24", "dev", "right")
        self.goes_on(ben)
        print(", ".join(each["event"] for each in ben.events[events:] if each["event"] != "stats"), end=" … ")

    def test_a_meeting_over_ipv6_alone_has_picture_and_sound(self) -> None:
        network = self.enterContext(Network("parley-six"))
        network.ip("address", "add", "fd00::9/64", "dev", "left", "nodad")
        network.ip("address", "delete", "127.0.0.1/8", "dev", "lo")
        ann, ben = self.pair(network, "[fd00::9]")
        ben.expect("firstFrame", name="Ann", kind="audio")
        self.goes_on(ben)
        for client in (ann, ben):
            self.assertEqual(client.all("reconnecting"), [], client.name)


if __name__ == "__main__":
    unittest.main()
