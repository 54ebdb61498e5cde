/**
 * The rules for room names (`docs/protocol.md`, "Paths"), and a maker of readable ones.
 */

const reserved = new Set([
  ".well-known", "admin", "api", "assets", "browser_demo.html", "discover", "favicon.ico", "getadhocmeetingjob",
  "getanontokenjob", "healthz", "hl", "messaging", "metrics", "opentok.js", "platformservice", "readyz", "robots.txt",
  "sdk", "session", "signal", "signin", "signout", "ucwa", "v2", "whep", "whip",
]);

const adjectives = [
  "amber", "brave", "bright", "calm", "candid", "clear", "coral", "crisp", "early", "fair", "fresh", "gentle", "golden", "green",
  "happy", "hazel", "humble", "ivory", "jolly", "keen", "kind", "light", "lively", "lucky", "mellow", "merry", "misty", "noble",
  "olive", "open", "plain", "proud", "quick", "quiet", "rapid", "ready", "royal", "rustic", "sandy", "silver", "smooth", "snowy",
  "solid", "sunny", "swift", "tidal", "vivid", "warm", "wild", "wise", "witty", "young",
];

const nouns = [
  "anchor", "aspen", "badger", "bay", "birch", "bridge", "brook", "canyon", "cedar", "cliff", "cloud", "comet", "coast", "creek",
  "crane", "delta", "dune", "falcon", "fern", "field", "finch", "fjord", "forest", "garden", "glade", "grove", "harbour", "heron",
  "hill", "island", "lagoon", "lake", "lantern", "lark", "maple", "marsh", "meadow", "moon", "orchard", "otter", "pine", "prairie",
  "reef", "ridge", "river", "robin", "shore", "sparrow", "spruce", "summit", "tide", "trail", "valley", "willow",
];

const verbs = [
  "arrives", "blooms", "calls", "climbs", "dances", "dreams", "drifts", "floats", "flows", "gathers", "gleams", "glides", "glows",
  "grows", "hums", "laughs", "leads", "leaps", "listens", "meets", "rests", "rises", "roams", "rolls", "runs", "sails", "shines",
  "sings", "smiles", "soars", "speaks", "stands", "starts", "sways", "talks", "travels", "turns", "wakes", "wanders", "whispers",
];

/** Room names: checked, made, and read from an address. */
export const RoomName = Object.freeze({
  /** Longest name, in characters. */
  maximumLength: 128,

  /** Longest id of an OpenTok session, which is the name of its room. */
  maximumSessionLength: 255,

  /**
   * The name in the form the server compares, or null when no room can have it.
   *
   * @param {string} text what a person typed
   * @returns {string|null} in NFKC, without white space and the signs that mean something in an address
   */
  normalize(text) {
    const name = RoomName.clean(text);
    return RoomName.problem(name) === null ? name : null;
  },

  /**
   * The name without what is left out of names, in NFKC, whether or not a room can have it.
   *
   * @param {string} text
   * @returns {string}
   */
  clean(text) { return String(text).replace(/[\s\u{85}:?#[\]@!$&'()*+,;=></"]/gu, "").normalize("NFKC"); },

  /**
   * The problem of a room name as a sentence, or null if it is valid.
   *
   * @param {string} name
   * @returns {string|null}
   */
  problem(name) {
    if (name.length === 0) { return "Type a room name."; }
    const isSession = /^[12]_MX4[\w-]*$/u.test(name) && name.length <= RoomName.maximumSessionLength;
    if (!isSession && [...name].length > RoomName.maximumLength) { return `A room name has at most ${RoomName.maximumLength} characters.`; }
    if (!/^[\p{L}\p{M}\p{N}\-_.~]+$/u.test(name)) { return "A room name has letters, digits and the signs - _ . ~ only."; }
    if (/^\.+$/u.test(name)) { return "A room name cannot be dots only."; }
    if (reserved.has(name.toLowerCase())) { return `“${name}” is a name the server uses itself. Choose another one.`; }
    return null;
  },

  /**
   * The room that an address names: its first path segment, decoded.
   *
   * @param {string|URL} url address of a meeting, or a path
   * @returns {string|null} null when the address names no room
   */
  fromURL(url) {
    let path;
    try {
      path = new URL(url, globalThis.location?.href ?? "http://localhost/").pathname;
      const segments = path.split("/").filter((part) => part.length > 0);
      if (segments.length !== 1) { return null; }
      const name = RoomName.clean(decodeURIComponent(segments[0]));
      return name.length > 0 ? name : null;
    } catch {
      return null;
    }
  },

  /**
   * A new room name that is easy to read aloud and hard to guess: three words and four digits, about 30 bits.
   *
   * @returns {string} such as `calm-otter-sings-4821`
   */
  random() {
    const numbers = crypto.getRandomValues(new Uint32Array(4));
    const pick = (list, number) => list[number % list.length];
    return [
      pick(adjectives, numbers[0]), pick(nouns, numbers[1]), pick(verbs, numbers[2]), String(numbers[3] % 10000).padStart(4, "0"),
    ].join("-");
  },
});
