import { open } from "./media.js";
import { WidgetCore } from "./widget.js";

/** The work behind `OT.initPublisher`: opens devices at once and shows them; a session sends them when it is told to. */
export class PublisherCore extends WidgetCore {
  #tracks = { audio: null, video: null };
  #muted = { microphone: false, camera: false };
  #participant = null;
  #isDestroyed = false;

  constructor(facade, kit) {
    super(facade, kit);
    const { publishAudio, publishVideo } = facade.properties;
    this.#muted = { microphone: publishAudio === false, camera: publishVideo === false };
    this.isScreen = false;
    /** Settles when the devices are open, or refused. @type {Promise<void>} */
    this.opened = this.#open();
  }

  get soundTrack() { return this.#tracks.audio; }

  /** The sources of the SDK under which it publishes. */
  get sources() { return this.isScreen ? { audio: "screenAudio", video: "screen" } : { audio: "microphone", video: "camera" }; }

  async #open() {
    const { facade } = this;
    let found;
    try {
      found = await open(facade.properties, this.kit);
    } catch (error) {
      if (error.name === "OT_USER_MEDIA_ACCESS_DENIED") { facade._emit("accessDenied"); }
      throw error;
    }
    if (this.#isDestroyed) {
      found.audio?.stop();
      found.video?.stop();
      throw new this.kit.OTError("OT_ILLEGAL_STATE", "The publisher was destroyed.");
    }
    this.isScreen = facade._isScreen = found.isScreen;
    this.#tracks = facade._tracks = { audio: found.audio, video: found.video };
    const isMirrored = !this.isScreen && facade.properties.mirror !== false;
    if (isMirrored) { this.video.style.transform = "scaleX(-1)"; }
    this.#preview();
    this.show();
    for (const track of [found.audio, found.video]) {
      track?.addEventListener("ended", () => this.#ended());
    }
    facade.accessAllowed = true;
    facade._emit("accessAllowed");
  }

  #preview() {
    this.video.srcObject = this.#tracks.video ? new MediaStream([this.#tracks.video]) : null;
  }

  #ended() {
    if (this.#isDestroyed) { return; }
    this.facade._emit("mediaStopped");
    if (this.isScreen) { this.facade.session?._core.then((session) => session.unpublish(this.facade, "mediaStopped")); }
  }

  /** Hands the tracks to the meeting; the offer that follows carries them. */
  publish(participant, name) {
    this.#participant = participant;
    for (const kind of ["audio", "video"]) {
      const track = this.#tracks[kind];
      if (track) { participant._prepare(track, this.sources[kind], this.#isMuted(kind), name); }
    }
  }

  /** Takes the tracks back: the preview goes on. */
  async unpublish() {
    const participant = this.#participant;
    this.#participant = null;
    if (!participant) { return; }
    // The SDK stops what it gives up, and the preview is to go on.
    if (!this.#isDestroyed) {
      this.#tracks = this.facade._tracks = { audio: this.#tracks.audio?.clone() ?? null, video: this.#tracks.video?.clone() ?? null };
      this.#preview();
    }
    await participant._unpublish(Object.values(this.sources));
  }

  #isMuted(kind) { return this.#muted[kind === "audio" ? "microphone" : "camera"]; }

  /** `publishAudio` and `publishVideo`. */
  async mute(what, muted) {
    await this.opened;
    this.#muted[what] = muted;
    const kind = what === "microphone" ? "audio" : "video";
    const publication = this.#participant?.publication(this.sources[kind]);
    if (publication) { this.#participant._mute(publication, muted); }
    const track = this.#tracks[kind];
    if (track) { track.enabled = !muted; }
  }

  /** The moderator has muted it: what the page reads and the preview follow. */
  forceMuted() {
    this.#muted.microphone = true;
    if (this.#tracks.audio) { this.#tracks.audio.enabled = false; }
    this.facade._emit("muteForced", {}, { cancelable: true });
  }

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
  async setAudioSource(source) { await this.#replace("audio", { audioSource: source, videoSource: null }); }

  /** Takes another camera: a track or the id of a device. */
  async setVideoSource(source) { await this.#replace("video", { videoSource: source, audioSource: null }); }

  async #replace(kind, properties) {
    await this.opened;
    const found = await open({ ...this.facade.properties, ...properties }, this.kit);
    const old = this.#tracks[kind];
    this.#tracks[kind] = found[kind];
    found[kind].enabled = !this.#isMuted(kind);
    if (kind === "video") { this.#preview(); }
    const source = this.sources[kind];
    if (this.#participant) { await this.#participant._publish(found[kind], source, { muted: this.#isMuted(kind) }); }
    old?.stop();
  }

  async destroy() {
    if (this.#isDestroyed) { return; }
    this.#isDestroyed = true;
    const session = await this.facade.session?._core;
    if (session) { await session.unpublish(this.facade); }
    this.#tracks.audio?.stop();
    this.#tracks.video?.stop();
    this.remove();
    this.facade._emit("destroyed");
  }

  /** The browser's statistics of what is sent. */
  async stats() {
    const session = await this.facade.session?._core;
    if (!session || !this.facade.stream) { throw new this.kit.OTError("OT_NOT_CONNECTED", "The publisher is not in a session."); }
    return [{ subscriberId: "", connectionId: "", stats: await session.outbound(this.#tracks) }];
  }

  /** @returns {Promise<{rtcStatsReport: RTCStatsReport}[]>} */
  async report() {
    const session = await this.facade.session?._core;
    if (!session) { throw new this.kit.OTError("OT_NOT_CONNECTED", "The publisher is not in a session."); }
    return [{ subscriberId: "", connectionId: "", rtcStatsReport: await session.report() }];
  }
}
