/** Frames that may be between the browser's count and that of the worker. */
const slack = 10;
/** How often it is counted, in milliseconds: often after a change, when a transform could be missing. */
const intervals = Object.freeze({ early: 100, later: 1_000 });
const earlyChecks = 30;
/** A worker that lags catches up; a transform that is missing doesn't. */
const strikes = 2;

/**
 * Compares the frames that the browser has sent with those that came through the worker. A sender that sends past it is
 * reported.
 */
export class SendWatchdog {
  #senders;
  #counts;
  #onBypass;
  #timer = null;
  #checks = 0;
  #isOver = false;
  #deficits = new Map();

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
      const passed = sender.track?.kind === "audio" ? counted?.written ?? 0 : counted?.seen ?? 0;
      const deficit = sent[index] - passed;
      const before = this.#deficits.get(source) ?? { deficit: -Infinity, count: 0 };
      const count = deficit > slack && deficit >= before.deficit ? before.count + 1 : 0;
      this.#deficits.set(source, { deficit, count });
      if (count >= strikes && !this.#isOver) { this.#onBypass(source); }
    }
  }
}

/** Frames that a sender has sent: of audio each packet is one. @param {RTCRtpSender} sender */
async function sentBy(sender) {
  let sent = 0;
  for (const each of (await sender.getStats()).values()) {
    if (each.type !== "outbound-rtp") { continue; }
    sent += each.kind === "audio" ? (each.packetsSent ?? 0) - (each.retransmittedPacketsSent ?? 0) : each.framesSent ?? 0;
  }
  return sent;
}
