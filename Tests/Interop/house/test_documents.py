"""The claims of the documents that a program can check: links, paths, options, variables, and the tests that guard
against each threat."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from server import ROOT

DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
#: Folders that contain the names in the documents.
FOLDERS = ("Sources", "Tests", "Benchmarks", "Examples", "Scripts", "Web", "Packaging")
#: Options of other programs.
FOREIGN = {"sanitize"}


def text_of(*folders: str) -> str:
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")
             if path.is_file() and path.suffix in ("", ".swift", ".py", ".js", ".sh", ".c", ".h", ".service") and "output" not in path.parts]
    return "\n".join(path.read_text(errors="ignore") for path in paths)


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def each(pattern: str):
    """Every match in every document, with the document."""
    return ((document, found) for document in DOCUMENTS for found in re.finditer(pattern, document.read_text()))


class Documents(unittest.TestCase):
    def assert_all(self, wrong: list[str]) -> None:
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_links_lead_somewhere(self) -> None:
        def leads(document: Path, link: str) -> bool:
            path, _, part = link.partition("#")
            target = (document.parent / path).resolve() if path else document
            return target.exists() and (not part or part in map(anchor, re.findall(r"^#+ (.*)$", target.read_text(), re.M)))
        self.assert_all([f"{document.name}: {found.group(1)}" for document, found in each(r"\]\(([^()\s]+)\)")
                         if not found.group(1).startswith(("http://", "https://")) and not leads(document, found.group(1))])

    def test_paths_and_files_exist(self) -> None:
        self.assert_all([f"{document.name}: {found.group(1)}" for document, found in each(rf"`((?:{'|'.join(FOLDERS)}|docs)/[^`\s*…]*)`")
                         if not (ROOT / found.group(1)).exists()])
        names = {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*")} | {path.name for path in ROOT.iterdir()}
        self.assert_all([f"{document.name}: {found.group(1)}" for document, found in each(r"`(\w+\.(?:swift|py|js))`") if found.group(1) not in names])

    def test_options_variables_and_targets_of_make_exist(self) -> None:
        makefile = (ROOT / "Makefile").read_text()
        code = text_of(*FOLDERS) + makefile
        options = set(re.findall(r'"(?:--)?([a-z][a-z-]+)"', code)) | set(re.findall(r"--([a-z][a-z-]+)", code)) | FOREIGN
        # Those that code reads by name aren't options of a command.
        variables = set(re.findall(r'"(PARLEY_[A-Z_]+)"', text_of("Sources", "Tests/Interop")))
        targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
        self.assert_all(
            [f"{document.name}: {found.group(0)}" for document, found in each(r"(?<![\w-])--([a-z][a-z-]+)") if found.group(1) not in options]
            + [f"{document.name}: {found.group(0)}" for document, found in each(r"(?<!\w)PARLEY_([A-Z_]+)\b")
               if found.group(1).lower().replace("_", "-") not in options and found.group(0) not in variables]
            + [f"{document.name}: {found.group(0)}" for document, found in each(r"`make ([a-z-]+)") if found.group(1) not in targets])

    def test_the_tables_of_messages_have_every_type_of_signaling_and_no_others(self) -> None:
        def kinds(*types: str) -> set[str]:
            texts = [next((ROOT / "Sources/Stack/Signaling").rglob(f"{name}.swift")).read_text() for name in types]
            bodies = [body for text in texts for body in re.findall(r"enum Kind: String \{(.*?)\}", text, re.S)]
            self.assertGreaterEqual(len(bodies), len(types))
            return {word for body in bodies for word in re.findall(r"\w+", body)} - {"case"}
        of_client = kinds("ClientMessage", "RoomRequest", "ChatRequest")
        of_server = kinds("ServerMessage", "RoomNotice", "ChatNotice", "CodecNotice", "TokenNotice")
        documented: dict[str | None, set[str]] = {"client": set(), "server": set(), None: set()}
        for page in ("protocol.md", "protocol/chat.md", "protocol/hosts.md"):
            side = None
            for line in (ROOT / "docs" / page).read_text().splitlines():
                if line in ("### From the client", "# Hosts, hands, reactions and polls"):
                    side = "client"
                elif line in ("### From the server", "From the server:"):
                    side = "server"
                elif found := re.match(r"\| type from the (client|server) \|", line):
                    side = found[1]
                elif line.startswith("#"):
                    side = None
                elif line.startswith("| `"):
                    documented[side] |= set(re.findall(r"`(\w+)`", line.split("|")[1]))
        self.assertEqual((documented["client"], documented["server"]), (of_client, of_server))

    def test_the_table_of_events_has_each_that_the_sdk_sends_and_no_others(self) -> None:
        sdk = ROOT / "Web/sdk"
        code = "".join(path.read_text() for path in (*sdk.glob("*.js"), *sdk.glob("encryption/*.js")))
        sent = {name for first in re.findall(r"emit\(([^,]*),", code) for name in re.findall(r'"(\w+)"', first)}
        page = (ROOT / "docs/browser-client.md").read_text().split("### Events", 1)[1].split("\n### ", 1)[0]
        listed = {name for cell in re.findall(r"^\| (`[^|]*) \|", page, re.M) for name in re.findall(r"`(\w+)`", cell)}
        self.assertEqual(listed - {"detail"}, sent)

    def test_the_table_of_threats_names_the_tests_that_guard_against_each_and_no_others(self) -> None:
        lines = {path.relative_to(ROOT).as_posix(): path.read_text(errors="ignore").splitlines()
                 for path in (ROOT / "Tests").rglob("*") if path.suffix in (".swift", ".py", ".js") and "output" not in path.parts}
        rows = re.findall(r"^\| (\d+) \|(.*)$", (ROOT / "docs/threats.md").read_text(), re.M)
        self.assertGreater(len(rows), 30)
        self.assertIn(f"{len(rows)} threats", (ROOT / "README.md").read_text())
        for number, row in rows:
            with self.subTest(threat=number):
                # As the document says how to find them.
                guard = re.compile(rf"threats?[ _]([0-9]+(, | and ))*{number}([^0-9]|$)", re.I)
                there = {name for name, text in lines.items() if any(map(guard.search, text))}
                self.assertEqual(set(re.findall(r"\]\(\.\./(Tests/[^)]+)\)", row)), there)


if __name__ == "__main__":
    unittest.main()
