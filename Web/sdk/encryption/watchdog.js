/** Frames that may be between the browser's count and that of the worker. */
const slack = 10;
/** How often it is counted, in milliseconds: often after a change, when a transform could be missing. */
const intervals = Object.freeze({ early: 100, later: 1_000 });
const earlyChecks = 30;
/** A worker that lags catches up; a transform that is missing doesn't. */
const strikes = 2;

/**
 * Compares what the browser has sent with the frames that came through the worker. A sender that sends past it is
 * reported: at once where it has sent something and none of its frames ever came, otherwise when the difference grows.
 */
export class SendWatchdog {
  #senders;
  #counts;
  #onBypass;
  #timer = null;
  #checks = 0;
  #isOver = false;
  #deficits = new Map();
  /** Senders of which frames have come through the worker. */
  #seen = new Set();

  /**
   * @param {object} options
   * @param {() => Map<string, { sender: RTCRtpSender, track: number }>} options.senders by source
   * @param {() => Promise<Record<number, { seen: number, written: number }>>} options.counts of the worker, by track
   * @param {(source: string) => void} options.onBypass
   */
  constructor({ senders, counts, onBypass }) {
    this.#senders = senders;
    this.#counts = counts;
    this.#onBypass = onBypass;
  }

  /** Something has changed that frames could get past. */
  alert() {
    this.#checks = 0;
    clearTimeout(this.#timer);
    this.#schedule();
  }

  /** Frames of a sender that has sent none so far may begin. */
  expect() { if ([...this.#senders().keys()].some((source) => !this.#seen.has(source))) { this.alert(); } }

  close() {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #schedule() {
    if (this.#isOver) { return; }
    this.#timer = setTimeout(async () => {
      this.#checks += 1;
      await this.#check().catch(() => {});
      clearTimeout(this.#timer);
      this.#schedule();
    }, this.#checks < earlyChecks ? intervals.early : intervals.later);
  }

  async #check() {
    const senders = [...this.#senders()];
    // The browser's counts first: the worker's are the later ones then, and the larger.
    const sent = await Promise.all(senders.map(([, { sender }]) => sentBy(sender)));
    const counts = await this.#counts();
    for (const [index, [source, { sender, track }]] of senders.entries()) {
      const counted = counts[track];
      const { frames, bytes } = sent[index];
      if ((counted?.seen ?? 0) > 0) { this.#seen.add(source); }
      const passed = sender.track?.kind === "audio" ? counted?.written ?? 0 : counted?.seen ?? 0;
      const deficit = frames - passed;
      const before = this.#deficits.get(source) ?? { deficit: -Infinity, count: 0 };
      const count = deficit > slack && deficit >= before.deficit ? before.count + 1 : 0;
      this.#deficits.set(source, { deficit, count });
      // Bytes are counted behind the transform, so a worker that lags has none.
      const isBare = bytes > 0 && !this.#seen.has(source);
      if ((isBare || count >= strikes) && !this.#isOver) { this.#onBypass(source); }
    }
  }
}

/**
 * Counts frames, of audio each packet is one, and bytes of payload that a sender has sent.
 *
 * @param {RTCRtpSender} sender
 */
async function sentBy(sender) {
  const sent = { frames: 0, bytes: 0 };
  for (const each of (await sender.getStats()).values()) {
    if (each.type !== "outbound-rtp") { continue; }
    sent.frames += each.kind === "audio" ? (each.packetsSent ?? 0) - (each.retransmittedPacketsSent ?? 0) : each.framesSent ?? 0;
    sent.bytes += each.bytesSent ?? 0;
  }
  return sent;
}
