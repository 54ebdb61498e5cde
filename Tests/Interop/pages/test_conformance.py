"""The JavaScript SDK against the vectors of ``Tests/Conformance``, which the Swift client's tests read too.

Run alone with ``.venv/bin/python Tests/Interop/run.py test_conformance``.
"""

from __future__ import annotations

import json
import re
import unittest

from module_page import ROOT, ModulePage

RUNNER = ROOT / "Tests/Interop/support/conformance.js"


class ConformanceTests(ModulePage):
    maxDiff = None

    def test_messages_lead_to_the_state_that_every_client_must_have(self) -> None:
        paths = sorted((ROOT / "Tests/Conformance").glob("*.json"))
        self.assertGreater(len(paths), 5)
        vectors = [json.loads(path.read_text()) for path in paths]
        runner = re.sub(r"\A/\*\*.*?\*/\s*", "", RUNNER.read_text(), flags=re.S)
        results = self.page.evaluate(runner, {"vectors": vectors, "sdk": "/sdk"})
        for path, vector, states in zip(paths, vectors, results, strict=True):
            expected: dict[str, object] = {}
            for step, state in zip(vector["steps"], states, strict=True):
                expected = {key: value for key, value in (expected | step["changes"]).items() if value is not None}
                with self.subTest(path.stem, step=step["title"]):
                    self.assertEqual(state, expected)


if __name__ == "__main__":
    unittest.main()
