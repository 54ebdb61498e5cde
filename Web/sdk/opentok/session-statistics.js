/** The figures of a session's streams, from the browser's reports. */
export class SessionStatistics {
  #meeting;

  /** @param {() => import("../meeting.js").Meeting | null} meeting the present one; null while there is none */
  constructor(meeting) { this.#meeting = meeting; }

  /** The browser's report about everything that flows. */
  report() { return this.#meeting()?.connection?.peerConnection.getStats() ?? Promise.resolve(new Map()); }

  async #sums(type, isMeant) {
    const all = [...(await this.report()).values()].filter((each) => each.type === type && isMeant(each));
    return (kind, field) => all.filter((each) => each.kind === kind).reduce((total, each) => total + (each[field] ?? 0), 0);
  }

  async inbound({ audio, video }) {
    const ids = [audio, video].map((each) => each?.mediaStreamTrack?.id);
    const sum = await this.#sums("inbound-rtp", ({ trackIdentifier }) => ids.includes(trackIdentifier));
    const of = (kind) => ({ bytesReceived: sum(kind, "bytesReceived"), packetsReceived: sum(kind, "packetsReceived"), packetsLost: sum(kind, "packetsLost") });
    return { timestamp: Date.now(), audio: of("audio"), video: { ...of("video"), frameRate: sum("video", "framesPerSecond") } };
  }

  async outbound(sources) {
    const mids = Object.values(sources).map((source) => this.#meeting()?.connection?.midOf(source));
    const sum = await this.#sums("outbound-rtp", ({ mid }) => mids.includes(mid));
    const of = (kind) => ({ bytesSent: sum(kind, "bytesSent"), packetsSent: sum(kind, "packetsSent"), packetsLost: 0 });
    return { timestamp: Date.now(), audio: of("audio"), video: { ...of("video"), frameRate: sum("video", "framesPerSecond") } };
  }
}
