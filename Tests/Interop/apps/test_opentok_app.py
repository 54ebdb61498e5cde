"""``Examples/OpenTokHello``, an app written for OpenTok's iOS SDK, and the demo page of the same session."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

import av
import numpy as np
import opentok

from browser import Person, shared_driver, wait_for
from client import Client
from display import Display, write_png
from media import CAST
from opentok_app import App
from server import APPS, BINARY, OUTPUT, Server

#: The pitch of what the app sends without a microphone, in hertz.
PITCH = 620
#: The window when it opens, and where the two pictures are in it.
WIDTH, HEIGHT = 320, 240
TITLE = "OpenTok Hello"



class Hello(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server("--development"))

    def keep(self, name: str, display: Display, moves: bool = False) -> np.ndarray:
        """Leaves a picture of the window in ``output/opentok``, which ``docs/images`` has copies of, once it is at rest
        unless something ``moves``; returns its pixels."""
        folder = OUTPUT / "opentok"
        folder.mkdir(parents=True, exist_ok=True)

        def drawn() -> object:
            values = dict(line.split("=") for line in display.hand("getwindowgeometry", "--shell", display.window(TITLE)).splitlines())
            left, top, width, height = (int(values[key]) for key in ("X", "Y", "WIDTH", "HEIGHT"))
            first, second = (display.pixels()[top:top + height, left:left + width] for _ in range(2) if time.sleep(0.1) is None)
            if not moves and not np.array_equal(first, second):
                return "no: it changes"
            write_png(folder / f"{name}.png", second)
            return [second]
        return wait_for(f"a picture of {name}", drawn)[0]

    def app_in_a_window(self) -> tuple[Display, Server, str, App]:
        """The app, publishing on a screen and a server of its own, and the id of its session."""
        display = self.enterContext(Display(400, 600))
        server = self.enterContext(Server("--development"))
        with urllib.request.urlopen(f"{server.url}/session") as answer:
            session = json.load(answer)["sessionId"]
        app = self.enterContext(App("--server", server.url, display=display))
        app.expect("publishing")
        return display, server, session, app

    def demo_page(self) -> Person:
        """Ann's page, connected to the session and publishing."""
        ann = self.enterContext(Person(shared_driver(), "Ann"))
        page = ann.page
        page.goto(f"{self.server.url}/browser_demo.html?name=Ann")
        wait_for("the session to be filled in", lambda: page.input_value("#token"))
        page.click("#connectLink")
        wait_for("the page to be connected", lambda: page.text_content("#status") == "Connected." or f"no: {page.text_content('#status')}")
        page.click("#publishLink")
        return ann

    def shows_ann(self, display: Display, *place: int) -> None:
        """Waits for the colour of Ann's picture at a place of the display."""
        colour = CAST["Ann"][0]

        def look() -> object:
            mean = display.colour(*place)
            return sum(abs(float(mean[index]) - colour[index]) for index in range(3)) < 150 or f"no: {mean}, expected about {colour}"
        wait_for(f"Ann's picture at {place}", look, 30)

    def shows_the_sun(self, display: Display, middle: int) -> None:
        """Waits for the middle of the test picture, which the app sends without a camera, at this height."""
        wait_for(f"the test picture around {middle}", lambda: display.colour(WIDTH // 2 - 8, middle - 8, 16, 16)[0] > 180)

    def test_journey_the_app_and_the_demo_page_see_hear_and_signal_each_other(self) -> None:
        picture = Path(self.enterContext(tempfile.TemporaryDirectory())) / "seen.png"
        app = self.enterContext(App("--server", self.server.url, "--snapshot", str(picture)))
        own = app.expect("connected")["connection"]
        app.expect("publishing")
        wait_for("the own stream", lambda: app.names() == ["connected", "publishing", "received"] or f"no: {app.names()}")

        ann = self.demo_page()
        page = ann.page
        name = wait_for("the app's stream", lambda: page.evaluate(
            "(id) => [...session.streams.values()].find((each) => each.connection.connectionId === id)?.name", own))

        # Both directions, recognised.
        ann.hears_tone(name, PITCH)
        ann.sees_test_picture(name, rate=8)
        app.expect("picture")
        app.hears(CAST["Ann"][1])
        colour = CAST["Ann"][0]

        def looks_like_ann() -> object:
            if not picture.exists():
                return "no: not written"
            with av.open(str(picture)) as file:
                pixels = next(file.decode(video=0)).to_ndarray(format="rgb24")
            middle = pixels[pixels.shape[0] // 4:pixels.shape[0] * 3 // 4, pixels.shape[1] // 4:pixels.shape[1] * 3 // 4]
            mean = middle.reshape(-1, 3).mean(axis=0)
            near = sum(abs(float(mean[index]) - colour[index]) for index in range(3)) < 150
            return near or f"no: {mean} of {pixels.shape}, expected about {colour}"
        wait_for("Ann's picture in the app", looks_like_ann, 20)

        # Signals both ways.
        page.evaluate("() => { window.heard = []; session.on('signal:hello-back', (event) => heard.push(event.data)); }")
        page.evaluate("() => session.signal({ type: 'hello', data: 'from the page' })")
        self.assertEqual(app.expect("signal")["data"], "from the page")
        wait_for("the app's answer", lambda: "Back from the app: from the page" in page.evaluate("() => heard"))

        # The page stops: the app drops the stream, and takes it up again when it is back.
        page.click("#unpublishLink")
        app.expect("dropped")
        page.click("#publishLink")
        wait_for("a second subscription", lambda: app.names().count("subscribed") == 2 or f"no: {app.names()}", 20)
        wait_for("a second picture", lambda: app.names().count("picture") == 2 or f"no: {app.names()}", 20)
        ann.hears_tone(name, PITCH)

        # Ben is there when the page disconnects: the app takes up his stream at once.
        session = page.input_value("#sessionId")
        self.enterContext(Client(self.server.url, f"{session}?jwt=devtoken", "Ben", "--publish", "testsrc"))
        wait_for("Ben's stream in the app", lambda: app.names().count("received") == 4 or f"no: {app.names()}", 20)
        page.click("#disconnectLink")
        wait_for("Ben's picture in the app", lambda: app.names().count("picture") == 3 or f"no: {app.names()}", 20)

        # The page comes back as a moderator and ends the app's visit.
        page.fill("#token", "moderator_token")
        page.click("#connectLink")
        wait_for("the app's connection", lambda: page.evaluate("(id) => !!session.connections.get(id)", own))
        page.evaluate("(id) => session.forceDisconnect(session.connections.get(id))", own)
        self.assertIn("Session disconnected", app.expect("alert")["text"])

        # The whole visit, in the reference's order.
        streams = {"received": [], "dropped": [], "subscribed": [], "picture": []}
        for each in app.events:
            if each["event"] in streams:
                streams[each["event"]].append(each["stream"].split(".")[0])
        theirs, bens = streams["subscribed"][0], streams["subscribed"][-1]
        self.assertEqual(len({own, theirs, bens}), 3)
        self.assertEqual(streams, {"received": [own, theirs, theirs, bens], "dropped": [theirs, theirs, own],
                                   "subscribed": [theirs, theirs, bens], "picture": [theirs, theirs, bens]})
        self.assertEqual([each for each in app.names() if each != "sound"],
                         ["connected", "publishing", "received", "received", "subscribed", "picture", "signal", "dropped", "received", "subscribed",
                          "picture", "received", "dropped", "subscribed", "picture", "stopped", "dropped", "disconnected", "alert"])

    def test_two_apps_in_one_session_do_not_answer_a_signal_of_a_server_without_end(self) -> None:
        server = self.enterContext(Server("--development"))
        made = subprocess.run([str(BINARY), "tenant", "create", "acme", "--data", server.data, "--json"],
                              capture_output=True, text=True, timeout=60, check=True)
        tenant = json.loads(made.stdout.splitlines()[0])
        api = opentok.Client(tenant["apiKey"], tenant["keys"][0]["secret"], api_url=server.url)
        session = api.create_session().session_id

        def join() -> App:
            return self.enterContext(App("--server", server.url, "--key", tenant["apiKey"], "--session", session,
                                         "--token", api.generate_token(session)))
        apps = [join(), join()]
        for app in apps:
            app.expect("picture")

        def signals(app: App) -> list[tuple[str, str]]:
            return [(each["type"], each["data"]) for each in app.events if each["event"] == "signal"]

        def send(kind: str, text: str) -> None:
            api.send_signal(session, {"type": kind, "data": text})
        # A replying participant would have done so before they heard the next rounds, and all signals come to all in
        # one order.
        send("hello", "from a server")
        for text in ("first", "second", "third"):
            send("round", text)
            for app in apps:
                wait_for(f"the {text} round", lambda: ("round", text) in signals(app) or f"no: {signals(app)}")
        sent = [("hello", "from a server"), ("round", "first"), ("round", "second"), ("round", "third")]
        self.assertEqual([signals(app) for app in apps], [sent, sent])

    def test_while_the_connection_is_away_the_window_says_so_in_place_of_the_last_picture(self) -> None:
        display, server, session, app = self.app_in_a_window()
        self.enterContext(Client(server.url, f"{session}?jwt=devtoken", "Ben", "--publish", "testsrc"))
        app.expect("picture")
        middle = (WIDTH // 2 - 8, HEIGHT + HEIGHT // 2 - 8, 16, 16)
        self.shows_the_sun(display, HEIGHT + HEIGHT // 2)
        server.process.send_signal(signal.SIGSTOP)
        try:
            app.expect("reconnecting", 60)
            below = (40, HEIGHT + 40, WIDTH - 80, HEIGHT - 80)
            wait_for("the last picture to be gone", lambda: display.colour(*below).max() < 80 or f"no: {display.colour(*below)}")
            wait_for("the words", lambda: display.pixels()[HEIGHT + 40:2 * HEIGHT - 40, 40:WIDTH - 40].max() > 150)
        finally:
            server.process.send_signal(signal.SIGCONT)
        app.expect("reconnected", 60)
        wait_for("Ben's picture", lambda: display.colour(*middle)[0] > 180 or f"no: {display.colour(*middle)}", 60)

    def test_what_a_moderator_ends_of_the_own_stream_is_said_and_a_button_brings_it_back(self) -> None:
        display, server, session, app = self.app_in_a_window()
        self.shows_the_sun(display, HEIGHT // 2)
        ann = self.enterContext(Person(shared_driver(), "Ann"))
        ann.join(server.url, f"{session}?jwt=moderator_token")
        [name] = wait_for("the app in the page", lambda: ann.names() or "no: nobody")
        ann.page.keyboard.press("p")

        def choose(*items: str) -> None:
            for item in items:
                ann.page.get_by_role("button", name=f"More for {name}").click(timeout=5_000)
                ann.page.get_by_role("menuitem", name=item, exact=True).click(timeout=5_000)
            # The app gets this signal after the chosen ones.
            count = app.names().count("signal")
            ann.page.evaluate("() => window.parley.signal({ type: 'chosen' })")
            happened("signal", count + 1)

        def happened(event: str, times: int) -> None:
            wait_for(f"{event} for the {times}. time", lambda: app.names().count(event) == times or f"no: {app.names()}", 20)

        def says(what: str) -> None:
            middle = (WIDTH // 2 - 8, HEIGHT // 2 - 8, 16, 16)
            wait_for(f"words in place of the own picture: {what}", lambda: (
                display.colour(*middle)[0] < 120 and display.pixels()[12:HEIGHT - 90, 12:WIDTH - 12].max() > 150)
                or f"no: {display.colour(*middle)}")
            self.keep(what, display, moves=True)

        def press_the_button() -> None:
            display.click(WIDTH // 2, HEIGHT - 63)

        # The camera alone: what is not sent is not shown. The button asks; as long as the right is gone the words stay.
        choose("Forbid camera")
        happened("pictureOff", 1)
        says("camera-off")
        press_the_button()
        happened("pictureOff", 2)
        says("camera-off")
        # A tap still shows what belongs to the picture, such as the button that mutes.
        for is_shown in (True, False):
            display.click(40, 40)
            wait_for(f"the name plate to be {'shown' if is_shown else 'hidden'}",
                     lambda: (display.pixels()[HEIGHT - 28:HEIGHT - 4, 20:WIDTH - 20].max() > 150) == is_shown)
        choose("Allow camera")
        press_the_button()
        happened("pictureOn", 1)
        self.shows_the_sun(display, HEIGHT // 2)
        ann.sees_test_picture(name, rate=8)

        # Both: the publication is over, and the app lets go of it.
        choose("Forbid camera", "Forbid speaking")
        happened("stopped", 1)
        says("stream-ended")
        press_the_button()
        self.assertIn("There was an error publishing", app.expect("alert")["text"])
        display.hand("mousemove", "--window", display.window(TITLE), 20, 20)
        display.hand("key", "Return")
        choose("Allow camera", "Allow speaking")
        press_the_button()
        happened("publishing", 2)
        self.shows_the_sun(display, HEIGHT // 2)
        ann.sees_test_picture(name, rate=8)

        # The microphone alone is muted, which has no place in the picture.
        choose("Mute")
        happened("alert", 2)
        self.assertIn("A moderator has muted you", [each["text"] for each in app.events if each["event"] == "alert"][-1])

    def test_a_command_line_that_is_of_no_use_ends_with_a_sentence_and_a_status(self) -> None:
        def run(*options: str) -> tuple[int, str, str]:
            ended = subprocess.run([str(APPS / "OpenTokHello"), *options], capture_output=True, text=True, timeout=60)
            return ended.returncode, ended.stdout, ended.stderr
        for wrong in ("abc", "nan", "inf", "-1", ""):
            status, printed, told = run("--headless", "--duration", wrong)
            self.assertEqual((status, printed), (2, ""), wrong)
            self.assertIn(f"--duration {wrong} is no number of seconds", told)
        for option in ("--help", "-h"):
            status, printed, told = run(option)
            self.assertEqual((status, told), (0, ""))
            self.assertIn("OpenTokHello [--server URL]", printed)
        status, _, told = run("--headless", "--server", self.server.url, "--snapshot", "/nonexistent/x.png", "--duration", "30")
        self.assertEqual(status, 1)
        self.assertIn("--snapshot /nonexistent/x.png cannot be written", told)
        status, _, told = run("--headless", "--server", self.server.url, "--key", "1", "--session", "nowhere", "--token", "nonsense",
                              "--duration", "30")
        self.assertEqual(status, 1)
        self.assertIn("There was an error connecting to session nowhere", told)
        status, _, told = run("--headless", "--server", f"{self.server.url}/nowhere", "--duration", "30")
        self.assertEqual(status, 1)
        self.assertIn("gives no session", told)

    def test_the_end_of_the_session_is_an_alert(self) -> None:
        display = self.enterContext(Display(400, 600))
        with Server("--development") as server:
            app = self.enterContext(App("--server", server.url, display=display))
            app.expect("publishing")
        app.expect("disconnected")
        self.assertIn("Session disconnected", app.expect("alert")["text"])
        self.keep("disconnected", display)

    def test_a_server_that_is_slow_to_answer_is_waited_for_in_words(self) -> None:
        display = self.enterContext(Display(400, 600))
        with socket.create_server(("127.0.0.1", 0)) as silent:
            self.enterContext(App("--server", f"http://127.0.0.1:{silent.getsockname()[1]}", display=display))
            wait_for("the words", lambda: display.pixels()[100:140, 40:WIDTH - 40].max() > 150)
            self.keep("connecting", display)

    def test_the_window_shows_both_pictures_in_every_size_and_a_name_on_a_tap(self) -> None:
        display = self.enterContext(Display(400, 600))
        app = self.enterContext(App("--server", self.server.url, display=display))
        window = display.window(TITLE)
        app.expect("publishing")
        self.shows_the_sun(display, HEIGHT // 2)
        below = (40, HEIGHT + 40, WIDTH - 80, HEIGHT - 80)
        self.assertLess(display.colour(*below).max(), 80)
        self.keep("alone", display, moves=True)
        ann = self.demo_page()
        page = ann.page
        name = app.expect("received")["name"]
        app.expect("picture")
        self.shows_ann(display, *below)
        self.keep("both", display, moves=True)
        # The page next to it, which shows the app's picture.
        ann.sees_test_picture(name, rate=8)
        page.screenshot(path=OUTPUT / "opentok" / "page.png")

        # A tap on the picture shows the name along its lower edge, and hides it.
        plate = (20, 2 * HEIGHT - 28, WIDTH - 40, 24)
        bright = display.colour(*plate)[0]
        for is_shown in (True, False):
            display.click(WIDTH // 2, HEIGHT + HEIGHT // 2)
            wait_for(f"the name plate to be {'shown' if is_shown else 'hidden'}",
                     lambda: (display.colour(*plate)[0] < 0.75 * bright) == is_shown)
            if is_shown:
                self.keep("name", display, moves=True)

        # By keyboard alone: the tab key leads to a button in the corner of each picture. Without a window manager keys
        # go where the pointer is.
        display.hand("mousemove", "--window", window, WIDTH // 2, 20)

        def shows_by_keys() -> object:
            display.hand("key", "Tab")
            display.hand("key", "space")
            time.sleep(0.5)
            if display.colour(*plate)[0] < 0.75 * bright:
                return True
            display.hand("key", "space")
            return "no: it was that of another picture"
        wait_for("the name plate by the keyboard", shows_by_keys)
        display.hand("key", "Return")
        wait_for("the name plate to be hidden by the keyboard", lambda: display.colour(*plate)[0] >= 0.75 * bright)

        # A narrow and a wide window: the pictures keep their shape, one above the other in the middle.
        display.hand("windowsize", window, 200, 480)
        self.shows_ann(display, 20, 260, 160, 110)
        wait_for("nothing below the picture", lambda: display.colour(20, 400, 160, 60).max() < 60)
        self.keep("narrow", display, moves=True)
        display.hand("windowsize", window, 400, 240)
        self.shows_ann(display, 140, 130, 120, 90)
        wait_for("nothing beside the picture", lambda: display.colour(10, 130, 80, 90).max() < 60)
        self.keep("wide", display, moves=True)
        display.hand("windowsize", window, WIDTH, 2 * HEIGHT)
        self.shows_ann(display, *below)

        # The stream drops: its picture leaves by itself, and the next one is subscribed to.
        page.click("#unpublishLink")
        app.expect("dropped")
        wait_for("the picture to be gone", lambda: display.colour(*below).max() < 80)
        page.click("#publishLink")
        wait_for("a second subscription", lambda: app.names().count("subscribed") == 2 or f"no: {app.names()}", 20)
        wait_for("a second picture", lambda: app.names().count("picture") == 2 or f"no: {app.names()}", 20)
        self.assertNotIn("alert", app.names())

        # The app gets the order to end: it leaves first, and stays unseen until the server notices that it is gone.
        own = app.expect("connected")["connection"]
        app.process.send_signal(signal.SIGTERM)
        wait_for("the app to be gone from the page", lambda: page.evaluate(
            "(id) => [...session.streams.values()].every((each) => each.connection.connectionId !== id)", own), 8)
        self.assertEqual(app.process.wait(10), 0)

    def test_with_self_the_own_stream_is_below_too(self) -> None:
        display = self.enterContext(Display(400, 600))
        app = self.enterContext(App("--server", self.server.url, "--self", display=display))
        app.expect("picture")
        for middle in (HEIGHT // 2, HEIGHT + HEIGHT // 2):
            self.shows_the_sun(display, middle)
        self.keep("self", display, moves=True)
        own = app.expect("connected")["connection"]
        mine = [each["event"] for each in app.events if each.get("stream", own).startswith(own)]
        self.assertEqual(mine, ["connected", "publishing", "received", "subscribed", "picture"])

    def test_what_goes_wrong_is_an_alert_that_the_return_key_closes(self) -> None:
        display = self.enterContext(Display(400, 600))
        app = self.enterContext(App("--server", self.server.url, "--key", "1", "--session", "nowhere", "--token", "nonsense", display=display))
        self.assertIn("There was an error connecting to session nowhere", app.expect("alert")["text"])
        # Without a window manager keys go where the pointer is.
        display.hand("mousemove", "--window", display.window(TITLE), 20, 20)
        box = (WIDTH // 2 - 60, HEIGHT - 10, 120, 20)
        wait_for("the alert in the middle", lambda: display.colour(*box).max() > 120 or f"no: {display.colour(*box)}")
        self.keep("alert", display)

        def closed() -> bool:
            display.hand("key", "Return")
            return display.colour(*box).max() < 80
        wait_for("the alert to be closed", closed)
        self.assertEqual(app.names().count("alert"), 1)

    def test_on_a_dark_desktop_its_window_is_as_on_a_light_one(self) -> None:
        def walk(theme: str) -> dict[str, np.ndarray]:
            name = theme.replace(":", "-")
            seen = {}
            with Display(400, 600) as display, socket.create_server(("127.0.0.1", 0)) as silent:
                display.environment["GTK_THEME"] = theme
                with App("--server", f"http://127.0.0.1:{silent.getsockname()[1]}", display=display):
                    wait_for("the words", lambda: display.pixels()[100:140, 40:WIDTH - 40].max() > 150)
                    seen["connecting"] = self.keep(f"{name}-connecting", display)
                with App("--server", self.server.url, "--key", "1", "--session", "nowhere", "--token", "nonsense", display=display) as app:
                    app.expect("alert")
                    wait_for("the alert", lambda: display.colour(WIDTH // 2 - 60, HEIGHT - 10, 120, 20).max() > 120)
                    seen["alert"] = self.keep(f"{name}-alert", display)
                with App("--server", self.server.url, display=display) as app:
                    app.expect("publishing")
                    self.shows_the_sun(display, HEIGHT // 2)
                    display.click(WIDTH // 2, HEIGHT // 2)
                    wait_for("the name plate", lambda: display.colour(20, HEIGHT - 28, WIDTH - 40, 24).max() < 150)
                    wait_for("the words below", lambda: display.pixels()[HEIGHT + 40:2 * HEIGHT - 40, 40:WIDTH - 40].max() > 150)
                    # Of what moves the lower half, which says that nobody else is there.
                    seen["alone"] = self.keep(f"{name}-alone", display, moves=True)[HEIGHT:]
                    # It says goodbye, so that the next one is alone, too.
                    app.process.send_signal(signal.SIGTERM)
                    app.process.wait(10)
            return seen
        light = walk("Adwaita")
        for theme in ("Adwaita:dark", "Default:hc-dark"):
            for name, pixels in walk(theme).items():
                differing = np.mean(np.any(np.abs(pixels.astype(int) - light[name]) > 64, axis=2))
                self.assertLess(differing, 0.002 if theme == "Adwaita:dark" else 0.1, (theme, name))


if __name__ == "__main__":
    unittest.main()
