import { open } from "./media.js";
import { WidgetCore } from "./widget.js";

/**
 * How long the end of one track waits for that of the other: a host ends a camera and its microphone in two messages,
 * and a page is to hear of one end.
 */
const pairing = 60;

const kinds = ["audio", "video"];

/**
 * The work behind `OT.initPublisher`: opens devices at once and shows them; a session sends them once it publishes.
 */
export class PublisherCore extends WidgetCore {
  #tracks = { audio: null, video: null };
  /** The origin of each track, by `audioSource` and `videoSource`. */
  #from;
  /** Whether it is off: the page or a host has turned it off, or its device could not be opened. */
  #isOff;
  /** Whether the page wants its picture sent: a track that a host turned off is sent when it is published again. */
  #wantsVideo;
  /** Those that a host has ended since the last time that it was settled what is left. */
  #ended = new Set();
  #settling = null;
  #participant = null;
  #name = undefined;
  #isDestroyed = false;

  constructor(facade, kit) {
    super(facade, kit);
    const { publishAudio, publishVideo, audioSource, videoSource } = facade.properties;
    this.#isOff = { audio: publishAudio === false, video: publishVideo === false };
    this.#wantsVideo = !this.#isOff.video;
    this.#from = { audio: audioSource, video: videoSource };
    this.isScreen = false;
    /** Settles when the devices are open, or refused. @type {Promise<void>} */
    this.opened = this.#open();
  }

  get soundTrack() { return this.#tracks.audio; }

  /** The sources of the SDK under which it publishes. */
  get sources() { return this.isScreen ? { audio: "screenAudio", video: "screen" } : { audio: "microphone", video: "camera" }; }

  // MARK: Devices

  async #open() {
    const { facade } = this;
    const found = await this.#find(facade.properties);
    if (this.#isDestroyed) {
      for (const kind of kinds) { if (found[kind] !== this.#from[kind]) { found[kind]?.stop(); } }
      throw new this.kit.OTError("OT_ILLEGAL_STATE", "The publisher was destroyed.");
    }
    this.isScreen = facade._isScreen = found.isScreen;
    const isMirrored = !this.isScreen && facade.properties.mirror !== false;
    if (isMirrored) { this.video.style.transform = "scaleX(-1)"; }
    for (const kind of kinds) { this.#take(kind, found[kind]); }
    this.show();
    facade.accessAllowed = true;
    facade._emit("accessAllowed");
  }

  /** Opens devices; `accessDenied` reports that the page may not. */
  async #find(properties) {
    try {
      return await open(properties, this.kit);
    } catch (error) {
      if (error.name === "OT_USER_MEDIA_ACCESS_DENIED") { this.facade._emit("accessDenied"); }
      throw error;
    }
  }

  /** The tracks that are shown and sent from now on. */
  #take(kind, track) {
    this.#tracks[kind] = track;
    this.facade._tracks = { ...this.#tracks };
    track?.addEventListener("ended", () => { if (this.#tracks[kind] === track) { this.#deviceEnded(); } });
    this.#enable(kind);
  }

  /** A track that is off is neither shown nor sent. */
  #enable(kind) {
    if (this.#tracks[kind]) { this.#tracks[kind].enabled = !this.#isOff[kind]; }
    if (kind === "video") { this.#preview(); }
  }

  #preview() {
    const { video } = this.#tracks;
    this.video.srcObject = video?.readyState === "live" ? new MediaStream([video]) : null;
  }

  #deviceEnded() {
    if (this.#isDestroyed) { return; }
    this.facade._emit("mediaStopped");
    if (this.isScreen) { this.facade.session?._core.then((session) => session.unpublish(this.facade, "mediaStopped")); }
  }

  /** Whether the page made this track: it stays the page's, and copies of it are sent. */
  #isGiven(kind) { return this.#tracks[kind] !== null && this.#tracks[kind] === this.#from[kind]; }

  #copy(kind) { return this.#isGiven(kind) ? this.#tracks[kind].clone() : this.#tracks[kind]; }

  /** Opens again what has ended, since a host had it stopped or its device went away. */
  async #revive(kind) {
    const track = this.#tracks[kind];
    if (track?.readyState !== "ended") { return; }
    if (this.isScreen || this.#isGiven(kind)) {
      throw new this.kit.OTError("OT_HARDWARE_UNAVAILABLE", `${this.isScreen ? "What was shared" : "The track that the page has given"} has ended. Publish another one.`);
    }
    const found = await this.#find({ ...this.facade.properties, ...onlyOf(kind, this.#from[kind]) });
    // Others may have come first while the device opened.
    if (this.#isDestroyed || this.#tracks[kind] !== track) { found[kind].stop(); return; }
    this.#take(kind, found[kind]);
  }

  // MARK: Publishing

  /** Waits for the devices, and opens those again that have ended. */
  async ready() {
    await this.opened;
    for (const kind of kinds) { await this.#revive(kind); }
    if (this.#isDestroyed) { throw new this.kit.OTError("OT_ILLEGAL_STATE", "The publisher was destroyed."); }
  }

  /** Hands the tracks to the meeting; the offer that follows carries them. */
  publish(participant, name) {
    this.#isOff.video = !this.#wantsVideo;
    this.#enable("video");
    this.#participant = participant;
    this.#name = name;
    this.#ended.clear();
    for (const kind of kinds) {
      const track = this.#copy(kind);
      if (track) { participant._prepare(track, this.sources[kind], this.#isOff[kind], name); }
    }
  }

  /** Takes the tracks back: the preview goes on. */
  async unpublish() {
    const participant = this.#participant;
    this.#participant = null;
    if (!participant) { return; }
    // The SDK stops what it gives up, and the preview is to go on.
    if (!this.#isDestroyed) {
      for (const kind of kinds) { if (this.#tracks[kind] && !this.#isGiven(kind)) { this.#take(kind, this.#tracks[kind].clone()); } }
    }
    await participant._unpublish(Object.values(this.sources));
  }

  /** The meeting is over, which has stopped what was sent. */
  left() { this.#participant = null; }

  /** `publishAudio` and `publishVideo`. Others learn that it is on once it is sent. */
  async mute(kind, isOff) {
    await this.opened;
    this.#isOff[kind] = isOff;
    if (kind === "video") { this.#wantsVideo = !isOff; }
    const source = this.sources[kind];
    if (!this.#participant) { return this.#apply(kind); }
    return this.#participant._inTurn(source, () => this.#apply(kind));
  }

  async #apply(kind) {
    try {
      await this.#turn(kind);
    } catch (error) {
      this.#isOff[kind] = true;
      this.#enable(kind);
      throw error;
    }
  }

  async #turn(kind) {
    if (!this.#isOff[kind]) { await this.#revive(kind); }
    const isOff = this.#isOff[kind];
    const track = this.#tracks[kind];
    if (!track || this.#isDestroyed) { return; }
    this.#enable(kind);
    const participant = this.#participant;
    if (!participant) { return; }
    const publication = participant.publication(this.sources[kind]);
    if (publication?.track?.mediaStreamTrack?.readyState === "live") {
      participant._mute(publication, isOff);
    } else if (!isOff) {
      this.#ended.delete(this.sources[kind]);
      await participant._publish(this.#copy(kind), this.sources[kind], { name: this.#name });
    }
  }

  // MARK: By a host

  /** Whether a track of this source is of its own. */
  sends(source) { return this.#participant !== null && Object.values(this.sources).includes(source); }

  /** A host has muted a track: what the page reads and the preview follow. */
  forceMuted(source) {
    const kind = source === this.sources.audio ? "audio" : "video";
    this.#isOff[kind] = true;
    this.#enable(kind);
    // Its device is stopped in a moment, and a picture that stands still is none.
    if (kind === "video") { this.video.srcObject = null; }
    if (kind === "audio") { this.facade._emit("muteForced", {}, { cancelable: true }); }
  }

  /**
   * A host has ended a track, or taken the right to send it: the other one goes on.
   *
   * @param {string} source
   * @param {() => void} nothingIsLeft
   */
  forceEnded(source, nothingIsLeft) {
    this.#ended.add(source);
    this.#settling ??= setTimeout(() => {
      this.#settling = null;
      const participant = this.#participant;
      if (!participant) { return; }
      if (!Object.values(this.sources).some((each) => participant.publication(each))) {
        this.#participant = null;
        nothingIsLeft();
        return;
      }
      for (const each of this.#ended) { this.forceMuted(each); }
      this.#ended.clear();
    }, pairing);
  }

  // MARK: Other devices

  /** Takes the next camera of this machine. */
  async cycleVideo() {
    await this.opened;
    const { devices } = await import("./core.js");
    const cameras = (await devices()).filter(({ kind }) => kind === "videoInput");
    const current = cameras.findIndex(({ deviceId }) => deviceId === this.#tracks.video?.getSettings().deviceId);
    const next = cameras[(current + 1) % Math.max(1, cameras.length)];
    if (!next) { throw new this.kit.OTError("OT_NO_DEVICES_FOUND", "There is no camera."); }
    await this.setVideoSource(next.deviceId);
    return { deviceId: next.deviceId };
  }

  /** Takes another microphone: a track or the id of a device. */
  async setAudioSource(source) { await this.#replace("audio", source); }

  /** Takes another camera: a track or the id of a device. */
  async setVideoSource(source) { await this.#replace("video", source); }

  async #replace(kind, from) {
    await this.opened;
    const found = await open({ ...this.facade.properties, ...onlyOf(kind, from) }, this.kit);
    if (!found[kind]) { throw new this.kit.OTError("OT_INVALID_PARAMETER", `Give a track or the id of a device for the ${kind}.`); }
    const old = this.#isGiven(kind) ? null : this.#tracks[kind];
    this.#from[kind] = from;
    this.#take(kind, found[kind]);
    const source = this.sources[kind];
    const publication = this.#participant?.publication(source);
    const sent = publication?.track?.mediaStreamTrack;
    // A track that a host ended is published again when it is turned on.
    if (this.#participant && (publication || !this.#isOff[kind])) {
      await this.#participant._publish(this.#copy(kind), source, { muted: this.#isOff[kind], name: this.#name });
    }
    for (const each of [old, sent]) { each?.stop(); }
  }

  async destroy() {
    if (this.#isDestroyed) { return; }
    this.#isDestroyed = true;
    clearTimeout(this.#settling);
    const session = await this.facade.session?._core;
    if (session) { await session.unpublish(this.facade); }
    for (const kind of kinds) { if (!this.#isGiven(kind)) { this.#tracks[kind]?.stop(); } }
    this.remove();
    this.facade._emit("destroyed");
  }

  // MARK: Statistics

  /** The browser's statistics of what is sent. */
  async stats() {
    const session = await this.facade.session?._core;
    if (!session || !this.facade.stream) { throw new this.kit.OTError("OT_NOT_CONNECTED", "The publisher is not in a session."); }
    return [{ subscriberId: "", connectionId: "", stats: await session.statistics.outbound(this.sources) }];
  }

  /** @returns {Promise<{rtcStatsReport: RTCStatsReport}[]>} */
  async report() {
    const session = await this.facade.session?._core;
    if (!session) { throw new this.kit.OTError("OT_NOT_CONNECTED", "The publisher is not in a session."); }
    return [{ subscriberId: "", connectionId: "", rtcStatsReport: await session.statistics.report() }];
  }
}

/** The properties that open one kind alone. */
function onlyOf(kind, source) { return kind === "audio" ? { audioSource: source, videoSource: null } : { videoSource: source, audioSource: null }; }
