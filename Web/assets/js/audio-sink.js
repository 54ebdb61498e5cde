import { playback } from "/sdk/playback.js";

/**
 * Plays the sound of every subscribed track, apart from the tiles, so that nobody goes silent when a tile is hidden.
 */
export class AudioSink {
  #container;
  #elements = new Map();
  #tell;

  /**
   * @param {HTMLElement} container
   * @param {(blocked: boolean) => void} onBlocked called when the browser does not let it be heard before the user has
   *   clicked, and when it does
   * @param {string} [speakerId]
   */
  constructor(container, onBlocked, speakerId) {
    this.#container = container;
    this.#tell = () => onBlocked(playback.blocked);
    playback.addEventListener("blockedchanged", this.#tell);
    if (speakerId) { this.useSpeaker(speakerId); }
  }

  /** @param {import("/sdk/parley.js").RemoteTrack} track */
  add(track) {
    const element = track.attach(document.createElement("audio"));
    element.dataset.participant = track.publication.participant.id;
    element.dataset.source = track.source;
    this.#elements.set(track, element);
    this.#container.append(element);
  }

  /** @param {import("/sdk/parley.js").RemoteTrack} track */
  remove(track) {
    this.#elements.get(track)?.remove();
    this.#elements.delete(track);
  }

  /** Stops reporting. */
  close() { playback.removeEventListener("blockedchanged", this.#tell); }

  /** Plays everything; to be called from a click. */
  unblock() { return playback.unblock(); }

  /** A speaker that is gone leaves the one in use. @param {string} deviceId */
  useSpeaker(deviceId) { playback.setSpeaker(deviceId).catch(() => {}); }
}
