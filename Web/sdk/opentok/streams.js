import { askedRate } from "./media.js";

/**
 * How long the first track of a stream waits for the second: the server reports a camera and a microphone in two
 * messages, and a page expects one stream with both.
 */
const pairing = 60;

const sources = { camera: { audio: "microphone", video: "camera" }, screen: { audio: "screenAudio", video: "screen" } };

/** The streams of a session: what each participant publishes, put together as the library counts it. */
export class Streams {
  #session;
  #meeting;
  #kit;
  #tells = false;
  #owners = new Map();
  #waiting = new Map();
  /** Why streams are over that have ended just now. */
  #endings = new Map();

  constructor(session, meeting, kit) {
    this.#session = session;
    this.#meeting = meeting;
    this.#kit = kit;
  }

  static id(participant, type) { return `${participant.id}.${type}`; }

  /** Streams from before this client came. */
  existing() {
    for (const participant of this.#meeting.participants.values()) {
      for (const type of Object.keys(sources)) { this.#make(participant, type); }
    }
    return [...this.#session.streams.values()];
  }

  /** From now on the page gets events, also about streams that it doesn't know yet. */
  begin(tellsExisting) {
    this.#tells = true;
    for (const stream of tellsExisting ? [...this.#session.streams.values()] : []) {
      this.#session._emit("streamCreated", { stream, streams: [stream] });
    }
    for (const participant of this.#meeting.participants.values()) { this.changed(participant); }
  }

  ownerOf(stream) { return this.#owners.get(stream?.streamId); }

  /**
   * Something of a participant has changed; `reason` says why where a stream is over by it, null that this is not
   * known.
   */
  changed(participant, reason = null) {
    if (!participant) { return; }
    for (const type of Object.keys(sources)) { this.#compare(participant, type, reason); }
  }

  /** A participant is gone, with everything. */
  left(participant, reason) {
    for (const type of Object.keys(sources)) { this.#end(Streams.id(participant, type), reason); }
  }

  close() {
    for (const timer of this.#waiting.values()) { clearTimeout(timer); }
    this.#waiting.clear();
    this.#session.streams.clear();
    this.#owners.clear();
  }

  // MARK: Own ones

  /** @param {object} properties those of its publisher. Undefined when it has ended already. */
  own(participant, isScreen, properties) {
    const type = isScreen ? "screen" : "camera";
    const stream = this.#make(participant, type);
    if (!stream) { return undefined; }
    if (typeof properties.name === "string") { stream.name = properties.name; }
    stream.frameRate = askedRate(properties);
    return stream;
  }

  ownEnded(stream) {
    this.#session.streams.delete(stream.streamId);
    this.#owners.delete(stream.streamId);
    for (const subscriber of this.#session._subscribers.filter((each) => each.stream === stream)) { subscriber.destroy(); }
  }

  // MARK: Comparing

  #facts(participant, type) {
    const audio = participant.publication(sources[type].audio);
    const video = participant.publication(sources[type].video);
    return {
      isThere: Boolean(audio || video), hasAudio: audio?.muted === false, hasVideo: video?.muted === false,
      name: video?.name ?? audio?.name ?? participant.name,
      // By the server's clock; this one's where a server does not say.
      created: Math.min(...[audio, video].map((each) => each?.created?.getTime() ?? Infinity)),
    };
  }

  #make(participant, type) {
    const id = Streams.id(participant, type);
    const { isThere, hasAudio, hasVideo, name, created } = this.#facts(participant, type);
    if (!isThere || this.#session.streams.has(id)) { return this.#session.streams.get(id); }
    const connection = participant.isLocal ? this.#session.connection : this.#session.connections.get(participant.id);
    const stream = new this.#kit.Stream({
      streamId: id, name, hasAudio, hasVideo, hasCaptions: false, videoType: type, frameRate: undefined,
      videoDimensions: { width: 640, height: 480 }, creationTime: Number.isFinite(created) ? created : Date.now(), connection, session: this.#session,
      initials: undefined,
    });
    this.#session.streams.set(id, stream);
    this.#owners.set(id, participant);
    return stream;
  }

  #compare(participant, type, reason) {
    const id = Streams.id(participant, type);
    const facts = this.#facts(participant, type);
    const stream = this.#session.streams.get(id);
    if (!stream) {
      // One's own begins when it is published, which the session knows better.
      if (facts.isThere && !participant.isLocal) { this.#begin(participant, type, id); }
      return;
    }
    if (!facts.isThere && !participant.isLocal) {
      // Somebody who leaves unpublishes first, and what is unpublished is received no more before that; the reason is
      // known a moment later.
      const isKnown = this.#endings.has(id);
      if (!isKnown || reason !== null) { this.#endings.set(id, reason ?? "clientDisconnected"); }
      if (isKnown) { return; }
      queueMicrotask(() => {
        const why = this.#endings.get(id);
        this.#endings.delete(id);
        if (!this.#facts(participant, type).isThere) { this.#end(id, why); }
      });
      return;
    }
    for (const property of ["hasAudio", "hasVideo"]) { this.#set(stream, property, facts[property]); }
    if (!participant.isLocal) { this.#set(stream, "name", facts.name); }
    this.#follow(stream, participant, type);
  }

  #begin(participant, type, id) {
    if (this.#waiting.has(id)) { return; }
    this.#waiting.set(id, setTimeout(() => {
      this.#waiting.delete(id);
      if (this.#meeting.participant(participant.id) !== participant) { return; }
      const stream = this.#make(participant, type);
      if (!stream) { return; }
      if (this.#tells) { this.#session._emit("streamCreated", { stream, streams: [stream] }); }
      this.#follow(stream, participant, type);
    }, pairing));
  }

  #end(id, reason) {
    clearTimeout(this.#waiting.get(id));
    this.#waiting.delete(id);
    const stream = this.#session.streams.get(id);
    if (!stream) { return; }
    this.#session.streams.delete(id);
    this.#owners.delete(id);
    const subscribers = this.#session._subscribers.filter((each) => each.stream === stream);
    for (const subscriber of subscribers) { subscriber._core.then((core) => core.ended(reason), () => {}); }
    const event = this.#session._emit("streamDestroyed", { stream, streams: [stream], reason }, { cancelable: true });
    if (event.isDefaultPrevented()) { return; }
    for (const subscriber of subscribers) { subscriber.destroy(); }
  }

  #set(stream, property, value) {
    const oldValue = stream[property];
    if (oldValue === value) { return; }
    stream[property] = value;
    const fields = { stream, changedProperty: property, oldValue, newValue: value };
    stream._emit(`${property}Changed`, fields);
    if (this.#tells) { this.#session._emit("streamPropertyChanged", fields); }
  }

  sized(stream, size) {
    const { width, height } = stream?.videoDimensions ?? {};
    if (stream && (width !== size.width || height !== size.height)) { this.#set(stream, "videoDimensions", size); }
  }

  // MARK: Watching

  /** Those who subscribe play what there is now; what nobody has subscribed to need not be sent. */
  #follow(stream, participant, type) {
    const subscribers = this.#session._subscribers.filter((each) => each.stream === stream);
    for (const subscriber of subscribers) { subscriber._core.then((core) => core.follow(), () => {}); }
    const track = participant.publication(sources[type].video)?.track;
    if (subscribers.length === 0 && track && !participant.isLocal) { this.hide(track); }
  }

  /** A track that is in no element is sent at its best, one that was taken out of its last is not sent. */
  hide(track) {
    if (track.elements.length === 0 && !track.isSized) { track.detach(track.attach(document.createElement("video"))); }
  }
}
