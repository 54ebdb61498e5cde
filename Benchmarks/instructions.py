#!/usr/bin/env python3
"""Counts the instructions of a forwarded packet with callgrind and prints them function by function.

usage: Benchmarks/instructions.py [--binary FILE] [--packets N] [--least N] [--keep FOLDER] [--run TEXT]

Runs router-bench (.build/release/router-bench) under valgrind: a camera to 50 receivers, and ten voices that hear each other.
What router-bench measures is virtual time and depends on no clock and no other program. Each table has a line for every function
that takes at least --least instructions a packet, then what no packet should cost, wherever it is called from: memory, reference
counting, casts and look-ups of conformances, locks, checks for exclusive access.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RUNS = {
    "video 1 → 50": ["--receivers", "50"],
    "sound 10 ↔ 10": ["--voices", "10"],
}

# What a packet should not cost, by the names of functions as they are in the binary.
WATCHED = [
    ("allocation", r"^(malloc|calloc|realloc|free|cfree|posix_memalign|aligned_alloc|_int_malloc|_int_free|swift_slow(A|Dea)lloc.*"
     r"|swift_(de)?alloc(Object|Box|ClassInstance)?|swift_initStackObject|_swift_release_dealloc|tcache_.*)$"),
    ("retain and release", r"(^_?swift_(bridgeObject|unknownObject|nonatomic_)?(R|r)(etain|elease)(_n)?(_x\d+)?_?$|^swift_.*tryRetain|RefCounts.*(increment|decrement)|^_swift_(retain|release)_)"),
    ("check for other owners", r"isUniquelyReferenced"),
    ("cast, look-up of a type or a conformance", r"^swift_(dynamicCast|conformsToProtocol|getWitnessTable|getAssociated|getGeneric|getTypeByMangledName|checkMetadata|getExistential|project).*"),
    ("call through a witness table", r"TW$"),
    ("lock", r"^(___?)?(pthread_(mutex|rwlock|spin|cond)_.*|lll_(lock|unlock).*|os_unfair_lock.*|futex.*)$|LazyMutex"),
    ("check for exclusive access", r"^swift_(begin|end)Access$|AccessSet"),
]


class Profile:
    """What a callgrind file says of each function: its own instructions, its calls, and who called it how often."""

    def __init__(self, path):
        self.own = collections.Counter()
        self.calls = collections.Counter()
        self.callers = collections.defaultdict(collections.Counter)
        names = {}
        objects = {}
        function = callee = here = where = None
        inclusive = False
        for line in path.read_text(errors="replace").splitlines():
            if line.startswith(("ob=", "cob=")):
                key, _, rest = line.partition("=")
                number, _, name = rest.partition(" ")
                if name:
                    objects[number] = pathlib.Path(name).name
                if key == "ob":
                    here = where = objects[number]
                else:
                    where = objects[number]
            elif line.startswith(("fn=", "cfn=")):
                key, _, rest = line.partition("=")
                number, _, name = rest.partition(" ")
                if name:
                    # A stripped library names only what it exports.
                    names[number] = f"{where}, functions without names" if name.startswith("0x") else re.sub(r"'\d+$", "", name)
                if key == "fn":
                    function = names[number]
                else:
                    callee = names[number]
                where = here
            elif line.startswith("calls="):
                count = int(line[6:].split()[0])
                self.calls[callee] += count
                self.callers[callee][function] += count
                inclusive = True
            elif line and line[0] in "+-*0123456789":
                # After a call stands what it cost altogether, which is its function's and not the caller's.
                if not inclusive:
                    self.own[function] += int((line.split() + ["0"])[1])
                inclusive = False


    def without(self, other):
        """What this run did and the other did not."""
        self.own.subtract(other.own)
        for name, callers in self.callers.items():
            for caller in callers:
                callers[caller] -= other.callers[name][caller]
            self.calls[name] = sum(callers.values())
        return self


def demangled(names):
    """Names as they are read; as they are in the binary where there is no `swift`."""
    names = list(names)
    tool = shutil.which("swift")
    if not tool or not names:
        return dict(zip(names, names))
    text = "\n".join(names)
    for command in ([tool, "demangle", "--compact", "--simplified"], ["c++filt", "--no-params"]):
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


def short(name):
    """A demangled name without what only says that the compiler specialised or copied it, and without argument types."""
    name = re.sub(r"^((generic|function signature|merged|partial inlined|closure #\d+|partial apply|implicit closure #\d+).*? (of|for) )+", "", name)
    name = re.sub(r" in _[0-9A-F]{32}", "", name)
    name = re.sub(r"\((\w+)\)", r"\1", name)
    name = re.sub(r"<[^()]*>", "", name)
    labels = re.match(r"(.*?)\((.*)\)", name)
    if labels:
        words = re.findall(r"(\w+): ", labels.group(2))
        name = f"{labels.group(1)}({''.join(word + ':' for word in words)})"
    return name


def run(binary, arguments, output):
    """Runs router-bench under callgrind, and returns what it printed."""
    output.unlink(missing_ok=True)
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={output}", str(binary), *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"})
    if result.returncode:
        sys.exit(f"router-bench under valgrind failed ({result.returncode}):\n{result.stdout}{result.stderr[-2000:]}")
    return result.stdout


def measure(binary, arguments, packets, keep):
    """The profile of what is measured, and how many packets left in it."""
    arguments = [*arguments, "--packets", str(packets)]
    printed = run(binary, arguments, keep / "callgrind.out")
    # Callgrind could count costs of a function alone, but not calls: both of a run that does all but what is measured are taken off.
    run(binary, [*arguments, "--idle"], keep / "callgrind.idle.out")
    print(printed.strip())
    profile = Profile(keep / "callgrind.out").without(Profile(keep / "callgrind.idle.out"))
    return profile, int(re.search(r"(\d+) packets out", printed).group(1))


def report(title, profile, packets, least):
    total = sum(profile.own.values())
    rows = [name for name, cost in profile.own.most_common() if cost / packets >= least]
    readable = demangled(set(rows) | set(profile.callers) | {name for by in profile.callers.values() for name in by})
    print(f"\n| {title}: function | calls a packet | instructions a packet |\n|---|---|---|")
    for name in rows:
        print(f"| `{short(readable[name])}` | {profile.calls[name] / packets:.3f} | {profile.own[name] / packets:.0f} |")
    rest = total - sum(profile.own[name] for name in rows)
    print(f"| all others, each below {least} | | {rest / packets:.0f} |")
    print(f"| **all** | | **{total / packets:.0f}** |")
    print(f"\n| {title}: what no packet should cost | calls a packet | instructions a packet | from |\n|---|---|---|---|")
    for what, pattern in WATCHED:
        names = [name for name in set(profile.own) | set(profile.calls) if re.search(pattern, name)]
        # A call from one of them to another is one call.
        entries = collections.Counter()
        for name in names:
            for caller, count in profile.callers[name].items():
                if caller not in names:
                    entries[caller] += count
        calls = sum(entries.values())
        cost = sum(profile.own[name] for name in names)
        callers = ", ".join(f"`{short(readable[c])}` {n / packets:.3f}" for c, n in entries.most_common(6) if n / packets >= 0.001)
        print(f"| {what} | {calls / packets:.3f} | {cost / packets:.1f} | {callers} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=".build/release/router-bench")
    parser.add_argument("--packets", type=int, default=1000, help="packets that come in while it counts (1000)")
    parser.add_argument("--least", type=int, default=20, help="instructions a packet from which a function has a line (20)")
    parser.add_argument("--keep", type=pathlib.Path, help="keep callgrind's files in this folder")
    parser.add_argument("--run", default="", help="only the runs whose title contains this")
    options = parser.parse_args()
    for tool in ("valgrind", "objcopy"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing: apt-get install valgrind binutils")
    if not pathlib.Path(options.binary).exists():
        sys.exit(f"{options.binary} is missing: swift build -c release --static-swift-stdlib --product router-bench")
    with tempfile.TemporaryDirectory() as scratch:
        # Valgrind before 3.20 cannot read the debug information of the linked runtime.
        binary = pathlib.Path(scratch) / "router-bench"
        subprocess.run(["objcopy", "--strip-debug", options.binary, binary], check=True)
        for title, arguments in RUNS.items():
            if options.run not in title:
                continue
            keep = pathlib.Path(scratch)
            if options.keep:
                keep = options.keep / title.split()[0]
                keep.mkdir(parents=True, exist_ok=True)
            profile, packets = measure(binary, arguments, options.packets, keep)
            report(title, profile, packets, options.least)


main()
