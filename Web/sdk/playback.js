import { ParleyError } from "./errors.js";

/**
 * The audio of a page: whether the browser plays it, and through which speaker. There is one for all meetings
 * of a page, since one click unblocks all audio of it.
 *
 * Dispatches `blockedchanged`, with `element` and `blocked` in its detail, when a browser does not let an element play
 * before somebody has clicked, and when it plays after all. The track dispatches `blockedchanged`, too.
 */
class Playback extends EventTarget {
  #elements = new Map();
  #speakerId = "";

  /** Whether something is silent until somebody clicks, and `unblock` is called from the click. @type {boolean} */
  get blocked() { return [...this.#elements.values()].some(({ blocked }) => blocked); }

  /** The speaker in use; empty for the browser's own choice. @type {string} */
  get speakerId() { return this.#speakerId; }

  /**
   * Whether an element is silent until somebody clicks.
   *
   * @param {HTMLMediaElement} element
   * @returns {boolean}
   */
  isBlocked(element) { return this.#elements.get(element)?.blocked === true; }

  /** Plays a track's audio in an element from now on, or goes on with another track in it. */
  _add(element, track) {
    const isNew = !this.#elements.has(element);
    this.#elements.set(element, { track, blocked: this.isBlocked(element) });
    if (isNew && this.#speakerId) { element.setSinkId(this.#speakerId).catch(() => {}); }
    this.#play(element);
  }

  _remove(element) {
    this.#note(element, false);
    this.#elements.delete(element);
  }

  /**
   * Plays what the browser has held back; to be called from a click or a key.
   *
   * @returns {Promise<boolean>} whether everything can be heard now
   */
  async unblock() {
    await Promise.all([...this.#elements.keys()].filter((each) => this.isBlocked(each)).map((each) => this.#play(each)));
    return !this.blocked;
  }

  /**
   * Plays everything through a speaker, now and later.
   *
   * @param {string} deviceId empty for the browser's own choice
   * @throws {ParleyError} `unsupported` in browsers that let no page choose; `deviceNotFound` where there is no such
   *   speaker, everything then plays as before
   */
  async setSpeaker(deviceId) {
    // Also where nothing plays yet.
    const elements = [document.createElement("audio"), ...this.#elements.keys()];
    if (!("setSinkId" in elements[0])) { throw new ParleyError("unsupported", "This browser lets no page choose the speaker."); }
    try {
      await Promise.all(elements.map((each) => each.setSinkId(deviceId)));
    } catch (error) {
      for (const each of this.#elements.keys()) { each.setSinkId(this.#speakerId).catch(() => {}); }
      throw new ParleyError("deviceNotFound", "There is no such speaker, or this page may not use it.", { cause: error });
    }
    this.#speakerId = deviceId;
  }

  async #play(element) {
    try {
      await element.play();
      this.#note(element, false);
    } catch (error) {
      // Any other means that it has nothing to play any more, or something else.
      if (error?.name === "NotAllowedError") { this.#note(element, true); }
    }
  }

  #note(element, blocked) {
    const entry = this.#elements.get(element);
    if (!entry || entry.blocked === blocked) { return; }
    entry.blocked = blocked;
    this.dispatchEvent(new CustomEvent("blockedchanged", { detail: { element, blocked } }));
    entry.track.dispatchEvent(new Event("blockedchanged"));
  }
}

/** The audio of this page. */
export const playback = new Playback();
