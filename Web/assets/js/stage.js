import { h, setText } from "./dom.js";
import { gridCapacity, gridLayout, spotlightLayout } from "./grid.js";
import { Tile } from "./tile.js";

const gap = 8;

/** The tiles of a meeting and where they stand. */
export class Stage {
  #meeting;
  #handlers;
  #tiles = new Map();
  #pinned = null;
  #more = h("button", { class: "tile-more", type: "button", hidden: true });
  #frame = 0;
  #lastScreen = null;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {{onDetails: (tile: Tile) => void, onMore: () => void, onPinned: (tile: Tile|null) => void}} handlers
   */
  constructor(meeting, handlers) {
    this.#meeting = meeting;
    this.#handlers = handlers;
    this.element = h("section", { class: "stage", "aria-label": "Participants’ pictures" }, this.#more);
    this.#more.addEventListener("click", () => handlers.onMore());
    new ResizeObserver(() => this.#soon()).observe(this.element);
  }

  /** The tile that was pinned, or null. @type {Tile|null} */
  get pinned() { return this.#tiles.get(this.#pinned) ?? null; }

  /** How many people the stage shows or hides, oneself included. @type {number} */
  get peopleCount() { return this.#meeting.participants.size + 1; }

  /** Makes, removes and updates tiles after the meeting has changed. */
  refresh() {
    const wanted = new Map();
    const everybody = [...this.#meeting.participants.values(), this.#meeting.localParticipant];
    for (const participant of everybody) {
      wanted.set(`${participant.isLocal ? "self" : participant.id}:camera`, [participant, "camera"]);
      if (participant.sharing) { wanted.set(`${participant.isLocal ? "self" : participant.id}:screen`, [participant, "screen"]); }
    }
    for (const [key, tile] of this.#tiles) {
      if (!wanted.has(key) || wanted.get(key)[0] !== tile.participant) {
        tile.remove();
        this.#tiles.delete(key);
      }
    }
    for (const [key, [participant, kind]] of wanted) {
      let tile = this.#tiles.get(key);
      if (!tile) {
        tile = new Tile(participant, kind, { onPin: (each) => this.togglePin(each), onDetails: this.#handlers.onDetails });
        tile.setPinned(false);
        this.#tiles.set(key, tile);
        this.element.insertBefore(tile.element, this.#more);
        if (kind === "screen" && !participant.isLocal) { this.#lastScreen = key; }
      } else {
        tile.update();
      }
    }
    if (this.#pinned && !this.#tiles.has(this.#pinned)) { this.#pinned = null; }
    this.#soon();
  }

  /**
   * Finds a tile.
   *
   * @param {import("/sdk/parley.js").Participant} participant
   * @param {"camera"|"screen"} [kind]
   * @returns {Tile|undefined}
   */
  tile(participant, kind = "camera") { return this.#tiles.get(`${participant.isLocal ? "self" : participant.id}:${kind}`); }

  /** @param {import("/sdk/parley.js").Participant[]} speakers */
  showSpeakers(speakers) {
    const levels = new Map(speakers.map((each) => [each, each.audioLevel]));
    for (const tile of this.#tiles.values()) { tile.setSpeaking(levels.get(tile.participant) ?? 0); }
    if (!this.#more.hidden) { this.#soon(); }
  }

  /** @param {Tile} tile */
  togglePin(tile) {
    this.#pinned = this.#pinned === tile.key ? null : tile.key;
    for (const each of this.#tiles.values()) { each.setPinned(each.key === this.#pinned); }
    this.#handlers.onPinned(this.pinned);
    this.#soon();
  }

  #soon() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#layOut());
  }

  #layOut() {
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    if (width === 0 || height === 0) { return; }
    const all = [...this.#tiles.values()];
    const self = this.#tiles.get("self:camera");
    const screens = all.filter((tile) => tile.kind === "screen" && !tile.participant.isLocal);
    const main = this.pinned ?? screens.find((tile) => tile.key === this.#lastScreen) ?? screens[0] ?? null;
    const others = all.filter((tile) => tile !== main && tile !== self);
    const narrow = width < 560;
    for (const tile of all) { tile.element.classList.toggle("tile-main", tile === main); }
    this.#more.hidden = true;

    const floating = self && self !== main && others.length > 0 && !main && (others.length === 1 || (narrow && others.length <= 4));
    for (const tile of all) { tile.element.classList.toggle("tile-floating", floating && tile === self); }
    if (main) {
      const small = this.#ranked(self && self !== main ? [self, ...others] : others);
      const { main: place, strip, hidden } = spotlightLayout(small.length, width, height, gap);
      main.place(place);
      this.#show(main, true);
      this.#fill(small, strip, hidden);
      return;
    }
    const inGrid = floating ? others : [...others, ...(self ? [self] : [])];
    const capacity = gridCapacity(width, height);
    const shown = Math.min(inGrid.length, capacity);
    const { tiles } = gridLayout(shown, width, height, gap);
    this.#fill(inGrid.length > capacity ? this.#ranked(inGrid) : inGrid, tiles, inGrid.length > capacity ? inGrid.length - capacity + 1 : 0);
    if (floating) {
      const selfHeight = narrow ? Math.min(150, height * 0.24) : Math.min(190, height * 0.26);
      const selfWidth = narrow ? selfHeight * 3 / 4 : selfHeight * 16 / 9;
      self.place({ x: width - selfWidth - 12, y: height - selfHeight - 12, width: selfWidth, height: selfHeight });
      this.#show(self, true);
    }
  }

  /** Puts tiles in places in order; the rest is hidden, and the last place says how many. */
  #fill(tiles, places, hidden) {
    const forTiles = hidden > 0 ? places.length - 1 : places.length;
    tiles.forEach((tile, index) => {
      this.#show(tile, index < forTiles);
      if (index < forTiles) { tile.place(places[index]); }
    });
    if (hidden > 0) {
      const place = places[places.length - 1];
      this.#more.hidden = false;
      setText(this.#more, `+${hidden} more`);
      this.#more.style.setProperty("transform", `translate(${place.x}px, ${place.y}px)`);
      this.#more.style.setProperty("width", `${place.width}px`);
      this.#more.style.setProperty("height", `${place.height}px`);
    }
  }

  #show(tile, visible) { tile.element.classList.toggle("tile-hidden", !visible); }

  /** Those first who matter most now: oneself, who spoke lately, who shows a picture. */
  #ranked(tiles) {
    const rank = (tile) => {
      if (tile.participant.isLocal && tile.kind === "camera") { return 1e12; }
      return (tile.kind === "screen" ? 1e11 : 0) + tile.lastSpoke * 10 + (tile.hasPicture ? 5 : 0);
    };
    return tiles.map((tile, index) => ({ tile, index })).sort((a, b) => rank(b.tile) - rank(a.tile) || a.index - b.index)
      .map(({ tile }) => tile);
  }
}
