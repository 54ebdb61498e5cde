"""``/opentok.js`` on a page of another server, name by name, in Chromium."""

from __future__ import annotations

import functools
import http.server
import json
import tempfile
import threading
import unittest
import uuid
from pathlib import Path
from typing import Any

import opentok

import media
from browser import Person, shared_driver, wait_for
from command import run
from proxy import CuttableProxy
from server import Server

#: A browser as people have it: no page is loud before somebody has clicked.
SILENT = ("--autoplay-policy=document-user-activation-required",)
#: A page as an app's own server gives it out: written for the library as its guides have it, with a log of every event.
PAGE = """<!doctype html><meta charset="utf-8"><title>An app</title><div id="publisher"></div><div id="subscribers"></div>
<script>
  window.log = [];
  window.subscribers = {};
  function listen(who, object, types) {
    for (const type of types.split(" ")) {
      object.on(type, ({ stream, reason, changedProperty, oldValue, newValue, active }) => log.push(JSON.parse(JSON.stringify(
        { who, type, stream: stream?.name, reason, changedProperty, oldValue, newValue, active }))));
    }
  }
  const told = (error) => (error ? [error.name, error.code, error.message] : null);
  function load(server) {
    return new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement("script"), { src: `${server}/opentok.js`, onload: () => resolve(), onerror: reject });
      document.head.append(script);
    });
  }
  /** Connects and subscribes to everything. */
  function connect(apiKey, sessionId, token, options) {
    window.session = OT.initSession(apiKey, sessionId, options);
    listen("session", session, "sessionConnected sessionWaiting sessionReconnecting sessionReconnected sessionDisconnected connectionCreated connectionDestroyed streamCreated streamDestroyed streamPropertyChanged muteForced");
    session.on("streamCreated", ({ stream }) => {
      const subscriber = session.subscribe(stream, "subscribers", { insertMode: "append", width: 160, height: 90, ...window.wishes }, (error) => log.push({ type: "subscribed", stream: stream.name, error: error?.name }));
      listen(stream.name, subscriber, "connected disconnected videoDisabled videoEnabled audioBlocked audioUnblocked destroyed");
      subscribers[stream.name] = subscriber;
    });
    return new Promise((resolve) => session.connect(token, (error) => {
      window.parley = session._meeting;
      resolve(told(error));
    }));
  }
  /** Publishes; a host's end does not take the publisher away. */
  function publish(name, properties, slot = "publisher") {
    const publisher = OT.initPublisher("publisher", { insertMode: "append", name, ...properties });
    window[slot] = publisher;
    publisher.on("streamDestroyed", (event) => event.preventDefault());
    listen(slot, publisher, "accessAllowed accessDenied streamCreated streamDestroyed mediaStopped muteForced");
    return again(slot);
  }
  const again = (slot = "publisher") => new Promise((resolve) => session.publish(window[slot], (error) => resolve(told(error))));
  const stream = (name) => [...session.streams.values()].find((each) => each.name === name);
  /** Has devices opened when `open` is called, or refused by `refuse`. */
  function holdDevices() {
    const media = navigator.mediaDevices;
    const before = media.getUserMedia.bind(media);
    window.asked = 0;
    media.getUserMedia = (wanted) => new Promise((resolve, reject) => {
      window.asked += 1;
      window.open_ = () => before(wanted).then(resolve, reject);
      window.refuse = () => reject(new DOMException("", "NotAllowedError"));
    });
  }
</script>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class App(unittest.TestCase):
    """People on a page of another origin than the server's, which the tenant allows."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (folder / "index.html").write_text(PAGE)
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        cls.addClassCleanup(pages.server_close)
        cls.addClassCleanup(pages.shutdown)
        cls.origin = f"http://127.0.0.1:{pages.server_port}"
        cls.server = cls.enterClassContext(Server())
        [tenant] = run(cls.server, "tenant", "create", "acme")
        run(cls.server, "tenant", "set", "acme", "--allow-origin", cls.origin)
        cls.key, cls.secret = tenant["apiKey"], tenant["keys"][0]["secret"]
        cls.api = opentok.Client(cls.key, cls.secret, api_url=cls.server.url)
        cls.driver = shared_driver()

    def setUp(self) -> None:
        self.session = self.api.create_session().session_id

    def token(self, role: opentok.Roles = opentok.Roles.publisher) -> str:
        return self.api.generate_token(self.session, role)

    def opened(self, name: str, server: str | None = None, **options: Any) -> Person:
        """Somebody with the app's page open."""
        person = self.enterContext(Person(self.driver, name, **options))
        person.page.goto(self.origin)
        person.page.evaluate("(server) => load(server)", server or self.server.url)
        return person

    def person(self, name: str, role: opentok.Roles = opentok.Roles.publisher, publishes: bool = True, **options: Any) -> Person:
        """Somebody who is in the session."""
        person = self.opened(name, **options)
        self.assertIsNone(self.connect(person, role))
        if publishes:
            self.assertIsNone(person.page.evaluate("(name) => publish(name)", name))
        return person

    def connect(self, person: Person, role: opentok.Roles = opentok.Roles.publisher, key: str | None = None) -> Any:
        return person.page.evaluate("(given) => connect(...given)", [key or self.key, self.session, self.token(role)])

    def host(self) -> Person:
        """A moderator on Parley's own page."""
        return self.enterContext(Person(self.driver, "Cem")).join(self.server.url, f"{self.session}?jwt={self.token(opentok.Roles.moderator)}")

    def log(self, person: Person, **wanted: Any) -> list[dict]:
        """Events with these values, in order."""
        return [each for each in person.page.evaluate("() => log") if all(each.get(key) == value for key, value in wanted.items())]

    def hears_of(self, person: Person, count: int = 1, **wanted: Any) -> dict:
        """Waits until an event has come so often."""
        wait_for(f"{count} of {wanted} at {person.name}'s", lambda: len(self.log(person, **wanted)) >= count
                 or f"no: {self.log(person)[-8:]} {person.console[-3:]}")
        return self.log(person, **wanted)[count - 1]

    def says(self, person: Person, name: str, **facts: Any) -> None:
        """Waits until somebody's page says this of somebody's stream."""
        def now() -> Any:
            found = person.page.evaluate("(name) => { const { hasAudio, hasVideo } = stream(name) ?? {}; return { hasAudio, hasVideo }; }", name)
            return all(found.get(key) == value for key, value in facts.items()) or f"no: {found}"
        wait_for(f"{facts} of {name} at {person.name}'s", now)

    def listed(self) -> list[str]:
        """The streams by the REST API, by name."""
        return sorted(each.name for each in self.api.list_streams(self.session))

    # MARK: Encryption

    def test_a_session_with_e2ee_is_joined_with_its_secret_only_and_no_secret_is_set_in_vain(self) -> None:
        self.session = self.api.create_session(media_mode=opentok.MediaModes.routed, e2ee=True).session_id
        ann, ben = self.opened("Ann"), self.opened("Ben")
        join = lambda person, options: person.page.evaluate("(given) => connect(...given)", [self.key, self.session, self.token(), options])
        shared = {"encryptionSecret": "correct horse"}
        self.assertTrue(ann.page.evaluate("() => OT.hasEndToEndEncryptionSupport()"))
        self.assertEqual(join(ann, {"encryptionSecret": "short"})[:2], ["OT_INVALID_ENCRYPTION_SECRET", 6004])
        self.assertIsNone(join(ann, shared))
        self.assertIsNone(ann.page.evaluate("() => publish('Ann')"))
        self.assertEqual(join(ben, None)[:2], ["OT_ENCRYPTION_SECRET_MISSING", 6000])
        self.assertEqual(join(ben, {"encryptionSecret": "another horse"})[:2], ["OT_ENCRYPTION_SECRET_MISMATCH", 6003])
        self.assertIsNone(join(ben, shared))
        self.hears_of(ben, type="subscribed", stream="Ann")
        opened = "async () => Object.values((await parley._encryption.report()).slots).filter(({ opened }) => opened > 10).length"
        wait_for("Ann's frames", lambda: ben.page.evaluate(opened) == 2 or f"no: {ben.page.evaluate('() => parley._encryption.report()')}")
        wait_for("the state", lambda: ben.page.evaluate("() => parley.encryption.state") == "encrypted")
        # A session in clear ends when its page sets a secret.
        self.session = self.api.create_session().session_id
        cem = self.person("Cem", publishes=False)
        refusal = cem.page.evaluate("() => session.setEncryptionSecret('correct horse').then(() => null, told)")
        self.assertEqual(refusal[:2], ["OT_ILLEGAL_STATE", 1015])
        wait_for("the end", lambda: not cem.page.evaluate("() => session.isConnected()"))

    # MARK: Sound

    def test_blocked_audio_is_reported_and_a_click_plays_it_through_the_chosen_speaker(self) -> None:
        self.person("Ann")
        ben = self.enterContext(Person(self.driver, "Ben", devices=False, arguments=SILENT))
        ben.page.goto(self.origin)
        ben.untouched(f"load({json.dumps(self.server.url)})")
        ben.untouched(f"connect(...{json.dumps([self.key, self.session, self.token()])})")
        wait_for("the word of it", lambda: ben.untouched("log.some(({ who, type }) => who === 'Ann' && type === 'audioBlocked')")
                 or f"no: {ben.untouched('log.slice(-8)')}")
        self.assertEqual(ben.untouched("[subscribers.Ann.isAudioBlocked(), document.querySelector('audio').paused]"), [True, True])
        ben.untouched("""document.body.prepend(Object.assign(document.createElement("button"), {
          id: "hear", textContent: "Hear", onclick: () => OT.unblockAudio().then(() => log.push({ type: "unblocked" })) }))""")
        ben.page.click("#hear")
        self.hears_of(ben, who="Ann", type="audioUnblocked")
        self.hears_of(ben, type="unblocked")
        self.assertEqual(ben.page.evaluate("() => [subscribers.Ann.isAudioBlocked(), document.querySelector('audio').paused]"), [False, False])

        speakers = ben.page.evaluate("() => OT.getAudioOutputDevices()")
        self.assertEqual([sorted(each) for each in speakers], [["deviceId", "label"]] * len(speakers))
        refusal = "(id) => OT.setAudioOutputDevice(id).then(() => null, told)"
        self.assertEqual(ben.page.evaluate(refusal, "nonsense")[:2], ["OT_INVALID_PARAMETER", 1011])
        self.assertEqual(ben.page.evaluate(refusal, 7)[:2], ["OT_INVALID_PARAMETER", 1011])
        # The browser's own choice can always be made.
        self.assertIsNone(ben.page.evaluate(refusal, ""))
        self.assertEqual(ben.page.evaluate("() => OT.getActiveAudioOutputDevice()"), speakers[0] if speakers else None)

    def test_what_the_browser_holds_back_is_told_by_the_own_sdk_and_the_page_too(self) -> None:
        self.person("Ann")
        ben = self.enterContext(Person(self.driver, "Ben", devices=False, arguments=SILENT))
        ben.open(self.server.url, f"{self.session}?jwt={self.token()}", "config.startAudioOnly=true&config.startWithAudioMuted=true")
        wait_for("the button", lambda: ben.untouched("document.querySelector('.hear')?.hidden") is False or f"no: {ben.untouched('parley?.state')}")
        track = "[...parley.participants.values()].find((each) => each.name === 'Ann').publication('microphone').track"
        self.assertIs(ben.untouched(f"{track}.blocked"), True)
        button = ben.page.get_by_role("button", name="Click to hear the others")
        button.click()
        button.wait_for(state="hidden")
        self.assertIs(ben.page.evaluate(f"() => {track}.blocked"), False)
        ben.hears("Ann")

    def test_each_blocked_audio_is_reported_and_one_after_the_click_is_heard_at_once(self) -> None:
        self.person("Ann")
        dan = self.person("Dan")
        ben = self.enterContext(Person(self.driver, "Ben", devices=False, arguments=SILENT))
        ben.page.goto(self.origin)
        ben.untouched(f"load({json.dumps(self.server.url)})")
        ben.untouched(f"connect(...{json.dumps([self.key, self.session, self.token()])})")
        told = "log.filter(({ type }) => type === 'audioBlocked').map(({ who }) => who).sort()"
        wait_for("the word of both", lambda: ben.untouched(told) == ["Ann", "Dan"] or f"no: {ben.untouched('log.slice(-8)')}")
        # Sound that nobody wants is not held back. When it is wanted again, it is.
        ben.untouched("void subscribers.Ann.subscribeToAudio(false)")
        self.assertEqual(ben.untouched("[subscribers.Ann.isAudioBlocked(), subscribers.Dan.isAudioBlocked()]"), [False, True])
        ben.untouched("void subscribers.Ann.subscribeToAudio(true)")
        wait_for("Ann's again", lambda: ben.untouched("subscribers.Ann.isAudioBlocked()"))
        # A chosen speaker changes nothing, nor does somebody who goes.
        ben.untouched("OT.setAudioOutputDevice('')")
        dan.page.evaluate("() => session.disconnect()")
        wait_for("Dan to go", lambda: ben.untouched("log.some(({ who, type }) => who === 'Dan' && type === 'destroyed')") or f"no: {ben.untouched('log.slice(-8)')}")
        self.assertIs(ben.untouched("subscribers.Ann.isAudioBlocked()"), True)
        ben.untouched("""document.body.prepend(Object.assign(document.createElement("button"), { id: "hear", textContent: "Hear", onclick: () => OT.unblockAudio() }))""")
        ben.page.click("#hear")
        self.hears_of(ben, 2, who="Ann", type="audioUnblocked")
        self.person("Cem")
        self.hears_of(ben, who="Cem", type="connected")
        wait_for("Cem's sound", lambda: ben.page.evaluate("() => [...document.querySelectorAll('audio')].every((each) => !each.paused)"))
        self.assertEqual(self.log(ben, who="Cem", type="audioBlocked"), [])

    # MARK: Streams that a host ends

    def test_a_camera_that_a_host_turns_off_comes_back_and_is_told_to_be_on_only_when_it_is(self) -> None:
        ann, ben = self.person("Ann"), self.person("Ben")
        host = self.host()
        ben.sees("Ann")
        off = "() => parley.hosting.mute([...parley.participants.values()].find((each) => each.name === 'Ann'), ['camera'])"

        def turned_off(times: int) -> None:
            host.evaluate(off)
            self.hears_of(ben, times, who="Ann", type="videoDisabled", reason="publishVideo")
            for person in (ann, ben):
                self.says(person, "Ann", hasVideo=False, hasAudio=True)
            # Its light is out.
            wait_for("Ann's device to be freed", lambda: ann.page.evaluate("() => publisher.getVideoSource().track.readyState") == "ended")

        turned_off(1)
        ann.page.evaluate("holdDevices()")
        ann.page.evaluate("() => { publisher.publishVideo(true); }")
        wait_for("the camera to be asked for", lambda: ann.page.evaluate("() => asked") == 1)
        # Not before there are pictures.
        self.assertEqual(ben.page.evaluate("() => stream('Ann').hasVideo"), False)
        self.assertEqual(host.evaluate("() => [...parley.participants.values()].find((each) => each.name === 'Ann').cameraOn"), False)
        ann.page.evaluate("() => open_()")
        self.hears_of(ben, who="Ann", type="videoEnabled", reason="publishVideo")
        ben.sees("Ann")
        for person in (ann, ben):
            self.says(person, "Ann", hasVideo=True, hasAudio=True)
        self.assertEqual([(each["oldValue"], each["newValue"]) for each in self.log(ben, type="streamPropertyChanged", stream="Ann", changedProperty="hasVideo")],
                         [(True, False), (False, True)])

        # The device is refused: it stays off for everybody, and the page gets an event.
        turned_off(2)
        ann.page.evaluate("() => { window.failed = new Promise((resolve) => publisher.publishVideo(true, (error) => resolve(told(error)))); }")
        wait_for("the camera to be asked for", lambda: ann.page.evaluate("() => asked") == 2)
        ann.page.evaluate("() => refuse()")
        self.assertEqual(ann.page.evaluate("() => failed")[:2], ["OT_USER_MEDIA_ACCESS_DENIED", 1500])
        self.hears_of(ann, who="publisher", type="accessDenied")
        for person in (ann, ben):
            self.says(person, "Ann", hasVideo=False, hasAudio=True)

        # Published again, it shows pictures.
        ann.page.evaluate("() => session.unpublish(publisher)")
        self.hears_of(ben, who="session", type="streamDestroyed", stream="Ann", reason="clientDisconnected")
        ann.page.evaluate("() => { window.anew = again(); }")
        wait_for("the camera to be asked for", lambda: ann.page.evaluate("() => asked") == 3)
        ann.page.evaluate("() => open_()")
        self.assertIsNone(ann.page.evaluate("() => anew"))
        ben.sees("Ann")
        ben.hears("Ann")
        self.says(ben, "Ann", hasVideo=True, hasAudio=True)
        self.assertEqual([line for line in ann.console + ben.console if "uncaught" in line], [])

    def test_a_track_of_the_page_stays_the_page_s_and_is_sent_again(self) -> None:
        ann, ben = self.opened("Ann"), self.person("Ben", publishes=False)
        host = self.host()
        self.assertIsNone(self.connect(ann))
        self.assertIsNone(ann.page.evaluate("""async () => {
          const made = await navigator.mediaDevices.getUserMedia({ video: true });
          window.own = made.getVideoTracks()[0];
          return publish("Ann", { videoSource: own });
        }"""))
        ben.sees("Ann")
        for times in (1, 2):
            host.evaluate("() => parley.hosting.mute([...parley.participants.values()].find((each) => each.name === 'Ann'), ['camera'])")
            for person in (ann, ben):
                self.says(person, "Ann", hasVideo=False)
            ann.page.evaluate("() => { publisher.publishVideo(true); }")
            self.hears_of(ben, times, who="Ann", type="videoEnabled")
            ben.sees("Ann")
        self.assertIsNone(ann.page.evaluate("() => { session.unpublish(publisher); return again(); }"))
        ben.sees("Ann")
        ann.page.evaluate("() => { publisher.destroy(); }")
        self.hears_of(ben, 2, type="streamDestroyed")
        self.assertEqual(ann.page.evaluate("() => own.readyState"), "live")

    def test_force_unpublish_ends_camera_and_screen_for_all_and_both_can_be_published_again(self) -> None:
        ann, ben = self.person("Ann"), self.person("Ben", opentok.Roles.moderator)
        self.assertIsNone(ann.page.evaluate("() => publish('Slides', { videoSource: 'screen' }, 'screen')"))
        self.assertEqual(ann.page.evaluate("() => [publisher.stream.videoType, screen.stream.videoType]"), ["camera", "screen"])
        ben.sees("Ann")
        wait_for("Ann's screen at Ben's", lambda: ben.frames("Ann", "screen") > 3)
        self.assertEqual(ben.page.evaluate("() => stream('Slides').videoType"), "screen")
        wait_for("all streams in the list", lambda: self.listed() == ["Ann", "Ben", "Slides"] or f"no: {self.listed()}")
        self.assertEqual({each.name: each.videoType for each in self.api.list_streams(self.session)}, {"Ann": "camera", "Ben": "camera", "Slides": "screen"})

        refused = ann.page.evaluate("() => new Promise((resolve) => session.forceUnpublish(stream('Ben'), (error) => resolve(told(error))))")
        self.assertEqual(refused[:2], ["OT_UNABLE_TO_FORCE_UNPUBLISH", 1530])
        for name, slot, rest in (("Slides", "screen", ["Ann", "Ben"]), ("Ann", "publisher", ["Ben"])):
            self.assertIsNone(ben.page.evaluate("(name) => new Promise((resolve) => session.forceUnpublish(stream(name), (error) => resolve(told(error))))", name))
            self.hears_of(ann, who=slot, type="streamDestroyed", reason="forceUnpublished")
            self.hears_of(ben, who="session", type="streamDestroyed", stream=name, reason="forceUnpublished")
            self.hears_of(ben, who=name, type="destroyed")
            self.assertEqual(self.listed(), rest)
            # One end, and nothing else.
            self.assertEqual(len(self.log(ben, type="streamDestroyed", stream=name)), 1)
            self.assertEqual(len(self.log(ann, who=slot, type="streamDestroyed")), 1)
        self.assertEqual(self.log(ann, type="muteForced"), [])
        self.assertEqual(ann.page.evaluate("() => [publisher.stream, publisher.session, session.streams.size]"), [None, None, 1])

        self.assertIsNone(ann.page.evaluate("() => again()"))
        self.assertIsNone(ann.page.evaluate("() => publish('Slides', { videoSource: 'screen' }, 'screen')"))
        ben.sees("Ann")
        ben.hears("Ann")
        wait_for("Ann's new screen at Ben's", lambda: ben.frames("Ann", "screen") > 3)
        wait_for("all streams in the list", lambda: self.listed() == ["Ann", "Ben", "Slides"] or f"no: {self.listed()}")

    def test_mutes_of_a_moderator_are_told_and_heard_and_hold_for_who_comes_later(self) -> None:
        ann, ben = self.person("Ann"), self.person("Ben", opentok.Roles.moderator)
        ben.hears("Ann")
        self.assertEqual(ann.page.evaluate("() => session.disableForceMute().then(() => null, told)")[:2], ["OT_UNABLE_TO_FORCE_MUTE", 1540])
        ben.page.evaluate("() => session.forceMuteStream(stream('Ann'))")
        self.hears_of(ann, who="publisher", type="muteForced")
        self.says(ben, "Ann", hasAudio=False, hasVideo=True)
        ben.hears_silence("Ann")
        self.assertEqual(self.log(ann, who="session", type="muteForced"), [])
        ann.page.evaluate("() => { publisher.publishAudio(true); }")
        ben.hears("Ann")

        ben.page.evaluate("() => session.forceMuteAll([stream('Ben')])")
        for person in (ann, ben):
            self.hears_of(person, who="session", type="muteForced", active=True)
        self.hears_of(ann, 2, who="publisher", type="muteForced")
        ben.hears_silence("Ann")
        self.says(ann, "Ben", hasAudio=True)
        dan = self.person("Dan")
        self.says(ben, "Dan", hasAudio=False, hasVideo=True)
        ben.page.evaluate("() => session.disableForceMute()")
        self.hears_of(ann, who="session", type="muteForced", active=False)
        self.assertIsNone(dan.page.evaluate("() => { session.unpublish(publisher); publisher.publishAudio(true); return again(); }"))
        ben.hears("Dan")

    # MARK: Signals

    def test_four_hundred_signals_at_once_arrive_each_is_answered_and_nobody_stands_twice(self) -> None:
        ann, ben = (self.person(name, publishes=False) for name in ("Ann", "Ben"))
        ben.page.evaluate("() => { window.got = []; session.on('signal:count', ({ data, from }) => got.push([data, from.connectionId])); }")
        burst = """(count) => Promise.all(Array.from({ length: count }, (_, index) =>
          new Promise((resolve) => session.signal({ type: "count", data: String(index) }, (error) => resolve(told(error))))))"""
        answers = ann.page.evaluate(burst, 400)
        self.assertEqual([each for each in answers if each], [])
        own = ann.page.evaluate("() => session.connection.connectionId")
        self.assertEqual(ben.page.evaluate("() => got"), [[str(index), own] for index in range(400)])
        self.assertEqual(self.log(ann, type="sessionReconnecting"), [])

        # More than wait: the rest is refused by the name of the limit, and what was taken arrives.
        ben.page.evaluate("() => { got.length = 0; }")
        ann.page.evaluate("""() => {
          window.answers = [];
          for (let index = 0; index < 1_300; index += 1) {
            session.signal({ type: "count", data: String(index) }, (error) => { answers[index] = told(error) ?? "passed on"; });
          }
        }""")
        refused = wait_for("the refusals", lambda: ann.page.evaluate("() => answers.filter((each) => Array.isArray(each))"))
        self.assertTrue(200 <= len(refused) <= 300, len(refused))
        self.assertEqual({tuple(each[:2]) for each in refused}, {("OT_SIGNAL_FAILED", 500)})
        self.assertIn("1000 signals wait to be sent already, which is the limit: 40 a second go out, 100 at once", refused[0][2])
        wait_for("some of the others", lambda: len(ben.page.evaluate("() => got")) > 20)
        self.one_place(ann, ben, own)
        # Calls that still wait are answered, too.
        ann.page.evaluate("() => session.disconnect()")
        answers = wait_for("an answer for each", lambda: len(found := ann.page.evaluate("() => answers.filter(Boolean)")) == 1_300 and found or f"no: {len(found)}")
        passed = answers.count("passed on")
        wait_for("as many as were passed on", lambda: (got := len(ben.page.evaluate("() => got"))) >= passed or f"no: {got} of {passed}")

    def one_place(self, ann: Person, ben: Person, own: str) -> None:
        """Nobody has come or gone."""
        self.assertEqual(ann.page.evaluate("() => session.connection.connectionId"), own)
        self.assertEqual(len(ben.page.evaluate("() => [...session.connections.keys()]")), 2)
        self.assertEqual(self.log(ben, type="connectionDestroyed"), [])

    def test_sending_too_fast_resumes_the_session_and_no_signal_is_lost_silently(self) -> None:
        ann, ben = self.person("Ann"), self.person("Ben", publishes=False)
        own = ann.page.evaluate("() => session.connection.connectionId")
        ben.page.evaluate("() => { window.got = []; session.on('signal:count', ({ data }) => got.push(data)); }")
        answers = ann.page.evaluate("""() => {
          const { socket } = session._meeting.signaling;
          for (let index = 0; index < 3_000; index += 1) { socket.send('{"type":"ping"}'); }
          return Promise.all(Array.from({ length: 20 }, (_, index) =>
            new Promise((resolve) => session.signal({ type: "count", data: String(index) }, (error) => resolve(told(error))))));
        }""")
        self.hears_of(ann, type="sessionReconnecting")
        self.hears_of(ann, type="sessionReconnected")
        self.assertEqual({(*each[:2], "at most 50 a second" in each[2]) for each in answers if each}, {("OT_SIGNAL_FAILED", 500, True)})
        passed = [str(index) for index, answer in enumerate(answers) if answer is None]
        self.assertIsNone(ann.page.evaluate("() => new Promise((resolve) => session.signal({ type: 'count', data: 'last' }, (error) => resolve(told(error))))"))
        wait_for("what was passed on", lambda: (got := ben.page.evaluate("() => got")) == [*passed, "last"] or f"no: {got}")
        self.one_place(ann, ben, own)
        ben.sees("Ann")

    def test_signals_that_may_not_or_cannot_be_sent_are_refused_by_the_codes_of_the_library(self) -> None:
        ann, ben = self.person("Ann", publishes=False), self.person("Ben", opentok.Roles.subscriber, publishes=False)
        ann.page.evaluate("() => { window.got = []; session.on('signal', ({ type, data, from }) => got.push([type, data, from?.connectionId ?? null])); }")
        signal = "(signal) => new Promise((resolve) => session.signal(signal, (error) => resolve(error && [error.name, error.code, error.signal.type])))"
        ben.page.evaluate("() => { window.told_ = []; OT.on('exception', ({ code }) => told_.push(code)); }")
        self.assertEqual(ben.page.evaluate(signal, {"type": "a", "data": "b"}), ["OT_UNABLE_TO_SIGNAL", 1550, "a"])
        self.assertEqual(ben.page.evaluate("() => told_"), [1550])
        for wrong, expected in (({"type": "x" * 129}, ["OT_SIGNAL_TOO_LARGE", 413]), ({"type": "n", "data": "x" * 8_193}, ["OT_SIGNAL_TOO_LARGE", 413]),
                                ({"type": "a b"}, ["OT_INVALID_SIGNAL", 400]), ({"type": "n", "to": None}, ["OT_INVALID_SIGNAL", 400]),
                                ({"type": "n", "to": "p_nobody"}, ["OT_SIGNAL_NOT_FOUND", 404])):
            self.assertEqual(ann.page.evaluate(signal, wrong)[:2], expected, wrong)
        own = ann.page.evaluate("() => session.connection.connectionId")
        self.assertIsNone(ann.page.evaluate(signal, {"type": "news", "data": "for all"}))
        self.assertIsNone(ann.page.evaluate(signal, {"type": "own", "data": "for one", "to": own}))
        self.api.send_signal(self.session, {"type": "server", "data": "by REST"})
        wait_for("three signals", lambda: len(ann.page.evaluate("() => got")) == 3)
        self.assertEqual(ann.page.evaluate("() => got"), [["signal:news", "for all", own], ["signal:own", "for one", own], ["signal:server", "by REST", None]])
        ann.page.evaluate("() => session.disconnect()")
        self.assertEqual(ann.page.evaluate(signal, {"type": "late"})[:2], ["OT_NOT_CONNECTED", 1010])

    # MARK: Publishing and subscribing

    def test_audio_and_video_are_turned_off_and_on_by_publisher_and_subscriber(self) -> None:
        ann, ben = self.person("Ann"), self.person("Ben")
        ben.sees("Ann")
        ben.hears("Ann")
        for call, sounds, property_ in (("publishAudio", True, "hasAudio"), ("publishVideo", False, "hasVideo")):
            ann.page.evaluate(f"() => {{ publisher.{call}(false); }}")
            changed = self.hears_of(ben, type="streamPropertyChanged", stream="Ann", changedProperty=property_)
            self.assertEqual((changed["oldValue"], changed["newValue"]), (True, False))
            self.says(ben, "Ann", **{property_: False, "hasVideo" if sounds else "hasAudio": True})
            if sounds:
                ben.hears_silence("Ann")
            else:
                self.hears_of(ben, who="Ann", type="videoDisabled", reason="publishVideo")
            ann.page.evaluate(f"() => {{ publisher.{call}(true); }}")
            self.says(ben, "Ann", hasAudio=True, hasVideo=True)
            ben.hears("Ann")
            ben.sees("Ann")
        self.hears_of(ben, who="Ann", type="videoEnabled", reason="publishVideo")

        # A subscriber's wish is its own: nobody else gets an event.
        ann_said = len(self.log(ann))
        playing = "(kind) => Boolean(subscribers.Ann.element.querySelector(kind).srcObject)"
        received = "() => new Promise((resolve) => subscribers.Ann.getStats((error, stats) => resolve([stats.audio.bytesReceived, stats.video.bytesReceived])))"
        for kind, call in (("audio", "subscribeToAudio"), ("video", "subscribeToVideo")):
            self.assertTrue(ben.page.evaluate(playing, kind))
            ben.page.evaluate(f"() => {{ subscribers.Ann.{call}(false); }}")
            wait_for(f"no {kind} to play", lambda: not ben.page.evaluate(playing, kind))
            if kind == "video":
                self.hears_of(ben, who="Ann", type="videoDisabled", reason="subscribeToVideo")
                # A stream that nobody watches isn't sent.
                wait_for("Ann's picture to be sent no more", lambda: not self.sends(ann))
            ben.page.evaluate(f"() => {{ subscribers.Ann.{call}(true); }}")
            wait_for(f"{kind} to play", lambda: ben.page.evaluate(playing, kind))
        self.hears_of(ben, who="Ann", type="videoEnabled", reason="subscribeToVideo")
        ben.sees("Ann")
        self.assertTrue(all(each > 0 for each in ben.page.evaluate(received)))
        self.assertEqual(len(self.log(ann)), ann_said)

        ben.page.evaluate("() => session.unsubscribe(subscribers.Ann)")
        self.hears_of(ben, who="Ann", type="destroyed", reason="unsubscribed")
        self.assertEqual(ben.page.evaluate("() => [document.querySelectorAll('#subscribers video').length, session.getSubscribersForStream(stream('Ann')).length]"), [0, 0])
        self.assertEqual(self.log(ben, type="streamDestroyed"), [])
        ben.page.evaluate("() => { window.second = session.subscribe(stream('Ann'), 'subscribers', { insertMode: 'append' }); }")
        ben.sees("Ann")
        self.assertEqual(ben.page.evaluate("() => session.getSubscribersForStream(stream('Ann')).length"), 1)

    def sends(self, person: Person) -> bool:
        """Whether pictures are encoded."""
        before = person.frames_sent()
        person.page.wait_for_timeout(700)
        return person.frames_sent() > before

    def test_preferred_resolution_decides_which_size_is_sent_whatever_the_size_of_the_element(self) -> None:
        ann = self.opened("Ann")
        self.assertIsNone(self.connect(ann))
        self.assertIsNone(ann.page.evaluate("() => publish('Ann', { resolution: '1280x720' })"))
        ben = self.person("Ben", publishes=False)
        width = lambda: ben.page.evaluate("() => subscribers.Ann?.videoWidth() ?? 0")
        ben.sees("Ann")
        small = wait_for("the small picture for a small element", lambda: (seen := width()) in range(1, 400) and seen or f"no: {seen}", 40)
        ben.page.evaluate("() => { subscribers.Ann.setPreferredResolution({ width: 1280, height: 720 }); }")
        large = wait_for("the large one", lambda: (seen := width()) >= 2 * small and seen or f"no: {seen}", 40)
        ben.sees("Ann")
        ben.page.evaluate("() => { subscribers.Ann.setPreferredResolution({ width: 160, height: 90 }); }")
        wait_for("the small one again", lambda: (seen := width()) == small or f"no: {seen}", 40)
        # Also from the beginning, and without a wish the element decides.
        ben.page.evaluate("() => { session.unsubscribe(subscribers.Ann); }")
        ben.page.evaluate("(size) => { subscribers.Ann = session.subscribe(stream('Ann'), 'subscribers', { insertMode: 'append', width: 160, height: 90, preferredResolution: size }); }",
                          {"width": 1280, "height": 720})
        wait_for("the large one at once", lambda: (seen := width()) == large or f"no: {seen}", 40)
        ben.page.evaluate("() => { subscribers.Ann.setPreferredResolution(null); }")
        wait_for("the small one for the small element", lambda: (seen := width()) == small or f"no: {seen}", 40)
        print(f"{small} and {large} pixels wide", end=" … ")

    def test_levels_pictures_statistics_and_devices_are_read(self) -> None:
        ann, ben = self.person("Ann"), self.person("Ben")
        ben.sees("Ann")
        levels = """(slot) => { window.levels = []; (slot === "publisher" ? publisher : subscribers.Ann).on("audioLevelUpdated", ({ audioLevel }) => levels.push(audioLevel)); }"""
        for person, slot in ((ann, "publisher"), (ben, "subscriber")):
            person.page.evaluate(levels, slot)
            # The tone is pulsed.
            wait_for(f"the level at {person.name}'s", lambda: (found := person.page.evaluate("() => levels")) and max(found) > 0.02 and max(found) <= 1
                     and min(found) < max(found) / 2 or f"no: {found[-10:]}")
            person.page.evaluate("() => { levels.length = 0; }")
        ann.page.evaluate("() => { publisher.publishAudio(false); }")
        wait_for("the publisher's level to be none", lambda: (found := ann.page.evaluate("() => levels.slice(-5)")) == [0] * 5 or f"no: {found}")
        ann.page.evaluate("() => { publisher.publishAudio(true); }")

        colour = """async (slot) => {
          const image = new Image();
          image.src = `data:image/png;base64,${(slot === "publisher" ? publisher : subscribers.Ann).getImgData()}`;
          await image.decode();
          const canvas = Object.assign(document.createElement("canvas"), { width: image.naturalWidth, height: image.naturalHeight });
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          const { data } = context.getImageData(0, canvas.height >> 1, canvas.width, 1);
          const values = [0, 1, 2].map((part) => Array.from({ length: canvas.width }, (_, x) => data[4 * x + part]).sort((a, b) => a - b)[canvas.width >> 1]);
          return { values, width: canvas.width };
        }"""
        for person, slot in ((ann, "publisher"), (ben, "subscriber")):
            seen = person.page.evaluate(colour, slot)
            self.assertTrue(all(abs(a - b) < 45 for a, b in zip(seen["values"], media.CAST["Ann"][0])), seen)
        # With a callback it is given to that.
        self.assertEqual(ben.page.evaluate("() => new Promise((resolve) => subscribers.Ann.getImgData((error, data) => resolve([error, data.length > 100])))"), [None, True])

        stats = "(slot) => new Promise((resolve) => (slot === 'publisher' ? publisher : subscribers.Ann).getStats((error, stats) => resolve(error ? told(error) : stats)))"
        read = lambda person, slot: person.page.evaluate(stats, slot)
        [sent] = read(ann, "publisher")
        received = read(ben, "subscriber")
        for before, again, field in ((sent["stats"], lambda: read(ann, "publisher")[0]["stats"], "Sent"), (received, lambda: read(ben, "subscriber"), "Received")):
            for kind in ("audio", "video"):
                self.assertGreater(before[kind][f"packets{field}"], 0)
                wait_for(f"{kind} to be counted", lambda: again()[kind][f"bytes{field}"] > before[kind][f"bytes{field}"])
            self.assertIn("packetsLost", before["video"])
        self.assertGreater(received["video"]["frameRate"], 5)
        self.assertIn("outbound-rtp", ann.page.evaluate("() => publisher.getRtcStatsReport().then(([{ rtcStatsReport }]) => [...rtcStatsReport.values()].map(({ type }) => type))"))
        self.assertIn("inbound-rtp", ben.page.evaluate("() => subscribers.Ann.getRtcStatsReport().then((report) => [...report.values()].map(({ type }) => type))"))

        devices = ann.page.evaluate("() => new Promise((resolve) => OT.getDevices((error, devices) => resolve(devices)))")
        self.assertEqual({each["kind"] for each in devices}, {"audioInput", "videoInput"})
        self.assertTrue(all(each["deviceId"] and each["label"] for each in devices), devices)
        self.assertEqual(ann.page.evaluate("() => OT.getUserMedia({ videoSource: null }).then((stream) => stream.getTracks().map(({ kind }) => kind))"), ["audio"])
        self.assertEqual(ann.page.evaluate("() => OT.checkSystemRequirements()"), 1)
        ben.page.evaluate("() => { subscribers.Ann.setAudioVolume(25); }")
        wait_for("the volume", lambda: ben.page.evaluate("() => [subscribers.Ann.getAudioVolume(), subscribers.Ann.element.querySelector('audio').volume]") == [25, 0.25])

    def test_a_refused_camera_is_told_as_access_denied(self) -> None:
        ann = self.opened("Ann", arguments=("--use-fake-ui-for-media-stream=deny",))
        self.assertIsNone(self.connect(ann))
        self.assertEqual(ann.page.evaluate("() => publish('Ann')")[:2], ["OT_USER_MEDIA_ACCESS_DENIED", 1500])
        self.assertEqual(len(self.log(ann, who="publisher", type="accessDenied")), 1)
        self.assertEqual(self.log(ann, type="accessAllowed") + self.log(ann, type="streamCreated"), [])
        self.assertEqual(self.listed(), [])

    # MARK: Connections

    def test_a_lost_network_is_told_as_reconnecting_and_signals_wait_or_are_refused(self) -> None:
        proxy = CuttableProxy(self.server.port)
        ann, ben = self.person("Ann", server=proxy.url), self.person("Ben")
        ben.sees("Ann")
        ben.page.evaluate("() => { window.got = []; session.on('signal:kept', ({ data }) => got.push(data)); session.on('signal:dropped', ({ data }) => got.push(data)); }")
        own = ann.page.evaluate("() => session.connection.connectionId")
        proxy.cut()
        self.hears_of(ann, type="sessionReconnecting")
        ann.page.evaluate("""() => {
          window.answers = {};
          for (const [type, retryAfterReconnect] of [["kept", true], ["dropped", false]]) {
            session.signal({ type, data: type, retryAfterReconnect }, (error) => { answers[type] = told(error); });
          }
        }""")
        wait_for("the refusal", lambda: ann.page.evaluate("() => answers.dropped?.[0]") == "OT_SIGNAL_FAILED")
        self.assertEqual(ann.page.evaluate("() => Object.keys(answers)"), ["dropped"])
        self.assertEqual(self.log(ann, type="sessionReconnected"), [])
        proxy.mend()
        self.hears_of(ann, type="sessionReconnected")
        wait_for("the answer", lambda: ann.page.evaluate("() => answers.kept") is None and "kept" in ann.page.evaluate("() => Object.keys(answers)"))
        wait_for("what waited at Ben's", lambda: ben.page.evaluate("() => got") == ["kept"] or f"no: {ben.page.evaluate('() => got')}")
        self.assertEqual([each["type"] for each in self.log(ann) if each["type"].startswith("session")], ["sessionConnected", "sessionReconnecting", "sessionReconnected"])
        self.one_place(ann, ben, own)
        ben.sees("Ann")

    def test_a_page_gets_in_with_its_own_api_key_token_and_origin_only(self) -> None:
        ann = self.opened("Ann")
        [other] = run(self.server, "tenant", "create", f"other-{uuid.uuid4().hex[:8]}")
        for key in (other["apiKey"], "12345", ""):
            refused = ann.page.evaluate("(given) => connect(...given)", [key, self.session, self.token()])
            self.assertEqual(refused[:2], ["OT_AUTHENTICATION_ERROR", 1004], key)
        # As version 0.91 gives it.
        legacy = """([sessionId, key, token]) => new Promise((resolve) => {
          TB.addEventListener("exception", ({ code }) => resolve(code));
          const old = TB.initSession(sessionId);
          old.addEventListener("sessionConnected", () => { old.disconnect(); resolve("connected"); });
          old.connect(key, token);
        })"""
        self.assertEqual(ann.page.evaluate(legacy, [self.session, other["apiKey"], self.token()]), 1004)
        self.assertEqual(ann.page.evaluate(legacy, [self.session, self.key, self.token()]), "connected")
        wrong = opentok.Client(self.key, "0" * 40, api_url=self.server.url).generate_token(self.session)
        for session, token, expected in ((self.session, wrong, ["OT_AUTHENTICATION_ERROR", 1004]), (self.session, "", ["OT_AUTHENTICATION_ERROR", 1004]),
                                         (self.api.create_session().session_id, self.token(), ["OT_INVALID_SESSION_ID", 1005])):
            self.assertEqual(ann.page.evaluate("(given) => connect(...given)", [self.key, session, token])[:2], expected)
        self.assertIsNone(self.connect(ann))
        self.assertEqual(ann.page.evaluate("() => origin"), self.origin)
        # Another tenant has not allowed this page.
        api = opentok.Client(other["apiKey"], other["keys"][0]["secret"], api_url=self.server.url)
        session = api.create_session()
        refused = ann.page.evaluate("(given) => connect(...given)", [other["apiKey"], session.session_id, session.generate_token()])
        self.assertEqual(refused[:2], ["OT_AUTHENTICATION_ERROR", 1004])
        self.assertIn("origin", refused[2])

    def test_who_waits_in_the_lobby_is_told_so_and_then_let_in_or_refused(self) -> None:
        run(self.server, "tenant", "set", "acme", "--access-level", "Locked")
        self.addCleanup(run, self.server, "tenant", "set", "acme", "--access-level", "Everyone")
        host = self.host()
        ann, ben = self.opened("Ann"), self.opened("Ben")
        for person in (ann, ben):
            person.page.evaluate("(given) => { connect(...given).then((answer) => { window.answer = answer ?? 'connected'; }); }", [self.key, self.session, self.token()])
            self.hears_of(person, who="session", type="sessionWaiting", reason="lobby")
            self.assertEqual(person.page.evaluate("() => [session.currentState, session.isConnected(), session.connection, window.answer ?? null]"),
                             ["connecting", False, None, None])
        waiting = wait_for("both in the lobby", lambda: len(found := host.evaluate("() => parley.lobby.waiting.map(({ id }) => id)")) == 2 and found or f"no: {found}")
        host.evaluate("(id) => parley.admit(id)", waiting[0])
        host.evaluate("(id) => parley.deny(id)", waiting[1])
        wait_for("Ann to be in", lambda: ann.page.evaluate("() => window.answer ?? null") == "connected")
        refused = wait_for("Ben to be refused", lambda: ben.page.evaluate("() => window.answer ?? null"))
        self.assertEqual(refused[:2], ["OT_CONNECT_FAILED", 1006])
        self.assertEqual(ben.page.evaluate("() => session.currentState"), "disconnected")
        self.assertIsNone(ann.page.evaluate("() => publish('Ann')"))
        host.sees("Ann")


if __name__ == "__main__":
    unittest.main()
