"""``Examples/QuickStart``, an app of the BBM Enterprise SDK, without a window: setup, endpoints and passcodes."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from quick_start import QuickStart, make_domain
from server import Server

PASSCODE = "violet anchors sing low"


class QuickStartJourney(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())
        cls.domain = make_domain(cls.server, "quick-start")

    def app(self, user: str, folder: str, *options: str, passcode: str = PASSCODE) -> QuickStart:
        return self.enterContext(QuickStart(self.server, self.domain, user, passcode, self.home / folder, *options))

    def setUp(self) -> None:
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_new_user_gets_keys_and_another_endpoint_opens_them(self) -> None:
        first = self.app("ann", "first")
        number = first.wait_for("regId")["regId"]
        self.assertEqual(first.states()[0], "")
        self.assertEqual([state for state in first.states() if state.startswith("Sync")], ["SyncRequired", "SyncStarted"])
        self.assertEqual(first.states()[-1], "Success")
        self.assertIn("New Passcode", [event["title"] for event in first.events if event["event"] == "asked"])
        second = self.app("ann", "second")
        self.assertEqual(second.wait_for("regId")["regId"], number)
        self.assertIn("Passcode", [event["title"] for event in second.events if event["event"] == "asked"])
        self.assertEqual(first.stop(), 0)
        self.assertEqual(second.stop(), 0)
        # The endpoint comes back by itself: nobody asks for anything.
        again = self.app("ann", "first")
        self.assertEqual(again.wait_for("regId")["regId"], number)
        self.assertNotIn("Passcode", [event["title"] for event in again.events if event["event"] == "asked"])
        self.assertEqual(again.stop(), 0)

    def test_a_wrong_passcode_is_reported_and_a_forgotten_one_removes_the_other_endpoints(self) -> None:
        first = self.app("ben", "first")
        number = first.wait_for("regId")["regId"]
        second = self.app("ben", "second", passcode="quite another passcode")
        self.assertEqual(second.wait_for("syncError")["error"], "IncorrectPasscode")
        second.send("passcode", passcode=PASSCODE)
        self.assertEqual(second.wait_for("regId")["regId"], number)
        third = self.app("ben", "third", "--new-passcode", "seven rusty bicycles")
        self.assertEqual(third.wait_for("regId")["regId"], number)
        for other in (first, second):
            other.wait_for("endpointDeregistered")
            self.assertEqual(other.stop(), 1)
            other.wait_for("stopped", succeeded=False)
            # It waits for its user, and neither signs in nor answers anything by itself.
            events = [event["event"] for event in other.events]
            self.assertNotIn("asked", events[events.index("endpointDeregistered"):])
        again = self.app("ben", "first", passcode="seven rusty bicycles")
        self.assertEqual(again.wait_for("regId")["regId"], number)
        self.assertIn("Passcode", [event["title"] for event in again.events if event["event"] == "asked"])
        self.assertEqual(again.stop(), 0)
        self.assertEqual(third.stop(), 0)

    def test_signing_out_wipes_and_the_service_is_there_for_the_next_user(self) -> None:
        app = self.app("cleo", "first")
        app.wait_for("regId")
        app.send("signOut")
        app.wait_for("authState", setupState="", user="")
        app.send("signIn", user="dora")
        app.wait_for("authState", setupState="Success", user="dora")
        self.assertEqual(app.stop(), 0)


if __name__ == "__main__":
    unittest.main()
