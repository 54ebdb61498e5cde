import { playback } from "./playback.js";

/** The common part of local and remote tracks. */
class Track extends EventTarget {
  #elements = new Set();
  #mediaStreamTrack;

  constructor(mediaStreamTrack, source) {
    super();
    this.#mediaStreamTrack = mediaStreamTrack;
    /** The source of the media. @type {"microphone"|"camera"|"screen"|"screenAudio"} */
    this.source = source;
    /** @type {"audio"|"video"} */
    this.kind = source === "microphone" || source === "screenAudio" ? "audio" : "video";
  }

  /** The browser's track; null while a camera is off. @type {MediaStreamTrack|null} */
  get mediaStreamTrack() { return this.#mediaStreamTrack; }

  /** Swaps the browser's track under every element it is attached to. */
  _setMediaStreamTrack(track) {
    this.#mediaStreamTrack = track;
    for (const element of this.#elements) { this.#show(element); }
    this.dispatchEvent(new Event("changed"));
  }

  /**
   * Plays the track in a media element. Video elements are muted, because audio has elements of its own.
   *
   * @param {HTMLMediaElement} [element] a new one is made when none is given
   * @returns {HTMLMediaElement}
   */
  attach(element = document.createElement(this.kind)) {
    element.autoplay = true;
    if (this.kind === "video") {
      element.muted = true;
      element.playsInline = true;
    }
    this.#elements.add(element);
    this.#show(element);
    return element;
  }

  /**
   * Takes the track out of an element, or out of all.
   *
   * @param {HTMLMediaElement} [element]
   */
  detach(element) {
    for (const each of element ? [element] : [...this.#elements]) {
      if (this.#elements.delete(each)) { each.srcObject = null; }
    }
  }

  /** The elements that the track is attached to. @type {HTMLMediaElement[]} */
  get elements() { return [...this.#elements]; }

  #show(element) {
    const track = this.#mediaStreamTrack;
    if (!track) { element.srcObject = null; return; }
    const stream = element.srcObject;
    if (stream instanceof MediaStream && stream.getTracks().length === 1 && stream.getTracks()[0] === track) { return; }
    element.srcObject = new MediaStream([track]);
    this._shown?.(element);
  }
}

/**
 * A track that this client sends. Mute it through `LocalParticipant`, which also reports it to the others.
 *
 * Dispatches `changed` when its browser track is swapped and `ended` when the device goes away.
 */
export class LocalTrack extends Track {
  /**
   * @param {MediaStreamTrack|null} mediaStreamTrack null for a camera that is off
   * @param {"microphone"|"camera"|"screen"|"screenAudio"} source
   */
  constructor(mediaStreamTrack, source) {
    super(null, source);
    this._replace(mediaStreamTrack);
  }

  /** Id of the device in use. @type {string|undefined} */
  get deviceId() { return this.mediaStreamTrack?.getSettings?.().deviceId; }

  _replace(track) {
    if (track && this.kind === "audio" && "contentHint" in track && this.source === "microphone") { track.contentHint = "speech"; }
    if (track) {
      track.addEventListener("ended", () => {
        if (this.mediaStreamTrack === track) { this.dispatchEvent(new Event("ended")); }
      });
    }
    this._setMediaStreamTrack(track);
  }

  /** Stops the device; its light goes out. */
  stop() {
    const track = this.mediaStreamTrack;
    this._setMediaStreamTrack(null);
    track?.stop();
  }
}

/**
 * A track that another participant sends and this client receives.
 *
 * Dispatches `changed` when its browser track is swapped, and `blockedchanged` when `blocked` is another.
 */
export class RemoteTrack extends Track {
  #views;
  #pinned = false;

  /**
   * @param {MediaStreamTrack} mediaStreamTrack
   * @param {import("./publication.js").Publication} publication
   * @param {string} mid m-section of the slot that carries it
   * @param {import("./views.js").Views} [views] the object that reports its size to the server
   */
  constructor(mediaStreamTrack, publication, mid, views) {
    super(mediaStreamTrack, publication.source);
    this.#views = this.kind === "video" ? views ?? null : null;
    /** @type {import("./publication.js").Publication} */
    this.publication = publication;
    /** The m-section that carries the track at present; its statistics have the same `mid`. @type {string} */
    this.mid = mid;
    /** Whether its size on the page is known: it has been attached to an element. */
    this.isSized = false;
    this.#views?.add(this);
  }

  /**
   * Whether this video has priority over unpinned ones when the network has too little capacity.
   *
   * @type {boolean}
   */
  get pinned() { return this.#pinned; }

  set pinned(pinned) {
    this.#pinned = pinned === true;
    this._viewChanged();
  }

  /**
   * Whether it cannot be heard before somebody has clicked: browsers let no page be loud before. `playback.unblock()`,
   * called from the click, plays it.
   *
   * @type {boolean}
   */
  get blocked() { return this.elements.some((each) => playback.isBlocked(each)); }

  /** Another size, rate or priority is wanted of it. */
  _viewChanged() { this.#views?.changed(); }

  attach(element) {
    const shown = super.attach(element);
    this.#views?.observe(this, shown);
    return shown;
  }

  detach(element) {
    for (const each of element ? [element] : this.elements) {
      this.#views?.unobserve(this, each);
      playback._remove(each);
    }
    super.detach(element);
  }

  _shown(element) {
    if (this.kind === "audio") { playback._add(element, this); }
  }

  /** The slot carries something else now. */
  _end() {
    this.#views?.remove(this);
    this.detach();
  }
}
