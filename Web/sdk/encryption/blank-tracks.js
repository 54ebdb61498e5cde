/**
 * How often black is drawn, in milliseconds, when frames can leave and before. Firefox sends a track that is off once a
 * second, which is too slow.
 */
const intervals = Object.freeze({ expecting: 20, idle: 1_000 });
/** How long frames that can leave are expected, in milliseconds: nobody may want them. */
const expectedTime = 3_000;
/** The size of black where that of the video isn't known. */
const usualSize = Object.freeze({ width: 640, height: 360 });
const now = () => performance.now();

/** Black and silence, to be sent in place of tracks. */
export class BlankTracks {
  /** By track: what draws it. */
  #canvases = new Map();
  #expectedUntil = null;
  #timer = null;

  /**
   * Black or silence, for as long as the track that it returns is live.
   *
   * @param {MediaStreamTrack} track
   * @returns {MediaStreamTrack}
   */
  of(track) {
    if (track.kind === "video") { return this.#blackOf(track.getSettings?.() ?? {}); }
    const silence = track.clone();
    silence.enabled = false;
    return silence;
  }

  /** Frames may begin to leave. */
  expectFrames() {
    this.#expectedUntil = now() + expectedTime;
    this.#draw();
  }

  /** Draws no more. */
  close() {
    clearTimeout(this.#timer);
    this.#canvases.clear();
  }

  #blackOf(size) {
    const { width, height } = size.width > 0 && size.height > 0 ? size : usualSize;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d", { alpha: false });
    const [black] = canvas.captureStream().getVideoTracks();
    this.#canvases.set(black, () => context.fillRect(0, 0, width, height));
    // Frames of a track that comes later leave with the next answer.
    if (this.#expectedUntil === null) { this.#draw(); } else { this.expectFrames(); }
    return black;
  }

  #draw() {
    clearTimeout(this.#timer);
    for (const [black, draw] of this.#canvases) {
      if (black.readyState === "ended") { this.#canvases.delete(black); } else { draw(); }
    }
    if (this.#canvases.size === 0) { return; }
    const isExpecting = this.#expectedUntil !== null && now() < this.#expectedUntil;
    this.#timer = setTimeout(() => this.#draw(), isExpecting ? intervals.expecting : intervals.idle);
  }
}
