#!/usr/bin/env python3
"""Counts the instructions of a forwarded packet with callgrind and prints them function by function.

usage: Benchmarks/instructions.py [--binary FILE] [--packets N] [--least N] [--keep FOLDER] [--run TEXT]
       Benchmarks/instructions.py --server [--binary FILE] [--seconds N] [--least N] [--keep FOLDER] [--run TEXT]

Runs router-bench (.build/release/router-bench) under valgrind: a camera to 50 receivers, and ten voices that hear each
other. router-bench runs in virtual time and depends on no clock and no other program. Each table has a line for every
function that takes at least --least instructions a packet. Then it lists the functions that no packet should cost,
wherever they are called from: memory, reference counting, casts and look-ups of conformances, locks, checks for
exclusive access.

With --server it runs .build/release/parley instead, next to `parley load`: the media thread of the real server with
real sockets, for some seconds in which nobody comes or goes. The kernel's work is not counted. The machine's other load
decides how many packets come in one tick, so the figures differ from run to run.
"""

import argparse
import collections
import os
import signal
import socket
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

RUNS = {
    "video 1 → 50": ["--receivers", "50"],
    "sound 10 ↔ 10": ["--voices", "10"],
}

SERVER_RUNS = {
    "server, video 1 → 10": ["--publishers", "1", "--subscribers", "10"],
    "server, sound 6 ↔ 6": ["--publishers", "6", "--subscribers", "0", "--audio-only"],
}

# Functions that a packet should not cost, by their names in the binary.
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
    """A callgrind file: each function's own instructions, its calls, and its callers with their counts."""

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
        """Subtracts the other run."""
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
    """A demangled name without the marks of specialised or copied functions, and without argument types."""
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
    printed = run(binary, [*arguments, "--uncounted"], keep / "callgrind.out")
    # Callgrind could count costs of a function alone, but not calls: both of a run that does all but what is measured
    # are taken off.
    run(binary, [*arguments, "--idle"], keep / "callgrind.idle.out")
    print(printed.strip())
    profile = Profile(keep / "callgrind.out").without(Profile(keep / "callgrind.idle.out"))
    return profile, int(re.search(r"(\d+) packets out", printed).group(1))


def wait_for(what, condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited {seconds} s for {what}")
        time.sleep(0.2)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def metric(admin, name):
    """A counter of the server's media workers; -1 while it does not answer."""
    try:
        text = urllib.request.urlopen(f"http://127.0.0.1:{admin}/metrics", timeout=10).read().decode()
    except OSError:
        return -1
    return sum(int(float(line.split()[-1])) for line in text.splitlines() if line.startswith(f"parley_media_{name}{{"))


def stop(process, kind=signal.SIGTERM):
    if process.poll() is None:
        process.send_signal(kind)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def measure_server(binary, parley, load, seconds, keep):
    """The profile of the media thread of a server under load, and the packets that it sent during it."""
    port, admin = free_port(), free_port()
    output = keep / "callgrind.server.out"
    for old in keep.glob("callgrind.server.out*"):
        old.unlink()
    server = subprocess.Popen(
        ["valgrind", "--tool=callgrind", "--demangle=no", "--instr-atstart=no", "--separate-threads=yes",
         f"--callgrind-out-file={output}", str(binary), "serve", "--host", "127.0.0.1", "--port", str(port), "--admin-port",
         str(admin), "--media-port", "0", "--workers", "1", "--data", str(keep / "data"), "--log-level", "warning"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    load_process = None
    try:
        wait_for("the server", lambda: metric(admin, "participants") >= 0)
        people = int(load[1]) + int(load[3])
        load_process = subprocess.Popen(
            [parley, "load", f"http://127.0.0.1:{port}/count", "--duration", str(seconds + 120), *load],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(f"{people} participants", lambda: metric(admin, "participants") == people)
        wait_for("media", lambda: metric(admin, "packets_forwarded_total") > 0)
        # Streams begin, and estimates settle.
        time.sleep(10)
        names = ("packets_received_total", "packets_forwarded_total", "send_calls_total", "datagrams_received_total")
        subprocess.run(["callgrind_control", "-i", "on", str(server.pid)], check=True, stdout=subprocess.DEVNULL)
        before = [metric(admin, name) for name in names]
        time.sleep(seconds)
        after = [metric(admin, name) for name in names]
        subprocess.run(["callgrind_control", "-i", "off", str(server.pid)], check=True, stdout=subprocess.DEVNULL)
    finally:
        if load_process:
            stop(load_process, signal.SIGINT)
        stop(server)
    counted = dict(zip(names, (b - a for a, b in zip(before, after))))
    profiles = [Profile(file) for file in sorted(keep.glob("callgrind.server.out*"))]
    media = [p for p in profiles if any(re.search(r"9MediaCoreC7receive.*yySiF$", name) for name in p.own)]
    if len(media) != 1:
        sys.exit(f"expected one media thread in {len(profiles)} threads, found {len(media)}")
    print(", ".join(f"{value} {name.removesuffix('_total').replace('_', ' ')}" for name, value in counted.items()))
    return media[0], counted["packets_forwarded_total"]


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
    parser.add_argument("--binary", help=".build/release/router-bench, or with --server .build/release/parley")
    parser.add_argument("--server", action="store_true", help="the media thread of the real server, with real sockets")
    parser.add_argument("--seconds", type=int, default=10, help="how long the server is counted (10)")
    parser.add_argument("--packets", type=int, default=1000, help="packets that come in while it counts (1000)")
    parser.add_argument("--least", type=int, default=20, help="instructions a packet from which a function has a line (20)")
    parser.add_argument("--keep", type=pathlib.Path, help="keep callgrind's files in this folder")
    parser.add_argument("--run", default="", help="only the runs whose title contains this")
    options = parser.parse_args()
    for tool in ("valgrind", "objcopy"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing: apt-get install valgrind binutils")
    product = "parley" if options.server else "router-bench"
    original = options.binary or f".build/release/{product}"
    if not pathlib.Path(original).exists():
        sys.exit(f"{original} is missing: swift build -c release --static-swift-stdlib --product {product}")
    with tempfile.TemporaryDirectory() as scratch:
        # Valgrind before 3.20 cannot read the debug information of the linked runtime.
        binary = pathlib.Path(scratch) / product
        subprocess.run(["objcopy", "--strip-debug", original, binary], check=True)
        for title, arguments in (SERVER_RUNS if options.server else RUNS).items():
            if options.run not in title:
                continue
            keep = pathlib.Path(scratch)
            if options.keep:
                keep = options.keep / title.split()[1 if options.server else 0]
                keep.mkdir(parents=True, exist_ok=True)
            if options.server:
                profile, packets = measure_server(binary, original, arguments, options.seconds, keep)
            else:
                profile, packets = measure(binary, arguments, options.packets, keep)
            report(title, profile, packets, options.least)


main()
