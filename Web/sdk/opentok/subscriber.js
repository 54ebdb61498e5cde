import { playback } from "../playback.js";
import { WidgetCore } from "./widget.js";

const patience = 20_000;

const rateOf = (rate) => (rate >= 1 && rate <= 240 ? Math.round(rate) : null);

function sizeOf(size) {
  const { width, height } = { width: Math.round(size?.width), height: Math.round(size?.height) };
  return width >= 1 && height >= 1 && width <= 16_384 && height <= 16_384 ? { width, height } : null;
}

/** The work behind `session.subscribe`: plays the tracks of a stream for as long as the server sends them. */
export class SubscriberCore extends WidgetCore {
  #session = null;
  #participant = null;
  #wants;
  #volume = 100;
  #rate = null;
  #size = null;
  #audio = document.createElement("audio");
  #attached = { audio: null, video: null };
  #isConnected = false;
  #isDestroyed = false;
  #settle = null;
  #pictureIsOff = null;
  #isWarned = false;
  #noteBlocked = ({ detail }) => { if (detail.element === this.#audio) { this.#tellBlocked(detail.blocked); } };

  constructor(facade, kit) {
    super(facade, kit);
    const { subscribeToAudio, subscribeToVideo, audioVolume, preferredResolution, preferredFrameRate } = facade.properties;
    this.#wants = { audio: subscribeToAudio !== false, video: subscribeToVideo !== false };
    if (audioVolume !== undefined) { this.setVolume(audioVolume); }
    this.#size = sizeOf(preferredResolution);
    this.#rate = rateOf(preferredFrameRate);
    this.video.addEventListener("resize", () => this.#resized());
    playback.addEventListener("blockedchanged", this.#noteBlocked);
    /** Settles when the stream plays. @type {Promise<void>} */
    this.opened = this.#open();
  }

  get soundTrack() { return this.#attached.audio?.mediaStreamTrack ?? null; }

  async #open() {
    const { _session: session, _stream: stream } = this.facade.properties;
    const { OTError } = this.kit;
    this.#session = await session._core;
    this.#participant = this.#session.ownerOf(stream);
    if (!session.isConnected()) { throw new OTError("OT_NOT_CONNECTED", "Connect to the session before you subscribe."); }
    if (!this.#participant) { throw new OTError("OT_STREAM_NOT_FOUND", "There is no such stream in the session."); }
    if (session.capabilities?.subscribe !== 1) { throw new OTError("OT_PERMISSION_DENIED", "The token does not let you subscribe."); }
    this.show();
    this.facade.element.append(this.#audio);
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new OTError("OT_TIMEOUT", "The stream did not come in time.")), patience);
      this.#settle = (error) => { clearTimeout(timer); error ? reject(error) : resolve(); };
      this.follow();
    });
  }

  /** Something of the stream has changed: plays what there is now. */
  follow() {
    if (this.#isDestroyed || !this.#participant) { return; }
    const { stream } = this.facade;
    this.#attach("audio", this.#publication("audio"), this.#audio);
    this.#attach("video", this.#publication("video"), this.video);
    this.#tellPicture();
    // A video that this browser can't decode isn't waited for.
    const isThere = (kind, has) => !has || this.#attached[kind] !== null || !this.#wants[kind] || Boolean(this.#publication(kind)?.undecodableCodec);
    if (!this.#isConnected && isThere("audio", stream.hasAudio) && isThere("video", stream.hasVideo)) {
      this.#isConnected = true;
      this.#settle?.();
      this.facade._emit("connected");
      // The stream itself says whether its publisher sends a picture; nothing else reports its codec.
      if (this.#pictureIsOff === "codecNotSupported") { this.facade._emit("videoDisabled", { reason: "codecNotSupported" }, { cancelable: true }); }
    }
    this.#warn();
  }

  #publication(kind) {
    const sources = this.facade.stream.videoType === "screen" ? { audio: "screenAudio", video: "screen" } : { audio: "microphone", video: "camera" };
    return this.#participant.publication(sources[kind]);
  }

  /** Reports that the video may go soon, since this client's network has hardly enough capacity, or that the danger is
   * over. */
  #warn() {
    const { isSlow } = this.#session;
    if (!this.#isConnected || this.#participant.isLocal || this.#isWarned === isSlow || this.#pictureIsOff !== null || !this.facade.stream.hasVideo) { return; }
    this.#isWarned = isSlow;
    this.facade._emit(isSlow ? "videoDisableWarning" : "videoDisableWarningLifted");
  }

  #attach(kind, publication, element) {
    // One's own tracks are not sent back by the server: they are shown as they are, and the sound stays off.
    const own = this.#participant.isLocal;
    const wanted = this.#wants[kind] && !(own && kind === "audio") ? publication?.track ?? null : null;
    const before = this.#attached[kind];
    if (before !== wanted) {
      before?.detach(element);
      this.#attached[kind] = wanted;
      wanted?.attach(element);
      if (kind === "audio") { element.volume = this.#volume / 100; }
    }
    if (kind === "video" && publication && !own) {
      if (publication.frameRate !== this.#rate) { publication.setFrameRate(this.#rate); }
      if (publication.preferredSize !== this.#size) { publication.setPreferredSize(this.#size); }
    }
    // A video that nobody watches need not be sent.
    if (kind === "video" && !wanted && publication?.track && !own) { this.#session.hide(publication.track); }
  }

  #tellPicture() {
    const publication = this.#publication("video");
    const reason = !this.#wants.video ? "subscribeToVideo"
      : publication?.muted ? "publishVideo" : publication?.undecodableCodec ? "codecNotSupported" : publication?.paused ? "quality" : null;
    if (reason === this.#pictureIsOff) { return; }
    const before = this.#pictureIsOff;
    this.#pictureIsOff = reason;
    if (!this.#isConnected) { return; }
    if (reason) { this.facade._emit("videoDisabled", { reason }, { cancelable: true }); } else { this.facade._emit("videoEnabled", { reason: before }, { cancelable: true }); }
  }

  #tellBlocked(blocked) {
    this.facade._isAudioBlocked = blocked;
    this.facade._emit(blocked ? "audioBlocked" : "audioUnblocked");
  }

  #resized() {
    const { videoWidth: width, videoHeight: height } = this.video;
    if (width && height) { this.#session?.sized(this.facade.stream, { width, height }); }
  }

  /** `subscribeToAudio` and `subscribeToVideo`. */
  want(kind, on) {
    this.#wants[kind] = on;
    this.follow();
  }

  /** @param {number} volume 0 to 100 */
  setVolume(volume) {
    this.#volume = Math.min(100, Math.max(0, Number(volume) || 0));
    this.facade._volume = this.#volume;
    this.#audio.volume = this.#volume / 100;
  }

  /** A picture of about this size, whatever that of its element; anything else means the element's. */
  prefer(size) {
    this.#size = sizeOf(size);
    this.follow();
  }

  /** No more pictures a second than these; anything else means all there are. */
  preferRate(rate) {
    this.#rate = rateOf(rate);
    this.follow();
  }

  /** The stream has ended. */
  ended(reason) {
    if (this.#isDestroyed) { return; }
    this.#settle?.(new this.kit.OTError("OT_STREAM_NOT_FOUND", `The stream ended (${reason}).`));
    if (this.#isConnected) { this.facade._emit("disconnected"); }
    this.#isConnected = false;
  }

  destroy() {
    if (this.#isDestroyed) { return; }
    this.ended("unsubscribed");
    this.#isDestroyed = true;
    playback.removeEventListener("blockedchanged", this.#noteBlocked);
    const { video, audio } = this.#attached;
    video?.detach(this.video);
    audio?.detach(this.#audio);
    if (video && !this.#participant.isLocal) { this.#session.hide(video); }
    this.remove();
    this.#session?.forget(this.facade);
    this.facade._emit("destroyed", { reason: "unsubscribed" });
    this.facade.stream = null;
  }

  /** The browser's statistics of what is received. */
  async stats() { return this.#session.statistics.inbound(this.#attached); }

  /** @returns {Promise<RTCStatsReport>} */
  async report() { return this.#session.statistics.report(); }
}
