"""OpenTok's own server package against the REST API, with real clients in the session, and the browser script in
Chromium."""

from __future__ import annotations

import inspect
import json
import subprocess
import tempfile
import unittest
import unittest.mock
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import opentok
import requests
from opentok import exceptions
from playwright.sync_api import Page

import media
from browser import FILES, Person, shared_driver, wait_for
from client import Client
from server import BINARY, ROOT, Server

#: The demo page as it lies in the sources.
DEMO = ROOT / "Web/browser_demo.html"

#: The tone of the Swift client's test source.
TONE = 440


class ServerSDK(unittest.TestCase):
    """Each call of the package ``opentok`` that does not record. Nothing but its API URL says that this is not
    OpenTok."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())
        made = subprocess.run([str(BINARY), "tenant", "create", "acme", "--data", cls.server.data, "--json"],
                              capture_output=True, text=True, timeout=60, check=True)
        tenant = json.loads(made.stdout.splitlines()[0])
        cls.key, cls.secret = tenant["apiKey"], tenant["keys"][0]["secret"]
        cls.api = opentok.Client(cls.key, cls.secret, api_url=cls.server.url)

    def items(self, session: str, what: str) -> list[dict[str, object]]:
        """A call's list, with the parts that this package leaves out."""
        request = urllib.request.Request(
            f"{self.server.url}/v2/project/{self.key}/session/{session}/{what}",
            headers={"X-OPENTOK-AUTH": self.api._create_jwt_auth_header()})
        with urllib.request.urlopen(request, timeout=20) as answer:
            content = json.load(answer)
        self.assertEqual(content["count"], len(content["items"]))
        return content["items"]

    def connections(self, session: str) -> list[str]:
        """The ids of those who are connected, by the call that this package lacks and others have."""
        return [each["connectionId"] for each in self.items(session, "connection")]

    def test_sessions_are_made_in_every_mode_and_a_wrong_secret_is_told(self) -> None:
        modes, archives = opentok.MediaModes, opentok.ArchiveModes
        sessions = [
            self.api.create_session(), self.api.create_session(media_mode=modes.routed, location="192.0.2.1"),
            self.api.create_session(media_mode=modes.routed, archive_mode=archives.always, archive_name="all", archive_resolution="640x480"),
            self.api.create_session(media_mode=modes.routed, e2ee=True)]
        self.assertEqual(len({each.session_id for each in sessions}), len(sessions))
        for session in sessions:
            for token in (session.generate_token(), self.api.generate_token(session.session_id, use_jwt=False)):
                query = urllib.parse.urlencode({"anonymousMeetingJoinContext": token})
                with urllib.request.urlopen(f"{self.server.url}/discover/{session.session_id}?{query}", timeout=20) as answer:
                    self.assertEqual(json.load(answer)["meeting"], session.session_id)
        wrong = opentok.Client(self.key, "0" * 40, api_url=self.server.url)
        with self.assertRaisesRegex(exceptions.RequestError, "invalid credentials"):
            wrong.create_session()
        for call in (lambda: wrong.list_streams(sessions[0].session_id), lambda: wrong.mute_all(sessions[0].session_id, []),
                     lambda: wrong.force_disconnect(sessions[0].session_id, "p_x")):
            # For muting, the package puts an error of its own over the one that it has made.
            with self.assertRaises(exceptions.OpenTokException) as refused:
                call()
            self.assertIsInstance(refused.exception.__context__ or refused.exception, exceptions.AuthError)

    #: The calls of the tests around the next one.
    SERVED = {"create_session", "generate_token", "list_streams", "get_stream", "set_stream_class_lists", "send_signal", "signal", "force_disconnect",
              "mute_all", "mute_stream", "disable_force_mute"}
    #: Methods that ask no server.
    HERE = {"append_to_user_agent", "get_headers", "get_json_headers", "headers", "json_headers", "validate_websocket_options"}

    def test_what_is_not_served_says_so_and_no_other_call_is_left(self) -> None:
        session = self.api.create_session().session_id
        missing = {
            "start_archive": (session,), "stop_archive": ("x",), "delete_archive": ("x",), "get_archive": ("x",), "get_archives": (), "list_archives": (),
            "add_archive_stream": ("x", "y"), "remove_archive_stream": ("x", "y"), "set_archive_layout": ("x", "bestFit"),
            "start_broadcast": (session, {"outputs": {"hls": {}}}), "stop_broadcast": ("x",), "get_broadcast": ("x",),
            "add_broadcast_stream": ("x", "y"), "remove_broadcast_stream": ("x", "y"), "set_broadcast_layout": ("x", "bestFit"),
            "start_render": (session, "t", "https://example.com"), "get_render": ("x",), "stop_render": ("x",), "list_renders": (),
            "start_captions": (session, "t"), "stop_captions": ("x",), "dial": (session, "t", "sip:a@example.com"), "play_dtmf": (session, None, "1"),
            "connect_audio_to_websocket": (session, "t", {"uri": "wss://example.com"}),
        }
        calls = {name for name, _ in inspect.getmembers(opentok.Client, inspect.isfunction) if not name.startswith("_")}
        self.assertEqual(calls, self.SERVED | self.HERE | set(missing))
        answers: list[requests.Response] = []
        send = requests.Session.send

        def noting(*arguments: object, **options: object) -> requests.Response:
            answers.append(send(*arguments, **options))
            return answers[-1]

        # For some the package has no word, for others one of its own.
        with unittest.mock.patch.object(requests.Session, "send", noting):
            for name, arguments in missing.items():
                answers.clear()
                try:
                    getattr(self.api, name)(*arguments)
                except exceptions.OpenTokException:
                    pass
                self.assertEqual([each.status_code for each in answers], [501], name)
                said = answers[0].json()
                self.assertTrue(said["error"].startswith("notImplemented.") and said["message"], (name, said))

    def test_a_live_session_is_listed_signalled_muted_and_emptied(self) -> None:
        api = self.api
        session = api.create_session().session_id
        self.assertEqual(len(api.list_streams(session)), 0)

        def address(role: opentok.Roles = opentok.Roles.publisher, jwt: bool = True, **more: object) -> str:
            token = api.generate_token(session, role, use_jwt=jwt, **more)
            return f"{session}?{urllib.parse.urlencode({'jwt': token})}"

        driver = shared_driver()
        ben = self.enterContext(Person(driver, "Ben")).join(
            self.server.url, address(initial_layout_class_list=["focus"], data="user=7"))
        ben.evaluate("() => { window.signals = []; parley.addEventListener('signal', ({ detail }) => signals.push([detail.type, detail.data, detail.from])); }")
        ann = self.enterContext(Client(self.server.url, address(jwt=False), "Ann", "--publish", "testsrc")).joined()
        ben.hears_tone("Ann", TONE)

        # Streams, with names, kinds and layout classes.
        ben_id = ben.evaluate("() => parley.localParticipant.id")
        listed = wait_for("two streams", lambda: len(found := api.list_streams(session)) == 2 and found or f"no: {len(found)}")
        streams = {each.name: each for each in listed}
        self.assertEqual(set(streams), {"Ann", "Ben"})
        self.assertEqual({each.videoType for each in streams.values()}, {"camera"})
        self.assertEqual((streams["Ann"].layoutClassList, streams["Ben"].layoutClassList), ([], ["focus"]))
        # They began when the page says, too.
        began = ben.evaluate("() => Object.fromEntries([parley.localParticipant, ...parley.participants.values()].map((each) => "
                             "[each.name, Math.min(...each.publications.map(({ created }) => created.getTime()))]))")
        self.assertEqual({each["name"]: each["createdAt"] for each in self.items(session, "stream")}, began)
        api.set_stream_class_lists(session, [{"id": streams["Ann"].id, "layoutClassList": ["full", "left"]}])
        self.assertEqual(api.get_stream(session, streams["Ann"].id).layoutClassList, ["full", "left"])
        self.assertEqual(self.connections(session), [ben_id, ann.id])
        self.assertEqual(ben.evaluate("() => parley.localParticipant.data"), "user=7")

        # Signals: to all, to one.
        api.send_signal(session, {"type": "news", "data": "for all"})
        api.signal(session, {"type": "news", "data": "for Ann"}, ann.id)
        ann.expect("signal", type="news", data="for all")
        self.assertIsNone(ann.expect("signal", type="news", data="for Ann")["from"])
        ann.command("signal", topic="hello", text="from Ann")
        wait_for("Ann's signal at Ben's", lambda: len(ben.evaluate("() => signals")) == 2)
        self.assertEqual(ben.evaluate("() => signals"), [["news", "for all", None], ["hello", "from Ann", ann.id]])
        # The package gives the status of a refused signal, and no more.
        for status, signal, to in ((413, {"type": "news", "data": "x" * 9000}, None), (404, {"type": "news", "data": ""}, "p_nobody")):
            with self.assertRaises(exceptions.RequestError) as refused:
                api.send_signal(session, signal, to)
            self.assertEqual(refused.exception.args[1], status)

        # A mute is heard: the sound stops, the picture goes on.
        api.mute_stream(session, streams["Ann"].id)
        ben.hears_silence("Ann")
        ann.command("mute", source="microphone", muted=False)
        ben.hears_tone("Ann", TONE)
        api.mute_all(session, [streams["Ben"].id])
        ben.hears_silence("Ann")
        self.assertFalse(ben.evaluate("() => parley.localParticipant.publication('microphone').muted"))
        api.disable_force_mute(session)
        self.by_the_older_header(session, address(), ben)
        with self.assertRaises(exceptions.OpenTokException) as refused:
            api.mute_stream(session, "p_nobody.camera")
        self.assertIsInstance(refused.exception.__context__, exceptions.NotFoundError)

        # A disconnect leaves.
        api.force_disconnect(session, ann.id)
        self.assertEqual(ann.expect("left")["reason"], "removed")
        ann.end(20)
        wait_for("Ann to be gone at Ben's", lambda: ben.names() == [] or f"no: {ben.names()}")
        self.assertEqual([each.name for each in api.list_streams(session)], ["Ben"])
        with self.assertRaises(exceptions.ForceDisconnectError):
            api.force_disconnect(session, ann.id)


    def by_the_older_header(self, session: str, address: str, ben: Person) -> None:
        """Servers that know the header of 2012: its call is heard in the meeting, and somebody else's isn't."""
        def call(method: str, path: str, secret: str = self.secret) -> int:
            request = urllib.request.Request(
                f"{self.server.url}/v2/project/{self.key}/session/{session}/{path}", b"" if method == "POST" else None,
                {"X-TB-PARTNER-AUTH": f"{self.key}:{secret}"}, method=method)
            try:
                with urllib.request.urlopen(request, timeout=20) as answer:
                    return answer.status
            except urllib.error.HTTPError as error:
                return error.code

        cem = self.enterContext(Client(self.server.url, address, "Cem", "--publish", "testsrc")).joined()
        ben.hears_tone("Cem", TONE)
        stream = next(each.id for each in self.api.list_streams(session) if each.name == "Cem")
        self.assertEqual(call("POST", f"stream/{stream}/mute", "0" * 40), 403)
        self.assertEqual(call("POST", f"stream/{stream}/mute"), 200)
        ben.hears_silence("Cem")
        self.assertEqual(call("DELETE", f"connection/{cem.id}", "0" * 40), 403)
        self.assertEqual(call("DELETE", f"connection/{cem.id}"), 204)
        self.assertEqual(cem.expect("left")["reason"], "removed")
        cem.end(20)
        wait_for("Cem to be gone at Ben's", lambda: ben.names() == ["Ann"] or f"no: {ben.names()}")


class BrowserScript(unittest.TestCase):
    """``/opentok.js``: the demo page in its first form, and a page from a file in its present one."""

    #: A page of somebody else, as the present samples are written. Opened from a file, it has no origin.
    SAMPLE = """<!doctype html><meta charset="utf-8"><div id="publisher"></div><div id="subscribers"></div>
      <script src="SERVER/opentok.js"></script>
      <script>
        window.log = [];
        window.start = (apiKey, sessionId, token) => {
          window.session = OT.initSession(apiKey, sessionId);
          for (const type of ["sessionConnected", "connectionCreated", "connectionDestroyed", "streamCreated", "streamDestroyed", "sessionDisconnected", "signal:hello", "muteForced"]) {
            session.on(type, (event) => log.push([event.type, event.reason ?? event.data ?? event.active ?? null]));
          }
          session.on("streamCreated", (event) => {
            window.subscriber = session.subscribe(event.stream, "subscribers", { insertMode: "append", width: 320, height: 180 }, (error) => log.push(["subscribed", error?.name ?? null]));
          });
          session.connect(token, (error) => {
            log.push(["connected", error?.name ?? null]);
            if (error) { return; }
            window.publisher = OT.initPublisher("publisher", { name: "From a file", insertMode: "append" }, (problem) => log.push(["opened", problem?.name ?? null]));
            publisher.on("streamCreated", (event) => log.push(["published", event.stream.name]));
            publisher.on("muteForced", () => log.push(["publisher muteForced", null]));
            session.publish(publisher, (problem) => log.push(["publish", problem?.name ?? null]));
          });
        };
      </script>"""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server("--development"))
        cls.driver = shared_driver()

    def demo(self, person: Person, query: str = "") -> Page:
        person.page.goto(f"{self.server.url}/browser_demo.html?name={person.name}{query}")
        wait_for("the session to be filled in", lambda: person.page.input_value("#token"))
        person.page.click("#connectLink")
        self.says(person, "Connected.")
        person.page.click("#publishLink")
        return person.page

    def says(self, person: Person, text: str) -> None:
        wait_for(f"{person.name}'s page to say {text}", lambda: person.page.text_content("#status") == text
                 or f"no: {person.page.text_content('#status')} {person.console[-5:]}")

    def test_two_demo_pages_and_a_page_from_a_file_meet(self) -> None:
        ann, ben = (self.enterContext(Person(self.driver, name)) for name in ("Ann", "Ben"))
        page = self.demo(ann)
        sample = {name: page.input_value(f"#{name}") for name in ("apiKey", "sessionId", "token")}
        query = f"&{urllib.parse.urlencode(sample | {'token': 'moderator_token'})}"
        self.demo(ben, query)
        ann.sees("Ben")
        ben.sees("Ann")
        ben.hears("Ann")
        for person in (ann, ben):
            self.assertEqual(person.page.locator("#subscribers video").count(), 1)
            self.assertEqual([line for line in person.console if "Content Security" in line or "uncaught" in line], [])

        # Signals of the present form between pages of the first.
        heard = "() => { window.heard = []; session.on('signal:hello', (event) => heard.push([event.data, event.from.connectionId])); }"
        for person in (ann, ben):
            person.page.evaluate(heard)
        ann.page.evaluate("() => session.signal({ type: 'hello', data: 'both' })")
        own = ann.page.evaluate("() => session.connection.connectionId")
        for person in (ann, ben):
            wait_for(f"the signal at {person.name}'s", lambda: person.page.evaluate("() => heard") == [["both", own]]
                     or f"no: {person.page.evaluate('() => heard')}")

        # A page from a file joins; Ann may not moderate, Ben may.
        file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "sample.html"
        file.write_text(self.SAMPLE.replace("SERVER", self.server.url))
        other = ann.context.new_page()
        other.goto(file.as_uri())
        other.evaluate("(sample) => start(sample.apiKey, sample.sessionId, sample.token)", sample)
        log = lambda: other.evaluate("() => log")
        wait_for("the page from a file to take part", lambda: {"published", "publish"} <= {each[0] for each in log()}
                 and log().count(["subscribed", None]) == 2 or f"no: {log()}", 30)
        events = log()
        self.assertEqual(events[:2], [["sessionConnected", None], ["connected", None]])
        self.assertEqual(events.count(["connectionCreated", None]), 3)
        self.assertIn(["published", "From a file"], events)
        wait_for("its picture at Ben's", lambda: ben.page.locator("#subscribers video").count() == 2)
        self.warns(other)
        # When a stream began is the same for everybody, its publisher and who came later included.
        times = [each.evaluate("() => Object.fromEntries([...session.streams.values()].map((each) => [each.name, each.creationTime]))")
                 for each in (ann.page, ben.page, other)]
        self.assertEqual(set(times[0]), {"Ann", "Ben", "From a file"})
        self.assertEqual(times, [times[0]] * 3)
        self.assertEqual(sorted(times[0], key=times[0].get), ["Ann", "Ben", "From a file"])
        refused = ann.page.evaluate("() => session.forceMuteAll().then(() => null, (error) => [error.name, error.code])")
        self.assertEqual(refused, ["OT_UNABLE_TO_FORCE_MUTE", 1540])
        ben.page.evaluate("() => session.forceMuteStream([...session.streams.values()].find((each) => each.name === 'From a file'))")
        wait_for("the mute to be told", lambda: ["publisher muteForced", None] in log() or f"no: {log()}")
        self.assertFalse(other.evaluate("() => publisher.stream.hasAudio"))
        ben.page.evaluate("() => session.forceMuteAll([...session.streams.values()].filter((each) => each.name === 'Ann'))")
        sounds = lambda: other.evaluate("() => Object.fromEntries([...session.streams.values()].map((each) => [each.name, each.hasAudio]))")
        wait_for("all but Ann to be muted, Ben too", lambda: (sounds().get("Ann"), sounds().get("Ben")) == (True, False) or f"no: {sounds()}")

        # A moderator takes Ann out; everybody sees it.
        ben.page.evaluate("(id) => session.forceDisconnect(session.connections.get(id))", own)
        self.says(ann, "You were disconnected by a moderator.")
        wait_for("Ann's picture to go at Ben's", lambda: ben.page.locator("#subscribers video").count() == 1)
        wait_for("it to be told in the file", lambda: ["streamDestroyed", "forceDisconnected"] in log() or f"no: {log()}")
        other.evaluate("() => session.disconnect()")
        wait_for("the end in the file", lambda: log()[-1] == ["sessionDisconnected", "clientDisconnected"] or f"no: {log()}")
        ben.page.click("#unpublishLink")
        wait_for("the preview to go", lambda: ben.page.locator("#myCamera video").count() == 0)
        ben.page.click("#disconnectLink")
        self.says(ben, "Not connected.")

    def warns(self, page: Page) -> None:
        """A subscriber gets an event that its picture may go when the server calls its own network poor, and another
        when that is over."""
        page.evaluate("""() => {
          window.warned = [];
          for (const type of ["videoDisableWarning", "videoDisableWarningLifted"]) { subscriber.on(type, (event) => warned.push(event.type)); }
          window.network = (quality) => {
            const { signaling, localParticipant } = session._meeting;
            const data = JSON.stringify({ type: "quality", quality: { [localParticipant.id]: quality } });
            signaling.socket.dispatchEvent(new MessageEvent("message", { data }));
          };
        }""")
        for quality, expected in (("poor", ["videoDisableWarning"]), ("good", ["videoDisableWarning", "videoDisableWarningLifted"])):
            page.evaluate("(quality) => network(quality)", quality)
            wait_for(f"the warnings with a {quality} network", lambda: (told := page.evaluate("() => warned"))[:len(expected)] == expected
                     or f"no: {told}")

    def test_a_publisher_sends_no_more_pictures_a_second_than_it_asks_for(self) -> None:
        ann = self.enterContext(Person(self.driver, "Ann", camera=media.quick_camera(FILES, "Ann")))
        ben = self.enterContext(Person(self.driver, "Ben"))
        for person in (ann, ben):
            person.page.goto(f"{self.server.url}/browser_demo.html?name={person.name}")
            wait_for("the session to be filled in", lambda: person.page.input_value("#token"))
            person.page.click("#connectLink")
            self.says(person, "Connected.")
        publish = """(frameRate) => new Promise((resolve) => {
          window.own = OT.initPublisher({ name: "Ann", frameRate });
          session.publish(own, (error) => resolve(error?.message ?? own.stream.frameRate ?? null));
        })"""

        def rate() -> float:
            return ben.frames("Ann", milliseconds=2_000) / 2

        def slow() -> float | str:
            return seen if 4 < (seen := rate()) < 9 else f"no: {seen}"
        self.assertIsNone(ann.page.evaluate(publish, None))
        whole = wait_for("all of Ann's pictures at Ben's", lambda: seen if (seen := rate()) > 12 else f"no: {seen}", 40)
        ann.page.evaluate("() => session.unpublish(own)")
        wait_for("Ann's picture to go", lambda: ben.page.locator("#subscribers video").count() == 0)
        self.assertEqual(ann.page.evaluate(publish, 7), 7)
        fewer = wait_for("seven pictures a second at Ben's", slow, 40)
        # Another camera, which here is the same, keeps to it.
        ann.page.evaluate("() => own.cycleVideo()")
        self.assertEqual(ann.page.evaluate("() => own._tracks.video.getSettings().frameRate"), 7)
        same = wait_for("seven pictures a second of the next camera", slow, 20)
        print(f"{whole:.1f} pictures a second, {fewer:.1f}, {same:.1f}", end=" … ")
        self.assertIsNone(ben.page.evaluate("() => [...session.streams.values()].find((each) => each.name === 'Ann').frameRate ?? null"))

    def from_file(self, person: Person, server: str, **query: str) -> Page:
        """The demo page itself, opened from its file."""
        words = urllib.parse.urlencode({"server": server, "name": person.name} | query)
        person.page.goto(f"{DEMO.as_uri()}?{words}")
        return person.page

    def test_the_demo_page_opened_from_its_file_meets_one_of_the_server(self) -> None:
        ann, ben = (self.enterContext(Person(self.driver, name)) for name in ("Ann", "Ben"))
        self.demo(ann)
        page = self.from_file(ben, self.server.url)
        self.assertEqual(page.evaluate("() => origin"), "null")
        wait_for("the session to be filled in", lambda: page.input_value("#token"))
        page.click("#connectLink")
        self.says(ben, "Connected.")
        page.click("#publishLink")
        ann.sees("Ben")
        ben.sees("Ann")
        # The page looks as it does on the server.
        self.assertEqual(page.evaluate("() => getComputedStyle(document.querySelector('.demo')).maxWidth"), "860px")
        self.assertEqual([line for line in ben.console if "uncaught" in line], [])

    def test_threat_28_without_development_the_demo_page_from_a_file_is_refused(self) -> None:
        ann = self.enterContext(Person(self.driver, "Ann"))
        with Server() as server:
            made = subprocess.run([str(BINARY), "tenant", "create", "acme", "--data", server.data, "--json"],
                                  capture_output=True, text=True, timeout=60, check=True)
            tenant = json.loads(made.stdout.splitlines()[0])
            api = opentok.Client(tenant["apiKey"], tenant["keys"][0]["secret"], api_url=server.url)
            session = api.create_session()
            good = {"apiKey": tenant["apiKey"], "sessionId": session.session_id, "token": session.generate_token()}
            page = self.from_file(ann, server.url, **good)
            wait_for("the session to be filled in", lambda: page.input_value("#token"))
            page.click("#connectLink")
            wait_for("the refusal to be told", lambda: "origin" in page.text_content("#status")
                     or f"no: {page.text_content('#status')} {ann.console[-5:]}")
            self.assertFalse(page.evaluate("() => Boolean(session.isConnected())"))
            # Nothing but where the page is from was wrong.
            page.goto(f"{server.url}/browser_demo.html?{urllib.parse.urlencode(good)}")
            page.click("#connectLink")
            self.says(ann, "Connected.")
        page = self.from_file(ann, "http://localhost:1")
        wait_for("the missing server to be told", lambda: "No server answers at http://localhost:1" in page.text_content("#status"))


if __name__ == "__main__":
    unittest.main()
