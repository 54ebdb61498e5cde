"""The rules of `Scripts/check-prose`, each by a comment that breaks it and one that keeps it."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import unittest

from server import ROOT


def load():
    loader = importlib.machinery.SourceFileLoader("check_prose", str(ROOT / "Scripts/check-prose"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_prose", loader))
    loader.exec_module(module)
    return module


PROSE = load()


def swift(text: str) -> list[str]:
    return [found.rule for found in PROSE.check_source("Sources/Base/Basics/A.swift", text.splitlines(), ".swift")]


def markdown(text: str) -> list[str]:
    return [found.rule for found in PROSE.check_markdown("docs/a.md", text.splitlines())]


class Prose(unittest.TestCase):
    def test_a_headless_opener_is_found_in_comments_and_documents(self) -> None:
        self.assertEqual(swift("// Who waits has no video."), ["headless opener"])
        self.assertEqual(markdown("A line. Where it ends,\nanother begins."), ["headless opener"])
        self.assertEqual(markdown("- **What it costs.** Much."), ["headless opener"])

    def test_questions_code_and_words_inside_a_sentence_are_no_openers(self) -> None:
        self.assertEqual(swift("// Who waits? The room knows who waits.\nlet who = 1"), [])
        self.assertEqual(markdown("```\nWho waits\n```\nThe page says `Who waits.` here."), [])

    def test_a_listed_word_is_found_with_its_replacement(self) -> None:
        self.assertEqual(swift("// Joins anew."), ["“anew”: again"])
        self.assertEqual(swift("// The client is told of it."), ["“told”: report, notify, log"])
        self.assertEqual(swift("// This is no error."), ["“is no”: isn't a …"])

    def test_code_names_and_good_english_are_not_listed_words(self) -> None:
        self.assertEqual(swift("// `Outlet` and ``Newcomer`` are types. There is no error, and it is no longer there."), [])
        self.assertEqual(swift("// A name tells the two of them apart, next to a doorway."), [])

    def test_reference_words_are_found_in_doc_comments_and_not_in_others(self) -> None:
        self.assertEqual(swift("/// Draws the newest picture at once.\nfunc draw() {}"), ["“picture”: video, frame, screenshot"])
        self.assertEqual(swift("// Draws the newest picture at once."), [])

    def test_a_long_line_is_found_if_it_can_be_wrapped(self) -> None:
        self.assertEqual(swift("// " + "word " * 30), ["over 120 columns"])
        self.assertEqual(markdown("word " * 30), ["over 120 columns"])
        self.assertEqual(markdown("| " + "word " * 30 + "|"), [])
        self.assertEqual(swift("// https://example.com/" + "x" * 120), [])
        self.assertEqual(swift("let text = \"" + "word " * 30 + "\""), [])

    def test_a_doc_comment_needs_more_than_the_name(self) -> None:
        self.assertEqual(swift("/// The height.\nvar height: Int"), ["doc comment that says what the name says"])
        self.assertEqual(swift("/// In pixels.\nvar height: Int"), [])
        self.assertEqual(swift("/// The height of the tile as it was last drawn.\nvar height: Int"), [])

    def test_bare_verbs_and_vague_types_are_no_names(self) -> None:
        self.assertEqual(swift("public mutating func take(_ message: Int) {}"), ["“take” isn't a name"])
        self.assertEqual(swift("enum What {}"), ["“What” isn't a name"])
        self.assertEqual(swift("public func takeOver() {}\nfunc keep(_ it: Int) {}"), [])

    def test_docstrings_are_prose_and_other_strings_are_not(self) -> None:
        source = ['"""Who waits has no video."""', "x = '''", "Who waits", "''' + f(", '    """Who waits""")', "def f():", '    """Joins anew."""']
        self.assertEqual([(found.line, found.rule) for found in PROSE.check_source("a.py", source, ".py")], [(1, "headless opener"), (7, "“anew”: again")])

    def test_a_finding_is_the_same_wherever_its_sentence_stands(self) -> None:
        one = [*PROSE.check_source("Sources/A.swift", ["// Who waits has", "// no video."], ".swift")]
        other = [*PROSE.check_source("Sources/B/C.swift", ["", "  // Who waits has no video."], ".swift")]
        self.assertEqual([each.digest for each in one], [each.digest for each in other])


if __name__ == "__main__":
    unittest.main()
