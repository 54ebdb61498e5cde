/**
 * One stream of the digest.
 *
 * @typedef {object} StreamStats
 * @property {"inbound"|"outbound"} direction
 * @property {string|null} mid
 * @property {"audio"|"video"} kind
 * @property {string|null} codec such as `VP8`
 * @property {number} bitrate bits a second since the digest before; 0 in the first one
 * @property {number} loss part of packets lost since the digest before, 0…1
 * @property {number|null} jitter seconds
 * @property {number|null} rtt seconds; outbound only
 * @property {number|null} width pixels
 * @property {number|null} height pixels
 * @property {number|null} framesPerSecond
 * @property {number|null} frames frames decoded or encoded in all
 * @property {number|null} freezes
 * @property {number|null} delay seconds in the jitter buffer
 * @property {string|null} limitation why the encoder holds back, `bandwidth` or `cpu`
 */

/**
 * The path of the connection.
 *
 * @typedef {object} TransportStats
 * @property {string} state
 * @property {"udp"|"tcp"|null} protocol of the selected candidate pair
 * @property {string|null} remoteAddress
 * @property {string|null} localType `host`, `srflx`, `prflx` or `relay`
 * @property {number|null} rtt seconds
 * @property {number|null} availableOutgoing bits a second
 */

/** A short form of `getStats` with rates worked out between two calls. */
export class Stats {
  #pc;
  #before = new Map();
  #last = null;
  #under = null;

  /** @param {RTCPeerConnection} pc */
  constructor(pc) { this.#pc = pc; }

  /** The digest of the last `collect`, or null. */
  get last() { return this.#last; }

  /**
   * Reads the statistics now. Calls at the same time share one reading.
   *
   * @returns {Promise<{time: number, transport: TransportStats, streams: StreamStats[]}>}
   */
  collect() {
    this.#under ??= this.#collect().finally(() => { this.#under = null; });
    return this.#under;
  }

  async #collect() {
    const report = await this.#pc.getStats();
    const byId = new Map();
    report.forEach((each) => byId.set(each.id, each));
    const streams = [];
    const counters = new Map();
    let pair = null;
    for (const each of byId.values()) {
      if (each.type === "transport" && each.selectedCandidatePairId) { pair = byId.get(each.selectedCandidatePairId) ?? pair; }
      if (each.type === "candidate-pair" && (each.selected || (each.nominated && each.state === "succeeded"))) { pair ??= each; }
      if (each.type === "inbound-rtp") { streams.push(this.#inbound(each, byId, counters)); }
      if (each.type === "outbound-rtp") { streams.push(this.#outbound(each, byId, counters)); }
    }
    this.#before = counters;
    const local = pair ? byId.get(pair.localCandidateId) : null;
    const remote = pair ? byId.get(pair.remoteCandidateId) : null;
    this.#last = {
      time: performance.now(),
      transport: {
        state: this.#pc.connectionState,
        protocol: (remote?.protocol ?? local?.protocol)?.toLowerCase() ?? null,
        remoteAddress: remote ? `${remote.address ?? remote.ip ?? "?"}:${remote.port}` : null,
        localType: local?.candidateType ?? null,
        rtt: pair?.currentRoundTripTime ?? null,
        availableOutgoing: pair?.availableOutgoingBitrate ?? null,
      },
      streams,
    };
    return this.#last;
  }

  #rates(each, bytes, counters, packets, lost) {
    const now = { time: each.timestamp, bytes, packets, lost };
    counters.set(each.id, now);
    const before = this.#before.get(each.id);
    if (!before || now.time <= before.time) { return { bitrate: 0, loss: 0 }; }
    const got = Math.max(0, packets - before.packets);
    const missed = Math.max(0, lost - before.lost);
    return {
      bitrate: Math.max(0, (bytes - before.bytes) * 8000 / (now.time - before.time)),
      loss: got + missed > 0 ? missed / (got + missed) : 0,
    };
  }

  #inbound(each, byId, counters) {
    return {
      direction: "inbound",
      mid: each.mid ?? this.#midOfTrack(each.trackIdentifier),
      kind: each.kind,
      codec: codecName(byId.get(each.codecId)),
      ...this.#rates(each, each.bytesReceived ?? 0, counters, each.packetsReceived ?? 0, each.packetsLost ?? 0),
      jitter: each.jitter ?? null,
      rtt: null,
      width: each.frameWidth ?? null,
      height: each.frameHeight ?? null,
      framesPerSecond: each.framesPerSecond ?? null,
      frames: each.framesDecoded ?? null,
      freezes: each.freezeCount ?? null,
      delay: each.jitterBufferEmittedCount > 0 ? each.jitterBufferDelay / each.jitterBufferEmittedCount : null,
      limitation: null,
    };
  }

  #outbound(each, byId, counters) {
    const remote = byId.get(each.remoteId);
    return {
      direction: "outbound",
      mid: each.mid ?? null,
      kind: each.kind,
      codec: codecName(byId.get(each.codecId)),
      ...this.#rates(each, each.bytesSent ?? 0, counters, each.packetsSent ?? 0, 0),
      loss: remote?.fractionLost ?? 0,
      jitter: remote?.jitter ?? null,
      rtt: remote?.roundTripTime ?? null,
      width: each.frameWidth ?? null,
      height: each.frameHeight ?? null,
      framesPerSecond: each.framesPerSecond ?? null,
      frames: each.framesEncoded ?? null,
      freezes: null,
      delay: null,
      limitation: each.qualityLimitationReason && each.qualityLimitationReason !== "none" ? each.qualityLimitationReason : null,
    };
  }

  #midOfTrack(identifier) {
    return this.#pc.getTransceivers().find((each) => each.receiver.track?.id === identifier)?.mid ?? null;
  }

  /**
   * Judges this client's connection from a digest, in the words and by the bounds of the protocol.
   *
   * @param {{transport: TransportStats, streams: StreamStats[]}|null} digest
   * @returns {"excellent"|"good"|"poor"|"lost"|"unknown"}
   */
  static quality(digest) {
    if (!digest) { return "unknown"; }
    if (digest.transport.state === "failed" || digest.transport.state === "disconnected") { return "lost"; }
    if (digest.transport.state !== "connected") { return "unknown"; }
    // Incomplete streams may come from a sender whose path loses packets. The server knows more and reports it.
    const busy = digest.streams.filter((each) => each.bitrate > 0 && each.direction === "outbound");
    const loss = Math.max(0, ...busy.map((each) => each.loss));
    const rtt = digest.transport.rtt ?? Math.max(0, ...busy.map((each) => each.rtt ?? 0));
    if (loss > 0.08 || rtt > 0.5) { return "poor"; }
    if (loss > 0.02 || rtt > 0.25) { return "good"; }
    return "excellent";
  }
}

function codecName(codec) {
  return codec?.mimeType ? codec.mimeType.slice(codec.mimeType.indexOf("/") + 1) : null;
}
