"""A participant that is not a browser: aiortc, speaking docs/protocol.md."""

from __future__ import annotations

import asyncio
import fractions
import json
import re
import threading
import time
from collections.abc import Callable

import aiohttp
import aioice.ice
import numpy as np
from aiortc import MediaStreamTrack, RTCBundlePolicy, RTCConfiguration, RTCDataChannel, RTCPeerConnection, RTCRtpSender, RTCSessionDescription
from aiortc.mediastreams import VideoStreamTrack
from aiortc.sdp import candidate_from_sdp
from av import AudioFrame, VideoFrame

from aiortc_repair import Router
from media import CAST, HEIGHT, SWEEP, WIDTH, yuv
from pictures import KnownVideo, Marker, read_marker

# It gives up after six answers that took more than half a second, as they do where pages want the processor. Whether
# consent is lost is for the server to judge here.
aioice.ice.CONSENT_FAILURES = 1_000


class Picture(VideoStreamTrack):
    """The moving bar of ``media`` on one person's colour, 15 times a second."""

    def __init__(self, name: str):
        super().__init__()
        y, u, v = yuv(*CAST[name][0])
        self._luma = np.full((HEIGHT, WIDTH), y, np.uint8)
        self._chroma = np.stack([np.full((HEIGHT // 2, WIDTH // 2), value, np.uint8) for value in (u, v)])

    async def recv(self) -> VideoFrame:
        await self.next_timestamp()
        pts, base = await self.next_timestamp()
        columns = (np.arange(WIDTH // 10) + int(float(pts * base) % SWEEP / SWEEP * WIDTH)) % WIDTH
        luma, chroma = self._luma.copy(), self._chroma.copy()
        luma[:, columns] = 235
        chroma[:, :, columns // 2] = 128
        frame = VideoFrame.from_ndarray(np.concatenate([luma.reshape(-1), chroma.reshape(-1)]).reshape(-1, WIDTH), format="yuv420p")
        frame.pts, frame.time_base = pts, base
        return frame


class KnownPicture(VideoStreamTrack):
    """The picture of ``pictures.KnownVideo``."""

    def __init__(self) -> None:
        super().__init__()
        self._pictures = [np.concatenate([plane.reshape(-1) for plane in KnownVideo.frame(number)])
                          .reshape(-1, KnownVideo.WIDTH) for number in range(KnownVideo.FRAMES)]

    async def recv(self) -> VideoFrame:
        pts, base = await self.next_timestamp()
        number = int(pts * base * KnownVideo.RATE) % KnownVideo.FRAMES
        frame = VideoFrame.from_ndarray(self._pictures[number], format="yuv420p")
        frame.pts, frame.time_base = pts, base
        return frame


class Tone(MediaStreamTrack):
    """A steady tone of one person's frequency."""

    kind = "audio"

    def __init__(self, name: str):
        super().__init__()
        self.frequency = CAST[name][1]
        self.position = 0
        self.started = time.monotonic()

    async def recv(self) -> AudioFrame:
        rate, count = 48_000, 960
        wait = self.started + self.position / rate - time.monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        clock = (self.position + np.arange(count)) / rate
        samples = (np.sin(2 * np.pi * self.frequency * clock) * 12_000).astype(np.int16)
        frame = AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = rate, self.position, fractions.Fraction(1, rate)
        self.position += count
        return frame


class AiortcPeer:
    """Runs the participant on a thread of its own, so that it lives next to Playwright's synchronous pages."""

    def __init__(self, url: str, room: str, name: str, data: bool = False, codec: str | None = None,
                 picture: VideoStreamTrack | None = None, hears: str | None = None, joins: dict | None = None,
                 writes: Callable[[str], str] = str, reads: Callable[[str], str] = str):
        self.url, self.room, self.name = url, room, name
        #: Further keys of ``join``.
        self.joins = joins or {}
        #: The one codec for video, and the one in which it would receive sound.
        self.codec, self.hears = codec, hears
        self.picture = picture
        #: How its offer is written, and the answer read.
        self.writes, self.reads = writes, reads
        #: Every message of the server, in order.
        self.messages: list[dict] = []
        self.has_data = data
        #: Whether it came reliably, who sent it, its topic and its payload, in order of arrival.
        self.data: list[tuple[bool, str | None, str, bytes]] = []
        self._channels: dict[bool, RTCDataChannel] = {}
        self.video_frames: dict[str, int] = {}
        self.colours: dict[str, tuple[float, float, float]] = {}
        self.tones: dict[str, float] = {}
        #: The markers of test pictures, in order.
        self.markers: dict[str, list[Marker]] = {}
        self.slots: dict[str, dict] = {}
        self.participants: dict[str, str] = {}
        self.failure: BaseException | None = None
        self._connection: RTCPeerConnection | None = None
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()

    def __enter__(self) -> "AiortcPeer":
        self._thread = threading.Thread(target=self._main, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        if self.failure:
            raise AssertionError(f"the aiortc participant failed: {self.failure!r}") from self.failure

    def _main(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._run())
        except BaseException as error:  # Reported by the test's own thread.
            self.failure = error

    def situation(self) -> str:
        """The pictures, packets and state of its connection, for messages of failed tests."""
        if self._connection is None:
            return f"no connection yet, {self._kinds()}"
        packets, estimates = asyncio.run_coroutine_threadsafe(self._look(), self._loop).result(30)
        state = (self._connection.connectionState, self._connection.iceConnectionState)
        return (f"pictures {self.video_frames}, packets {packets}, discarded {dict(self.router.discarded)}, "
                f"estimates {estimates}, {state}, slots {list(self.slots.values())}, {self._kinds()}")

    def _kinds(self) -> str:
        kinds = [message["type"] for message in self.messages if message["type"] != "speakers"]
        return f"last {kinds[-8:]}"

    async def _look(self) -> tuple[dict[str, int], list[int]]:
        """The packets of its streams, and the rates that its receivers of video report (REMB)."""
        statistics = await self._connection.getStats()
        packets = {f"{each.kind} {each.ssrc}": each.packetsReceived
                   for each in statistics.values() if each.type == "inbound-rtp"}
        estimators = [each.receiver._RTCRtpReceiver__remote_bitrate_estimator
                      for each in self._connection.getTransceivers() if each.direction == "recvonly"]
        return packets, [each.rate_control.current_bitrate for each in estimators if each]

    @property
    def router(self) -> Router:
        """Routes the packets that arrive."""
        return self._connection.getTransceivers()[0].receiver.transport._rtp_router

    async def _run(self) -> None:
        connection = self._connection = RTCPeerConnection(RTCConfiguration(iceServers=[], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE))
        tracks = [("microphone", Tone(self.name)), ("camera", self.picture or Picture(self.name))]
        senders = [(source, connection.addTransceiver(track, direction="sendonly")) for source, track in tracks]
        for kind in ("audio", "audio", "video", "video"):
            connection.addTransceiver(kind, direction="recvonly")
        if self.codec:
            self._prefer(connection, f"video/{self.codec}")
        if self.hears:
            self._hear(connection, f"audio/{self.hears}")
        if self.has_data:
            self._open_channels(connection)
        connection.on("track", lambda track: asyncio.ensure_future(self._consume(connection, track)))
        await connection.setLocalDescription(await connection.createOffer())
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{self.url}/discover/{self.room}") as answer:
                document = await answer.json()
            async with session.ws_connect(document["signaling"], origin=self.url) as socket:
                await socket.send_json({
                    "type": "join", "token": document["token"], "name": self.name, "client": "aiortc",
                    "offer": self.writes(connection.localDescription.sdp),
                    "tracks": [{"mid": t.mid, "source": source, "muted": False} for source, t in senders], **self.joins,
                })
                reader = asyncio.ensure_future(self._read(socket, connection))
                await asyncio.wait([reader, asyncio.ensure_future(self._stop.wait())],
                                   return_when=asyncio.FIRST_COMPLETED)
                if reader.done():
                    reader.result()
                if not socket.closed:
                    await socket.send_json({"type": "leave"})
        await connection.close()

    async def _read(self, socket: aiohttp.ClientWebSocketResponse, connection: RTCPeerConnection) -> None:
        async for frame in socket:
            message = json.loads(frame.data)
            self.messages.append(message)
            kind = message["type"]
            if kind == "error":
                raise RuntimeError(f"server error {message['code']}: {message['message']}")
            if kind == "welcome":
                for participant in message["participants"]:
                    self.participants[participant["id"]] = participant["name"]
                # aiortc takes no answer in which an m-section is rejected: it stays without media then.
                if not re.search(r"^m=\w+ 0 ", message["answer"], re.MULTILINE):
                    await connection.setRemoteDescription(RTCSessionDescription(self.reads(message["answer"]), "answer"))
                    await self._add_candidates(connection, message["answer"])
            if kind == "participantJoined":
                self.participants[message["participant"]["id"]] = message["participant"]["name"]
            if "slots" in message and kind != "paused":
                self.slots = {slot["mid"]: slot for slot in message["slots"]}

    @staticmethod
    def _prefer(connection: RTCPeerConnection, mime: str) -> None:
        codecs = [each for each in RTCRtpSender.getCapabilities("video").codecs if each.mimeType in (mime, "video/rtx")]
        for transceiver in connection.getTransceivers():
            if transceiver.kind == "video":
                transceiver.setCodecPreferences(codecs)

    @staticmethod
    def _hear(connection: RTCPeerConnection, mime: str) -> None:
        codecs = [each for each in RTCRtpSender.getCapabilities("audio").codecs if each.mimeType == mime]
        for transceiver in connection.getTransceivers():
            if transceiver.kind == "audio" and transceiver.direction == "recvonly":
                transceiver.setCodecPreferences(codecs)

    def last(self, kind: str) -> dict | None:
        """The newest message of a type; None before there was one."""
        return next((each for each in reversed(list(self.messages)) if each["type"] == kind), None)

    def _open_channels(self, connection: RTCPeerConnection) -> None:
        self._channels = {
            True: connection.createDataChannel("parley-reliable"),
            False: connection.createDataChannel("parley-lossy", ordered=False, maxRetransmits=0),
        }
        for reliable, channel in self._channels.items():
            channel.on("message", lambda message, reliable=reliable: self._take_data(reliable, message))

    def _take_data(self, reliable: bool, message: bytes) -> None:
        length = int.from_bytes(message[1:3], "big")
        header = json.loads(message[3:3 + length])
        self.data.append((reliable, self.participants.get(header["from"]), header["topic"], message[3 + length:]))

    @property
    def data_is_open(self) -> bool:
        """Whether both channels can be used."""
        return bool(self._channels) and all(each.readyState == "open" for each in self._channels.values())

    def send(self, payload: bytes, *, topic: str = "", reliable: bool = True, to: list[str] | None = None) -> None:
        """Sends a data message."""
        header = json.dumps({"topic": topic} | ({"to": to} if to is not None else {})).encode()
        message = bytes([1]) + len(header).to_bytes(2, "big") + header + payload
        self._loop.call_soon_threadsafe(self._channels[reliable].send, message)

    @staticmethod
    async def _add_candidates(connection: RTCPeerConnection, answer: str) -> None:
        """aiortc overlooks the candidates of a bundle's first section where a later one has none, so they are
        trickled."""
        for line in answer.splitlines():
            if line.startswith("a=candidate:") and " udp " in line:
                candidate = candidate_from_sdp(line.removeprefix("a=candidate:"))
                candidate.sdpMid = "0"
                await connection.addIceCandidate(candidate)
        await connection.addIceCandidate(None)

    def _sender_of(self, connection: RTCPeerConnection, track: MediaStreamTrack) -> str | None:
        mid = next((t.mid for t in connection.getTransceivers() if t.receiver.track is track), None)
        slot = self.slots.get(mid)
        return self.participants.get(slot["participant"]) if slot and slot["participant"] else None

    async def _consume(self, connection: RTCPeerConnection, track: MediaStreamTrack) -> None:
        heard, unjudged = np.zeros(0, np.int16), 0
        while True:
            try:
                frame = await track.recv()
            except Exception:
                return
            name = self._sender_of(connection, track)
            if name is None:
                continue
            if track.kind == "video":
                self.video_frames[name] = self.video_frames.get(name, 0) + 1
                plane = frame.planes[0]
                luma = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[:frame.height, :frame.width]
                if marker := read_marker(luma):
                    self.markers.setdefault(name, []).append(marker)
                    continue
                # One picture in five says enough: a loop that judges each has no time for the checks of ICE where the
                # processor is wanted by others.
                if self.video_frames[name] % 5 == 1:
                    small = frame.reformat(width=64, height=48, format="rgb24")
                    self.colours[name] = tuple(np.median(small.to_ndarray(), axis=(0, 1)))
            else:
                samples = frame.to_ndarray().reshape(-1)[:: len(frame.layout.channels)]
                heard = np.concatenate([heard, samples])[-96_000:]
                unjudged += len(samples)
                if len(heard) == 96_000 and unjudged >= 24_000:
                    unjudged = 0
                    if np.abs(heard).max() <= 500:
                        continue
                    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
                    self.tones[name] = float(spectrum[40:].argmax() + 40) * frame.sample_rate / len(heard)
