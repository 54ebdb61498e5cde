import { characters } from "/sdk/text.js";
import { codecName } from "./codecs.js";
import { h, setAttribute, setText } from "./dom.js";
import { icon, qualityBars, qualityWords } from "./icons.js";

/** Whether a character is an emoji such as 1️⃣, which begins with a digit. */
const isKeycap = (character) => character.includes("\u20E3");
const isLetter = (character) => /^(?!\p{Default_Ignorable_Code_Point}|\p{Lm})[\p{L}\p{N}]|^(?!\p{Emoji})(?=\p{So})\p{Alphabetic}/u.test(character)
  && !isKeycap(character);
/** These look like quotation marks: ʻOkina, ʿAlī. */
const isModifier = (character) => /^\p{Lm}/u.test(character);
const isSign = (character) => /^\p{S}/u.test(character) || isKeycap(character);
/** White space, dashes of all scripts, connectors such as "_", full stops and Japanese middle dots. */
const isSeparator = (character) => /^[\p{White_Space}\p{Pd}\p{Pc}.\uff0e\u30fb\uff65]/u.test(character);
/** U+00B7 and its equivalent U+0387. */
const isDot = (character) => character.normalize() === "\u00b7";
/** In names such as 约翰·史密斯 the dot parts words; in Catalan (Gal·la) it is within one. */
const parts = (word) => (/^\p{Ideographic}/u.test(word[0] ?? "") ? split(word, isDot) : [word]);

/** The runs of characters between those that part them. */
function split(all, isBetween) {
  const runs = [[]];
  for (const character of all) { if (isBetween(character)) { runs.push([]); } else { runs.at(-1).push(character); } }
  return runs;
}

/** The title case of a code point, for which JavaScript has no function. */
function titleCaseOfFirst(first) {
  const upper = first.toUpperCase();
  // ǆ and Ǆ: their title case ǅ comes after the upper case.
  if (/[\u01c4-\u01cc\u01f1-\u01f3]/u.test(first)) { return String.fromCodePoint(upper.codePointAt(0) + 1); }
  // Georgian (Mkhedruli) has capitals for whole words alone.
  if (upper === first || /[\u10d0-\u10ff]/u.test(first)) { return first; }
  // Marks stay as they are: the upper case of an iota below (ᾳ) would be a letter of its own.
  const [base, ...marks] = first.normalize("NFD");
  return (base.toUpperCase() + marks.join("")).normalize("NFC");
}

/** Title case that needs more characters (ß, ﬁ) stays as it is written. */
function titleCase(character) {
  const [first, ...rest] = character;
  const title = titleCaseOfFirst(first) + rest.join("");
  return characters(title).length === 1 ? title : character;
}

/**
 * The initials that stand for a name without a picture: of its first and its last word the first character that is a
 * letter or digit, a modifier letter (ʻ) where the word has no other, or a sign where no word has any. `Initials` in
 * Swift gives the same (`Tests/Base/BasicsTests/initials.json`).
 *
 * @param {string} name
 * @returns {string} one or two characters
 */
export function initials(name) {
  const words = split(characters(name), isSeparator).flatMap(parts);
  const found = (test, other = () => false) => words.map((word) => word.find(test) ?? word.find(other)).filter(Boolean);
  const letters = found(isLetter, isModifier);
  const chosen = letters.length > 0 ? letters : found(isSign);
  if (chosen.length === 0) { return "?"; }
  return chosen.length > 1 ? titleCase(chosen[0]) + titleCase(chosen.at(-1)) : titleCase(chosen[0]);
}

/**
 * A hue that a name always gets.
 *
 * @param {string} name
 * @returns {number} index of one of eight colours
 */
export function hueIndex(name) {
  let hash = 7;
  for (const character of name) { hash = (hash * 31 + character.codePointAt(0)) >>> 0; }
  return hash % 8;
}

/** One picture on the stage: a participant's camera, or a shared screen. */
export class Tile {
  #video = null;
  #avatar;
  #name;
  /** A part that must be read also where the name is too long for the tile. */
  #number = h("span", { class: "tile-number" });
  #suffix = h("span", { class: "tile-suffix" });
  #marks;
  #microphone;
  #bars = qualityBars();
  #state;
  #pin;
  #track = null;
  #pinned = false;
  #actions;
  #hand;

  /**
   * @param {import("/sdk/parley.js").Participant} participant
   * @param {"camera"|"screen"} kind
   * @param {{onPin: (tile: Tile) => void, onDetails: (tile: Tile) => void}} handlers
   */
  constructor(participant, kind, handlers) {
    this.participant = participant;
    this.kind = kind;
    this.key = `${participant.isLocal ? "self" : participant.id}:${kind}`;
    /** When this participant spoke last; decides who is shown where not all fit. */
    this.lastSpoke = 0;
    /** Its place in the row of raised hands; 0 while its hand is down. */
    this.handPlace = 0;
    /** Whether this participant speaks now. */
    this.speaking = false;
    this.#avatar = h("div", { class: "avatar", "aria-hidden": "true" });
    this.#name = h("span", { class: "tile-name-text", dir: "auto" });
    this.#microphone = h("span", { class: "tile-microphone" }, icon("microphoneOff"));
    this.#state = h("div", { class: "tile-state", hidden: true });
    this.#marks = h("div", { class: "tile-name" }, this.#microphone, this.#name, this.#number, this.#suffix, this.#bars.element);
    this.#pin = h("button", { class: "tile-action", type: "button", on: { click: () => handlers.onPin(this) } }, icon("pin"));
    this.#hand = h("div", { class: "tile-hand", hidden: true }, icon("hand"), h("span", {}));
    this.#actions = h("div", { class: "tile-actions" },
      h("button", {
        class: "tile-action", type: "button", title: "Connection details", "aria-label": "Connection details",
        on: { click: () => handlers.onDetails(this) },
      }, icon("chart")),
      this.#pin);
    this.element = h("article", {
      class: `tile tile-${kind}${participant.isLocal ? " tile-self" : ""}`, "data-participant": participant.id || "self", "data-kind": kind,
      tabIndex: -1, role: "group",
    }, this.#avatar, this.#state, this.#marks, this.#hand, this.#actions);
    this.element.addEventListener("dblclick", (event) => {
      if (!event.target.closest("button")) { handlers.onPin(this); }
    });
    this.setReachable(false);
    this.update();
  }

  /** The publication whose picture is shown. */
  get publication() { return this.participant.publication(this.kind); }

  /** Whether there is a picture to show. @type {boolean} */
  get hasPicture() { return this.#track !== null; }

  /** The playing element, or null. @type {HTMLVideoElement|null} */
  get video() { return this.#video; }

  /** Brings the tile up to date with its participant. */
  update() {
    const { participant, kind } = this;
    const publication = this.publication;
    const track = publication && !publication.muted && publication.track?.mediaStreamTrack ? publication.track : null;
    this.#showTrack(track);
    const name = participant.isLocal ? (participant.name ? `${participant.displayName} (you)` : "You") : participant.displayName;
    const isOwnScreen = kind === "screen" && participant.isLocal;
    setText(this.#name, isOwnScreen ? "Your screen" : participant.name || "You");
    setText(this.#number, isOwnScreen || participant.nameNumber === 1 ? "" : `(${participant.nameNumber})`);
    setText(this.#suffix, isOwnScreen || !participant.name ? "" : kind === "screen" ? "– screen" : participant.isLocal ? "(you)" : "");
    setText(this.#avatar, initials(participant.name || "?"));
    setAttribute(this.element, "data-hue", hueIndex(participant.name));
    setAttribute(this.element, "data-participant", participant.id || "self");
    const muted = kind === "camera" && !participant.microphoneOn;
    this.#microphone.hidden = !muted;
    this.#bars.element.classList.toggle("bars-hidden", kind === "screen" || participant.quality === "unknown");
    this.#bars.set(participant.quality);
    const hand = kind === "camera" ? this.handPlace : 0;
    this.#hand.hidden = hand === 0;
    setText(this.#hand.lastChild, String(hand));
    const away = participant.connection === "reconnecting";
    const lost = !away && kind === "camera" && participant.quality === "lost";
    const paused = !away && !lost && track !== null && publication.paused;
    const codec = publication && !publication.muted ? publication.undecodableCodec : null;
    const unplayable = !codec ? "" : `This browser cannot play this ${kind === "screen" ? "screen" : "video"} (${codecName(codec)})`;
    const state = away ? "Reconnecting…" : lost ? "Connection lost" : unplayable || (paused ? "Paused: your connection is slow" : "");
    this.#state.hidden = state === "";
    setText(this.#state, state);
    // It may be over in a moment, when the sender goes over to another codec.
    this.#state.classList.toggle("tile-state-late", state !== "" && state === unplayable);
    setAttribute(this.#state, "title", state === unplayable ? unplayable || null : null);
    const audience = participant.isLocal ? publication?.undecodableFor?.count ?? 0 : 0;
    const unseen = audience > 0 ? `${audience} cannot see it` : null;
    this.element.classList.toggle("tile-away", away);
    const label = kind === "screen"
      ? [participant.isLocal ? "Your shared screen" : `Screen shared by ${participant.displayName}`, unplayable, unseen].filter(Boolean).join(", ")
      : [
        name, muted ? "microphone off" : "microphone on", participant.cameraOn ? "camera on" : "camera off",
        hand > 0 ? `hand raised, number ${hand}` : null, qualityWords[participant.quality], away ? "reconnecting" : null, paused ? "paused, your connection is slow" : null,
        unplayable, unseen,
      ].filter(Boolean).join(", ");
    setAttribute(this.element, "aria-label", label);
  }

  /**
   * Makes the tile the one that Tab reaches; the others are reached from it with the arrow keys.
   *
   * @param {boolean} reachable
   */
  setReachable(reachable) {
    this.element.tabIndex = reachable ? 0 : -1;
    for (const button of this.#actions.children) { button.tabIndex = reachable ? 0 : -1; }
  }

  /** @param {number} level 0 when silent */
  setSpeaking(level) {
    if (this.kind !== "camera") { return; }
    this.speaking = level > 0;
    if (level > 0) { this.lastSpoke = performance.now(); }
    this.element.classList.toggle("tile-speaking", level > 0);
  }

  /** @param {boolean} pinned */
  setPinned(pinned) {
    const who = this.kind === "screen" ? "screen" : this.participant.displayName || "you";
    this.#pin.replaceChildren(icon(pinned ? "unpin" : "pin"));
    setAttribute(this.#pin, "aria-pressed", pinned ? "true" : "false");
    setAttribute(this.#pin, "aria-label", pinned ? `Unpin ${who}` : `Pin ${who}`);
    setAttribute(this.#pin, "title", pinned ? "Unpin" : "Pin");
    this.element.classList.toggle("tile-pinned", pinned);
    this.#pinned = pinned;
    if (this.#track && "pinned" in this.#track) { this.#track.pinned = pinned; }
  }

  /** @param {{x: number, y: number, width: number, height: number}} place */
  place(place) {
    const { style } = this.element;
    style.setProperty("transform", `translate(${place.x.toFixed(1)}px, ${place.y.toFixed(1)}px)`);
    style.setProperty("width", `${place.width.toFixed(1)}px`);
    style.setProperty("height", `${place.height.toFixed(1)}px`);
    style.setProperty("--tile-size", `${Math.min(place.width, place.height).toFixed(0)}px`);
    const least = Math.min(place.width, place.height);
    this.element.classList.toggle("tile-small", least < 130 || place.width < 180);
    this.element.classList.toggle("tile-tiny", place.width < 120);
  }

  /** Takes the tile off the page. */
  remove() {
    this.#showTrack(null);
    this.element.remove();
  }

  #showTrack(track) {
    if (this.#track === track) { return; }
    if (this.#track && this.#video) { this.#track.detach(this.#video); }
    this.#track = track;
    if (!track) {
      this.#video?.remove();
      this.#video = null;
      this.element.classList.remove("tile-picture");
      return;
    }
    const video = track.attach(document.createElement("video"));
    if (this.#pinned && "pinned" in track) { track.pinned = true; }
    video.className = "tile-video";
    video.setAttribute("aria-hidden", "true");
    video.setAttribute("playsinline", "");
    video.disablePictureInPicture = false;
    this.#video?.remove();
    this.#video = video;
    this.element.classList.remove("tile-picture");
    this.element.prepend(video);
    const reveal = () => { if (this.#video === video) { this.element.classList.add("tile-picture"); } };
    // The avatar stays until a picture has really come.
    if (typeof video.requestVideoFrameCallback === "function") { video.requestVideoFrameCallback(reveal); } else {
      video.addEventListener("playing", reveal, { once: true });
    }
    video.play().catch(() => {});
  }
}
