import { Stats } from "./stats.js";

/** How often this client's connection quality is measured, in milliseconds. */
const interval = 2_000;

/** The statistics of a meeting: those of the connection, with what the server reported about codecs and quality. */
export class MeetingStatistics {
  #session;
  #replica;
  #emit;
  #timer = null;

  /**
   * @param {import("./session.js").Session} session
   * @param {import("./replica.js").Replica} replica
   * @param {(type: string, detail: object) => void} emit
   */
  constructor(session, replica, emit) {
    this.#session = session;
    this.#replica = replica;
    this.#emit = emit;
  }

  /** As `Meeting.stats`. */
  async collect() {
    const { connection } = this.#session;
    if (!connection) { return null; }
    const digest = await connection.stats.collect();
    const { roster, codecs } = this.#replica;
    const receivers = new Map(roster.local.publications.map(({ source, undecodableFor }) => [connection.midOf(source), undecodableFor?.count ?? 0]));
    const streams = digest.streams.map((each) => (each.direction === "outbound" ? { ...each, undecodableFor: receivers.get(each.mid) ?? 0 } : each));
    return { ...digest, streams, undecodable: codecs.undecodable };
  }

  /** Measures this client's connection quality from now on, and emits `quality` when it changes. */
  start() { this.#timer = setInterval(() => this.#measure(), interval); }

  /** Ends the measuring. */
  stop() {
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #measure() {
    const digest = await this.collect().catch(() => null);
    if (!digest || this.#timer === null) { return; }
    const { roster } = this.#replica;
    const measured = Stats.quality(digest);
    // The server knows more, but its report can't arrive over a path that carries nothing.
    const quality = measured === "lost" ? measured : roster.serverQuality(roster.local.id) ?? measured;
    if (quality === roster.local.quality) { return; }
    roster.local.quality = quality;
    this.#emit("quality", { participants: [roster.local] });
  }
}
