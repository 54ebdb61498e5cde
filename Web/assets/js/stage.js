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
  #order = [];
  #reachable = null;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {{onDetails: (tile: Tile) => void, onMore: () => void, onPinned: (tile: Tile|null) => void}} handlers
   */
  constructor(meeting, handlers) {
    this.#meeting = meeting;
    this.#handlers = handlers;
    this.element = h("section", { class: "stage", "aria-label": "Participants’ pictures" }, this.#more);
    this.#more.addEventListener("click", () => handlers.onMore());
    this.element.addEventListener("focusin", ({ target }) => {
      const tile = [...this.#tiles.values()].find((each) => each.element.contains(target));
      if (tile) { this.#reach(tile); }
    });
    this.element.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#soon()).observe(this.element);
  }

  /** The tile that was pinned, or null. @type {Tile|null} */
  get pinned() { return this.#tiles.get(this.#pinned) ?? null; }

  /** The tile that everybody is to see large: what the participant in the spotlight shares, or their camera. */
  get #spotlit() {
    const participant = this.#meeting.hosting.spotlighted;
    if (!participant || participant.isLocal) { return null; }
    return this.#tiles.get(`${participant.id}:screen`) ?? this.#tiles.get(`${participant.id}:camera`) ?? null;
  }

  /** How many people the stage shows or hides, oneself included. @type {number} */
  get peopleCount() { return this.#meeting.participants.size + 1; }

  /** Makes, removes and updates tiles after the meeting has changed. */
  refresh() {
    const wanted = new Map();
    const everybody = [...this.#meeting.participants.values(), this.#meeting.localParticipant];
    const hands = this.#meeting.hosting.raisedHands;
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
      }
      tile.handPlace = hands.indexOf(participant) + 1;
      tile.update();
    }
    if (!this.#tiles.has(this.#reachable)) { this.#reach(this.#tiles.values().next().value); }
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

  #reach(tile) {
    this.#reachable = tile.key;
    for (const each of this.#tiles.values()) { each.setReachable(each === tile); }
  }

  #key(event) {
    const shown = [...this.#tiles.values()].filter((tile) => !tile.element.classList.contains("tile-hidden"));
    const index = shown.findIndex((tile) => tile.element === event.target);
    if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) { return; }
    if (event.key === "Enter") {
      event.preventDefault();
      this.togglePin(shown[index]);
      return;
    }
    const to = { ArrowRight: index + 1, ArrowDown: index + 1, ArrowLeft: index - 1, ArrowUp: index - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined) { return; }
    event.preventDefault();
    shown[(to + shown.length) % shown.length].element.focus();
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
    const main = this.pinned ?? this.#spotlit ?? screens.find((tile) => tile.key === this.#lastScreen) ?? screens[0] ?? null;
    const others = all.filter((tile) => tile !== main && tile !== self);
    const narrow = width < 560;
    for (const tile of all) { tile.element.classList.toggle("tile-main", tile === main); }
    this.#more.hidden = true;

    const floating = self && self !== main && others.length > 0 && !main && (others.length === 1 || (narrow && others.length <= 4));
    for (const tile of all) { tile.element.classList.toggle("tile-floating", floating && tile === self); }
    if (main) {
      const small = self && self !== main ? [self, ...others] : others;
      const { main: place, strip, hidden } = spotlightLayout(small.length, width, height, gap);
      main.place(place);
      this.#show(main, true);
      this.#fill(this.#ordered(small, hidden > 0 ? strip.length - 1 : strip.length), strip, hidden);
      return;
    }
    const inGrid = floating ? others : [...others, ...(self ? [self] : [])];
    const capacity = gridCapacity(width, height);
    const shown = Math.min(inGrid.length, capacity);
    const { tiles } = gridLayout(shown, width, height, gap);
    const hidden = inGrid.length > capacity ? inGrid.length - capacity + 1 : 0;
    if (hidden === 0) { this.#order = []; }
    this.#fill(hidden > 0 ? this.#ordered(inGrid, capacity - 1) : inGrid, tiles, hidden);
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

  /**
   * The order in which tiles fill the places. It stays as it was, so that nothing jumps about; only somebody who speaks
   * and would be hidden changes places with whoever has been silent longest.
   */
  #ordered(tiles, places) {
    const rank = (tile) => {
      if (tile.participant.isLocal && tile.kind === "camera") { return 0; }
      if (tile.kind === "screen") { return 1; }
      return tile.hasPicture ? 2 : 3;
    };
    const before = new Map(this.#order.map((key, index) => [key, index]));
    const order = [...tiles].sort((a, b) => {
      const [left, right] = [before.get(a.key), before.get(b.key)];
      if (left !== undefined && right !== undefined) { return left - right; }
      if (left === undefined && right === undefined) { return rank(a) - rank(b); }
      return left === undefined ? 1 : -1;
    });
    for (let index = places; index < order.length; index += 1) {
      if (!order[index].speaking) { continue; }
      let longest = -1;
      for (let seen = 0; seen < places; seen += 1) {
        const tile = order[seen];
        if (tile.speaking || tile.kind === "screen" || tile.participant.isLocal) { continue; }
        if (longest < 0 || tile.lastSpoke < order[longest].lastSpoke) { longest = seen; }
      }
      if (longest < 0) { break; }
      [order[index], order[longest]] = [order[longest], order[index]];
    }
    this.#order = order.map((tile) => tile.key);
    return order;
  }
}
