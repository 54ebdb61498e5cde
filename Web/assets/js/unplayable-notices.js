import { codecName, unableToPlay } from "./codecs.js";

/** How long a track may go over to a codec that everybody can play before anything is said, in milliseconds. */
const codecPatience = 2_000;

/** Says of tracks that somebody cannot play them, if that lasts: their sender may go over to another codec. */
export class UnplayableNotices {
  #announcer;
  /** The unsaid words by what they are about. */
  #unsaid = new Map();

  /** @param {import("./announcer.js").Announcer} announcer */
  constructor(announcer) { this.#announcer = announcer; }

  /**
   * @param {(type: string, listener: (detail: object) => void) => void} on listens to the meeting
   * @param {() => void} onChange called when others cannot play one's own track any more, or can again
   */
  listen(on, onChange) {
    on("undecodable", ({ participant, publication, codec }) => {
      const what = { camera: "video", screen: "screen" }[publication.source] ?? "sound";
      // The tile shows it to those who see it.
      this.#tell(publication.id, `This browser cannot play the ${what} of ${participant.displayName} (${codecName(codec)})`);
    });
    on("decodable", ({ publication }) => this.#tell(publication.id, null));
    on("undecodableFor", ({ publication, ...receivers }) => {
      this.#tell(publication.source, receivers.count > 0 ? unableToPlay(publication, receivers) : null, { icon: "warning", time: 8_000 });
      onChange();
    });
  }

  close() { for (const timer of this.#unsaid.values()) { clearTimeout(timer); } }

  #tell(topic, text, options = null) {
    clearTimeout(this.#unsaid.get(topic));
    this.#announcer.clear(topic);
    if (text === null) { return; }
    this.#unsaid.set(topic, setTimeout(() => {
      if (options) { this.#announcer.show(text, { ...options, topic }); } else { this.#announcer.say(text); }
    }, codecPatience));
  }
}
