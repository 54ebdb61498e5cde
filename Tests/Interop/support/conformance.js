/**
 * Feeds the messages of conformance vectors to the parts of the JavaScript SDK that hold the meeting's state, without a
 * socket, a peer connection or a page, and gives the state after each step in the form of
 * `Tests/Conformance/README.md`.
 */
async ({ vectors, sdk }) => {
  const [{ Lifecycle }, { LocalParticipant }, { MessageRouter }, { Replica }] = await Promise.all(
    ["lifecycle", "local-participant", "message-router", "replica"].map((name) => import(`${sdk}/${name}.js`)));

  class Client {
    constructor({ name, publish = [] }) {
      const lifecycle = new Lifecycle(() => {});
      const media = { add() {}, remove() {}, renegotiate() {}, setMuted() {}, async negotiate() {}, async replace() {} };
      const meeting = { options: {}, _media: media, _emit() {}, _send() {}, _nameChanged: (each) => this.replica.roster.nameChanged(each) };
      this.local = new LocalParticipant(name, meeting, {});
      this.connection = {
        useServers() {}, slotTrack: (mid) => ({ kind: mid.startsWith("a") ? "audio" : "video" }),
        async firstAnswer() {}, async receiveAnswer() { return true; }, async receiveRefusal() { return false; }, apply: () => false,
      };
      const router = new MessageRouter({
        lifecycle, local: this.local, replica: this.replica = new Replica({
          local: this.local, receive: (...slot) => router.trackOf(...slot), emit: (...event) => router.forward(...event),
        }),
        session: { connection: this.connection, token: { isOwn: false }, refuse() {} },
        requests: { answered: () => false }, queue: { answered: () => false, arrived() {} },
        chatting: { _apply: () => false, _stopped() {} }, views: { again() {}, add() {}, remove() {} },
      }, { emit() {}, lost() {}, end: (reason) => { this.ended = reason; } });
      this.router = router;
      this.lifecycle = lifecycle;
      this.ended = null;
      lifecycle.start();
      for (const { source, muted } of publish) {
        const track = Object.assign(new EventTarget(), { enabled: true, readyState: "live", stop() {} });
        this.local._prepare(track, source, muted);
      }
    }

    async receive(message) {
      await this.router.receive(structuredClone(message), this.connection);
      // A host's mute turns a camera off, which is not done at once.
      await new Promise((resolve) => { setTimeout(resolve); });
    }

    get state() {
      const { info, roster, chat, polls, moderation, lobby } = this.replica;
      const everybody = [this.local, ...roster.participants.values()];
      const { id, name, role, hand } = this.local;
      return {
        waiting: this.lifecycle.waiting, ended: this.ended, meeting: info && { name: info.name, subject: info.subject },
        self: {
          id, name, role, permissions: [...this.local.permissions].sort(), hand,
          publications: this.local.publications.map((each) => ({ id: each.id, source: each.source, muted: each.muted, mutedByHost: each.mutedByHost })),
        },
        participants: [...roster.participants.values()].map((each) => ({
          id: each.id, name: each.name, role: each.role, permissions: [...each.permissions].sort(), reconnecting: each.connection === "reconnecting", hand: each.hand, data: each.data,
          publications: each.publications.map((publication) => ({
            id: publication.id, kind: publication.kind, source: publication.source, name: publication.name, muted: publication.muted,
            mutedByHost: publication.mutedByHost, slot: publication.track?.mid ?? null, paused: publication.paused,
            undecodable: publication.undecodableCodec?.name ?? null,
          })),
        })),
        speakers: roster.speakers.map((each) => ({ participant: each.id, level: each.audioLevel })),
        quality: Object.fromEntries(everybody.filter(({ quality }) => !["unknown", "excellent"].includes(quality)).map((each) => [each.id, each.quality])),
        chat: chat.all.map((each) => ({
          id: each.id, from: each.from, name: each.name, text: each.text, to: each.to, edited: "edited" in each, deleted: each.deleted ?? null,
          file: each.file?.id ?? null,
        })),
        polls: polls.all.map((each) => ({ ...each })), spotlight: moderation.spotlighted?.id ?? null, muteForAll: moderation.muteForAll,
        lobby: { waiting: (lobby.content?.waiting ?? []).map((each) => ({ id: each.id, name: each.name })), locked: lobby.content?.locked ?? false },
      };
    }
  }

  /** Leaves out keys whose value is null, false or empty. */
  function canonical(value) {
    if (Array.isArray(value)) { return value.map(canonical); }
    if (typeof value !== "object" || value === null) { return value; }
    const entries = Object.entries(value).map(([key, each]) => [key, canonical(each)]);
    const isEmpty = (each) => each === null || each === false || (typeof each === "object" && Object.keys(each).length === 0);
    return Object.fromEntries(entries.filter(([, each]) => !isEmpty(each)));
  }

  const results = [];
  for (const vector of vectors) {
    const client = new Client(vector);
    const states = [];
    for (const { messages } of vector.steps) {
      for (const message of messages) { await client.receive(message); }
      states.push(canonical(client.state));
    }
    results.push(states);
  }
  return results;
}
