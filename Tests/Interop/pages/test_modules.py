"""The browser client's modules that need no server, tested in Chromium itself.

Run alone with ``.venv/bin/python Tests/Interop/run.py test_modules``.
"""

from __future__ import annotations

import contextlib
import json
import re
import unittest

from playwright.sync_api import expect

from module_page import ROOT, WEB, ModulePage


class ModuleTests(ModulePage):
    # MARK: Grid

    def test_every_grid_of_1_to_25_stays_inside_and_never_overlaps(self) -> None:
        spaces = [(1280, 700), (390, 740), (844, 300), (1000, 1000), (2560, 1300), (320, 480)]
        layouts = self.run_js("""
            const { gridLayout } = await import("/assets/js/grid.js");
            return argument.flatMap(([width, height]) => Array.from({ length: 25 }, (_, index) =>
              ({ width, height, count: index + 1, ...gridLayout(index + 1, width, height, 8) })));
        """, spaces)
        for layout in layouts:
            self._check(layout["tiles"], layout["count"], layout["width"], layout["height"])

    def _check(self, tiles: list, count: int, width: float, height: float) -> None:
        self.assertEqual(len(tiles), count)
        for index, a in enumerate(tiles):
            self.assertGreaterEqual(a["x"], -0.01)
            self.assertGreaterEqual(a["y"], -0.01)
            self.assertLessEqual(a["x"] + a["width"], width + 0.01)
            self.assertLessEqual(a["y"] + a["height"], height + 0.01)
            for b in tiles[index + 1:]:
                apart = (a["x"] + a["width"] <= b["x"] + 0.01 or b["x"] + b["width"] <= a["x"] + 0.01
                         or a["y"] + a["height"] <= b["y"] + 0.01 or b["y"] + b["height"] <= a["y"] + 0.01)
                self.assertTrue(apart, f"{count} tiles in {width}×{height}")

    def test_a_wide_space_gets_more_columns_than_an_upright_one(self) -> None:
        wide, upright = self.run_js("""
            const { gridLayout } = await import("/assets/js/grid.js");
            return [gridLayout(6, 1280, 700).columns, gridLayout(6, 390, 740).columns];
        """)
        self.assertEqual((wide, upright), (3, 2))

    def test_nine_tiles_cover_most_of_a_16_to_9_space(self) -> None:
        tiles = self.run_js("""
            const { gridLayout } = await import("/assets/js/grid.js");
            return gridLayout(9, 1280, 720).tiles;
        """)
        covered = sum(tile["width"] * tile["height"] for tile in tiles)
        self.assertGreater(covered / (1280 * 720), 0.95)

    def test_a_space_of_no_size_gives_no_tiles_and_no_error(self) -> None:
        self.assertEqual(self.run_js("""
            const { gridLayout } = await import("/assets/js/grid.js");
            return [gridLayout(3, 0, 100).tiles.length, gridLayout(0, 100, 100).tiles.length];
        """), [0, 0])

    def test_a_spotlight_counts_everybody_it_hides(self) -> None:
        for width, height in [(1280, 700), (390, 740), (700, 320)]:
            for count in (0, 1, 3, 6, 24):
                layout = self.run_js("""
                    const { spotlightLayout } = await import("/assets/js/grid.js");
                    return spotlightLayout(...argument);
                """, [count, width, height])
                shown = len(layout["strip"]) - (1 if layout["hidden"] else 0)
                self.assertEqual(shown + layout["hidden"], count)
                self._check([layout["main"], *layout["strip"]], 1 + len(layout["strip"]), width, height)

    # MARK: Overrides

    def test_overrides_read_json_and_plain_text(self) -> None:
        self.assertEqual(self.run_js("""
            const { Overrides } = await import("/sdk/overrides.js");
            const o = new Overrides('#config.prejoinPageEnabled=false&userInfo.displayName="Ann%20B"&config.startWithAudioMuted=true'
              + '&config.preferredVideoCodec=h264&config.resolution=360&config.iceTransport=tcp&config.subject=Plain%20words&flag');
            return [o.prejoin, o.displayName, o.startWithAudioMuted, o.startWithVideoMuted, o.preferredVideoCodec, o.resolution,
              o.iceTransport, o.subject, o.values.get("flag")];
        """), [False, "Ann B", True, False, "H264", 360, "tcp", "Plain words", True])

    def test_overrides_survive_nonsense(self) -> None:
        self.assertEqual(self.run_js("""
            const { Overrides } = await import("/sdk/overrides.js");
            const o = new Overrides('#%E0%A4%A&=&&config.resolution=1e9&config.preferredVideoCodec={}&userInfo.displayName=[1]&config.subject=%22%22');
            return [o.prejoin, o.displayName ?? null, o.resolution ?? null, o.preferredVideoCodec ?? null, o.subject ?? null];
        """), [True, None, None, None, None])

    def test_a_name_or_title_of_a_link_that_draws_nothing_is_as_absent(self) -> None:
        self.assertEqual(self.run_js("""
            const { Overrides } = await import("/sdk/overrides.js");
            return argument.map((text) => new Overrides(`userInfo.displayName=${encodeURIComponent(text)}&config.subject="${encodeURIComponent(text)}"`))
              .map(({ displayName, subject }) => [displayName ?? null, subject ?? null]);
        """, ["\u202e\u3164", "\u2800", "\u200b \u115f", "\u3164A"]), [[None, None]] * 3 + [["\u3164A", "\u3164A"]])

    def test_both_keys_switch_the_prejoin_page_off(self) -> None:
        self.assertEqual(self.run_js("""
            const { Overrides } = await import("/sdk/overrides.js");
            return ["", "config.prejoinPageEnabled=false", "config.prejoinConfig.enabled=false"].map((text) => new Overrides(text).prejoin);
        """), [True, False, False])

    def test_threat_40_a_fragment_turns_devices_off_and_none_on(self) -> None:
        on, off, none = [True, True], [False, False], {"microphone": False, "camera": False}
        cases = [
            ("", {}, on), ("config.startWithAudioMuted=false&config.startWithVideoMuted=false&config.startAudioOnly=false", none, off),
            ("config.startWithAudioMuted=true", {}, [False, True]), ("config.startWithVideoMuted=true", {}, [True, False]),
            ("config.startAudioOnly=true", {}, [True, False]), ('config.startWithAudioMuted="true"&config.startWithVideoMuted=1', {}, off),
            ("config.startWithAudioMuted=True&config.startWithVideoMuted=%22TRUE%22", {}, off),
            ("config.startWithAudioMuted&config.startWithVideoMuted", {}, off), ("config.startWithAudioMuted=false", {"microphone": False}, [False, True]),
            ("linkDevices=true&config.linkDevices=[%22camera%22]&microphone=true&camera=true", none, off),
        ]
        found = self.run_js("""
            const { Overrides } = await import("/sdk/overrides.js");
            const { wantedDevices } = await import("/assets/js/starting-devices.js");
            return argument.map(([fragment, stored]) => Object.values(wantedDevices(new Overrides(fragment), { microphone: true, camera: true, ...stored })));
        """, [case[:2] for case in cases])
        self.assertEqual(found, [case[2] for case in cases])

    def test_threat_40_a_link_opens_what_the_person_or_server_allows_and_says_the_rest(self) -> None:
        both = ["microphone", "camera"]
        cases = [
            ("", {}, {}, [], both), ("", {}, {"linkDevices": both}, both, []), ("", {}, {"linkDevices": ["camera"]}, ["camera"], ["microphone"]),
            ("", {"linkDevices": True}, {}, both, []), ("", {"linkDevices": "yes"}, {}, [], both), ("", {}, {"linkDevices": "camera"}, [], both),
            ("", {"camera": False}, {"linkDevices": both}, ["microphone"], []), ("", {"camera": False}, {}, [], ["microphone"]),
            ("config.startAudioOnly=true", {}, {"linkDevices": both}, ["microphone"], []), ("config.startWithAudioMuted=true", {}, {}, [], ["camera"]),
        ]
        found = self.run_js("""
            const { Overrides } = await import("/sdk/overrides.js");
            const { LinkedDevices } = await import("/assets/js/starting-devices.js");
            return argument.map(([fragment, stored, document]) => {
              const linked = new LinkedDevices(new Overrides(fragment), { microphone: true, camera: true, ...stored });
              return [["microphone", "camera"].filter((source) => linked.opens(source, document)), linked.withheld];
            });
        """, [case[:3] for case in cases])
        self.assertEqual(found, [[*case[3:]] for case in cases])

    # MARK: Room names

    def test_the_reserved_names_are_those_of_the_protocol(self) -> None:
        text = (ROOT / "docs/protocol.md").read_text()
        paths = text.split("## Paths", 1)[1].split("| request", 1)[0]
        names = re.findall(r"`([^`]+)`", paths)
        self.assertGreater(len(names), 15)
        problems = self.run_js("""
            const { RoomName } = await import("/sdk/room-name.js");
            return argument.map((name) => RoomName.problem(name) !== null && RoomName.problem(name.toUpperCase()) !== null);
        """, names)
        self.assertEqual([name for name, refused in zip(names, problems) if not refused], [])

    def test_room_names_follow_the_protocol(self) -> None:
        good = ["daily", "a", "Zürich-2", "日本語", "x" * 128, "a.b_c~d-e", "2_MX4" + "x" * 250]
        bad = ["", "a b", "a/b", "a?b", "<b>", "x" * 129, "2_MX4" + "x" * 251, ".", "..", "a%20b"]
        self.assertEqual(self.run_js("""
            const { RoomName } = await import("/sdk/room-name.js");
            return argument.map((name) => RoomName.problem(name) === null);
        """, good + bad), [True] * len(good) + [False] * len(bad))

    def test_made_up_names_are_valid_and_differ(self) -> None:
        names = self.run_js("""
            const { RoomName } = await import("/sdk/room-name.js");
            const names = Array.from({ length: 200 }, () => RoomName.random());
            return names.filter((name) => RoomName.problem(name) === null);
        """)
        self.assertEqual(len(set(names)), 200)

    def test_room_names_are_brought_into_the_form_that_the_server_gives_them(self) -> None:
        names = ["My Room", "Team Ann & Bob!", "<b>", "\ufb01nance", "\uff21\uff22\uff23\uff11", "\u2460\u2461", "e\u0301", "\uff8a\uff9f", "a\u00a0b\u0085c", "?/ "]
        self.assertEqual(self.run_js("""
            const { RoomName } = await import("/sdk/room-name.js");
            return argument.map((name) => RoomName.normalize(name));
        """, names), ["MyRoom", "TeamAnnBob", "b", "finance", "ABC1", "12", "\u00e9", "\u30d1", "abc", None])

    # MARK: Errors in words

    def test_every_refusal_that_a_join_can_end_with_has_words_of_its_own(self) -> None:
        text = (ROOT / "docs/protocol.md").read_text()
        codes = re.findall(r"`(\w+)`", text.split("### Error codes\n\n", 1)[1].split("\n\n", 1)[0])
        self.assertGreater(len(codes), 25)
        # Those that the page answers with another page than a notice, and those that say that a client made a mistake.
        elsewhere = {"passcodeRequired", "wrongPasscode", "signInRequired", "resumeExpired", "dataTooFast", "dataTooSlow",
                     "badMessage", "unknownType", "tooLarge", "internal"}
        found = self.run_js("""
            const { noticeForError } = await import("/assets/js/messages.js");
            return argument.filter((code) => noticeForError({ code, message: "Words." }).title === "Something went wrong");
        """, codes)
        self.assertEqual(sorted(found), sorted(elsewhere))

    def test_a_connection_that_stays_lost_is_told_as_that_whatever_it_began_with(self) -> None:
        self.assertEqual(self.run_js("""
            const { noticeForEnd } = await import("/assets/js/messages.js");
            const title = (reason, code) => noticeForEnd({ reason, message: "", error: code && { code, message: "" } }).title;
            return [title("connectionLost", "resumeExpired"), title("connectionLost", "mediaFailed"), title("failed", "meetingFull"), title("shutdown", null)];
        """), ["The connection was lost", "The connection was lost", "The meeting is full", "The server is closing"])

    def test_a_long_join_says_what_it_waits_for_and_blames_the_network_only_once_let_in(self) -> None:
        page = self.enterContext(contextlib.closing(self.browser.new_page()))
        # In the server's place: one that answers when the test says so, and a way to it on which no packet goes.
        page.add_init_script("""
            window.server = { joins: [] };
            window.WebSocket = class extends EventTarget {
              static CONNECTING = 0; static OPEN = 1;
              readyState = 1;
              constructor() { super(); window.server.socket = this; setTimeout(() => this.dispatchEvent(new Event("open"))); }
              send(text) { const message = JSON.parse(text); if (message.type === "join") { window.server.joins.push(message); } }
              say(message) { this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) })); }
              close() {}
            };
        """)
        page.route("**/closed", lambda route: route.fulfill(path=WEB / "meeting.html"))
        page.route("**/discover/closed", lambda route: route.fulfill(json={
            "meeting": "closed", "subject": "Closed", "signaling": "ws://127.0.0.1/signal", "token": "t", "iceServers": []}))
        page.goto(self.url + "/closed#config.prejoinConfig.enabled=false")
        page.wait_for_function("server.joins.length === 1")
        page.evaluate('server.socket.say({ type: "error", code: "passcodeRequired", message: "A passcode is needed.", fatal: true })')
        page.locator("#passcode").fill("blue 42")
        page.locator("#passcode").press("Enter")
        page.wait_for_function("server.joins.length === 2")
        self.assertEqual(page.evaluate("server.joins[1].passcode"), "blue 42")
        told = page.locator(".notice p")
        expect(told).not_to_have_text("", timeout=20_000)
        self.assertEqual(told.inner_text(), "Still waiting for the server to check the passcode…")
        page.evaluate("""async () => {
            const peer = new RTCPeerConnection();
            await peer.setRemoteDescription({ type: "offer", sdp: server.joins[1].offer });
            const { sdp } = await peer.createAnswer();
            server.socket.say({ type: "welcome", participant: "p_1", meeting: { id: "m_1", name: "closed" }, participants: [], answer: sdp });
        }""")
        expect(told).to_have_text("Still looking for a way through your network…", timeout=20_000)

    # MARK: Text from others

    def test_permissions_that_are_taken_one_after_the_other_all_go(self) -> None:
        sent = self.run_js("""
            const { Hosting } = await import("/sdk/hosting.js");
            const { Requests } = await import("/sdk/requests.js");
            const sent = [];
            const requests = new Requests((message) => sent.push(message));
            const hosting = new Hosting({}, { requests });
            const done = () => requests.answered(sent.at(-1).id);
            const guest = { id: "p_1", permissions: ["publishAudio", "publishVideo", "chat"] };
            // The second before the first is answered, the third before the roster tells of them.
            const both = [hosting.allow(guest, "publishVideo", false), hosting.allow(guest, "publishAudio", false)];
            for (const { id } of [...sent]) { requests.answered(id); }
            await Promise.all(both);
            const third = hosting.allow(guest, "publishVideo", true);
            done();
            await third;
            // Another host has decided since.
            guest.permissions = ["chat"];
            const fourth = hosting.allow(guest, "publishScreen", true);
            done();
            await fourth;
            return sent.map(({ permissions }) => permissions);
        """)
        self.assertEqual(sent, [["publishAudio", "chat"], ["chat"], ["chat", "publishVideo"], ["chat", "publishScreen"]])

    def test_threat_28_chat_and_names_stay_text(self) -> None:
        hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
        result = self.run_js("""
            const { PeoplePanel } = await import("/assets/js/panels.js");
            const { ChatPanel } = await import("/assets/js/chat.js");
            const { Chatting } = await import("/sdk/chat.js");
            const { Tile } = await import("/assets/js/tile.js");
            const { RemoteParticipant } = await import("/sdk/participant.js");
            const { Hosting } = await import("/sdk/hosting.js");
            const { Moderation } = await import("/sdk/moderation.js");
            const { Polls: PollList } = await import("/sdk/polls.js");
            const { HostControls } = await import("/assets/js/host-controls.js");
            const { Polls } = await import("/assets/js/polls.js");
            const { Reactions } = await import("/assets/js/reactions.js");
            const other = new RemoteParticipant("p_1", argument);
            const local = new RemoteParticipant("p_2", argument);
            const meeting = { chat: [], participants: new Map([["p_1", other], ["p_3", other]]), localParticipant: local, participant: () => other, _emit: () => {}, addEventListener: () => {} };
            const pollList = new PollList(() => {});
            meeting.hosting = new Hosting(meeting, { polls: pollList, moderation: new Moderation({ local, participant: () => other }, () => {}) });
            meeting.chatting = new Chatting(meeting, async () => {});
            local.permissions = ["moderate"];
            const announcer = { say: () => {}, show: () => {}, clear: () => {} };
            const chat = new ChatPanel(meeting, () => {});
            chat.add({ id: 1, from: "p_1", name: argument, text: argument, time: "2026-11-21T09:00:00Z", to: null });
            chat.add({ id: 2, from: "p_1", name: argument, text: argument, time: "2026-11-21T09:00:00Z", to: null, file: { id: "f", name: argument, type: "text/html", size: 5 } });
            const people = new PeoplePanel(meeting, { onInvite: () => {}, host: new HostControls(meeting, announcer) });
            const tile = new Tile(other, "camera", {});
            const reactions = new Reactions(meeting, announcer);
            reactions.show(other, "clap", "👏");
            document.body.append(chat.element, people.element, tile.element, reactions.element);
            people.element.hidden = false;
            people.element.querySelector(".person-menu:not([hidden])").click();
            const menu = { element: document.querySelector(".menu-floating") };
            pollList.apply({ type: "poll", poll: { id: 1, question: argument, options: [{ text: argument }, { text: "b" }], open: true } });
            const polls = new Polls(meeting, announcer);
            polls.open();
            const dialog = { element: document.querySelector("dialog") };
            await new Promise((resolve) => setTimeout(resolve, 100));
            const parts = [chat, people, tile, reactions, menu, dialog];
            const asked = dialog.element.querySelector(".poll-question").textContent;
            const bad = parts.map(({ element }) => element.querySelectorAll("img, script").length);
            const shown = chat.element.querySelector(".chat-text").textContent;
            for (const { element } of parts) { element.remove(); }
            return { bad, shown, asked, hit: window.hit ?? null };
        """, hostile)
        self.assertEqual(result, {"bad": [0] * 6, "shown": hostile, "asked": hostile, "hit": None})

    def test_threat_28_only_plain_web_addresses_become_links(self) -> None:
        text = "see https://a.example/x?y=1, javascript:alert(1) data:text/html,x http://user:pw@evil.example/ https://"
        links = self.run_js("""
            const { linkify } = await import("/assets/js/links.js");
            const nodes = linkify(argument);
            const box = document.createElement("p");
            box.append(...nodes);
            return { text: box.textContent, links: [...box.querySelectorAll("a")].map((a) => [a.href, a.rel, a.target]) };
        """, text)
        self.assertEqual(links, {"text": text, "links": [["https://a.example/x?y=1", "noopener noreferrer", "_blank"]]})

    def test_a_pasted_address_without_its_scheme_is_no_room_name(self) -> None:
        cases = [
            ("daily", "/daily"), (" Team A / B ", "/TeamAB"), ("/daily", "/daily"), ("a/b", "/ab"), ("v1.2/x", "/v1.2x"), ("1:1 Ann", "/11Ann"),
            ("https://meet.example/daily#x=1", "/daily#x=1"), ("meet.example/daily", "/daily"), ("Meet.Example/daily?a=1", "/daily?a=1"),
            ("http://meet.example/daily", None), ("meet.jit.si/daily", None), ("localhost:8080/daily", None), ("a/", "/a"),
            ("xn--e1afmkfd.xn--p1ai/daily", None), ("\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444/daily", None), ("192.168.1.5/daily", None), ("192.168.1.5:8443/daily", None),
            ("[2001:db8::1]:8443/daily", None), ("[::1]/daily", None), ("meet.example./daily", None), ("meet.example:8443/daily", None), ("meet.example:443/daily", "/daily"),
            ("Sales.EMEA/Q4", None), ("1:1/Ann", "/11Ann"), ("2:30/standup", "/230standup"), ("Round:2/Ann", "/Round2Ann"), ("v1.2.3/x", "/v1.2.3x"), ("v1.2", "/v1.2"),
            ("localhost:8080", "/localhost8080"), ("Sales.EMEA", "/Sales.EMEA"), ("meet.example", "/meet.example"),
        ]
        found = self.run_js("""
            const { typedMeeting } = await import("/assets/js/address.js");
            const server = { origin: "https://meet.example", protocol: "https:", host: "meet.example" };
            return argument.map((text) => typedMeeting(text, server)).map((found) => [found.address ?? null, found.problem ?? null]);
        """, [text for text, _ in cases])
        another = "This address belongs to another server."
        self.assertEqual(found, [[address, None if address else another] for _, address in cases])

    def test_links_end_where_people_end_them(self) -> None:
        cases = [
            ("(see https://a.example/A_(b))", "https://a.example/A_(b)"), ("https://a.example/A_(b)_(c).", "https://a.example/A_(b)_(c)"),
            ("https://a.example/O'Hara", "https://a.example/O'Hara"), ("'https://a.example/x'", "https://a.example/x"),
            ("“https://a.example/x”", "https://a.example/x"), ("«https://a.example/x»", "https://a.example/x"),
            ("‘https://a.example/x’s", "https://a.example/x"), ("„https://a.example/x“", "https://a.example/x"),
            ("見て https://a.example/x。次", "https://a.example/x"), ("「https://a.example/x」", "https://a.example/x"),
            ("https://a.example/x，y", "https://a.example/x"), ("https://a.example/x！", "https://a.example/x"),
            ("https://a.example/?q[]=1&r[a]=2", "https://a.example/?q[]=1&r[a]=2"), ("[https://a.example/x]", "https://a.example/x"),
            ("https://a.example/日本語", "https://a.example/日本語"), ("https://a.example/x?!", "https://a.example/x"),
            ("<https://a.example/x>", "https://a.example/x"), ("https://[::1]:8080/x", "https://[::1]:8080/x"),
            ("https://a.example/{x}", "https://a.example/{x}"), ("{https://a.example/x}", "https://a.example/x"),
            ("https://a.example/x\u2026", "https://a.example/x"), ("https://a.example/x\u200bnext", "https://a.example/x"),
            ("https://a.example/\u202egro.knab", "https://a.example/"), ("\u2068https://a.example/x\u2069", "https://a.example/x"),
            ("https://a.example/\U0001F469\u200d\U0001F467", "https://a.example/\U0001F469\u200d\U0001F467"),
            ("https://a.example/-_.~%20*+@:;=$,x", "https://a.example/-_.~%20*+@:;=$,x"), ("HTTPS://A.example/X", "HTTPS://A.example/X"),
        ]
        found = self.run_js("""
            const { linkify } = await import("/assets/js/links.js");
            return argument.map((text) => linkify(text).filter((node) => node.nodeName === "A").map((a) => a.textContent));
        """, [text for text, _ in cases])
        self.assertEqual(found, [[address] for _, address in cases])

    def test_threat_28_a_host_that_reads_as_another_stays_text(self) -> None:
        disguised = [
            "https://eb\u0430y.example/", "https://www.p\u0430ypal.example:8080/x", "https://\u03bfak.example", "https://bank.example\u2215x.evil.example/",
            "https://bank.example\u2044x.evil.example/", "https://bank.example\u29f8x.evil.example/", "https://bank.example\uff0fx.evil.example/",
            *(f"https://bank.example{sign}x.evil.example/" for sign in (
                "\u2571", "\u31d3", "\u4e3f", "\u2f03", "\u30ce", "\uff89", "\u3033", "\u3034", "\u2cc6", "\ua4fd", "\u27cb", "\U0001d23a", "\u3164", "\u1160")),
            "https://bank.example\u30ce\u30fc\u30c8.evil.example/", "https://\u9280\u884c.\u4e2d\u56fd\u30cex.evil.example/", "https://localhost\u30cex.example/",
            "https://\u0431\u0430\u043d\u043a.\u0440\u0444\u4e3f\u4f8b.example/", "https://paral\u00b7lel.cat\u00b7x.evil.example/", "https://go\u00b7la.example/",
            "https://ba\u200cnk.example/", "https://ba\u200dnk.example/", "https://\u062f\u200c\u0628.example/", "https://\u0646\u200c.example/", "https://a\u30fbb.example/",
            "https://a\u05f4b.example/", "https://a\u0375b.example/",
        ]
        genuine = [
            "https://m\u00fcnchen.example/x", "https://\u043f\u0440\u0438\u043c\u0435\u0440.example/", "https://\u4f8b\u3048.example:8443/",
            "https://\u0441\u0430\u0439\u0442.shop.example", "https://i\u2764.example/", "https://a_b.example/\u0430", "https://[::1]:8080/x", "https://xn--eby-7cd.example/",
            "https://abc\u30ce\u30fc\u30c8.example/", "https://www.\u30ce\u30fc\u30c8.example/", "https://\u5c71\u30ce\u624b.example/x", "https://\U0001f1eb\U0001f1f7.example/",
            "https://i\u2764\ufe0f.example/", "https://paral\u00b7lel.cat/", "https://COL\u00b7LEGI.cat/", "https://\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.example/",
            "https://\u30b8\u30e7\u30f3\u30fb\u30b9\u30df\u30b9.example/", "https://\u05e6\u05d4\u05f4\u05dc.example/", "https://\u05d2\u05f3.example/",
            "https://\u0375\u03b1.example/", "https://\u0dc1\u0dca\u200d\u0dbb\u0dd3.example/",
        ]
        found = self.run_js("""
            const { linkify } = await import("/assets/js/links.js");
            return argument.map((text) => linkify(text).map((node) => node.nodeName));
        """, disguised + genuine)
        self.assertEqual(found, [["#text"]] * len(disguised) + [["A"]] * len(genuine))

    def test_links_are_found_without_lookbehind_too(self) -> None:
        found = self.run_js("""
            const whole = globalThis.RegExp;
            globalThis.RegExp = class extends whole {
                constructor(pattern, flags) {
                    if (String(pattern).includes("(?<")) { throw new SyntaxError("no lookbehind"); }
                    super(pattern, flags);
                }
            };
            try {
                const { linkify } = await import("/assets/js/links.js?lookbehind=none");
                return argument.map((text) => linkify(text).map((node) => node.nodeName));
            } finally { globalThis.RegExp = whole; }
        """, ["https://meet.example/a", "https://\u043f\u0440\u0438\u043c\u0435\u0440.example/", "https://bank.example\u2215x.evil.example/", "https://paral\u00b7lel.cat/"])
        # Signs that are allowed next to certain letters only are allowed nowhere then.
        self.assertEqual(found, [["A"], ["A"], ["#text"], ["#text"]])

    def test_threat_27_thousands_of_brackets_behind_a_link_keep_no_page_busy(self) -> None:
        found = self.run_js("""
            const { linkify } = await import("/assets/js/links.js");
            const begin = performance.now();
            const nodes = linkify("https://a.example/" + ")".repeat(40_000));
            return { text: nodes[0].textContent, rest: nodes[1].textContent.length, milliseconds: performance.now() - begin };
        """)
        self.assertEqual((found["text"], found["rest"]), ("https://a.example/", 40_000))
        # Looking at all brackets again for each one took half a minute.
        self.assertLess(found["milliseconds"], 5_000)

    def test_initials_are_those_of_the_table_that_both_clients_share(self) -> None:
        cases = json.loads((ROOT / "Tests/Base/BasicsTests/initials.json").read_text())
        found = self.run_js("""
            const { initials } = await import("/assets/js/tile.js");
            return argument.map(initials);
        """, [each["name"] for each in cases])
        self.assertEqual(found, [each["initials"] for each in cases])

    def test_people_of_one_name_are_told_apart_by_the_order_in_which_they_came(self) -> None:
        # Each step: who comes (with a name) or goes; then the number that is expected.
        steps = [
            ("a", "Ann", 1), ("b", "Ann", 2), ("c", "Ben", 1), ("a", "Ann", 1), ("b", None, 0), ("d", "Ann", 2), ("b", "Ann", 3), ("a", None, 0), ("d", "Ann", 2),
            ("e", "Ann", 4), ("e", None, 0), ("e", "Ann", 4), ("f", "ANN", 5), ("g", " Ann\u00a0", 6), ("h", "\uff21nn", 7), ("c", "Ann", 8), ("c", "Ben", 1),
            # A person whose name looks like a number is shown apart from the one with that number.
            ("i", "Ann (2)", 2), ("j", "Cem (2)", 1), ("k", "Cem", 1), ("l", "Cem", 3), ("m", "Zoe\u0308", 1), ("n", "Zo\u00eb", 2),
            # Invisible characters tell nobody apart.
            ("q", "Dan", 1), ("r", "Dan\ufe0f", 2), ("s", "Da\u200cn", 3),
            # A number that has become somebody else's isn't given back.
            ("j", None, 0), ("o", "Cem (2)", 1), ("l", None, 0), ("k", None, 0), ("p", "Cem", 1), ("k", "Cem", 3),
        ]
        found = self.run_js("""
            const { DistinctNames } = await import("/sdk/distinct-names.js");
            const names = new DistinctNames();
            return argument.map(([id, name]) => (name === null ? (names.remove(id), 0) : names.number(id, name)));
        """, [step[:2] for step in steps])
        self.assertEqual(found, [step[2] for step in steps])

    def test_lengths_are_counted_in_the_unit_of_each_limit_and_nothing_is_cut_in_two(self) -> None:
        family, tower = "\U0001F469\u200D\U0001F469\u200D\U0001F467", "a" + "\u0301" * 20
        cases = [
            ("a" * 80, {"characters": 80}, None), ("a" * 81, {"characters": 80}, "81"), (family * 80, {"characters": 80}, None), (family * 81, {"characters": 80}, "81"),
            ("\U0001F600" * 64, {"codePoints": 64}, None), (family * 13, {"codePoints": 64}, "65"), ("e\u0301" * 32, {"codePoints": 64}, None),
            (tower * 40, {"characters": 120, "bytes": 480}, "1,640"), ("\u00e9" * 120, {"characters": 120, "bytes": 480}, None),
        ]
        found = self.run_js("""
            const { lengthProblem } = await import("/sdk/text.js");
            return argument.map(([text, limits]) => lengthProblem(text, limits, "A name"));
        """, [case[:2] for case in cases])
        for (text, limits, count), problem in zip(cases, found):
            with self.subTest(text[:10], limits=limits):
                self.assertEqual(problem is None, count is None, problem)
                if count:
                    self.assertIn(f"has {count}", problem)
        self.assertEqual(self.run_js("""
            const { shortened } = await import("/sdk/text.js");
            return argument.map(([text, most]) => shortened(text, most, "\u2026"));
        """, [["abc", 3], ["abcd", 3], [family * 3, 2], ["", 1], [tower * 9, 2]]), ["abc", "abc\u2026", family * 2 + "\u2026", "", tower * 2 + "\u2026"])

    def test_no_field_cuts_what_is_typed_or_pasted_into_it(self) -> None:
        for path in WEB.rglob("*"):
            if path.suffix in {".html", ".js"}:
                self.assertNotRegex(path.read_text(), r"(?i)maxlength\s*[:=]|setAttribute\(.maxlength", path)
        said = self.run_js("""
            const { watchLength } = await import("/assets/js/text-length.js");
            const field = document.createElement("input");
            field.setAttribute("aria-describedby", "hint");
            const length = watchLength(field, { characters: 3 }, "A name");
            document.body.append(field, length.element);
            const shown = () => [field.value, length.element.hidden, length.element.textContent, field.getAttribute("aria-invalid"), field.getAttribute("aria-describedby").split(" ").length];
            const states = [];
            for (const text of ["abc", "abcd", "ab"]) {
              field.value = text;
              field.dispatchEvent(new Event("input"));
              states.push(shown());
            }
            field.value = "abcdef";
            return [...states, length.problem(), document.activeElement === field];
        """)
        self.assertEqual(said, [
            ["abc", True, "", None, 1], ["abcd", False, "A name has at most 3 characters. This one has 4.", "true", 2], ["ab", True, "", None, 1],
            "A name has at most 3 characters. This one has 6.", True])

    def test_chat_texts_are_counted_in_characters_and_bytes(self) -> None:
        family = "\U0001F469\u200D\U0001F469\u200D\U0001F467"
        cases = ["a" * 4_000, "a" * 4_001, "\U0001F600" * 4_000, "\U0001F600" * 4_001, family * 888, family * 889, "\u00e9" * 4_000]
        found = self.run_js("""
            const { chatProblem } = await import("/sdk/text.js");
            return argument.map((text) => chatProblem(text));
        """, cases)
        self.assertEqual([each is None for each in found], [True, False, True, False, True, False, True])
        self.assertIn("4,001", found[1])
        self.assertIn("16,002", found[5])

    def test_threat_28_pages_hold_no_inline_code_and_nothing_remote(self) -> None:
        for path in WEB.rglob("*"):
            if path.suffix not in {".html", ".js", ".css", ".svg"}:
                continue
            text = path.read_text()
            if path.suffix == ".html":
                self.assertNotRegex(text, r"<script(?![^>]*\bsrc=)", path)
                self.assertNotRegex(text, r"<style|\sstyle=|\son\w+=", path)
            self.assertNotRegex(text, r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", path)
            for address in re.findall(r"(?:src|href|url|import|from)\s*[=(]?\s*[\"']?(https?://[^\"'\s)]+)", text):
                self.fail(f"{path}: {address}")

    def test_pages_preload_exactly_the_modules_they_import(self) -> None:
        for page, entry in (("index.html", "assets/js/start.js"), ("meeting.html", "assets/js/meeting-page.js")):
            needed, waiting = set(), [WEB / entry]
            while waiting:
                module = waiting.pop()
                for name in re.findall(r'from "([^"]+\.js)";', module.read_text()):
                    path = WEB / name[1:] if name.startswith("/") else (module.parent / name).resolve()
                    if path.exists() and path not in needed:
                        needed.add(path)
                        waiting.append(path)
            listed = re.findall(r'rel="modulepreload" href="/([^"]+)"', (WEB / page).read_text())
            self.assertEqual(sorted(listed), sorted(str(path.relative_to(WEB)) for path in needed), page)

    # MARK: Connections

    def test_the_quality_of_a_connection_is_shown_as_bars_and_said_in_words(self) -> None:
        shown = self.run_js("""
            const { PeoplePanel } = await import("/assets/js/panels.js");
            const { Tile } = await import("/assets/js/tile.js");
            const { RemoteParticipant } = await import("/sdk/participant.js");
            const { Hosting } = await import("/sdk/hosting.js");
            const { Moderation } = await import("/sdk/moderation.js");
            const { Polls } = await import("/sdk/polls.js");
            const { HostControls } = await import("/assets/js/host-controls.js");
            const [other, local] = [new RemoteParticipant("p_1", "Ann"), new RemoteParticipant("p_2", "Ben")];
            const meeting = { chat: [], participants: new Map([["p_1", other]]), localParticipant: local, participant: () => other, _emit: () => {}, addEventListener: () => {} };
            meeting.hosting = new Hosting(meeting, { polls: new Polls(() => {}), moderation: new Moderation({ local, participant: () => other }, () => {}) });
            const people = new PeoplePanel(meeting, { onInvite: () => {}, host: new HostControls(meeting, { say: () => {}, show: () => {} }) });
            const tile = new Tile(other, "camera", {});
            people.element.hidden = false;
            document.body.append(people.element, tile.element);
            const result = ["unknown", "excellent", "good", "poor", "lost"].map((quality) => {
              other.quality = quality;
              tile.update();
              people.refresh();
              const details = [...people.element.querySelectorAll("button")].find((each) => each.getAttribute("aria-label")?.startsWith("Connection details of Ann"));
              const bars = tile.element.querySelector(".bars");
              const state = tile.element.querySelector(".tile-state");
              return [
                getComputedStyle(bars).display === "none" ? null : [...bars.children].filter((each) => getComputedStyle(each).opacity === "1").length,
                tile.element.getAttribute("aria-label").split(", ").filter((each) => each.includes("connection")), details.getAttribute("aria-label"),
                state.hidden ? "" : state.textContent,
              ];
            });
            people.element.remove();
            tile.element.remove();
            return result;
        """)
        details = "Connection details of Ann"
        self.assertEqual(shown[1:], [
            [3, ["very good connection"], f"{details}: very good connection", ""], [2, ["fair connection"], f"{details}: fair connection", ""],
            [1, ["poor connection"], f"{details}: poor connection", ""], [0, ["connection lost"], f"{details}: connection lost", "Connection lost"],
        ])
        self.assertEqual(shown[0][1:], [[], details, ""])

    def test_what_is_wanted_of_a_picture_is_told_once_and_again_when_it_changes(self) -> None:
        told = self.run_js("""
            const { Views } = await import("/sdk/views.js");
            const { Publication } = await import("/sdk/publication.js");
            const { RemoteTrack } = await import("/sdk/track.js");
            const told = [];
            const views = new Views((slots) => { told.push(...slots); return true; });
            const publication = new Publication({ id: "t_1", kind: "video", source: "camera", muted: false }, null);
            const canvas = document.createElement("canvas");
            canvas.getContext("2d");
            const settle = () => new Promise((resolve) => setTimeout(resolve, 200));
            publication.setFrameRate(20);
            publication.track = new RemoteTrack(canvas.captureStream().getVideoTracks()[0], publication, "4", views);
            await settle();
            publication.setFrameRate(7.4);
            publication.setFrameRate(7.4);
            await settle();
            publication.setFrameRate(null);
            await settle();
            publication.track.pinned = true;
            await settle();
            const refused = [0, -1, 241, NaN, Infinity, "x", undefined].filter((rate) => {
              try { publication.setFrameRate(rate); return false; } catch (error) { return error instanceof RangeError; }
            }).length;
            views.close();
            return [told, refused, publication.frameRate];
        """)
        size = {"mid": "4", "width": 65_535, "height": 65_535}
        self.assertEqual(told, [[
            size | {"pinned": False, "maxFrameRate": 20}, size | {"pinned": False, "maxFrameRate": 7}, size | {"pinned": False}, size | {"pinned": True},
        ], 7, None])

    # MARK: Data

    FAKE_CHANNELS = """
            const { DataChannels } = await import("/sdk/data-channels.js");
            class Channel extends EventTarget {
              readyState = "connecting"; bufferedAmount = 0; sent = [];
              constructor(label, options) { super(); Object.assign(this, { label, options }); }
              send(bytes) { if (this.readyState !== "open") { throw new Error("closed"); } this.sent.push(bytes); }
              open() { this.readyState = "open"; this.dispatchEvent(new Event("open")); }
              close() { this.readyState = "closed"; this.dispatchEvent(new Event("close")); }
            }
            class Connection {
              connectionState = "connected"; channels = [];
              createDataChannel(label, options) { this.channels.push(new Channel(label, options)); return this.channels.at(-1); }
            }
            const pause = (time) => new Promise((go) => setTimeout(go, time));
            const text = (bytes) => new TextDecoder().decode(bytes.subarray(3));
    """

    def test_a_data_message_is_written_and_read_as_the_protocol_says(self) -> None:
        result = self.run_js(self.FAKE_CHANNELS + """
            const data = new DataChannels();
            const connection = new Connection();
            data.attach(connection);
            const [reliable, lossy] = connection.channels;
            reliable.open();
            lossy.open();
            const heard = [];
            data.addEventListener("message", ({ detail }) => heard.push({ ...detail, bytes: [...detail.bytes] }));
            data.send("hi", { topic: "t", to: "p_1" });
            data.send(new Uint8Array([7, 8, 9]).subarray(1), { reliable: false });
            const frame = (header, payload, version = 1) => {
              const bytes = new TextEncoder().encode(header);
              return new Uint8Array([version, bytes.length >> 8, bytes.length & 255, ...bytes, ...payload]).buffer;
            };
            const bad = ["text", new ArrayBuffer(2), frame("{", []), frame("null", []), frame('{"from":5}', []), frame('{"from":"x"}', [1], 2),
              new Uint8Array([1, 9, 9, 1]).buffer, frame('{"topic":"no sender"}', [])];
            for (const each of bad) { reliable.dispatchEvent(new MessageEvent("message", { data: each })); }
            reliable.dispatchEvent(new MessageEvent("message", { data: frame('{"from":"p_2","topic":"x","more":1}', [1, 2]) }));
            lossy.dispatchEvent(new MessageEvent("message", { data: frame('{"from":"p_2"}', []) }));
            return { labels: connection.channels.map(({ label, options }) => [label, options]), heard,
              first: [...reliable.sent[0]], second: [...lossy.sent[0]] };
        """)
        header = b'{"to":["p_1"],"topic":"t"}'
        self.assertEqual(bytes(result["first"]), bytes([1, 0, len(header)]) + header + b"hi")
        self.assertEqual(bytes(result["second"])[-2:], bytes([8, 9]))
        self.assertEqual(result["labels"], [["parley-reliable", {"ordered": True}],
                                            ["parley-lossy", {"ordered": False, "maxRetransmits": 0}]])
        self.assertEqual(result["heard"], [{"from": "p_2", "topic": "x", "bytes": [1, 2], "reliable": True},
                                           {"from": "p_2", "topic": "", "bytes": [], "reliable": False}])

    def test_reliable_messages_wait_for_a_channel_and_its_successor_and_lossy_ones_do_not(self) -> None:
        result = self.run_js(self.FAKE_CHANNELS + """
            const data = new DataChannels();
            const kept = data.send("before");
            const dropped = data.send("lost", { reliable: false });
            const first = new Connection();
            data.attach(first);
            data.send("still before");
            first.channels[0].open();
            const early = first.channels[0].sent.map(text);
            first.channels[0].close();
            data.send("between");
            await pause(1300);
            const reopened = first.channels.length;
            const second = new Connection();
            first.connectionState = "closed";
            data.attach(second);
            data.send("after");
            second.channels[0].open();
            await pause(1300);
            let taken = 0;
            while (taken < 200 && data.send(new Uint8Array(65536))) { taken += 1; }
            data.close();
            return { kept, dropped, early, late: second.channels[0].sent.slice(0, 2).map(text), reopened, made: first.channels.length,
              taken, waiting: data.waitingBytes, closed: data.send("x") };
        """)
        self.assertEqual((result["kept"], result["dropped"]), (True, False))
        self.assertEqual(result["early"], ['{"topic":""}before', '{"topic":""}still before'])
        self.assertEqual(result["late"], ['{"topic":""}between', '{"topic":""}after'])
        self.assertEqual((result["reopened"], result["made"]), (3, 3), "the closed channel is opened again once")
        self.assertLess(result["taken"], 110, "what waits is bounded")
        self.assertEqual((result["waiting"], result["closed"]), (0, False))

    def test_a_page_keeps_the_rate_that_the_server_takes(self) -> None:
        result = self.run_js(self.FAKE_CHANNELS + """
            const data = new DataChannels();
            const connection = new Connection();
            data.attach(connection);
            const [reliable] = connection.channels;
            reliable.open();
            const start = performance.now();
            for (let i = 0; i < 500; i += 1) { data.send(`${i}`); }
            const atOnce = reliable.sent.length;
            while (reliable.sent.length < 500) { await pause(5); }
            const time = performance.now() - start;
            return { atOnce, time, inOrder: reliable.sent.every((bytes, index) => text(bytes).endsWith(`}${index}`)) };
        """)
        self.assertTrue(result["inOrder"])
        self.assertTrue(360 <= result["atOnce"] < 450, result)
        self.assertGreater(result["time"], 300)

    # MARK: Signalling

    def test_messages_are_handled_one_after_the_other_and_a_lost_socket_resumes(self) -> None:
        result = self.run_js("""
            const { Signaling } = await import("/sdk/signaling.js");
            const real = window.WebSocket;
            const sockets = [];
            class Fake extends EventTarget {
              static CONNECTING = 0; static OPEN = 1;
              readyState = 1; sent = [];
              constructor() { super(); sockets.push(this); setTimeout(() => this.dispatchEvent(new Event("open"))); }
              send(text) { this.sent.push(JSON.parse(text)); }
              close() { this.readyState = 3; }
              say(value) { this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(value) })); }
            }
            window.WebSocket = Fake;
            const until = async (test) => { for (let i = 0; i < 200 && !test(); i += 1) { await new Promise((go) => setTimeout(go, 10)); } };
            const seen = [];
            const signaling = new Signaling("ws://test", async (message) => {
              seen.push(`+${message.type}`);
              await new Promise((go) => setTimeout(go, 5));
              seen.push(`-${message.type}`);
            });
            const joined = signaling.join({ token: "t" });
            await until(() => sockets[0]?.sent.length === 1);
            sockets[0].say({ type: "welcome", resumeToken: "r1", resumeWindow: 30 });
            sockets[0].say({ type: "slots" });
            sockets[0].say({ type: "speakers" });
            await joined;
            await until(() => seen.length === 6);
            sockets[0].dispatchEvent(new Event("close"));
            await until(() => sockets.length === 2 && sockets[1].sent.length === 1);
            const readyWhileLost = signaling.ready;
            sockets[1].say({ type: "resumed" });
            await until(() => signaling.ready);
            const ready = signaling.ready;
            signaling.close({ leave: true });
            window.WebSocket = real;
            return { seen, first: sockets[0].sent[0].type, resume: sockets[1].sent[0], readyWhileLost, ready, last: sockets[1].sent.at(-1) };
        """)
        self.assertEqual(result["seen"][:6], ["+welcome", "-welcome", "+slots", "-slots", "+speakers", "-speakers"])
        self.assertEqual(result["first"], "join")
        self.assertEqual(result["resume"], {"type": "resume", "resumeToken": "r1"})
        self.assertEqual((result["readyWhileLost"], result["ready"], result["last"]), (False, True, {"type": "leave"}))

    def test_threat_24_a_token_is_checked_with_its_own_room_and_is_in_no_address(self) -> None:
        asked = self.run_js("""
            const { discover } = await import("/sdk/discover.js");
            const real = window.fetch;
            const asked = [];
            window.fetch = async (address, { headers }) => {
              asked.push([String(address), headers.Authorization ?? null]);
              return new Response('{"signaling":"ws://h/signal"}');
            };
            const ask = (options) => discover(options).then(({ token }) => asked.at(-1).push(token), (error) => asked.push(error.code));
            try {
              for (const url of ["https://h/K%C3%BCche?jwt=a.b#c=d", "https://h/daily#c=d&jwt=a.b", "https://h/daily?x=y"]) { await ask({ url }); }
              await ask({ url: "https://h/", token: "psat=c" });
              // As POST /GetAnonTokenJob gives it, and encoded once more; what else stands there stays.
              await ask({ discover: "https://h/discover?x=y&anonymousMeetingJoinContext=psat%253da.b" });
              await ask({ discover: "https://h/discover/r?anonymousContext=T1%3D%3Da+b", token: undefined });
              for (const token of ["", "a b", "a\\r\\nX: y", "\u00e4", "psat=" + "x".repeat(8193)]) { await ask({ url: "https://h/daily", token }); }
              await ask({ url: "https://h/", token: "psat=" + "x".repeat(8192) });
              asked.push(asked.pop().map((each) => each.length));
            } finally { window.fetch = real; }
            return asked;
        """)
        self.assertEqual(asked, [
            ["https://h/discover/K%C3%BCche", "Bearer a.b", "a.b"], ["https://h/discover/daily", "Bearer a.b", "a.b"], ["https://h/discover/daily", None],
            "badToken", ["https://h/discover/", "Bearer psat=c", "psat=c"], ["https://h/discover?x=y", "Bearer psat=a.b", "psat=a.b"],
            ["https://h/discover/r", "Bearer T1==a+b", "T1==a+b"], "badToken", "badToken", "badToken", "badToken", "badToken", [19, 8204, 8197]])

    def test_a_newer_token_is_used_everywhere_and_the_server_replaces_only_its_clients_own(self) -> None:
        found = self.run_js("""
            const { JoinToken } = await import("/sdk/join-token.js");
            const real = window.fetch;
            const found = [];
            window.fetch = async (address, { headers }) => { found.push(`${address} ${headers.Authorization}`); return new Response('{"signaling":"ws://h/signal"}'); };
            try {
              for (const options of [
                { url: "https://h/daily?jwt=a" }, { url: "https://h/daily", token: "a" }, { discover: "https://h/discover?anonymousMeetingJoinContext=psat%3Da" },
                { signaling: "ws://h/signal", token: "a" }, { url: "https://h/daily" },
              ]) {
                const token = new JoinToken(options);
                found.push(token.isOwn);
                token.replace("psat=b");
                found.push((await token.document()).token, token.isOwn);
              }
            } finally { window.fetch = real; }
            return found;
        """)
        room = "https://h/discover/daily Bearer psat=b"
        self.assertEqual(found, [
            True, room, "psat=b", True, True, room, "psat=b", True, True, "https://h/discover Bearer psat=b", "psat=b", True,
            True, "psat=b", True, False, room, "psat=b", True])

    def test_what_the_server_refuses_with_too_fast_goes_out_again_in_its_order(self) -> None:
        first, again, ended = self.run_js("""
            const { SendQueue } = await import("/sdk/send-queue.js");
            const { ParleyError } = await import("/sdk/errors.js");
            const sent = [], ended = [];
            const queue = new SendQueue(({ text }) => sent.push(text), () => true);
            for (const text of ["a", "b", "c"]) { queue.add({ type: "chat", text }, { kind: "chat messages", repeats: true }).answer.then(() => ended.push(text), () => {}); }
            queue.answered(-1);
            const haste = new ParleyError("tooFast", "senderRate");
            queue.answered(-3, haste);
            queue.answered(-2, haste);
            queue.add({ type: "chat", text: "d" }, { kind: "chat messages", repeats: true }).answer.catch(() => {});
            const first = [...sent];
            while (sent.length < 6) { await new Promise((resolve) => setTimeout(resolve, 20)); }
            queue.answered(-2);
            await null;
            queue.close();
            return [first, sent.slice(3), ended];
        """)
        self.assertEqual((first, again, ended), (["a", "b", "c"], ["b", "c", "d"], ["a", "b"]))

    def test_no_more_bytes_go_out_than_the_server_passes_on(self) -> None:
        sizes = self.run_js("""
            const { SendQueue } = await import("/sdk/send-queue.js");
            let bytes = 0;
            const queue = new SendQueue(({ id, ...message }) => { bytes += JSON.stringify(message).length + 300; queueMicrotask(() => queue.answered(id)); }, () => true);
            for (let index = 0; index < 60; index += 1) {
              queue.add({ type: "signal", data: "x".repeat(8_000) }, { kind: "signals" }).answer.catch(() => {});
            }
            await new Promise((resolve) => setTimeout(resolve));
            const atOnce = bytes;
            await new Promise((resolve) => setTimeout(resolve, 1_000));
            queue.close();
            return [atOnce, bytes];
        """)
        self.assertTrue(180 << 10 < sizes[0] <= 228 << 10, sizes)
        self.assertTrue(sizes[0] < sizes[1] < 400 << 10, sizes)

    def test_a_refused_join_gives_the_servers_code(self) -> None:
        code = self.run_js("""
            const { Signaling } = await import("/sdk/signaling.js");
            const real = window.WebSocket;
            class Fake extends EventTarget {
              static CONNECTING = 0; static OPEN = 1;
              readyState = 1;
              constructor() { super(); setTimeout(() => this.dispatchEvent(new Event("open"))); }
              send() {
                setTimeout(() => {
                  this.dispatchEvent(new MessageEvent("message", { data: '{"type":"error","code":"meetingFull","message":"Full.","fatal":true}' }));
                  this.dispatchEvent(new Event("close"));
                });
              }
              close() {}
            }
            window.WebSocket = Fake;
            try { await new Signaling("ws://test", () => {}).join({}); return "joined"; } catch (error) { return error.code; } finally { window.WebSocket = real; }
        """)
        self.assertEqual(code, "meetingFull")

    def test_devices_that_open_once_the_meeting_is_left_are_closed_again(self) -> None:
        found = self.run_js("""
            const { Meeting } = await import("/sdk/meeting.js");
            const { Connection } = await import("/sdk/connection.js");
            const trackOf = (kind) => kind === "video" ? document.createElement("canvas").captureStream().getVideoTracks()[0]
              : new AudioContext().createMediaStreamDestination().stream.getAudioTracks()[0];
            const uses = {
              microphone: [["audio"], (local) => local.setMicrophone(true)], camera: [["video"], (local) => local.setCamera(true)],
              screen: [["video", "audio"], (local) => local.setScreenShare(true)], switch: [["video"], (local) => local.switchDevice("camera", "other")],
            };
            const results = {};
            for (const [name, [kinds, use]] of Object.entries(uses)) {
              for (const leaves of [true, false]) {
                const meeting = new Meeting({ url: "/daily" }), local = meeting.localParticipant;
                const own = trackOf("video");
                if (name === "switch") { await local._publish(own, "camera"); }
                let open;
                const opened = kinds.map(trackOf), asked = new Promise((resolve) => { open = resolve; });
                for (const method of ["openCamera", "openMicrophone"]) { meeting.devices[method] = () => asked.then(() => opened[0]); }
                meeting.devices.openScreen = () => asked.then(() => ({ video: opened[0], audio: opened[1] }));
                const used = use(local).then(() => "done", (error) => error.code ?? error.name);
                await new Promise((done) => setTimeout(done));
                if (leaves) { meeting.leave(); }
                open();
                const result = [await used, opened.map(({ readyState }) => readyState), local.publications.length];
                (results[name] ??= []).push(result);
                meeting.leave();
                for (const each of [own, ...opened]) { each.stop(); }
              }
            }
            // A connection that is closed takes no tracks, and the next one gets them.
            const connection = new Connection({}, () => true), track = trackOf("video");
            connection.close();
            connection.addTrack("camera", track, false);
            await connection.replaceTrack("camera", track);
            results.closed = [connection.tracks, track.readyState];
            track.stop();
            return results;
        """)
        for name, count, before in (("microphone", 1, 0), ("camera", 1, 0), ("screen", 2, 0), ("switch", 1, 1)):
            self.assertEqual(found[name], [["cancelled", ["ended"] * count, before], ["done", ["live"] * count, count]], name)
        self.assertEqual(found["closed"], [[], "live"])

    def test_a_refused_offer_without_a_waiter_is_told_once_and_offers_have_no_candidates(self) -> None:
        found = self.run_js("""
            const { Connection } = await import("/sdk/connection.js");
            const sent = [], refused = [];
            const connection = new Connection({}, (message) => { sent.push(message); return true; });
            connection.addEventListener("refused", ({ detail }) => refused.push(detail.code));
            // A server of this page's own.
            const server = new RTCPeerConnection();
            connection.prepareOffer();
            const { offer } = await connection.firstOffer([]);
            await server.setRemoteDescription({ type: "offer", sdp: offer });
            await server.setLocalDescription();
            await connection.firstAnswer(server.localDescription.sdp);
            if (connection.peerConnection.iceGatheringState !== "complete") {
              await new Promise((done) => connection.peerConnection.addEventListener("icegatheringstatechange", ({ target }) => { if (target.iceGatheringState === "complete") { done(); } }));
            }
            const has = connection.peerConnection.localDescription.sdp.includes("a=candidate:");
            const refuse = async () => {
              while (sent.length === 0) { await new Promise((done) => setTimeout(done)); }
              const { id, offer } = sent.shift();
              const candidates = offer.includes("a=candidate:");
              await connection.receiveRefusal({ id, code: "badOffer", message: "Too many." });
              await new Promise((done) => setTimeout(done));
              return candidates;
            };
            connection.renegotiate();
            // These share the next offer.
            connection.renegotiate();
            connection.renegotiate({ iceRestart: true });
            const first = await refuse();
            const afterFirst = [...refused];
            await refuse();
            // Somebody who waits is told by what they wait for.
            const waited = connection.negotiate().catch((error) => error.code);
            await refuse();
            const told = await waited;
            connection.close();
            server.close();
            return [has, first, afterFirst, refused, told];
        """)
        self.assertEqual(found, [True, False, ["badOffer"], ["badOffer", "badOffer"], "badOffer"])


if __name__ == "__main__":
    unittest.main()
