#!/usr/bin/env python3
"""Measures how long Chromium takes from joining to the first decoded frame, and where the time goes.

usage: .venv/bin/python Benchmarks/chromium-join.py [--joins N] [--people N] [--encrypted] [--seconds S] [--rounds N]
                                                    [--server FILE] [--publisher testsrc|load] [--devices]

It starts a server of its own on this machine; a Swift client publishes video of 640 × 360 that nobody watches.
Chromium opens one page of the server and joins from it N times with the JavaScript SDK, 0.6 to 0.9 s apart, each time
with a new meeting object and a new video element. The end is the first callback of requestVideoFrameCallback: the frame
is decoded and about to be shown. Times are of the page's clock, in milliseconds from the call of `join`.

With --encrypted there are two such meetings, one in clear and one encrypted from end to end, and each join to the one
is followed by a join to the other. With --seconds it then measures what a received and a sent stream cost in the
meeting: processor time of Chromium, and bytes by getStats, again in turns.
`make bench-browser` builds and runs it.
"""

import argparse
import base64
import math
import os
import pathlib
import random
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import wave

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

#: Joins, and resolves at the first frame: with the marks, in milliseconds from the call.
JOIN = """
async ({ url, devices }) => {
  const { Meeting } = await import("/sdk/parley.js");
  window.marks = {};
  const began = performance.now();
  const meeting = window.meeting = new Meeting({ url, name: "Guest", microphone: devices, camera: devices });
  meeting.addEventListener("encryptionchange", () => { if (meeting.encryption.state === "encrypted") { window.marks.keys ??= performance.now(); } });
  const frame = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("no picture within 15 s")), 15000);
    meeting.addEventListener("trackSubscribed", ({ detail: { track } }) => {
      if (track.kind !== "video") { return; }
      const video = window.video = track.attach();
      document.body.append(video);
      video.requestVideoFrameCallback((now, metadata) => resolve({ now: performance.now(), metadata }));
    });
  });
  await meeting.join();
  const { now, metadata } = await frame;
  const stats = [...(await meeting.connection.peerConnection.getStats()).values()]
    .find((each) => each.type === "inbound-rtp" && each.kind === "video" && each.framesDecoded > 0) ?? {};
  const times = Object.fromEntries(Object.entries(window.marks).map(([name, at]) => [name, at - began]));
  return { ...times, received: metadata.receiveTime - began, frame: now - began, plis: stats.pliCount };
}
"""

#: Leaves, and starts the worker of the next encrypted join, as the meeting page does before people join.
LEAVE = """
async () => {
  window.video.remove();
  window.meeting.leave();
  if (window.meeting.encrypted) { (await import("/sdk/parley.js")).prepareEncryption(); }
}
"""

#: Sums over the streams of one direction and kind.
STATS = """
async () => {
  const sums = {};
  for (const each of (await window.meeting.connection.peerConnection.getStats()).values()) {
    if (each.type !== "inbound-rtp" && each.type !== "outbound-rtp") { continue; }
    const sum = sums[`${each.type === "inbound-rtp" ? "received" : "sent"} ${each.kind}`] ??= { bytes: 0, packets: 0, frames: 0 };
    sum.bytes += each.bytesReceived ?? each.bytesSent ?? 0;
    sum.packets += each.packetsReceived ?? each.packetsSent ?? 0;
    sum.frames += each.framesReceived ?? each.framesSent ?? 0;
  }
  return sums;
}
"""

PHASES = [
    ("discovered", "discover document (HTTP)"), ("open", "WebSocket open"), ("sent", "`join` with the offer sent"), ("welcome", "welcome (answer)"),
    ("answered", "answer taken"), ("path", "ICE path"), ("connected", "DTLS done"), ("packet", "first packet"), ("keys", "keys of everybody"),
    ("received", "last packet of the first frame shown"), ("frame", "**first decoded frame**"),
]
CLEAR, ENCRYPTED = "in clear", "encrypted"


def at(values, part):
    values = sorted(values)
    return f"{values[min(int(len(values) * part), len(values) - 1)]:.1f}" if values else "–"


class Process:
    """A program whose standard output is awaited once, and then read and dropped."""

    def __init__(self, *command, pattern=None):
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.found = None
        for line in self.process.stdout if pattern else ():
            self.found = re.search(pattern, line)
            if self.found:
                break
        if pattern and not self.found:
            sys.exit(f"{command[0]} ended without saying {pattern!r}")
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def tone(file):
    """A WAV file of ten minutes: at its end players start again, which takes time of its own."""
    with wave.open(str(file), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8_000)
        second = b"".join(struct.pack("<h", int(3_000 * math.sin(at * 2 * math.pi * 440 / 8_000))) for at in range(8_000))
        sound.writeframes(second * 600)
    return file


class Processors:
    """User and system time of a browser's processes, by what they are."""

    def __init__(self, mark):
        self.root = next(pid for pid in self.everyone() if mark in self.command(pid) and "--type=" not in self.command(pid))

    @staticmethod
    def everyone():
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]

    @staticmethod
    def command(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return ""

    def seconds(self):
        """Of all processes, and of those that run pages."""
        times = {}
        for pid in self.everyone():
            try:
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                times[pid] = (int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
            except (OSError, IndexError):
                pass  # It has ended.
        family = {self.root}
        while more := {pid for pid, (parent, _) in times.items() if parent in family} - family:
            family |= more
        pages = {pid for pid in family if "--type=renderer" in self.command(pid)}
        return sum(times[pid][1] for pid in family if pid in times), sum(times[pid][1] for pid in pages if pid in times)


def measure_joins(page, rooms, options):
    """Times by room, whose joins follow each other."""
    pauses = random.Random(options.seed)
    times = {name: [] for name in rooms}
    # The first ones load and compile.
    for index in range(options.joins + 3):
        for name, url in rooms.items():
            result = page.evaluate(JOIN, {"url": url, "devices": options.devices})
            page.evaluate(LEAVE)
            if index >= 3:
                times[name].append(result)
            # The server asks a publisher for a keyframe at most twice a second; guests do not come faster than that
            # here.
            time.sleep(pauses.uniform(0.6, 0.9))
    return times


def measure_streams(page, rooms, processors, options):
    """Rows of each round by room: processor time and bytes of receiving alone, and of sending too."""
    rows = {name: [] for name in rooms}
    for _ in range(options.rounds):
        for name, url in rooms.items():
            row = {}
            for devices in (False, True):
                page.evaluate(JOIN, {"url": url, "devices": devices})
                # Estimates of the network, and encoders, need some seconds.
                time.sleep(6)
                (all_before, pages_before), before, began = processors.seconds(), page.evaluate(STATS), time.monotonic()
                time.sleep(options.seconds)
                (all_after, pages_after), after, lasted = processors.seconds(), page.evaluate(STATS), time.monotonic() - began
                page.evaluate(LEAVE)
                cost = {"pages": (pages_after - pages_before) / lasted * 1e3, "all": (all_after - all_before) / lasted * 1e3}
                row |= {f"{key} {'both' if devices else 'received'}": value for key, value in cost.items()}
                for stream, sums in after.items():
                    if stream.startswith("sent") == devices:
                        change = {key: sums[key] - before.get(stream, {}).get(key, 0) for key in sums}
                        row[f"{stream} rate"] = change["bytes"] * 8 / lasted / 1e3
                        unit = "frames" if stream.endswith("video") else "packets"
                        row[f"{stream} size"] = change["bytes"] / max(change[unit], 1)
            rows[name].append(row)
    return rows


def print_joins(times):
    names = list(times)
    print("| phase, from the call of `join` in Chromium |" + "".join(f" {name}: p50 | p90 | p99 |" for name in names))
    print("|---|" + "---|" * 3 * len(names))
    for key, phase in PHASES:
        values = [[each[key] for each in times[name] if each.get(key) is not None] for name in names]
        if any(values):
            print(f"| {phase} | " + " | ".join(at(each, part) for each in values for part in (0.5, 0.9, 0.99)) + " |")


def print_streams(rows):
    names = list(rows)
    middle = {name: {key: statistics.median(row[key] for row in rows[name]) for key in rows[name][0]} for name in names}
    table = [
        ("pages: CPU ms a second while receiving", lambda row: row["pages received"]),
        ("pages: CPU ms a second for sending besides", lambda row: row["pages both"] - row["pages received"]),
        ("all of Chromium while receiving", lambda row: row["all received"]),
        ("all of Chromium for sending besides", lambda row: row["all both"] - row["all received"]),
    ]
    for stream in ("received video", "received audio", "sent video", "sent audio"):
        table.append((f"{stream}: kb/s", lambda row, stream=stream: row[f"{stream} rate"]))
        table.append((f"{stream}: bytes a {'frame' if stream.endswith('video') else 'packet'}", lambda row, stream=stream: row[f"{stream} size"]))
    print("\n| streams, median |" + "".join(f" {name} |" for name in names) + "\n|---|" + "---|" * len(names))
    for title, value in table:
        print(f"| {title} | " + " | ".join(f"{value(middle[name]):.1f}" for name in names) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--joins", type=int, default=50, help="how often to join each meeting (50)")
    parser.add_argument("--people", type=int, default=1, help="how many are in the meeting; all but the publisher send a tone alone (1)")
    parser.add_argument("--encrypted", action="store_true", help="measure an encrypted meeting too, in turns with one in clear")
    parser.add_argument("--seconds", type=float, default=0, help="how long to measure the cost of streams in each round; 0: not at all (0)")
    parser.add_argument("--rounds", type=int, default=3, help="of --seconds (3)")
    parser.add_argument("--server", default=ROOT / ".build/release/parley")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--publisher", choices=("testsrc", "load"), default="testsrc",
                        help="a Swift client that encodes a test picture when it is watched, or one that sends an encoded loop")
    parser.add_argument("--devices", action="store_true", help="join with a (fake) camera and microphone")
    parser.add_argument("--seed", type=int, default=1, help="of the pauses between joins")
    options = parser.parse_args()
    if options.encrypted and options.publisher == "load":
        parser.error("--publisher load makes keys of its own: use testsrc with --encrypted")
    mark = f"--parley-benchmark={os.getpid()}"
    with tempfile.TemporaryDirectory() as data:
        server = Process(
            options.server, "serve", "--port", random.randrange(20_000, 25_000), "--data", data, "--host", "127.0.0.1", "--media-port", 0,
            "--log-level", "error", pattern=r"Parley is ready: (\S+?)/?\s")
        url = server.found.group(1)
        rooms = {CLEAR: "/timing"}
        if options.encrypted:
            rooms[ENCRYPTED] = "/encrypted#e2ee=" + base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
        people = []
        try:
            for room in rooms.values():
                if options.publisher == "load":
                    people.append(Process(options.server, "load", url + room, "--publishers", 1, "--subscribers", 0, "--duration", 3600, "--json"))
                for index in range(1 if options.publisher == "load" else 0, options.people):
                    content = tone(pathlib.Path(data) / "tone.wav") if index else "testsrc"
                    people.append(Process(options.server, "join", url + room, "--json", "--name", f"Person {index + 1}", "--publish", content,
                                          pattern='"joined"'))
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=options.chromium, headless=True, args=[
                    "--no-sandbox", "--disable-gpu", "--allow-loopback-in-peer-connection", "--autoplay-policy=no-user-gesture-required",
                    "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", mark])
                page = browser.new_page()
                page.add_init_script(NOTE)
                page.goto(f"{url}/sdk/support.js")
                times = measure_joins(page, rooms, options)
                rows = measure_streams(page, rooms, Processors(mark), options) if options.seconds else None
                version = browser.version
                browser.close()
        finally:
            for person in people:
                person.stop()
            server.stop()
    print_joins(times)
    print(f"\n{options.joins} joins of Chromium {version} on loopback to {options.people} people, one at a time, milliseconds; "
          f"pictures asked for again: {sum(each.get('plis') or 0 for name in times for each in times[name])}.")
    if rows:
        print_streams(rows)


main()
