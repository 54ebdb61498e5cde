"""The browser client fails closed: each test breaks something, and nothing plain may leave or play."""

from __future__ import annotations

from module_page import ModulePage
from test_encryption import HELPERS, ROOM

#: A worker, senders and transforms that a test decides about.
FAKES = """
    const workers = [], ticks = [];
    const own = { Worker: globalThis.Worker, setInterval: globalThis.setInterval, RTCRtpScriptTransform: globalThis.RTCRtpScriptTransform };
    globalThis.Worker = class extends EventTarget {
      calls = []; isEnded = false; answers = {};
      constructor() { super(); workers.push(this); }
      postMessage(message) {
        this.calls.push(message);
        if (message.method in this.answers) { queueMicrotask(() => this.say({ call: message.call, result: this.answers[message.method] })); }
      }
      say(data) { this.dispatchEvent(Object.assign(new Event("message"), { data })); }
      terminate() { this.isEnded = true; }
    };
    globalThis.setInterval = (step) => { ticks.push(step); return 1; };
    globalThis.RTCRtpScriptTransform = class { constructor(worker, options) { this.options = options; } };
    const restore = () => Object.assign(globalThis, own);
    const settle = () => new Promise((done) => setTimeout(done, 5));
    class FakeTrack {
      kind; enabled = true; isLive = true; copies = [];
      constructor(kind) { this.kind = kind; }
      clone() { this.copies.push(new FakeTrack(this.kind)); return this.copies.at(-1); }
      stop() { this.isLive = false; }
    }
    const transceiverOf = (track, seems = true) => {
      const sender = { track, transform: null, sent: [track], getStats: async () => new Map(), getParameters: () => ({ encodings: [{ rid: "q" }, { rid: "h" }, {}] }), async replaceTrack(next) { sender.track = next; sender.sent.push(next); } };
      const receiver = { set transform(value) { if (seems) { throw new DOMException("taken", "InvalidStateError"); } } };
      return { sender, receiver, isStopped: false, stop() { this.isStopped = true; } };
    };
"""


class FailClosed(ModulePage):
    def run_js(self, body: str, argument: object = None) -> object:
        return super().run_js(HELPERS + body, argument)

    # MARK: Frames

    def test_a_frame_that_cannot_be_sealed_never_leaves_whatever_the_reason(self) -> None:
        found = self.run_js("""
            const { SendTransform } = await import("/sdk/encryption/frame-transforms.js");
            const { FrameDrop } = await import("/sdk/encryption/key-timing.js");
            const failing = (error) => ({ seal: async () => { throw error; } });
            const working = { seal: async (content) => Uint8Array.of(9, 9, ...content) };
            const send = async (keys, kind, mimeType, content) => {
              const left = [];
              const transform = new SendTransform({ keys: () => keys, track: 1, kind, wantKeyFrame: () => {} });
              const frame = { data: Uint8Array.from(content).buffer, type: "delta", getMetadata: () => ({ mimeType }) };
              await transform.transform(frame, { enqueue: (each) => left.push([...new Uint8Array(each.data)]) });
              return [left, Object.keys(transform.report.drops), transform.written];
            };
            const results = [];
            for (const keys of [null, failing(new FrameDrop("noKey")), failing(new FrameDrop("keyExhausted")), failing(new Error("of a cipher"))]) {
              results.push(await send(keys, "audio", "audio/opus", [0xf8, 0xff, 0xfe]), await send(keys, "video", "video/VP9", [1, 2, 3]));
            }
            return {
              failures: results, red: await send(working, "audio", "audio/red", [1, 2, 3]), unnamed: await send(working, "video", undefined, [1, 2, 3]),
              short: await send(working, "video", "video/VP8", [0, 1]), good: await send(working, "audio", "audio/opus", [1]),
            };
        """)
        self.assertEqual(found["failures"], [[[], [code], 0] for code in ("noKey", "noKey", "noKey", "noKey", "keyExhausted", "keyExhausted", "failed", "failed")])
        for name in ("red", "unnamed", "short"):
            self.assertEqual(found[name], [[], ["malformed"], 0], name)
        self.assertEqual(found["good"], [[[9, 9, 1, 1]], [], 1])

    def test_each_encoding_closes_its_own_gap_with_a_key_frame_of_its_own(self) -> None:
        found = self.run_js("""
            const { SendTransform } = await import("/sdk/encryption/frame-transforms.js");
            const { FrameDrop } = await import("/sdk/encryption/key-timing.js");
            const ownNow = performance.now.bind(performance);
            let time = 0;
            performance.now = () => time;
            const run = async (encodings) => {
              let hasKey = false;
              const wanted = [];
              const keys = { seal: async (content) => { if (!hasKey) { throw new FrameDrop("noKey"); } return content; } };
              const transform = new SendTransform({ keys: () => keys, track: 1, kind: "video", wantKeyFrame: (rid) => wanted.push(rid ?? "all") });
              const rounds = [];
              const round = async (types, after) => {
                for (const [index, type] of types.entries()) {
                  if (type === null) { continue; }
                  const getMetadata = () => ({ mimeType: "video/VP9", ...encodings[index] });
                  await transform.transform({ data: Uint8Array.of(1, 2, 3).buffer, type, getMetadata }, { enqueue() {} });
                }
                time += after;
                rounds.push(wanted.splice(0).join());
              };
              await round(["key", "key", null], 0);
              hasKey = true;
              // The third one has left nothing out.
              await round(["delta", "delta", "delta"], 500);
              await round(["delta", "delta", "delta"], 500);
              await round(["key", "delta", "delta"], 1_000);
              await round(["delta", "delta", "delta"], 1_000);
              await round(["delta", "key", "delta"], 1_000);
              await round(["delta", "delta", "delta"], 1_000);
              transform.makeKeyFrame();
              return [...rounds, wanted.join()];
            };
            const results = [await run([{ rid: "q" }, { rid: "h" }, { rid: "f" }]), await run([1, 2, 3].map((synchronizationSource) => ({ synchronizationSource })))];
            performance.now = ownNow;
            return results;
        """)
        self.assertEqual(found, [["", "q,h", "", "h", "h", "", "", "all"], ["", "all", "", "all", "all", "", "", "all"]])

    def test_a_key_frame_is_made_of_every_encoding_that_the_page_names(self) -> None:
        found = self.run_js(FAKES + """
            const { EncryptionEngine } = await import("/sdk/encryption/engine.js");
            const { ConnectionEncryption } = await import("/sdk/encryption/connection-encryption.js");
            const { WorkerSession } = await import("/sdk/encryption/worker-session.js");
            const engine = new EncryptionEngine(), connection = new ConnectionEncryption(engine, () => {});
            const protect = (source, kind, encodings) => {
              const track = new FakeTrack(kind), transceiver = transceiverOf(track);
              transceiver.sender.getParameters = () => ({ encodings });
              connection.protectSender(transceiver, source, track);
              return transceiver.sender.transform.options;
            };
            const senders = [protect("camera", "video", [{ rid: "q" }, { rid: "h" }]), protect("screen", "video", [{}]), protect("screenAudio", "audio", undefined)];
            connection.close();
            engine.close();
            restore();
            const results = { rids: senders.map(({ rids }) => rids) };
            for (const { rids } of senders) {
              const asked = [], input = new TransformStream(), output = new TransformStream();
              const session = new WorkerSession(() => {});
              // One encoding that the browser refuses keeps none of the others.
              const generateKeyFrame = async (rid) => { asked.push(rid ?? "all"); throw new DOMException("none", "NotFoundError"); };
              session._attach({ options: { role: "send", track: 1, kind: "video", rids }, readable: input.readable, writable: output.writable, generateKeyFrame });
              const [writer, reader] = [input.writable.getWriter(), output.readable.getReader()];
              const frame = (type) => ({ data: Uint8Array.of(1, 2, 3).buffer, type, getMetadata: () => ({ mimeType: "video/VP9" }) });
              writer.write(frame("key"));
              const { LinkSecret } = await import("/sdk/encryption/link-secret.js");
              await session.start({ meeting: "daily", participant: "ann", name: "ann", secret: new LinkSecret().text, announcements: [] });
              await session.tracks([[1, 2]]);
              writer.write(frame("delta"));
              await reader.read();
              (results.asked ??= []).push(asked.join());
            }
            return results;
        """)
        self.assertEqual(found, {"rids": [["q", "h"], [], []], "asked": ["q,h", "all", "all"]})

    def test_what_does_not_open_is_never_played_silence_and_unknown_forms_neither(self) -> None:
        found = self.run_js("""
            const { ReceiveTransform } = await import("/sdk/encryption/frame-transforms.js");
            const { FrameDrop } = await import("/sdk/encryption/key-timing.js");
            const { SFrameError } = await import("/sdk/encryption/sframe-header.js");
            const codes = ["authenticationFailed", "replayed", "tooOld", "wrongSender", "wrongTrack", "noKey", "malformedHeader", "cipherFailed"];
            const errors = [...codes.map((code) => new FrameDrop(code)), new SFrameError("authenticationFailed"), new Error("of a cipher")];
            const play = async (keys, kind, mimeType, contents, owner = { participant: "ann", source: 1 }) => {
              const played = [];
              const transform = new ReceiveTransform({ keys: () => keys, kind, requestKeyFrame: () => {} });
              await transform.assign(owner);
              for (const content of contents) {
                const frame = { data: Uint8Array.from(content).buffer, type: "key", getMetadata: () => ({ mimeType }) };
                await transform.transform(frame, { enqueue: (each) => played.push([...new Uint8Array(each.data)]) });
              }
              await transform.retry();
              const { drops, held } = transform.report;
              return [played, Object.values(drops).reduce((sum, each) => sum + each, held)];
            };
            const failing = (error) => ({ open: async () => { throw error; }, announcement: () => ({}) });
            const plain = { open: async (content) => content, announcement: () => ({}) };
            // Opus silence, noise in the form of a sealed frame, nothing, and a frame of each form that doesn't fit.
            const sounds = [[0xf8, 0xff, 0xfe], [5, 5, 5, 1], [], [1]];
            const results = [];
            for (const keys of [null, ...errors.map(failing)]) { results.push(await play(keys, "audio", "audio/opus", sounds), await play(keys, "video", "video/VP9", sounds)); }
            const forms = [];
            for (const last of [0, 2, 3, 4, 5, 6, 128, 255]) { forms.push(await play(plain, "audio", "audio/opus", [[7, 7, 7, last]])); }
            for (const [mimeType, last] of [["video/VP8", 1], ["video/VP8", 4], ["video/AV1", 1], ["video/H264", 1], ["video/VP9", 3]]) { forms.push(await play(plain, "video", mimeType, [[7, 7, 7, 7, last]])); }
            return { results, forms, nobody: await play(plain, "audio", "audio/opus", [[5, 5, 1]], null), good: await play(plain, "audio", "audio/opus", [[5, 5, 1]]) };
        """)
        self.assertEqual(found["results"], [[[], 4]] * 22)
        self.assertEqual(found["forms"], [[[], 1]] * 13)
        self.assertEqual((found["nobody"], found["good"]), ([[], 1], [[[5, 5]], 0]))

    def test_bad_input_11_ten_thousand_forged_frames_switch_no_key_off_and_ask_seldom(self) -> None:
        found = self.run_js(ROOM + """
            const room = new Room(3);
            const [ann, ben] = [await room.join("ann"), await room.join("ben")];
            await room.run(2000);
            const good = await room.send("ann");
            await room.run(100);
            const genuine = await ann.keys.seal(Uint8Array.of(1, 2, 3), 1, undefined, room.now);
            const before = room.envelopes;
            const codes = new Set();
            for (let round = 0; round < 100; round++) {
              const forged = Array.from({ length: 100 }, (_, index) => {
                const frame = genuine.slice();
                frame[frame.length - 1 - (index % 16)] ^= 1 + (round % 255);
                return frame;
              });
              for (const code of await Promise.all(forged.map((frame) => codeOf(() => ben.keys.open(frame, "ann", 2, undefined, room.now))))) { codes.add(code); }
              await room.run(50);
            }
            const opened = [...await ben.keys.open(genuine, "ann", 2, undefined, room.now)];
            const later = await room.send("ann");
            await room.run(1000);
            return { before: ben.opened.has(good), codes: [...codes], opened, later: ben.opened.has(later), waiting: ben.keys.waitingFor, envelopes: room.envelopes - before };
        """)
        self.assertEqual((found["before"], found["codes"], found["opened"], found["later"], found["waiting"]), (True, ["authenticationFailed"], [1, 2, 3], True, []))
        # In five seconds: requests, keys and acknowledgements.
        self.assertLess(found["envelopes"], 12)

    def test_redundant_audio_is_offered_in_clear_and_not_in_an_encrypted_meeting(self) -> None:
        found = self.run_js("""
            const { preferCodecs } = await import("/sdk/codec-preferences.js");
            const own = globalThis.RTCRtpReceiver;
            globalThis.RTCRtpReceiver = { getCapabilities: () => ({ codecs: ["audio/opus", "audio/red", "audio/PCMU"].map((mimeType) => ({ mimeType })) }) };
            const offered = (isEncrypted) => {
              let codecs;
              preferCodecs({ setCodecPreferences: (each) => { codecs = each.map(({ mimeType }) => mimeType); } }, "audio", { isSending: true, isEncrypted });
              return codecs;
            };
            const result = [offered(false), offered(true)];
            globalThis.RTCRtpReceiver = own;
            return result;
        """)
        self.assertEqual(found, [["audio/red", "audio/opus"], ["audio/opus"]])

    # MARK: The worker

    def test_bad_input_14_a_worker_that_fails_or_is_silent_ends_once_and_all_calls_with_it(self) -> None:
        found = self.run_js(FAKES + """
            const { EncryptionEngine } = await import("/sdk/encryption/engine.js");
            const results = {};
            const observe = async (name, act, isReady = true) => {
              const engine = new EncryptionEngine();
              const worker = workers.at(-1);
              let failures = 0;
              engine.addEventListener("failed", () => { failures += 1; });
              if (isReady) {
                worker.say({ type: "ready" });
                await engine.ready;
                await settle();
              }
              const pending = codeOf(() => engine.call(engine.newSession(), "report"));
              await act(worker, ticks.at(-1));
              results[name] = [await Promise.race([pending, settle().then(() => "pending")]), await Promise.race([codeOf(() => engine.ready), settle().then(() => "pending")]),
                await Promise.race([codeOf(() => engine.call(1, "report")), settle().then(() => "pending")]), worker.isEnded, failures];
              engine.close();
            };
            const twice = (type) => (worker) => { for (let count = 0; count < 2; count++) { worker.dispatchEvent(new Event(type)); } };
            await observe("error", twice("error"));
            await observe("messageerror", twice("messageerror"));
            await observe("error before it runs", twice("error"), false);
            // Fifteen seconds: a ping a second, of which none is answered.
            await observe("silence", (_, tick) => { for (let second = 0; second < 16; second++) { tick(); } });
            await observe("a silence that ends", async (worker, tick) => {
              for (let second = 0; second < 14; second++) { tick(); }
              for (const { call, method } of worker.calls) { if (method === "ping") { worker.say({ call, result: null }); } }
              await settle();
              for (let second = 0; second < 14; second++) { tick(); }
            });
            restore();
            return results;
        """)
        ended = ["encryptionFailed", None, "encryptionFailed", True, 1]
        self.assertEqual(found, {
            "error": ended, "messageerror": ended, "silence": ended, "error before it runs": ["encryptionFailed", "encryptionFailed", "encryptionFailed", True, 1],
            "a silence that ends": ["pending", None, "pending", False, 0],
        })

    def test_a_transform_that_fails_or_a_worker_that_is_gone_takes_the_tracks_away(self) -> None:
        found = self.run_js(FAKES + """
            const { EncryptionEngine } = await import("/sdk/encryption/engine.js");
            const { ConnectionEncryption } = await import("/sdk/encryption/connection-encryption.js");
            const engine = new EncryptionEngine();
            const stopped = [];
            const connection = new ConnectionEncryption(engine, (source) => stopped.push(source));
            const start = (source, kind, seems) => {
              const track = new FakeTrack(kind), transceiver = transceiverOf(connection.firstTrack(track), seems);
              const isTaken = connection.protectSender(transceiver, source, track) !== null;
              if (isTaken) { connection.add(source); }
              return { track, transceiver, isTaken };
            };
            const [camera, microphone, screen] = [start("camera", "video"), start("microphone", "audio"), start("screen", "video", false)];
            await settle();
            const refused = [screen.isTaken, screen.transceiver.isStopped, [...stopped]];
            const isLeft = connection.apply({ type: "transformFailed", role: "receive", slot: 1 });
            const before = [...stopped];
            for (let count = 0; count < 2; count++) { connection.apply({ type: "transformFailed", role: "send", track: 1 }); }
            await settle();
            const failed = [camera.transceiver.sender.track, camera.track.isLive, [...stopped], microphone.transceiver.sender.track !== null];
            connection.stopAll();
            await settle();
            const gone = microphone.transceiver.sender.track;
            connection.close();
            engine.close();
            restore();
            return { refused, isLeft, before, failed, gone };
        """)
        self.assertEqual(found["refused"], [False, True, ["screen"]])
        self.assertEqual((found["isLeft"], found["before"]), (True, ["screen"]))
        self.assertEqual((found["failed"], found["gone"]), ([None, False, ["screen", "camera"], True], None))

    def test_a_transceiver_that_cannot_be_made_leaves_no_blank_track_behind(self) -> None:
        found = self.run_js(FAKES + """
            const { Senders } = await import("/sdk/senders.js");
            const track = new FakeTrack("video");
            const refuse = () => { throw new DOMException("closed", "InvalidStateError"); };
            const encryption = (protectSender, first) => ({ firstTrack: () => first, protectSender });
            const cases = { connection: [{ addTransceiver: refuse }, () => null], transform: [{ addTransceiver: transceiverOf }, refuse] };
            const results = {};
            for (const [name, [pc, protectSender]] of Object.entries(cases)) {
              for (const first of [new FakeTrack("video"), track]) {
                const senders = new Senders(pc, { encryption: encryption(protectSender, first) });
                let thrown = null;
                try { senders.add("camera", track, false); } catch (error) { thrown = error.name; }
                (results[name] ??= []).push([thrown, first.isLive, senders.tracks.length]);
                senders.close();
              }
            }
            restore();
            return results;
        """)
        # A track that the sender was to begin with itself is the caller's to end.
        self.assertEqual(found, dict.fromkeys(("connection", "transform"), [["InvalidStateError", False, 0], ["InvalidStateError", True, 0]]))

    def test_a_pipe_that_breaks_in_the_worker_is_reported_with_its_sender(self) -> None:
        found = self.run_js("""
            const { WorkerSession } = await import("/sdk/encryption/worker-session.js");
            const told = [];
            const session = new WorkerSession((message) => told.push(message));
            const broken = new ReadableStream({ start(controller) { controller.error(new Error("of the browser")); } });
            session._attach({ options: { role: "send", track: 1, kind: "video" }, readable: broken, writable: new WritableStream() });
            await new Promise((done) => setTimeout(done, 20));
            return told.map(({ type, role, track, problem }) => [type, role, track, problem]);
        """)
        self.assertEqual(found, [["transformFailed", "send", 1, "of the browser"]])

    # MARK: A transform that only seems set

    def test_bad_input_12_black_and_silence_go_out_until_the_worker_has_seen_the_sender(self) -> None:
        found = self.run_js(FAKES + """
            const { SenderProof } = await import("/sdk/encryption/sender-proof.js");
            const proof = new SenderProof(() => {}, { of: (track) => Object.assign(track.clone(), { enabled: false }), expectFrames() {}, close() {} });
            const start = (source) => {
              const track = new FakeTrack("video"), first = proof.firstTrack(track), { sender } = transceiverOf(first);
              proof.begin(source, sender, track);
              return { track, first, sender };
            };
            const isBlank = (track) => track !== null && !track.enabled;
            const results = {};
            const camera = start("camera");
            results.first = [camera.first !== camera.track, isBlank(camera.first), camera.track.enabled];
            // Another camera, none, and another one before anything was seen.
            const other = new FakeTrack("video");
            for (const track of [other, null, other]) { await proof.replace("camera", camera.sender, track); }
            results.before = camera.sender.sent.map((track) => (track === null ? "none" : isBlank(track) ? "blank" : "clear"));
            proof.accept("screen");
            proof.accept("camera");
            await settle();
            results.after = [camera.sender.track === other, other.isLive, [...camera.track.copies, ...other.copies].some(({ isLive }) => isLive)];
            const third = new FakeTrack("video");
            await proof.replace("camera", camera.sender, third);
            results.later = [camera.sender.track === third, third.copies.length];
            // A source that was refused waits again.
            const microphone = start("microphone");
            proof.refuse("microphone");
            results.refused = [microphone.track.isLive, microphone.first.isLive];
            const again = new FakeTrack("audio");
            await proof.replace("microphone", microphone.sender, again);
            results.again = isBlank(microphone.sender.track);
            proof.close();
            proof.accept("microphone");
            await settle();
            results.closed = [isBlank(microphone.sender.track), microphone.sender.track.isLive];
            const closes = new SenderProof(() => {}, null), plain = new FakeTrack("video");
            results.closing = [closes.firstTrack(plain) === plain, plain.copies.length];
            restore();
            return results;
        """)
        self.assertEqual(found["first"], [True, True, True])
        self.assertEqual(found["before"], ["blank", "blank", "none", "blank"])
        self.assertEqual((found["after"], found["later"]), ([True, True, False], [True, 0]))
        self.assertEqual((found["refused"], found["again"], found["closed"], found["closing"]), ([False, False], True, [True, False], [True, 0]))

    def test_a_source_whose_track_the_browser_does_not_take_is_stopped_and_reported(self) -> None:
        found = self.run_js(FAKES + """
            const { EncryptionEngine } = await import("/sdk/encryption/engine.js");
            const { ConnectionEncryption } = await import("/sdk/encryption/connection-encryption.js");
            // A browser that doesn't fail closed by itself.
            const prototype = RTCRtpSender.prototype, flag = Object.getOwnPropertyDescriptor(prototype, "createEncodedStreams");
            delete prototype.createEncodedStreams;
            const results = {};
            for (const name of ["InvalidModificationError", "TypeError", "InvalidStateError", "none", "closed"]) {
              const engine = new EncryptionEngine(), stopped = [];
              const connection = new ConnectionEncryption(engine, (source) => stopped.push(source));
              const track = new FakeTrack("audio"), transceiver = transceiverOf(connection.firstTrack(track)), { sender } = transceiver;
              connection.protectSender(transceiver, "microphone", track);
              connection.add("microphone");
              const replace = sender.replaceTrack;
              sender.replaceTrack = async (next) => {
                if (next === track && name !== "none") { throw new DOMException("refused", name === "closed" ? "TypeError" : name); }
                await replace(next);
              };
              connection.apply({ type: "senderSeen", track: 0 });
              if (name === "closed") { connection.close(); }
              await settle();
              results[name] = [stopped, sender.track === null ? "none" : sender.track === track ? "clear" : "blank", track.copies.map(({ isLive }) => isLive)];
              connection.close();
              engine.close();
            }
            Object.defineProperty(prototype, "createEncodedStreams", flag);
            restore();
            return results;
        """)
        stopped = [["microphone"], "none", [False]]
        self.assertEqual(found, {
            "InvalidModificationError": stopped, "TypeError": stopped, "InvalidStateError": [[], "blank", [False]], "none": [[], "clear", [False]],
            "closed": [[], "blank", [False]],
        })

    def test_black_is_drawn_once_a_second_until_frames_can_leave_and_then_for_3_s_at_50_hz(self) -> None:
        found = self.run_js(FAKES + """
            const { SenderProof } = await import("/sdk/encryption/sender-proof.js");
            const { BlankTracks } = await import("/sdk/encryption/blank-tracks.js");
            const real = { setTimeout, clearTimeout, fillRect: CanvasRenderingContext2D.prototype.fillRect }, ownNow = performance.now.bind(performance);
            let time = 0, drawn = 0, last = 0;
            const timers = new Map();
            performance.now = () => time;
            globalThis.setTimeout = (step, delay) => { timers.set(last += 1, { step, at: time + delay }); return last; };
            globalThis.clearTimeout = (timer) => { timers.delete(timer); };
            CanvasRenderingContext2D.prototype.fillRect = function (...area) { drawn += 1; real.fillRect.apply(this, area); };
            const draws = (duration) => {
              const [until, before] = [time + duration, drawn];
              for (;;) {
                const [next] = [...timers].sort(([, a], [, b]) => a.at - b.at);
                if (next === undefined || next[1].at > until) { break; }
                timers.delete(next[0]);
                time = next[1].at;
                next[1].step();
              }
              time = until;
              return [drawn - before, timers.size];
            };
            const results = {};
            const proof = new SenderProof(() => {}, new BlankTracks());
            const firsts = ["camera", "screen"].map((source) => {
              const track = new FakeTrack("video"), first = proof.firstTrack(track);
              proof.begin(source, transceiverOf(first).sender, track);
              return first;
            });
            results.before = draws(10_000);
            proof.expectFrames();
            results.expecting = draws(2_000);
            results.unwanted = draws(10_000);
            // The connection is there when another one comes.
            const late = proof.firstTrack(new FakeTrack("video"));
            results.late = draws(1_000);
            for (const each of [late, firsts[0]]) { each.stop(); }
            results.one = draws(1_000);
            proof.close();
            results.closed = [draws(10_000), firsts[1].readyState];
            const alone = new SenderProof(() => {}, new BlankTracks());
            alone.firstTrack(new FakeTrack("video")).stop();
            results.alone = draws(10_000);
            Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
            Object.assign(CanvasRenderingContext2D.prototype, { fillRect: real.fillRect });
            performance.now = ownNow;
            restore();
            return results;
        """)
        self.assertEqual(found, {
            # Two canvases in one timer: at 50 Hz for the third second too, and at 1 Hz after it.
            "before": [20, 1], "expecting": [200, 1], "unwanted": [2 * (50 + 9), 1], "late": [150, 1], "one": [50, 1], "closed": [[0, 0], "ended"], "alone": [0, 0],
        })

    # MARK: The lock

    def test_the_lock_shows_what_this_client_has_verified_and_names_who_is_lacking(self) -> None:
        found = self.run_js(FAKES + """
            const { MeetingEncryption } = await import("/sdk/encryption/meeting-encryption.js");
            const { LinkSecret } = await import("/sdk/encryption/link-secret.js");
            const ownNow = performance.now.bind(performance);
            let later = 0;
            performance.now = () => ownNow() + later;
            const present = [], refused = [];
            const hooks = { send: () => true, emit() {}, refuse: (error) => refused.push(error.code), stopSource() {}, participants: () => present };
            const encryption = new MeetingEncryption({ encryptionSecret: new LinkSecret().text }, hooks);
            await encryption._prepare();
            const worker = workers.at(-1);
            const tick = ticks.at(-1);
            worker.answers = { start: { isRefused: false, identity: "guest", key: "AA" }, tracks: null };
            worker.say({ type: "ready" });
            const { session } = await encryption._connection();
            const say = (message) => worker.say({ session, ...message });
            encryption._begin({ participant: "p_1", participants: [], meeting: { e2ee: true } }, "daily", "Ann");
            await encryption._begun;
            const code = "1".repeat(30);
            const states = [];
            const note = () => { tick(); states.push([encryption.state.state, encryption.state.waitingFor.join()]); };
            note();
            say({ type: "state", safetyCode: code, waitingFor: [] });
            note();
            // The server shows somebody, who announces no keys.
            present.push("p_2");
            note();
            later = 5_100;
            note();
            say({ type: "event", event: { type: "member", participant: "p_2", name: "Ben", key: "AA" } });
            note();
            say({ type: "state", safetyCode: code, waitingFor: ["p_2"] });
            note();
            say({ type: "state", safetyCode: null, waitingFor: [] });
            note();
            // What the server says changes nothing.
            for (const message of [{ type: "state", safetyCode: "2".repeat(30), waitingFor: [] }, { type: "encryption", state: "encrypted" }]) { encryption._apply(message); }
            note();
            // Nor is anything verified once the worker is gone.
            say({ type: "state", safetyCode: code, waitingFor: [] });
            note();
            worker.dispatchEvent(new Event("error"));
            note();
            encryption._close();
            performance.now = ownNow;
            restore();
            return { states, refused };
        """)
        self.assertEqual(found["states"], [["waiting", ""], ["encrypted", ""], ["encrypted", ""], ["waiting", "p_2"], ["encrypted", ""], ["waiting", "p_2"], ["waiting", ""], ["waiting", ""],
                                           ["encrypted", ""], ["waiting", ""]])
        self.assertEqual(found["refused"], ["encryptionFailed"])
