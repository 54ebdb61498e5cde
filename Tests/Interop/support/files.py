"""Media files of the known picture and a tone: as people have them, and without any loss."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from pictures import KnownVideo

TONE = 500


def write_webm(path: Path) -> None:
    """Writes one round of the known picture in VP8, 3 s, with a steady tone of ``TONE`` Hz in Opus that loops without a
    jump."""
    _write(path, "libopus", "libvpx", {"b": "4M", "crf": "4", "deadline": "realtime", "cpu-used": "4"})


def write_exact(path: Path) -> None:
    """Writes the same as Matroska with every pixel and sample as it is: what is read from it is the known picture
    itself."""
    _write(path, "pcm_s16le", "rawvideo", {})


def _write(path: Path, sound: str, picture: str, options: dict[str, str]) -> None:
    with av.open(str(path), "w") as file:
        video = file.add_stream(picture, rate=KnownVideo.RATE, options=options)
        video.width, video.height, video.pix_fmt = KnownVideo.WIDTH, KnownVideo.HEIGHT, "yuv420p"
        audio = file.add_stream(sound, rate=48_000, layout="mono")
        for number in range(KnownVideo.FRAMES):
            pixels = np.concatenate([plane.reshape(-1) for plane in KnownVideo.frame(number)]).reshape(-1, KnownVideo.WIDTH)
            frame = av.VideoFrame.from_ndarray(pixels, format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, KnownVideo.RATE)
            file.mux(video.encode(frame))
        samples = np.sin(2 * np.pi * TONE * np.arange(KnownVideo.FRAMES * 48_000 // KnownVideo.RATE) / 48_000) * 10_000
        for start in range(0, len(samples), 960):
            frame = av.AudioFrame.from_ndarray(samples[start:start + 960].astype(np.int16).reshape(1, -1), format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = 48_000, start, Fraction(1, 48_000)
            file.mux(audio.encode(frame))
        for stream in (video, audio):
            file.mux(stream.encode(None))
