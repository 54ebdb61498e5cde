#!/usr/bin/env python3
"""Measures how long Chromium takes from joining to the first decoded frame, and where the time goes.

usage: .venv/bin/python Benchmarks/chromium-join.py [--joins N] [--server FILE] [--publisher testsrc|load] [--devices]

It starts a server of its own on this machine; a Swift client publishes video of 640 × 360 that nobody watches.
Chromium opens one page of the server and joins from it N times with the JavaScript SDK, 0.6 to 0.9 s apart, each time
with a new meeting object and a new video element. The end is the first callback of requestVideoFrameCallback: the frame
is decoded and about to be shown. Times are of the page's clock, in milliseconds from the call of `join`.
`make bench-browser` builds and runs it.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[1]

#: Notes when sockets and connections of the page get on. Runs before the page's own scripts.
NOTE = """
(() => {
  window.marks = {};
  const mark = (name) => { window.marks[name] ??= performance.now(); };
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given);
      mark("discovered");
      this.addEventListener("open", () => mark("open"));
      this.addEventListener("message", (event) => { if (event.data.includes('"welcome"')) { mark("welcome"); } });
    }
    send(text) { if (typeof text === "string" && text.includes('"join"')) { mark("sent"); } super.send(text); }
  };
  const Connection = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Connection {
    constructor(...given) {
      super(...given);
      this.addEventListener("iceconnectionstatechange", () => { if (this.iceConnectionState === "connected") { mark("path"); } });
      this.addEventListener("connectionstatechange", () => { if (this.connectionState === "connected") { mark("connected"); } });
      this.addEventListener("track", ({ track }) => {
        if (track.kind === "video") { track.addEventListener("unmute", () => mark("packet")); }
      });
    }
    async setRemoteDescription(...given) { await super.setRemoteDescription(...given); mark("answered"); }
  };
})();
"""

JOIN = """
async ({ url, devices }) => {
  const { Meeting } = await import("/sdk/parley.js");
  window.marks = {};
  const began = performance.now();
  const meeting = new Meeting({ url, name: "Guest", microphone: devices, camera: devices });
  const frame = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("no picture within 15 s")), 15000);
    meeting.addEventListener("trackSubscribed", ({ detail: { track } }) => {
      if (track.kind !== "video") { return; }
      window.marks.subscribed ??= performance.now();
      const video = track.attach();
      document.body.append(video);
      video.requestVideoFrameCallback((now, metadata) => resolve({ video, now: performance.now(), metadata }));
    });
  });
  await meeting.join();
  window.marks.joined = performance.now();
  const { video, now, metadata } = await frame;
  video.remove();
  const stats = [...(await meeting.connection.peerConnection.getStats()).values()]
    .find((each) => each.type === "inbound-rtp" && each.kind === "video" && each.framesDecoded > 0) ?? {};
  meeting.leave();
  const times = Object.fromEntries(Object.entries(window.marks).map(([name, at]) => [name, at - began]));
  return { ...times, received: metadata.receiveTime - began, frame: now - began, keyframes: stats.keyFramesDecoded, plis: stats.pliCount };
}
"""

PHASES = [
    ("discovered", "discover document (HTTP)"), ("open", "WebSocket open"), ("sent", "`join` with the offer sent"), ("welcome", "welcome (answer)"),
    ("answered", "answer taken"), ("path", "ICE path"), ("connected", "DTLS done"), ("packet", "first packet"),
    ("received", "last packet of the first frame shown"), ("frame", "**first decoded frame**"),
]


def at(values, part):
    values = sorted(values)
    return f"{values[min(int(len(values) * part), len(values) - 1)]:.1f}" if values else "–"


class Process:
    """A program whose standard output is awaited once."""

    def __init__(self, *command, pattern=None):
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.found = None
        for line in self.process.stdout if pattern else ():
            self.found = re.search(pattern, line)
            if self.found:
                break
        if pattern and not self.found:
            sys.exit(f"{command[0]} ended without saying {pattern!r}")

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--joins", type=int, default=50)
    parser.add_argument("--server", default=ROOT / ".build/release/parley")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--publisher", choices=("testsrc", "load"), default="testsrc",
                        help="a Swift client that encodes a test picture when it is watched, or one that sends an encoded loop")
    parser.add_argument("--devices", action="store_true", help="join with a (fake) camera and microphone")
    parser.add_argument("--seed", type=int, default=1, help="of the pauses between joins")
    options = parser.parse_args()
    pauses = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as data:
        server = Process(
            options.server, "serve", "--port", random.randrange(20_000, 25_000), "--data", data, "--host", "127.0.0.1", "--media-port", 0,
            "--log-level", "error", pattern=r"Parley is ready: (\S+?)/?\s")
        url = server.found.group(1)
        if options.publisher == "load":
            publisher = Process(options.server, "load", f"{url}/timing", "--publishers", 1, "--subscribers", 0, "--duration", 3600, "--json")
        else:
            publisher = Process(options.server, "join", f"{url}/timing", "--json", "--name", "Host", "--publish", "testsrc", pattern='"joined"')
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=options.chromium, headless=True, args=[
                    "--no-sandbox", "--disable-gpu", "--allow-loopback-in-peer-connection", "--autoplay-policy=no-user-gesture-required",
                    "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"])
                page = browser.new_page()
                page.add_init_script(NOTE)
                page.goto(f"{url}/sdk/support.js")
                times = []
                # The first ones load and compile.
                for index in range(options.joins + 3):
                    result = page.evaluate(JOIN, {"url": "/timing", "devices": options.devices})
                    if index >= 3:
                        times.append(result)
                    # The server asks a publisher for a keyframe at most twice a second; guests do not come faster than
                    # that here.
                    time.sleep(pauses.uniform(0.6, 0.9))
                version = browser.version
                browser.close()
        finally:
            publisher.stop()
            server.stop()
    print("| phase, from the call of `join` in Chromium | p50 | p90 | p99 |\n|---|---|---|---|")
    for key, name in PHASES:
        values = [each[key] for each in times if each.get(key) is not None]
        print(f"| {name} | {at(values, 0.5)} | {at(values, 0.9)} | {at(values, 0.99)} |")
    print(f"\n{len(times)} joins of Chromium {version} on loopback, one at a time, milliseconds; "
          f"pictures asked for again: {sum(each.get('plis') or 0 for each in times)}.")


main()
