"""``Examples/QuickStart``, an app of the BBM Enterprise SDK: setup, endpoints and passcodes."""

from __future__ import annotations

import json
import plistlib
import subprocess
import tempfile
import unittest
from pathlib import Path

from bbm_app import BBMApp, PASSCODE, keep_picture, make_domain
from browser import wait_for
from display import Display
from server import APPS, OUTPUT, Server


class QuickStartJourney(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())
        cls.domain = make_domain(cls.server, "quick-start")

    def app(self, user: str, folder: str, *options: str, passcode: str = PASSCODE, **more: object) -> BBMApp:
        return self.enterContext(BBMApp("QuickStart", self.server, self.domain, user, self.home / folder, *options, passcode=passcode, **more))

    def setUp(self) -> None:
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_new_user_gets_keys_and_another_endpoint_opens_them(self) -> None:
        first = self.app("ann", "first")
        number = first.wait_for("regId")["regId"]
        self.assertEqual(first.states()[0], "")
        self.assertEqual([state for state in first.states() if state.startswith("Sync")], ["SyncRequired", "SyncStarted"])
        self.assertEqual(first.states()[-1], "Success")
        self.assertIn("New Passcode", [event["title"] for event in first.all("asked")])
        second = self.app("ann", "second")
        self.assertEqual(second.wait_for("regId")["regId"], number)
        self.assertIn("Passcode", [event["title"] for event in second.all("asked")])
        self.assertEqual(first.stop(), 0)
        self.assertEqual(second.stop(), 0)
        # The endpoint comes back by itself: nobody asks for anything.
        again = self.app("ann", "first", "--silent")
        self.assertEqual(again.wait_for("regId")["regId"], number)
        self.assertEqual(again.all("asked"), [])
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

    def test_a_refused_answer_is_given_once_and_ends_an_app_without_input(self) -> None:
        app = self.app("fay", "first", passcode="short")
        app.wait_for("authState", syncPasscodeState="New")
        asked = lambda: len(app.all("asked", title="New Passcode"))
        wait_for("the question again", lambda: asked() == 2 or f"no: {app.events[-4:]}")
        # Commands without use come behind it, and no other answer between them.
        for line in ('{"command":"dance"}', "no JSON", "[1]", '{"command":"signIn","user":" "}'):
            app.process.stdin.write(line + "\n")
            app.wait_for("problem", line=line)
        self.assertEqual(asked(), 2)
        app.send("passcode", passcode=PASSCODE)
        app.wait_for("regId")
        self.assertEqual(app.stop(), 0)
        # The same with standard input that is closed at once, and with a time that is over at once.
        for options in ([], ["--duration", "0"]):
            closed = self.app("gus", "other", *options, passcode="")
            closed.process.stdin.close()
            self.assertEqual(closed.process.wait(60), 1)
            wait_for("the reason", lambda: bool(closed.errors) or f"no: {closed.events}")

    def test_arguments_that_are_of_no_use_end_it_with_1_and_words(self) -> None:
        for options, words in (
            (["--user", "  "], "--user needs a name"),
            (["--server", "localhost:8080"], "--server localhost:8080 isn't an address"),
            (["--duration", "-1"], "--duration -1 isn't a number of seconds"),
            (["--dance"], "--dance isn't known"),
            (["--server", self.server.url, "--domain", self.domain, "--headless", "--user", "ann"], "needs --domain, --user and --passcode"),
        ):
            done = subprocess.run([str(APPS / "QuickStart"), *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(words, done.stderr)
        command = [str(APPS / "QuickStart"), "--headless", "--domain", "no domain", "--user", "ann", "--passcode", PASSCODE]
        done = subprocess.run([*command, "--data", str(self.home / "none")], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("The service could not be started.", done.stderr)

    def test_users_of_every_script_sign_in(self) -> None:
        for number, user in enumerate(("Жанна", "王芳", "أمل", "👩‍🚀 o'Neil/../", "é" * 80)):
            app = self.app(user, f"data{number}")
            app.wait_for("authState", setupState="Success", user=user)
            self.assertEqual(app.stop(), 0)

    def test_signing_out_wipes_and_the_service_is_there_for_the_next_user(self) -> None:
        app = self.app("cleo", "first")
        app.wait_for("regId")
        app.send("signOut")
        app.wait_for("authState", setupState="", user="")
        app.send("signIn", user="dora")
        app.wait_for("authState", setupState="Success", user="dora")
        self.assertEqual(app.stop(), 0)

    def test_its_window_shows_the_account(self) -> None:
        display = self.enterContext(Display(500, 600))
        app = self.app("Жанна", "first", display=display)
        app.wait_for("screen", buttons=["Sign Out"])
        app.wait_for("regId")
        keep_picture("quick-start", "account", display, "Quick Start")
        app.send("signOut")
        app.wait_for("authState", setupState="", user="")
        pixels = keep_picture("quick-start", "signed-out", display, "Quick Start")
        # Dark text on a light ground.
        self.assertGreater(pixels.mean(), 180)
        self.assertLess(pixels.min(), 120)


class Recording:
    """The events of several endpoints that belong to the steps of a journey, in the order of the steps."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []

    def step(self, number: str, what: str, app: BBMApp, event: str, since: int = 0, **fields: object) -> dict[str, object]:
        """Waits for the event of a step, and records it."""
        found = app.wait_for(event, since, **fields)
        self.rows.append({"step": number, "what": what, "endpoint": app.name, "event": found})
        return found

    def write(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows))


class WholeJourney(unittest.TestCase):
    """The 22 steps from the app's start to the removal by another endpoint.

    Some are an app's own calls without an answer: their effects are recorded for them."""

    def setUp(self) -> None:
        self.server = self.enterContext(Server())
        self.domain = make_domain(self.server, "journey")
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.record = Recording()

    def app(self, user: str, data: str, *options: str, domain: str = "", **more: object) -> BBMApp:
        return self.enterContext(BBMApp("QuickStart", self.server, domain or self.domain, user, self.home / data, *options, **more))

    def first_endpoint(self) -> BBMApp:
        """Steps 1 to 16: a new user signs in."""
        app, step = self.app("ann", "first", "--description", "Ann's first phone"), self.record.step
        step("1", "the configuration names the provider", app, "config", provider="testAuth", usesKeyManagement=True)
        screen = step("2", "both buttons are hidden, the domain is shown", app, "screen", buttons=[])
        self.assertEqual((screen["rows"]["Domain"], app.events.index(screen)), (self.domain, 1))
        step("3", "the listener hears of the connection", app, "connectivity", connected=True)
        step("4, 5", "the controller's manager asks on the screen", app, "asked", title="Sign In")
        step("6", "the service has started", app, "serviceState", state="Started")
        step("8", "the user has entered an id", app, "asked", title="Sign In")
        step("9, 10", "the account's token goes to the service", app, "authState", user="ann", authTokenState="Ok")
        step("11", "the block is called with each state", app, "authState", user="ann", setupState="Ongoing")
        step("12", "Sign Out in place of Sign In", app, "screen", buttons=["Sign Out"])
        step("13", "the endpoint is described", app, "endpointUpdateResult", result="Success")
        step("14", "keys are needed, and a passcode for them", app, "authState", setupState="SyncRequired", syncPasscodeState="New")
        step("14", "a new passcode is asked for", app, "asked", title="New Passcode")
        step("15", "the passcode is used", app, "authState", setupState="SyncStarted")
        done = step("16", "the setup has succeeded", app, "authState", setupState="Success")
        self.assertGreater(int(done["regId"]), 0)
        rows = step("16", "the number is shown", app, "screen", buttons=["Sign Out"])["rows"]
        self.assertEqual((rows["RegId"], rows["SetupState"]), (done["regId"], "Success"))
        app.send("endpoints")
        listed = step("13", "and described for others", app, "endpoints", result="Success")["registeredEndpoints"]
        self.assertEqual([each["description"] for each in listed], ["Ann's first phone"])
        self.assertGreater(len(app.all("authState", user="ann")), 3)
        wanted = ["NotRequested", "Ongoing", "SyncRequired", "SyncStarted", "Ongoing", "Success"]
        # Ongoing may pass too quickly to be seen, and the first state may be that before the account.
        states = [state for state in app.states() if state]
        self.assertEqual([state for state in wanted if state in states and state != "Ongoing"], [state for state in states if state != "Ongoing"])
        return app

    def test_the_22_steps_are_one_recorded_sequence(self) -> None:
        step = self.record.step
        first = self.first_endpoint()
        self.assertEqual(first.stop(), 0)
        first = self.app("ann", "first", "--silent")
        step("7", "the next run signs in silently", first, "authState", user="ann", setupState="Success")
        self.assertEqual(first.all("asked"), [])

        second = self.app("ann", "second", passcode="quite another passcode")
        step("15", "a wrong passcode is of no use", second, "syncError", error="IncorrectPasscode")
        count = len(second.events)
        step("15", "and the state is the one before", second, "authState", setupState="SyncRequired", syncPasscodeState="Existing")
        second.send("passcode", passcode=PASSCODE)
        step("16", "the right one opens the keys", second, "regId", count)

        keyless = make_domain(self.server, "keyless", "--key-management", "off")
        (self.home / "ConfigSettings.plist").write_bytes(plistlib.dumps({"authProvider": "testAuth", "useBlackBerryKMS": False}))
        own_keys = self.app("ann", "own-keys", domain=keyless, folder=self.home)
        step("15b", "the app says that its keys are there", own_keys, "regId")
        self.assertEqual((own_keys.all("asked", title="New Passcode"), own_keys.all("authState", setupState="SyncRequired")), ([], []))
        self.assertEqual(own_keys.stop(), 0)

        third = self.app("ann", "third")
        third.wait_for("regId")
        fourth = self.app("ann", "fourth")
        step("17", "a fourth endpoint is one too many", fourth, "authState", setupState="Full")
        step("17", "another one is removed", fourth, "authState", setupState="Success")
        fourth.send("endpoints")
        listed = step("17", "there are three again", fourth, "endpoints", result="Success")
        self.assertEqual(len(listed["registeredEndpoints"]), 3)
        count = len(fourth.events)
        fourth.send("retry")
        fourth.send("endpoints")
        step("18", "no device is switched: setupRetry is ignored", fourth, "endpoints", count)
        self.assertEqual((fourth.all("authState", count), fourth.all("authState", setupState="DeviceSwitchRequired")), ([], []))
        fourth.send("token", lifetime=30)
        needed = step("19", "the token ends, the setup is as before", fourth, "authState", count, authTokenState="Needed", setupState="Success")
        count = len(fourth.events) - 1 - fourth.events[::-1].index(needed)
        step("19", "the provider gives another one", fourth, "authState", count, authTokenState="Ok", setupState="Success")
        count = len(fourth.events)
        fourth.send("token", lifetime=-7_200)
        step("20", "a token is rejected, the setup is as before", fourth, "authState", count, authTokenState="Rejected", setupState="Success")
        step("20", "Sign Out is there", fourth, "screen", count, buttons=["Sign Out"])
        fourth.send("signOut")
        step("21", "signing out leaves an empty state", fourth, "authState", count, setupState="", user="")
        step("21", "Sign In is there", fourth, "screen", count, buttons=["Sign In"])
        fourth.send("signIn", user="ben")
        step("21", "signing in needs no other start", fourth, "authState", count, setupState="Success", user="ben")
        self.assertEqual(len(fourth.all("serviceState", state="Started")), 1)
        self.assertEqual(fourth.stop(), 0)

        removed = [each for each in (first, second, third) if each.all("endpointDeregistered")]
        self.assertEqual(len(removed), 1)
        gone = removed[0]
        step("22", "the endpoint that was removed hears of it", gone, "endpointDeregistered")
        count = gone.events.index(gone.all("endpointDeregistered")[0])
        step("22", "its user is signed out", gone, "authState", setupState="", user="")
        step("22", "the service is started again", gone, "serviceState", count, state="Started")
        gone.send("signIn", user="cleo", passcode=PASSCODE)
        step("22", "somebody can sign in", gone, "authState", setupState="Success", user="cleo")
        self.record.write(OUTPUT / "quick-start" / "journey.jsonl")
        numbers = ", ".join(str(row["step"]) for row in self.record.rows)
        self.assertEqual([str(number) for number in range(1, 23) if str(number) not in numbers.split(", ")], [])


if __name__ == "__main__":
    unittest.main()
