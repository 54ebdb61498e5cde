"""Records what a browser really sends: sizes and spacing of one stream's packets, for `parley-bench` to replay.

Run as root, with the test peers installed (`Scripts/setup test`) and the release built:

    .venv/bin/python Benchmarks/record-trace.py vp8 10 > Benchmarks/Traces/vp8.csv

Opens one Chromium in a meeting of a server of its own, and reads the SRTP headers, which are in the clear, from the
loopback interface. Nothing but time, size, marker and timestamp of each packet is kept.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/Interop/support"))

from playwright.sync_api import sync_playwright  # noqa: E402

import numpy as np  # noqa: E402

import media  # noqa: E402
from browser import FILES, Person  # noqa: E402
from server import Server  # noqa: E402

TAG = 16  # AES-GCM's, which Chromium and Parley agree on.


def rtp_packets(seconds: float, wants_audio: bool):
    """Yields (time, payload size, marker, timestamp) of each RTP packet of the kind that Chromium sends."""
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
    tap.bind(("lo", 0))
    tap.settimeout(0.5)
    end = time.monotonic() + seconds
    ssrc = None
    while time.monotonic() < end:
        try:
            frame, address = tap.recvfrom(65_536)
        except TimeoutError:
            continue
        now = time.monotonic()
        if address[2] != socket.PACKET_HOST or frame[23] != socket.IPPROTO_UDP:
            continue
        udp = frame[14 + (frame[14] & 15) * 4:]
        packet = udp[8:]
        if len(packet) < 28 or packet[0] >> 6 != 2 or 64 <= packet[1] & 0x7F < 96:
            continue
        is_audio = packet[1] & 0x7F in (111, 63)
        if is_audio != wants_audio:
            continue
        header = 12 + (packet[0] & 15) * 4
        if packet[0] & 16:
            header += 4 + 4 * struct.unpack_from("!H", packet, header + 2)[0]
        timestamp, source = struct.unpack_from("!II", packet, 4)
        ssrc = ssrc or source
        if source == ssrc:
            yield now, len(packet) - header - TAG, packet[1] >> 7, timestamp


def write_busy_picture(path: Path) -> None:
    """A 1280 × 720 picture with as much detail and motion as a person before a bookshelf: some 2 Mb/s."""
    width, height, frames = 1280, 720, 40
    random = np.random.default_rng(1)
    coarse = random.integers(40, 200, (height // 8, width // 8 + frames)).astype(np.uint8)
    texture = np.kron(coarse, np.ones((8, 8), np.uint8))
    noise = random.integers(0, 24, (height, width + 8 * frames)).astype(np.uint8)
    grey = np.full(height * width // 2, 128, np.uint8).tobytes()
    with path.open("wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F30:1 Ip A1:1 C420jpeg\n".encode())
        for index in range(frames):
            luma = texture[:, 3 * index:3 * index + width] + noise[:, 5 * index:5 * index + width]
            file.write(b"FRAME\n" + luma.astype(np.uint8).tobytes() + grey)


def main() -> None:
    codec, seconds = sys.argv[1], float(sys.argv[2])
    media.make(FILES)
    write_busy_picture(FILES / "Ann.y4m")
    with sync_playwright() as driver, Server("--host", "127.0.0.1") as server:
        with Person(driver, "Ann") as ann:
            overrides = "config.resolution=720" + ("" if codec == "opus" else f"&config.preferredVideoCodec={codec.upper()}")
            ann.join(server.url, "trace", overrides)
            time.sleep(12)  # Until the browser's estimate has grown; recording starts in the middle of a call.
            rows = list(rtp_packets(seconds, codec == "opus"))
    start, first = rows[0][0], rows[0][3]
    print("time_us,payload_size,marker,timestamp,keyframe")
    for now, size, marker, timestamp in rows:
        print(f"{round((now - start) * 1e6)},{size},{marker},{(timestamp - first) & 0xFFFFFFFF},0")


main()
