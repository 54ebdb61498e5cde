"""A media file as people have them: the known picture in VP8 with a tone in Opus, in WebM."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from pictures import KnownVideo

TONE = 500


def write_webm(path: Path) -> None:
    """Writes one round of the known picture, 3 s, with a steady tone of ``TONE`` Hz that loops without a jump."""
    with av.open(str(path), "w") as file:
        video = file.add_stream("libvpx", rate=KnownVideo.RATE, options={"b": "4M", "crf": "4", "deadline": "realtime", "cpu-used": "4"})
        video.width, video.height, video.pix_fmt = KnownVideo.WIDTH, KnownVideo.HEIGHT, "yuv420p"
        audio = file.add_stream("libopus", rate=48_000, layout="mono")
        for number in range(KnownVideo.FRAMES):
            picture = np.concatenate([plane.reshape(-1) for plane in KnownVideo.frame(number)]).reshape(-1, KnownVideo.WIDTH)
            frame = av.VideoFrame.from_ndarray(picture, format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, KnownVideo.RATE)
            file.mux(video.encode(frame))
        samples = np.sin(2 * np.pi * TONE * np.arange(KnownVideo.FRAMES * 48_000 // KnownVideo.RATE) / 48_000) * 10_000
        for start in range(0, len(samples), 960):
            frame = av.AudioFrame.from_ndarray(samples[start:start + 960].astype(np.int16).reshape(1, -1), format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = 48_000, start, Fraction(1, 48_000)
            file.mux(audio.encode(frame))
        for stream in (video, audio):
            file.mux(stream.encode(None))
