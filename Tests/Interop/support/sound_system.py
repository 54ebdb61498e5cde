"""A sound system and a screen of a test's own: PulseAudio with devices that exist in memory, and a virtual X
display."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import wave
from pathlib import Path

import numpy as np

from browser import wait_for
from sounds import Sound


class SoundSystem:
    """PulseAudio with two rooms: what is played in a room is what a microphone there hears.

    ``default`` is where programs play; ``listening`` is the room of the default microphone. Programs started within the
    ``with`` block use it.
    """

    def __init__(self, default: str = "room", listening: str = "room"):
        self.default, self.listening = default, listening

    def __enter__(self) -> "SoundSystem":
        self._folder = tempfile.TemporaryDirectory(prefix="parley-sound-")
        socket = Path(self._folder.name) / "native"
        modules = [f"module-native-protocol-unix auth-anonymous=1 socket={socket}",
                   *(f"module-null-sink sink_name={name} rate=48000" for name in ("room", "booth"))]
        self._process = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm=yes", "--log-level=error",
             *(part for module in modules for part in ("-L", module))],
            env=os.environ | {"PULSE_RUNTIME_PATH": self._folder.name, "HOME": self._folder.name},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._old = os.environ.get("PULSE_SERVER")
        os.environ["PULSE_SERVER"] = f"unix:{socket}"
        try:
            wait_for("PulseAudio's devices", self._is_ready)
            self.run("set-default-sink", self.default)
            self.run("set-default-source", f"{self.listening}.monitor")
        except BaseException:
            # A `with` block that was never entered is not left either.
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._old is None:
            del os.environ["PULSE_SERVER"]
        else:
            os.environ["PULSE_SERVER"] = self._old
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    @staticmethod
    def _is_ready() -> bool | str:
        answer = subprocess.run(["pactl", "list", "short", "sinks"], capture_output=True, text=True)
        return ("room" in answer.stdout and "booth" in answer.stdout) or f"no: {answer.stdout or answer.stderr}"

    @staticmethod
    def run(*words: str) -> None:
        """Runs a command of the sound system."""
        subprocess.run(["pactl", *words], check=True, capture_output=True)

    def play(self, path: Path, room: str) -> subprocess.Popen:
        """Plays a WAVE file in a room; the process is the caller's to end."""
        return subprocess.Popen(["paplay", f"--device={room}", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def record(self, room: str, seconds: float) -> Sound:
        """The audio that a microphone in a room hears."""
        recorder = subprocess.Popen(
            ["parec", f"--device={room}.monitor", "--rate=48000", "--channels=1", "--format=s16le"], stdout=subprocess.PIPE)
        samples = recorder.stdout.read(int(seconds * 48_000) * 2)
        recorder.terminate()
        recorder.communicate()
        path = Path(self._folder.name) / f"{room}.wav"
        write_wave(path, samples)
        return Sound(path)


class Display:
    """A screen in memory; programs started within the ``with`` block show themselves there."""

    def __enter__(self) -> "Display":
        reader, writer = os.pipe()
        self._process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as lines:
            number = lines.readline().strip()
        if not number:
            raise AssertionError("Xvfb did not start")
        self._old = os.environ.get("DISPLAY")
        os.environ["DISPLAY"] = f":{number}"
        return self

    @staticmethod
    def fill(colour: str) -> None:
        """Fills the screen with a colour."""
        subprocess.run(["xsetroot", "-solid", colour], check=True)

    def __exit__(self, *_: object) -> None:
        if self._old is None:
            del os.environ["DISPLAY"]
        else:
            os.environ["DISPLAY"] = self._old
        self._process.terminate()
        self._process.wait(10)


def write_voice(path: Path, seconds: float = 30) -> None:
    """Writes something that a noise filter takes for a voice: syllables of a humming that rises and falls, with
    pauses."""
    rate = 48_000
    time = np.arange(int(seconds * rate)) / rate
    pitch = 150 + 30 * np.sin(2 * np.pi * 0.7 * time) + 15 * np.sin(2 * np.pi * 2.3 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    voice = sum(np.sin(number * phase) / number for number in range(1, 18))
    syllable = np.clip(np.sin(2 * np.pi * 3.1 * time) * 1.6, 0, 1) * (np.sin(2 * np.pi * 0.31 * time) > -0.6)
    samples = (voice * syllable * 6_000).astype("<i2")
    write_wave(path, samples.tobytes())


def write_wave(path: Path, samples: bytes) -> None:
    """Writes 16-bit samples of one channel, 48,000 a second."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        file.writeframes(samples)
