"""The name of each test is a sentence of at most 80 characters, in Swift and in Python."""

from __future__ import annotations

import ast
import re
import unittest

from server import ROOT

LIMIT = 80
#: The display name of a Swift test or suite.
SWIFT = re.compile(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"')


def swift_names(text: str) -> list[tuple[int, str]]:
    """The names in a Swift file, each with its line and without its escapes."""
    return [(text.count("\n", 0, found.start()) + 1, re.sub(r"\\(.)", r"\1", found[1])) for found in SWIFT.finditer(text)]


def python_names(text: str) -> list[tuple[int, str]]:
    """The names in a Python file, each with its line and as words."""
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [(each.lineno, each.name[5:].replace("_", " ")) for each in functions if each.name.startswith("test_")]


class TestNames(unittest.TestCase):
    def assert_short(self, suffix: str, names, folder: str) -> None:
        found = [(path.relative_to(ROOT), line, name) for path in sorted((ROOT / folder).rglob(f"*{suffix}"))
                 if "output" not in path.parts for line, name in names(path.read_text(encoding="utf-8"))]
        self.assertGreater(len(found), 300)
        long = [f"{path}:{line}: {len(name)} characters: {name}" for path, line, name in found if len(name) > LIMIT]
        self.assertEqual(long, [], "\n".join(long))

    def test_a_swift_test_has_at_most_80_characters(self) -> None:
        self.assert_short(".swift", swift_names, "Tests")

    def test_a_python_test_has_at_most_80_characters(self) -> None:
        self.assert_short(".py", python_names, "Tests/Interop")

    def test_names_are_found_on_the_next_line_and_without_escapes(self) -> None:
        source = '@Suite("a \\"b\\"")\nstruct A {\n  @Test(\n    "c d",\n    arguments: [1])\n  func e() {}\n}'
        self.assertEqual(swift_names(source), [(1, 'a "b"'), (3, "c d")])
        self.assertEqual(python_names("def test_a_b(): pass\ndef c(): pass"), [(1, "a b")])


if __name__ == "__main__":
    unittest.main()
