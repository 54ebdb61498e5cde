/** Plays the sound of every subscribed track, apart from the tiles, so that nobody goes silent when a tile is hidden. */
export class AudioSink {
  #container;
  #elements = new Map();
  #onBlocked;
  #speakerId;

  /**
   * @param {HTMLElement} container
   * @param {(blocked: boolean) => void} onBlocked called when the browser refuses to play before the user has clicked
   * @param {string} [speakerId]
   */
  constructor(container, onBlocked, speakerId) {
    this.#container = container;
    this.#onBlocked = onBlocked;
    this.#speakerId = speakerId;
  }

  /** @param {import("/sdk/parley.js").RemoteTrack} track */
  add(track) {
    const element = track.attach(document.createElement("audio"));
    element.dataset.participant = track.publication.participant.id;
    element.dataset.source = track.source;
    this.#elements.set(track, element);
    this.#container.append(element);
    this.#useSpeaker(element);
    this.#play(element);
  }

  /** @param {import("/sdk/parley.js").RemoteTrack} track */
  remove(track) {
    this.#elements.get(track)?.remove();
    this.#elements.delete(track);
  }

  /** Plays everything; to be called from a click. */
  async unblock() {
    this.#onBlocked(false);
    await Promise.all([...this.#elements.values()].map((element) => this.#play(element)));
  }

  /** @param {string} deviceId */
  useSpeaker(deviceId) {
    this.#speakerId = deviceId;
    for (const element of this.#elements.values()) { this.#useSpeaker(element); }
  }

  async #play(element) {
    try { await element.play(); } catch (error) {
      if (error?.name === "NotAllowedError") { this.#onBlocked(true); }
    }
  }

  #useSpeaker(element) {
    if (this.#speakerId && typeof element.setSinkId === "function") { element.setSinkId(this.#speakerId).catch(() => {}); }
  }
}
