"""Pictures as numbers: raw video files, the marker of test pictures, and how much of a picture coding has left."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Iterator, NamedTuple

import numpy as np

BLOCKS = 48
DAY = 86_400_000


class Marker(NamedTuple):
    """The content of the strip at the lower edge of a test picture (TestPictureMarker.swift)."""

    source: int
    milliseconds: int
    flash: bool


def checksum(data: int) -> int:
    """CRC-12, polynomial 0x80F, start 0xFFF, over 36 bits."""
    value = 0xFFF
    for bit in reversed(range(36)):
        feedback = (data >> bit & 1) ^ (value >> 11 & 1)
        value = value << 1 & 0xFFF
        if feedback:
            value ^= 0x80F
    return value


def read_marker(luma: np.ndarray) -> Marker | None:
    """The marker of a picture, None when there is none."""
    height, width = luma.shape
    strip = height / 30
    rows = luma[int(height - 0.75 * strip):int(height - 0.25 * strip) + 1]
    size = width / BLOCKS
    means = np.array([rows[:, int((block + 0.3) * size):max(int((block + 0.3) * size) + 1, int((block + 0.7) * size))].mean()
                      for block in range(BLOCKS)])
    low, high = means.min(), means.max()
    if high - low <= 60:
        return None
    bits = int("".join("1" if mean > (low + high) / 2 else "0" for mean in means), 2)
    data = bits >> 12
    milliseconds = data >> 1 & 0x7FFFFFF
    if checksum(data) != bits & 0xFFF or milliseconds >= DAY:
        return None
    return Marker(data >> 28, milliseconds, bool(data & 1))


def draw_marker(luma: np.ndarray, marker: Marker) -> None:
    """Draws the strip."""
    height, width = luma.shape
    data = marker.source << 28 | marker.milliseconds << 1 | marker.flash
    bits = data << 12 | checksum(data)
    strip = max(4, height // 30)
    luma[height - strip:] = 16
    for block in range(BLOCKS):
        if bits >> (BLOCKS - 1 - block) & 1:
            luma[height - strip:, block * width // BLOCKS:(block + 1) * width // BLOCKS] = 235


class Pictures:
    """Pictures in 4:2:0, one after the other."""

    width: int
    height: int
    count: int

    def planes(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One picture: brightness, and the two colour planes of half the size."""
        raise NotImplementedError

    def luma(self, index: int) -> np.ndarray:
        """The brightness of one picture."""
        return self.planes(index)[0]

    def markers(self) -> Iterator[Marker | None]:
        """The marker of each picture."""
        return (read_marker(self.luma(index)) for index in range(self.count))


class DecodedPictures(Pictures):
    """A decoder's output: pictures of one size, each the bytes of its planes one behind the other."""

    def __init__(self, width: int, height: int, pictures: list[bytes]):
        self.width, self.height, self.count = width, height, len(pictures)
        self._pictures = pictures

    def planes(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        data = np.frombuffer(self._pictures[index], np.uint8)
        pixels = self.width * self.height
        rest = data[pixels:].reshape(2, self.height // 2, self.width // 2)
        return data[:pixels].reshape(self.height, self.width), rest[0], rest[1]


class Video(Pictures):
    """A YUV4MPEG2 file, 4:2:0, read picture by picture."""

    def __init__(self, path: Path):
        self.path = path
        with path.open("rb") as file:
            header = file.readline()
            self._start = file.tell()
        fields = {each[:1]: each[1:].decode() for each in header.split()[1:]}
        self.width, self.height = int(fields[b"W"]), int(fields[b"H"])
        over, under = fields[b"F"].split(":")
        self.rate = int(over) / int(under)
        self._size = 6 + self.width * self.height * 3 // 2
        self.count = (path.stat().st_size - self._start) // self._size
        self._data = np.memmap(path, np.uint8, "r", self._start, (self.count, self._size))

    def luma(self, index: int) -> np.ndarray:
        return self._data[index, 6:6 + self.width * self.height].reshape(self.height, self.width)

    def planes(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rest = self._data[index, 6 + self.width * self.height:].reshape(2, self.height // 2, self.width // 2)
        return self.luma(index), rest[0], rest[1]

    def longest_still(self) -> float:
        """The longest time in seconds for which the marker did not change, between the first and the last one read."""
        seen = [(index, marker.milliseconds) for index, marker in enumerate(self.markers()) if marker]
        changes = [now[0] for before, now in zip([(0, None), *seen], seen) if before[1] != now[1]]
        return max((b - a for a, b in zip(changes, changes[1:])), default=self.count) / self.rate


def psnr(a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...]) -> float:
    """Peak signal to noise ratio in decibels over all planes; 99 for equal pictures."""
    error = sum(float(((x.astype(np.float32) - y.astype(np.float32)) ** 2).sum()) for x, y in zip(a, b))
    error /= sum(x.size for x in a)
    return 99.0 if error == 0 else 10 * math.log10(255 ** 2 / error)


class KnownVideo:
    """A picture that tests know exactly: a soft landscape of colours through which a bright ball moves, with the
    frame's number in the marker. It loops without a jump."""

    WIDTH, HEIGHT, RATE, FRAMES, SOURCE = 640, 360, 20, 60, 77

    @classmethod
    def frame(cls, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One picture."""
        y, x = np.mgrid[0:cls.HEIGHT, 0:cls.WIDTH].astype(np.float32)
        turn = 2 * math.pi * number / cls.FRAMES
        luma = 110 + 50 * np.sin(x / 70) * np.cos(y / 50) + 12 * np.sin((x + 2 * y) / 9)
        ball = np.hypot(x - 320 - 220 * math.cos(turn), y - 170 - 110 * math.sin(turn))
        luma = np.where(ball < 40, 225 - ball, luma)
        half_x, half_y = x[::2, ::2], y[::2, ::2]
        cb = 128 + 60 * np.sin(half_x / 110 + 1)
        cr = 128 + 60 * np.cos(half_y / 80 - half_x / 160)
        luma, cb, cr = (plane.round().astype(np.uint8) for plane in (luma, cb, cr))
        draw_marker(luma, Marker(cls.SOURCE, number * 1000 // cls.RATE, False))
        strip = max(4, cls.HEIGHT // 30) // 2
        cb[-strip:], cr[-strip:] = 128, 128
        return luma, cb, cr

    @classmethod
    def write(cls, path: Path) -> None:
        """Writes one round as YUV4MPEG2."""
        with path.open("wb") as file:
            file.write(f"YUV4MPEG2 W{cls.WIDTH} H{cls.HEIGHT} F{cls.RATE}:1 Ip A1:1 C420jpeg\n".encode())
            for number in range(cls.FRAMES):
                file.write(b"FRAME\n" + b"".join(plane.tobytes() for plane in cls.frame(number)))

    @classmethod
    def compare(cls, video: Pictures) -> list[float]:
        """The PSNR of each picture to the known picture whose number it bears."""
        values, known = [], {}
        for index, marker in enumerate(video.markers()):
            if marker is None or marker.source != cls.SOURCE:
                continue
            number = round(marker.milliseconds * cls.RATE / 1000)
            if number >= cls.FRAMES:
                continue
            if number not in known:
                known[number] = tuple(_scaled(plane, part.shape) for plane, part in zip(cls.frame(number), video.planes(index)))
            values.append(psnr(known[number], video.planes(index)))
        return values


def _scaled(plane: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The mean of the pixels that fall together, where a picture was made smaller by a whole number."""
    if plane.shape == shape:
        return plane
    down, across = plane.shape[0] // shape[0], plane.shape[1] // shape[1]
    if (shape[0] * down, shape[1] * across) != plane.shape:
        raise AssertionError(f"a picture of {plane.shape[::-1]} came as {shape[::-1]}")
    return plane.reshape(shape[0], down, shape[1], across).mean((1, 3))
