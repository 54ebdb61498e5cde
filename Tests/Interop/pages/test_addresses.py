"""Addresses that a server reports for media: on machines with many, with changing ones, with several servers; from
other machines (namespaces)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from browser import CHROMIUM, shared_driver, wait_for
from client import Client
from server import Server

#: Passes connections on, from an address and a port to a port of this machine.
RELAY = """
import asyncio, sys
async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()
async def serve(reader, writer):
    inner = await asyncio.open_connection("127.0.0.1", int(sys.argv[3]))
    await asyncio.gather(copy(reader, inner[1]), copy(inner[0], writer), return_exceptions=True)
async def main():
    server = await asyncio.start_server(serve, sys.argv[1], int(sys.argv[2]))
    print("ready", flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def ip(*arguments: str) -> str:
    done = subprocess.run(("ip", *arguments), capture_output=True, text=True, timeout=20)
    if done.returncode != 0:
        raise AssertionError(f"ip {' '.join(arguments)}: {done.stderr}")
    return done.stdout


class Machines:
    """Two machines on one cable: ``server`` has 192.0.2.1 and fd00:2::1, ``client`` 192.0.2.100 and fd00:2::100. Use it
    in a ``with`` block."""

    def __init__(self) -> None:
        self.server, self.client = (f"parley-{os.getpid()}-{name}" for name in ("s", "c"))

    def __enter__(self) -> "Machines":
        for name in (self.server, self.client):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("link", "add", "cable", "netns", self.server, "type", "veth", "peer", "name", "cable", "netns", self.client)
        for name, number in ((self.server, "1"), (self.client, "100")):
            ip("-n", name, "link", "set", "cable", "up")
            ip("-n", name, "address", "add", f"192.0.2.{number}/24", "dev", "cable")
            ip("-n", name, "address", "add", f"fd00:2::{number}/64", "dev", "cable", "nodad")
        return self

    def __exit__(self, *_: object) -> None:
        for name in (self.server, self.client):
            ip("netns", "delete", name)

    @staticmethod
    def within(name: str) -> tuple[str, ...]:
        return ("ip", "netns", "exec", name)


def told(server: Server) -> list[str]:
    """The addresses that the server logs as reported to clients now."""
    found = re.findall(r"event=media\.addresses told=\"?([^\s\"]*)", server.log())
    return found[-1].split(",") if found else []


@unittest.skipUnless(os.geteuid() == 0, "only root may make a network of its own")
class Addresses(unittest.TestCase):
    def setUp(self) -> None:
        self.machines = self.enterContext(Machines())

    def serve(self, *options: str) -> Server:
        return self.enterContext(Server(*options, within=Machines.within(self.machines.server)))

    @staticmethod
    def add(machine: str, name: str, *addresses: str) -> None:
        """An interface that is up and leads nowhere."""
        ip("-n", machine, "link", "add", name, "type", "veth", "peer", "name", f"{name}-end")
        for address in addresses:
            ip("-n", machine, "address", "add", address, "dev", name, *(("nodad",) if ":" in address else ()))
        ip("-n", machine, "link", "set", name, "up")
        ip("-n", machine, "link", "set", f"{name}-end", "up")

    def meets(self, url: str, room: str = "r") -> None:
        """Two join from the other machine, and one sees the other."""
        within = Machines.within(self.machines.client)
        with Client(url, room, "Ann", "--publish", "testsrc", within=within) as ann, Client(url, room, "Ben", within=within) as ben:
            ann.joined(), ben.joined()
            ben.sees("Ann")

    def test_nineteen_bridges_cut_off_neither_family_of_the_address_that_is_reached(self) -> None:
        for number in range(19):
            self.add(self.machines.server, f"br-{number}", f"172.{20 + number}.0.1/16", f"fd00:{100 + number}::1/64")
        # Again, so that they come last.
        ip("-n", self.machines.server, "address", "delete", "192.0.2.1/24", "dev", "cable")
        ip("-n", self.machines.server, "address", "add", "192.0.2.1/24", "dev", "cable")
        server = self.serve("--host", "::")
        wait_for("the addresses", lambda: len(told(server)) == 16 or f"no: {server.log()}", 10)
        self.assertIn("event=media.addressesLeftOut", server.log())
        self.meets(f"http://192.0.2.1:{server.port}")
        self.meets(f"http://[fd00:2::1]:{server.port}")

    def test_hundreds_of_addresses_leave_none_of_the_machine_s_own_out(self) -> None:
        lines = [f"address add 198.18.{net}.{host}/32 dev lo" for net in range(3) for host in range(1, 255)]
        lines += [f"address add fd18:7:{number}::1/128 dev lo" for number in range(1, 21)]
        subprocess.run(("ip", "-n", self.machines.server, "-batch", "-"), input="\n".join(lines), text=True, check=True)
        server = self.serve("--host", "::")
        wait_for("both addresses", lambda: {"192.0.2.1", "fd00:2::1"} <= set(told(server)) or f"no: {server.log()}", 10)
        self.meets(f"http://[fd00:2::1]:{server.port}")

    def test_addresses_that_come_and_go_are_followed(self) -> None:
        server = self.serve("--host", "::")
        self.meets(f"http://192.0.2.1:{server.port}", "before")
        ip("-n", self.machines.server, "address", "delete", "192.0.2.1/24", "dev", "cable")
        ip("-n", self.machines.server, "address", "delete", "fd00:2::1/64", "dev", "cable")
        ip("-n", self.machines.server, "address", "add", "192.0.2.55/24", "dev", "cable")
        wait_for("the new address alone", lambda: told(server) == ["192.0.2.55"] or f"no: {told(server)}", 10)
        self.meets(f"http://192.0.2.55:{server.port}", "after")

    def test_two_servers_on_two_addresses_share_a_media_port(self) -> None:
        ip("-n", self.machines.server, "address", "add", "192.0.2.2/24", "dev", "cable")
        port = "10400"
        servers = [self.serve("--host", address, "--media-host", address, "--media-port", port, "--workers", "1")
                   for address in ("192.0.2.1", "192.0.2.2")]
        for number, server in enumerate(servers, 1):
            self.assertEqual(told(server), [f"192.0.2.{number}"])
            self.assertEqual(server.media_port, int(port))
            self.meets(f"http://192.0.2.{number}:{server.port}")

    def test_inner_addresses_are_left_out_and_the_public_one_is_told(self) -> None:
        server = self.serve("--host", "::", "--public-address", "192.0.2.1", "--private-addresses", "no")
        self.assertEqual(told(server), ["192.0.2.1"])
        self.meets(f"http://192.0.2.1:{server.port}")

    def test_a_server_behind_a_proxy_tells_its_public_address_whatever_its_pages_listen_on(self) -> None:
        server = self.serve("--host", "127.0.0.1", "--public-address", "192.0.2.1", "--private-addresses", "no")
        self.assertEqual(told(server), ["192.0.2.1"])
        # The part of a proxy's work that matters here.
        relay = self.enterContext(subprocess.Popen(
            [*Machines.within(self.machines.server), sys.executable, "-c", RELAY, "192.0.2.1", "8088", str(server.port)],
            stdout=subprocess.PIPE, text=True))
        self.assertEqual(relay.stdout.readline(), "ready\n")
        self.addCleanup(relay.kill)
        self.meets("http://192.0.2.1:8088")

    def test_who_finds_no_way_is_told_which_addresses_were_tried(self) -> None:
        ip("-n", self.machines.server, "address", "add", "10.9.9.9/32", "dev", "lo")
        server = self.serve("--host", "::", "--media-host", "10.9.9.9")
        with Client(f"http://192.0.2.1:{server.port}", "r", "Ann", within=Machines.within(self.machines.client)) as client:
            self.assertEqual(client.end(120), 1)
        self.assertIn("None of the addresses that it names answers (10.9.9.9)", " ".join(client.errors))

    def browser(self, folder: Path, within: tuple[str, ...] = (), *arguments: str):
        """Chromium as people have it: without the flags by which other tests let it use loopback addresses."""
        if within:
            # A browser gives up what it loads while addresses change, and those of the links themselves are tried out
            # first.
            wait_for("addresses that stay", lambda: not ip("-n", within[-1], "address", "show", "tentative"))
        program = folder / "chromium"
        program.write_text(f'#!/bin/sh\nexec {" ".join(within)} {CHROMIUM} "$@"\n')
        program.chmod(0o755)
        driver = shared_driver()
        browser = driver.chromium.launch(
            executable_path=str(program), headless=True,
            args=["--no-sandbox", "--disable-gpu", "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", *arguments])
        self.addCleanup(browser.close)
        return browser

    def join(self, browser, url: str, name: str):
        page = browser.new_page()
        page.goto(f'{url}#config.prejoinPageEnabled=false&userInfo.displayName="{name}"')
        wait_for(f"{name} to be connected", lambda: page.evaluate("window.parley?.state") == "connected"
                 or f"no: {page.evaluate('window.parley?.state')} {page.inner_text('body')[:300]}")
        return page

    def test_a_browser_on_the_servers_own_machine_connects_to_one_that_listens_on_loopback(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        within = Machines.within(self.machines.server)
        server = self.serve("--host", "127.0.0.1")
        self.assertEqual(set(told(server)), {"192.0.2.1", "fd00:2::1"})
        self.join(self.browser(folder, within), f"http://localhost:{server.port}/own", "Ann")

    def test_a_browser_with_forty_addresses_sees_all_who_come_later(self) -> None:
        # Of IPv6 browsers take no more than five networks.
        for number in range(40):
            self.add(self.machines.client, f"br-{number}", f"172.{20 + number}.0.1/16", f"fd00:{100 + number}::1/64")
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        within = Machines.within(self.machines.client)
        server = self.serve("--host", "::")
        url = f"http://192.0.2.1:{server.port}"
        # Cameras are for pages of trusted origins, and only a page with a camera gets the addresses of its machine.
        page = self.join(self.browser(folder, within, f"--unsafely-treat-insecure-origin-as-secure={url}"), f"{url}/many", "Ann")
        offered = page.evaluate("""() => new Set(window.parley.connection.peerConnection.localDescription.sdp.match(/^a=candidate:.*$/gm)
          .map((line) => line.split(" ")[4])).size""")
        self.assertGreaterEqual(offered, 40)
        for name in ("Ben", "Cem"):
            later = self.enterContext(Client(url, "many", name, "--publish", "testsrc", within=within))
            later.joined()
            wait_for(f"pictures of {name}", lambda: page.evaluate("""(name) => [...document.querySelectorAll(
              `article.tile[aria-label^=${name}] video`)].some((video) => video.getVideoPlaybackQuality().totalVideoFrames > 5)""", name))
            later.sees("Ann")


if __name__ == "__main__":
    unittest.main()
