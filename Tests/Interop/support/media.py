"""Known moving pictures and tones, as files that Chromium takes for its camera and microphone.

A picture has a background colour that belongs to one participant and a white bar that crosses it once in
``SWEEP`` seconds; a receiver that finds the colour and sees the bar move at that speed has decoded this very
picture. A tone is pulsed, because browsers' noise suppression takes a steady one for noise.
"""

from __future__ import annotations

import threading
import wave
from pathlib import Path

import numpy as np

WIDTH, HEIGHT, RATE, SWEEP = 640, 360, 10, 2.0
#: How much the luma of a busy picture's grain differs from its colour.
GRAIN = 24

#: Background colours (red, green, blue) and tones in hertz: the cast of the tests.
CAST = {
    "Ann": ((200, 40, 40), 440),
    "Ben": ((40, 160, 60), 660),
    "Cem": ((50, 70, 200), 880),
    "Dan": ((180, 150, 30), 1100),
}


def yuv(red: int, green: int, blue: int) -> tuple[int, int, int]:
    y = 16 + (65.738 * red + 129.057 * green + 25.064 * blue) / 256
    u = 128 + (-37.945 * red - 74.494 * green + 112.439 * blue) / 256
    v = 128 + (112.439 * red - 94.154 * green - 18.285 * blue) / 256
    return round(y), round(u), round(v)


def write_picture(path: Path, colour: tuple[int, int, int], rate: int = RATE) -> None:
    """Writes one sweep as YUV4MPEG2; Chromium plays it in a loop."""
    y, u, v = yuv(*colour)
    bar = WIDTH // 10
    with path.open("wb") as file:
        file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{rate}:1 Ip A1:1 C420jpeg\n".encode())
        frames = int(rate * SWEEP)
        for index in range(frames):
            luma = np.full((HEIGHT, WIDTH), y, np.uint8)
            cb = np.full((HEIGHT // 2, WIDTH // 2), u, np.uint8)
            cr = np.full((HEIGHT // 2, WIDTH // 2), v, np.uint8)
            columns = (np.arange(bar) + index * WIDTH // frames) % WIDTH
            luma[:, columns] = 235
            cb[:, columns // 2] = 128
            cr[:, columns // 2] = 128
            file.write(b"FRAME\n" + luma.tobytes() + cb.tobytes() + cr.tobytes())


def write_busy_picture(path: Path, colour: tuple[int, int, int], size: tuple[int, int], rate: int) -> None:
    """Writes one sweep at that size and rate over a background of grain that changes with each picture, as a real
    camera's does: it takes the bits that an encoder may spend, where one colour takes hardly any."""
    width, height = size
    y, u, v = yuv(*colour)
    bar = width // 10
    chance = np.random.default_rng(7)
    chroma = [np.full((height // 2, width // 2), value, np.uint8) for value in (u, v)]
    with path.open("wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F{rate}:1 Ip A1:1 C420jpeg\n".encode())
        frames = int(rate * SWEEP)
        for index in range(frames):
            grain = chance.integers(-GRAIN, GRAIN, (height // 2, width // 2)).repeat(2, 0).repeat(2, 1)
            luma = (y + grain).clip(16, 235).astype(np.uint8)
            columns = (np.arange(bar) + index * width // frames) % width
            cb, cr = chroma[0].copy(), chroma[1].copy()
            luma[:, columns] = 235
            cb[:, columns // 2] = 128
            cr[:, columns // 2] = 128
            file.write(b"FRAME\n" + luma.tobytes() + cb.tobytes() + cr.tobytes())


def quick_camera(folder: Path, name: str) -> Path:
    """The file of ``write_picture`` for one of the cast with twice as many frames a second, for tests that have their
    number reduced; written once."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-quick.y4m"
    if not path.exists():
        write_picture(path, CAST[name][0], 2 * RATE)
    return path


def busy_camera(folder: Path, name: str, size: tuple[int, int], rate: int = 15) -> Path:
    """The file of ``write_busy_picture`` for one of the cast; written once."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{size[1]}p{rate}.y4m"
    if not path.exists():
        # Under another name until it is whole, for other processes.
        part = path.with_suffix(f".{threading.get_ident()}")
        write_busy_picture(part, CAST[name][0], size, rate)
        part.rename(path)
    return path


def write_tone(path: Path, frequency: int) -> None:
    """Writes 3 s of a tone of ``frequency`` Hz in pulses of 250 ms, 150 ms apart."""
    rate = 48_000
    time = np.arange(rate * 3) / rate
    phase = time % 0.4
    envelope = np.clip(np.minimum(phase, 0.25 - phase) / 0.01, 0, 1)
    samples = (0.5 * envelope * np.sin(2 * np.pi * frequency * time) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())


def make(folder: Path) -> None:
    """Writes ``<name>.y4m`` and ``<name>.wav`` for everyone of the cast."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (colour, frequency) in CAST.items():
        write_picture(folder / f"{name}.y4m", colour)
        write_tone(folder / f"{name}.wav", frequency)
