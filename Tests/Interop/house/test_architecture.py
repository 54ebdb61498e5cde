"""The floors of the code: every import in ``Sources`` is one that the table in ``docs/architecture.md`` allows."""

from __future__ import annotations

import re
import unittest
from collections import defaultdict

from server import ROOT

TABLE = ROOT / "docs/architecture.md"
SOURCES = ROOT / "Sources"
#: An import of a module or of one name of it, with attributes and its level of access.
IMPORT = re.compile(r"\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+"
                    r"(?:(?:struct|class|enum|func|protocol|typealias|var|let)\s+)?(\w+)")


def names(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


class Floors:
    """The table, from the top down: the modules in their order, and what each may import."""

    def __init__(self, document: str) -> None:
        rows = [cells for line in document.splitlines()
                if re.match(r"\| \d \| `", line) and len(cells := line.strip("| ").split(" | ")) == 4]
        #: Each module's row, counted from the top.
        self.rows = {name: row for row, cells in enumerate(rows) for name in names(cells[1].split("(")[0])}
        self.floors = [int(cells[0]) for cells in rows]
        borders = {name for name, row in self.rows.items() if self.floors[row] == 0 and name.startswith("C")}
        #: The modules that a row names one by one, and the same with the borders to C where a row mentions them.
        self.named = {name: set(names(rows[row][3])) for name, row in self.rows.items()}
        self.allowed = {name: self.named[name] | (borders if "C borders" in rows[row][3] else set()) for name, row in self.rows.items()}


def imports() -> dict[str, dict[str, str]]:
    """By module, which modules it imports, and a file that does."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(SOURCES.rglob("*.swift")):
        parts = path.relative_to(SOURCES).parts
        module = parts[2] if parts[1] == "AppleModules" else parts[1]
        # On other systems Apple's modules are the system's.
        lines = re.sub(r"#if [^\n]*!os\(Linux\).*?#(?:endif|else)", "", path.read_text(), flags=re.S).splitlines()
        for line in lines:
            if match := IMPORT.match(line):
                found[module].setdefault(match.group(1), str(path.relative_to(ROOT)))
    return found


class Architecture(unittest.TestCase):
    def setUp(self) -> None:
        self.table, self.found = Floors(TABLE.read_text()), imports()

    def assert_none(self, wrong: list[str]) -> None:
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_every_module_is_in_the_table(self) -> None:
        self.assert_none([f"{module} is not in the table of docs/architecture.md" for module in self.found if module not in self.table.rows])

    def test_every_import_is_in_the_table(self) -> None:
        self.assert_none([
            f"{file}: {module} imports {name}, which the table does not allow" for module, others in self.found.items()
            for name, file in others.items()
            if name in self.table.rows and name != module and name not in self.table.allowed.get(module, ())])

    def test_what_the_table_allows_points_down_and_is_used(self) -> None:
        rows, problems = self.table.rows, []
        self.assertEqual(self.table.floors, sorted(self.table.floors, reverse=True))
        for module, others in self.table.named.items():
            problems += [f"{module} may import {other}, which is not below it" for other in others if rows.get(other, -1) <= rows[module]]
            problems += [f"nothing in {module} imports {other}" for other in others if other not in self.found.get(module, {})]
        self.assert_none(problems)

    def named(self, folder: str, names: str) -> list[str]:
        """The Swift files below ``folder`` of ``Sources`` that have a word which ``names`` matches, with the word."""
        return [f"{path.relative_to(ROOT)} names {found}" for path in sorted((SOURCES / folder).rglob("*.swift"))
                for found in sorted(set(re.findall(rf"\b(?:{names})\b", path.read_text())))]

    def test_only_meetings_names_an_implementation_of_the_store(self) -> None:
        self.assert_none([line for line in self.named("", r"SQLite\w*|StoreSchema") if not line.startswith("Sources/Server/Meetings/")])

    def test_the_command_line_reaches_data_by_the_data_folder_alone(self) -> None:
        self.assert_none(self.named("Tools/ParleyCLI", r"\w+Stores?|StoreTransaction"))

    def test_the_rules_about_names_find_a_name(self) -> None:
        self.assertNotEqual(self.named("Server/Meetings/Store", r"SQLite\w*"), [])


if __name__ == "__main__":
    unittest.main()
