import { BlankTracks } from "./blank-tracks.js";

/**
 * Whether the browser itself sends nothing without a transform (`ConnectionEncryption.configuration`): only Chromium
 * knows that, and the older way to reach frames with it.
 */
const failsClosed = () => "createEncodedStreams" in RTCRtpSender.prototype;

/**
 * Keeps a sender's track back until the worker has seen a frame of the sender: it sends black or silence before, in
 * browsers that would send in clear where they only say that a transform is set.
 */
export class SenderProof {
  /** By source: senders without a frame so far, what they send, and the track that is to follow. */
  #waiting = new Map();
  #blanks;
  #onFailed;

  /**
   * @param {(source: string) => void} onFailed the browser doesn't take the track of a source, so others see black
   * @param {BlankTracks | null} [blanks] null lets tracks go out at once
   */
  constructor(onFailed, blanks = failsClosed() ? null : new BlankTracks()) {
    this.#onFailed = onFailed;
    this.#blanks = blanks;
  }

  /**
   * The track that a new sender begins with.
   *
   * @param {MediaStreamTrack} track
   * @returns {MediaStreamTrack} the track itself where the browser fails closed
   */
  firstTrack(track) { return this.#blanks?.of(track) ?? track; }

  /**
   * A sender has begun with `firstTrack`.
   *
   * @param {string} source
   * @param {RTCRtpSender} sender
   * @param {MediaStreamTrack} track the one that it is for
   */
  begin(source, sender, track) { if (sender.track !== track) { this.#waiting.set(source, { sender, blank: sender.track, track }); } }

  /**
   * Puts another track under a sender, now or once its transform has shown itself.
   *
   * @param {string} source
   * @param {RTCRtpSender} sender
   * @param {MediaStreamTrack | null} track
   * @returns {Promise<void>}
   */
  replace(source, sender, track) {
    const waiting = this.#waiting.get(source);
    if (waiting === undefined) { return sender.replaceTrack(track); }
    waiting.blank?.stop();
    waiting.track = track;
    waiting.blank = track && this.firstTrack(track);
    return sender.replaceTrack(waiting.blank);
  }

  /** Frames may begin to leave: black is drawn more often for some time. */
  expectFrames() { this.#blanks?.expectFrames(); }

  /** The worker has seen a frame of a source. @param {string} source */
  accept(source) {
    const waiting = this.#waiting.get(source);
    if (!this.#waiting.delete(source)) { return; }
    waiting.sender.replaceTrack(waiting.track).catch((error) => {
      // A sender that has just stopped takes nothing.
      if (error.name !== "InvalidStateError") { this.#onFailed(source); }
    }).finally(() => waiting.blank?.stop());
  }

  /** Ends the tracks of a source that hasn't been seen. A later one waits too. @param {string} source */
  refuse(source) {
    const waiting = this.#waiting.get(source);
    if (waiting === undefined) { return; }
    for (const name of ["blank", "track"]) {
      waiting[name]?.stop();
      waiting[name] = null;
    }
  }

  /** No track follows any more. */
  close() {
    for (const { blank } of this.#waiting.values()) { blank?.stop(); }
    this.#waiting.clear();
    this.#blanks?.close();
  }
}
