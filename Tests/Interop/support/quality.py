"""A page's quality of a call, from the statistics that it noted while it lasted."""

from __future__ import annotations

from dataclasses import dataclass

from browser import Person

#: Without a new picture for longer, it counts as standing also before the browser has said so.
OPEN_FREEZE = 1.0


@dataclass
class Quality:
    """Somebody's picture and sound at one page."""

    seconds: float
    #: Share of the time in which the picture stood, by the W3C's definition of a freeze.
    frozen: float
    freezes: int
    #: Pictures a second.
    rate: float
    #: Widths decoded, in the order they came.
    widths: list[int]
    #: The width decoded for the longest time.
    width: int
    kilobits: float
    #: Share of the sound that was made up, of which some was silence.
    concealed: float
    silent: float
    #: Longest time without a new picture, as seen five times a second.
    longest: float

    def __str__(self) -> str:
        return (f"frozen {self.frozen:.1%} ({self.freezes}), {self.width} wide {self.widths}, {self.rate:.0f} frames/s, "
                f"{self.kilobits:.0f} kb/s, {self.concealed:.1%} of the sound made up ({self.silent:.1%} silence)")


def begin(viewer: Person, name: str) -> None:
    """Begins to note what ``viewer`` has of ``name``."""
    viewer.evaluate("(name) => senses.record(name)", name)


def so_far(viewer: Person, name: str) -> list[dict]:
    """The notes so far."""
    return viewer.evaluate("(name) => senses.recorded(name, true)", name)


def finish(viewer: Person, name: str, seconds: float | None = None) -> Quality:
    """Ends the noting, and works out the figures of its last ``seconds``, or of all of it."""
    samples = viewer.evaluate("(name) => senses.recorded(name)", name)
    if seconds:
        samples = [each for each in samples if each["at"] >= samples[-1]["at"] - seconds]
    return judge(samples)


def judge(samples: list[dict]) -> Quality:
    """The figures of one stretch of samples."""
    if len(samples) < 3:
        raise AssertionError(f"only {len(samples)} samples: {samples}")
    first, last = samples[0], samples[-1]
    seconds = last["at"] - first["at"]
    widths: list[int] = []
    times: dict[int, float] = {}
    since, longest = first["at"], 0.0
    for before, each in zip(samples, samples[1:]):
        if each["frames"] > before["frames"]:
            longest = max(longest, each["at"] - since)
            since = each["at"]
        if each["width"]:
            times[each["width"]] = times.get(each["width"], 0) + each["at"] - before["at"]
            if widths[-1:] != [each["width"]]:
                widths.append(each["width"])
    standing = last["at"] - since
    frozen = last["frozen"] - first["frozen"] + (standing if standing > OPEN_FREEZE else 0)
    sound = max(last["samples"] - first["samples"], 1)
    return Quality(
        seconds=seconds, frozen=min(frozen / seconds, 1), freezes=last["freezes"] - first["freezes"],
        rate=(last["frames"] - first["frames"]) / seconds, widths=widths, width=max(times, key=times.get, default=0),
        kilobits=(last["bytes"] - first["bytes"]) * 8 / 1000 / seconds,
        concealed=(last["concealed"] - first["concealed"]) / sound, silent=(last["silent"] - first["silent"]) / sound,
        longest=max(longest, standing))


def seconds_until_pictures(samples: list[dict], since: float) -> float | None:
    """From ``since``, on the page's clock, to the first picture that others followed within a second; None while there
    is none."""
    for index, each in enumerate(samples):
        if each["at"] <= since or index == 0 or each["frames"] <= samples[index - 1]["frames"]:
            continue
        soon = [later for later in samples[index:] if later["at"] <= each["at"] + 1]
        if soon[-1]["frames"] >= each["frames"] + 5:
            return each["at"] - since
    return None
