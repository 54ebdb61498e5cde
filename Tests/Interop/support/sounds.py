"""Sound as numbers: WAVE files, which tone they hold, and where it is missing."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np


class Sound:
    """A WAVE file of 16-bit samples; stereo is mixed to one channel."""

    def __init__(self, path: Path):
        with wave.open(str(path), "rb") as file:
            self.rate = file.getframerate()
            samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
            self.samples = samples.reshape(-1, file.getnchannels()).mean(1)

    @classmethod
    def so_far(cls, path: Path, seconds: float) -> "Sound | None":
        """The end of a file that is being written, of that length; None before it is long enough."""
        try:
            sound = cls(path)
        except (FileNotFoundError, EOFError):
            # It is not there, or its header is about to be written.
            return None
        if sound.seconds < seconds:
            return None
        sound.samples = sound.samples[-int(seconds * sound.rate):]
        return sound

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.samples) / self.rate

    def frequency(self) -> float:
        """The strongest frequency above 60 Hz, to a fraction of a hertz."""
        return dominant_frequency(self.samples, self.rate)

    def levels(self, seconds: float = 0.01) -> np.ndarray:
        """The effective value of each stretch of that length."""
        size = int(self.rate * seconds)
        parts = self.samples[:len(self.samples) // size * size].reshape(-1, size)
        return np.sqrt((parts ** 2).mean(1))

    def missing(self) -> float:
        """For a steady tone: the seconds without it, between its first and its last moment."""
        levels = self.levels()
        heard = np.flatnonzero(levels > np.median(levels[levels > 50]) / 4) if (levels > 50).any() else np.array([], int)
        if len(heard) == 0:
            return self.seconds
        return 0.01 * (heard[-1] - heard[0] + 1 - len(heard))

    def onsets(self, quiet: float = 0.3) -> list[float]:
        """The moments in seconds at which sound begins after at least so much silence."""
        size = self.rate // 1000
        parts = np.abs(self.samples[:len(self.samples) // size * size]).reshape(-1, size).max(1)
        loud = parts > 0.25 * parts.max()
        found, last = [], -10_000
        for index in np.flatnonzero(loud):
            if index - last > quiet * 1000:
                found.append(index / 1000)
            last = index
        return found


def dominant_frequency(samples: np.ndarray, rate: int) -> float:
    """The strongest frequency above 60 Hz; the place between two lines of the spectrum is that of a parabola's top."""
    if len(samples) < rate // 4 or np.abs(samples).max() < 100:
        return 0.0
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) + 1e-9
    first = int(60 * len(samples) / rate)
    peak = first + int(spectrum[first:-1].argmax())
    left, middle, right = np.log(spectrum[peak - 1:peak + 2])
    bend = left - 2 * middle + right
    return (peak + (0.5 * (left - right) / bend if bend else 0)) * rate / len(samples)
