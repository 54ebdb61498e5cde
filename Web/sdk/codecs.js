/**
 * Publications that this browser can't decode, and those of its own that others can't. It does no I/O: messages go in
 * through `apply`, and events come out through `emit`.
 */
export class Codecs {
  #roster;
  #emit;
  #undecodable = new Map();

  /**
   * @param {import("./roster.js").Roster} roster
   * @param {(type: string, detail: object) => void} emit
   */
  constructor(roster, emit) {
    this.#roster = roster;
    this.#emit = emit;
  }

  /**
   * Applies a message about codecs.
   *
   * @param {object} message
   * @returns {boolean} false for a message about something else
   */
  apply(message) {
    switch (message.type) {
      case "undecodable": this.#applyUndecodable(message.publications); return true;
      case "undecodableFor": this.#applyReceivers(message); return true;
      default: return false;
    }
  }

  /** Shows whether a publication can be decoded; the message about it may arrive before the publication. */
  show(publication) {
    const codec = this.#undecodable.get(publication.id) ?? null;
    if (JSON.stringify(publication.undecodableCodec) === JSON.stringify(codec)) { return; }
    publication.undecodableCodec = codec;
    this.#emit(codec ? "undecodable" : "decodable", { participant: publication.participant, publication, codec });
  }

  /**
   * Publications that this browser isn't sent, for statistics.
   *
   * @type {{participant: string, publication: string, codec: string}[]}
   */
  get undecodable() {
    return this.#roster.remotePublications.filter(({ undecodableCodec }) => undecodableCodec !== null)
      .map(({ id, participant, undecodableCodec: codec }) => ({ participant: participant.id, publication: id, codec: codec.name }));
  }

  /** The connection is gone; the server reports on the next one again. */
  reset() {
    this.#applyUndecodable([]);
    for (const publication of this.#roster.local.publications) { this.#setReceivers(publication, null); }
  }

  #applyUndecodable(values) {
    const named = (Array.isArray(values) ? values : []).filter((each) => typeof each?.codec?.name === "string");
    this.#undecodable = new Map(named.map(({ publication, codec }) => [publication, codec]));
    for (const publication of this.#roster.remotePublications) { this.show(publication); }
  }

  #applyReceivers({ publication: id, codec, participants, count }) {
    const publication = this.#roster.local.publications.find((each) => each.id === id);
    if (!publication) { return; }
    const number = Number(count) || 0;
    const ids = Array.isArray(participants) ? participants.map(String) : [];
    this.#setReceivers(publication, number > 0 ? { codec, participants: ids, count: number } : null);
  }

  #setReceivers(publication, receivers) {
    if (publication.undecodableFor === null && receivers === null) { return; }
    publication.undecodableFor = receivers;
    this.#emit("undecodableFor", {
      publication, codec: receivers?.codec ?? null, count: receivers?.count ?? 0,
      participants: (receivers?.participants ?? []).map((each) => this.#roster.participant(each)).filter(Boolean),
    });
  }
}
