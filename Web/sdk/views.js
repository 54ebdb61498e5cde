const delay = 120;
const anySize = 65_535;

/**
 * Watches the size at which each video is shown, and reports it to the server, which then sends the layers that fill it
 * and nothing for a hidden one.
 *
 * Elements come here by `RemoteTrack.attach`; a track that was never attached is received at its best.
 */
export class Views {
  #send;
  #tracks = new Map();
  #reported = new Map();
  #timer = null;
  #visible = new WeakMap();
  #resized = typeof ResizeObserver === "function" ? new ResizeObserver(() => this.changed()) : null;
  #scrolled = typeof IntersectionObserver === "function"
    ? new IntersectionObserver((entries) => {
      for (const entry of entries) { this.#visible.set(entry.target, entry.isIntersecting); }
      this.changed();
    })
    : null;
  #onChange = () => this.changed();

  /**
   * @param {(slots: {mid: string, width: number, height: number, pinned: boolean, maxFrameRate?: number}[]) => boolean}
   *   send whether it could be sent
   */
  constructor(send) {
    this.#send = send;
    document.addEventListener("visibilitychange", this.#onChange);
    document.addEventListener("enterpictureinpicture", this.#onChange);
    document.addEventListener("leavepictureinpicture", this.#onChange);
  }

  /**
   * Takes up a track of a slot.
   *
   * @param {import("./track.js").RemoteTrack} track
   */
  add(track) {
    this.#tracks.set(track, new Set());
    this.changed();
  }

  /**
   * Lets go of a track that a slot carries no longer.
   *
   * @param {import("./track.js").RemoteTrack} track
   */
  remove(track) {
    for (const element of this.#tracks.get(track) ?? []) { this.#forget(element); }
    this.#tracks.delete(track);
  }

  /**
   * Watches an element in which a track is shown.
   *
   * @param {import("./track.js").RemoteTrack} track
   * @param {HTMLMediaElement} element
   */
  observe(track, element) {
    track.isSized = true;
    this.#tracks.get(track)?.add(element);
    this.#resized?.observe(element);
    this.#scrolled?.observe(element);
    this.changed();
  }

  /**
   * @param {import("./track.js").RemoteTrack} track
   * @param {HTMLMediaElement} element
   */
  unobserve(track, element) {
    this.#tracks.get(track)?.delete(element);
    this.#forget(element);
    this.changed();
  }

  /** Says all of it again, to a server that knows nothing yet. */
  again() {
    this.#reported.clear();
    this.changed();
  }

  /** Something may be shown at another size; the server hears of it in a moment. */
  changed() {
    this.#timer ??= setTimeout(() => { this.#timer = null; this.#flush(); }, delay);
  }

  /** Ends the watching. */
  close() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#resized?.disconnect();
    this.#scrolled?.disconnect();
    document.removeEventListener("visibilitychange", this.#onChange);
    document.removeEventListener("enterpictureinpicture", this.#onChange);
    document.removeEventListener("leavepictureinpicture", this.#onChange);
    this.#tracks.clear();
  }

  #forget(element) {
    this.#resized?.unobserve(element);
    this.#scrolled?.unobserve(element);
  }

  #flush() {
    const slots = [];
    for (const [track, elements] of this.#tracks) {
      const view = { mid: track.mid, ...this.#size(track, elements), pinned: track.pinned };
      const { frameRate } = track.publication;
      if (frameRate !== null) { view.maxFrameRate = frameRate; }
      const key = `${view.width}x${view.height} ${view.pinned} ${frameRate}`;
      // A slot of which nothing was said shows everything.
      if (key === (this.#reported.get(track.mid) ?? `${anySize}x${anySize} false null`)) { continue; }
      slots.push({ view, key });
    }
    for (let index = 0; index < slots.length; index += 64) {
      const part = slots.slice(index, index + 64);
      if (!this.#send(part.map(({ view }) => view))) { continue; }
      for (const { view, key } of part) { this.#reported.set(view.mid, key); }
    }
  }

  /**
   * The size to send: the preferred one, or else that of the largest element; nothing if no element is visible.
   */
  #size(track, elements) {
    const shown = this.#shown(track, elements);
    return shown.width > 0 && shown.height > 0 ? track.publication.preferredSize ?? shown : shown;
  }

  #shown(track, elements) {
    if (!track.isSized) { return { width: anySize, height: anySize }; }
    let width = 0;
    let height = 0;
    for (const element of elements) {
      const floats = document.pictureInPictureElement === element;
      if (!floats && (document.visibilityState === "hidden" || this.#visible.get(element) === false)) { continue; }
      width = Math.max(width, element.clientWidth);
      height = Math.max(height, element.clientHeight);
    }
    const scale = window.devicePixelRatio || 1;
    // Steps of 16, so that a window that is dragged does not send a message for each pixel.
    const step = (length) => Math.min(anySize, Math.ceil((length * scale) / 16) * 16);
    return { width: step(width), height: step(height) };
  }
}
