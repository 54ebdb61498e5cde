"""`Packaging/parley.service` under a systemd of its own, in namespaces that end with it: what the unit forbids, and
that the server works all the same."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from browser import wait_for
from server import BINARY, ROOT

SYSTEMD = Path("/lib/systemd/systemd")
CGROUPS = [Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup")]

# Before systemd is process 1: nothing below is seen, or left behind, outside of the namespaces. The only units are ours
# and what it cannot do without, since the machine's own would set up the machine.
BOOT = """
set -e
mount --make-rprivate /
# Among us, as a container's manager leaves it: by this systemd gives a service its credentials.
mount --make-rshared /
mount -t proc proc /proc
mount -t tmpfs tmpfs /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount --bind "$(tty)" /dev/console
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/lib
mount -t tmpfs tmpfs /opt
for folder in usr etc; do
  mkdir -p /run/up/$folder /run/work/$folder
  mount -t overlay overlay -o lowerdir=/$folder,upperdir=/run/up/$folder,workdir=/run/work/$folder /$folder
done
mkdir -p /usr/share/parley /etc/parley /run/units /run/generators
install -m 755 $PARLEY_BINARY /usr/local/bin/parley
cp -r $PARLEY_ROOT/Web /usr/share/parley/web
install -m 640 $PARLEY_FOLDER/parley.conf /etc/parley/parley.conf
cp $PARLEY_ROOT/Packaging/parley.service /run/units/
mkdir /run/units/parley.service.d
# There is no journal.
printf '[Service]\nStandardOutput=append:/run/parley.log\nStandardError=append:/run/parley.log\n' > /run/units/parley.service.d/log.conf
for target in sysinit basic network-online shutdown multi-user; do
  printf '[Unit]\\nDefaultDependencies=no\\n' > /run/units/$target.target
done
printf 'Wants=parley.service\\n' >> /run/units/multi-user.target
ip link set lo up
ip link add unit0 type veth peer name unit1
ip address add 10.99.0.1/24 dev unit0
ip link set unit0 up
ip link set unit1 up
bash $PARLEY_FOLDER/look.sh > $PARLEY_FOLDER/seen.txt 2>&1 &
exec env -i container=unshare PATH=/usr/sbin:/usr/bin:/sbin:/bin SYSTEMD_UNIT_PATH=/run/units SYSTEMD_GENERATOR_PATH=/run/generators \\
  /lib/systemd/systemd --system --unit=multi-user.target --log-target=console --show-status=no
"""

# A process next to the server, outside of its sandbox: prints what it sees as name=value.
LOOK = """
main() { systemctl show -p MainPID --value parley.service 2>/dev/null; }
answers() { curl -s -o /dev/null --max-time 2 http://10.99.0.1:443/readyz --fail; }
await() { for _ in $(seq 200); do if "$@"; then return 0; fi; sleep 0.1; done; echo "waited in vain for $*"; tail -c 2000 /run/parley.log; return 1; }
inside() { nsenter -t $(main) -m -- "$@" 2>&1; }
await answers || systemctl poweroff --force --force
pid=$(main)
for name in Uid CapEff CapBnd NoNewPrivs Seccomp; do echo "$name=$(sed -n "s/^$name:\\t//p" /proc/$pid/status | tr '\\t' ' ')"; done
echo "root=$(inside touch /etc/written)"
echo "usr=$(inside touch /usr/written)"
echo "home=$(inside ls -A /root)"
echo "devices=$(inside ls /dev | tr '\\n' ' ')"
echo "data=$(stat -L -c '%a %U' /var/lib/private/parley) $(ls /var/lib/private/parley | tr '\\n' ' ')"
echo "credential=$(stat -c '%a' /run/credentials/parley.service/parley.conf)"
made=$(curl -s --max-time 5 -d Subject=kept http://10.99.0.1:443/GetAdhocMeetingJob)
parley join http://10.99.0.1:443/unit --name Ann --publish testsrc --json --duration 6 >/dev/null 2>&1 &
parley join http://10.99.0.1:443/unit --name Ben --publish none --json --duration 4 > /run/ben.txt 2>&1
echo "media=$(grep -c firstFrame /run/ben.txt)"
kill -9 $pid
await test "$(main)" != "$pid"
await answers || exit
echo "restarted=$(test "$(main)" != "$pid" && echo yes)"
room=$(echo "$made" | sed 's/.*"JoinUrl":"//; s/".*//')
echo "kept=$(curl -s -o /dev/null -w '%{http_code}' --max-time 5 -d "ApplicationSessionId=s&AllowedOrigins=http://localhost&MeetingUrl=$room" http://10.99.0.1:443/GetAnonTokenJob)"
systemctl stop parley.service
echo "stopped=$(systemctl show -p Result --value parley.service) $(systemctl show -p ExecMainStatus --value parley.service)"
echo "exposure=$(systemd-analyze security --offline=true --no-pager /run/units/parley.service 2>/dev/null | tail -1)"
echo end
systemctl poweroff --force --force
"""


class Unit(unittest.TestCase):
    def test_the_unit_runs_with_what_it_forbids_and_starts_again_with_its_data(self) -> None:
        cgroup = next((path for path in CGROUPS if (path / "cgroup.procs").exists()), None)
        if os.geteuid() or not SYSTEMD.exists() or not cgroup or not shutil.which("curl"):
            self.skipTest("needs root, systemd, curl and the unified cgroup hierarchy")
        own = cgroup / f"parley-unit-{os.getpid()}"
        with tempfile.TemporaryDirectory(prefix="parley-unit-", dir="/var/tmp") as folder:
            Path(folder, "parley.conf").write_text("port = 443\nhost = 10.99.0.1\nadmin-port = 9090\n")
            Path(folder, "look.sh").write_text(LOOK)
            own.mkdir()
            try:
                said = self.boot(folder, own)
                seen_text = Path(folder, "seen.txt").read_text() if Path(folder, "seen.txt").exists() else ""
            finally:
                wait_for("the processes of the namespaces to be gone", lambda: self.remove(own))
        if "end" not in seen_text.splitlines() and "Operation not permitted" in said:
            self.skipTest("this machine does not let systemd be started:\n" + said[-500:])
        seen = dict(line.split("=", 1) for line in seen_text.splitlines() if "=" in line)
        everything = f"{seen_text}\n{said[-3000:]}"
        self.assertIn("end", seen_text.splitlines(), everything)
        self.assertNotEqual(seen["Uid"].split()[0], "0")
        # CAP_NET_BIND_SERVICE, by which it has port 443, and nothing else.
        self.assertEqual((seen["CapEff"], seen["CapBnd"]), ("0000000000000400",) * 2)
        self.assertEqual((seen["NoNewPrivs"], seen["Seccomp"]), ("1", "2"))
        self.assertIn("Read-only file system", seen["root"])
        self.assertIn("Read-only file system", seen["usr"])
        self.assertEqual(seen["home"], "", "what is in /root")
        self.assertNotIn("vda", seen["devices"])
        self.assertTrue(seen["data"].startswith("700 "), seen["data"])
        self.assertIn("parley.sqlite", seen["data"])
        self.assertIn(seen["credential"], ("400", "440"), everything)
        self.assertNotEqual(seen["media"], "0", everything)
        self.assertEqual((seen["restarted"], seen["kept"], seen["stopped"]), ("yes", "200", "success 0"), everything)
        print(seen["exposure"], end=" … ")

    @staticmethod
    def remove(folder: Path) -> bool:
        try:
            for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
                path.rmdir()
            folder.rmdir()
        except OSError:
            return False
        return True

    def boot(self, folder: str, cgroup: Path) -> str:
        """Runs it all to its end, and returns what systemd has said."""
        outer, inner = pty.openpty()
        said = bytearray()

        def read() -> None:
            while True:
                try:
                    data = os.read(outer, 4096)
                except OSError:
                    return
                said.extend(data)

        threading.Thread(target=read, daemon=True).start()
        environment = {**os.environ, "PARLEY_BINARY": str(BINARY.resolve()), "PARLEY_ROOT": str(ROOT), "PARLEY_FOLDER": folder}
        process = subprocess.Popen(
            ["unshare", "--pid", "--mount", "--uts", "--ipc", "--net", "--cgroup", "--fork", "--kill-child", "bash", "-c", BOOT],
            stdin=inner, stdout=inner, stderr=inner, env=environment, start_new_session=True,
            preexec_fn=lambda: (cgroup / "cgroup.procs").write_text(str(os.getpid())))
        try:
            process.wait(90)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(inner)
        return said.decode(errors="replace")


if __name__ == "__main__":
    unittest.main()
