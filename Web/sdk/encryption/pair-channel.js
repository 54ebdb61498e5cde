import { sign, verifies, bindingOf } from "./announcement.js";
import { areEqual, concat, utf8, ByteReader, ByteWriter, KeyMessageError } from "./bytes.js";
import { HPKERecipient, HPKESender } from "./hpke.js";
import { decodePairMessage, encodePairMessage } from "./pair-message.js";

const version = 1;
const hasSetup = 1;
const label = utf8("Parley channel 1\0");
const pskID = utf8("Parley link secret 1");

/**
 * The two HPKE contexts between this client and one other, one a direction. `PairChannel` in Swift has the same form.
 * Calls must follow each other: one at a time.
 */
export class PairChannel {
  #own;
  #ownBinding;
  #peer;
  #peerBinding;
  #psk;
  #sender = null;
  #recipient = null;
  #isEstablished = false;

  constructor(own, ownBinding, peer, peerBinding, secret) {
    this.#own = own;
    this.#ownBinding = ownBinding;
    this.#peer = peer;
    this.#peerBinding = peerBinding;
    this.#psk = { secret, id: pskID };
  }

  /**
   * @param {{ identity: import("./announcement.js").Identity, meetingKey: import("./hpke.js").KeyPair }} own
   * @param {Uint8Array} ownBinding
   * @param {import("./announcement.js").Announcement} peer
   * @param {Uint8Array} secret of the link
   */
  static async make(own, ownBinding, peer, secret) { return new PairChannel(own, ownBinding, peer, await bindingOf(peer), secret); }

  /**
   * An envelope with a message.
   *
   * @param {import("./pair-message.js").PairMessage} message
   * @returns {Promise<Uint8Array>}
   */
  async seal(message) {
    this.#sender ??= await this.#setUp();
    const { context, signature } = this.#sender;
    const header = new ByteWriter().number(version, 1).number(this.#isEstablished ? 0 : hasSetup, 1);
    if (!this.#isEstablished) { header.bytes(context.encapsulatedKey).bytes(signature); }
    const bytes = header.number(context.sequence, 8).result;
    return concat(bytes, await context.seal(encodePairMessage(message), bytes));
  }

  async #setUp() {
    const info = concat(label, this.#ownBinding, this.#peerBinding);
    const context = await HPKESender.make(this.#peer.meetingKey, info, { psk: this.#psk });
    return { context, signature: await sign(this.#own.identity, concat(info, context.encapsulatedKey)) };
  }

  /**
   * The message in an envelope of the peer.
   *
   * @param {Uint8Array} envelope
   * @returns {Promise<import("./pair-message.js").PairMessage>}
   */
  async open(envelope) {
    const reader = new ByteReader(envelope);
    if (reader.number(1) !== version) { throw new KeyMessageError("malformed"); }
    const flags = reader.number(1);
    if ((flags & ~hasSetup) !== 0) { throw new KeyMessageError("malformed"); }
    const incoming = flags & hasSetup ? await this.#accept(reader.bytes(32), reader.bytes(64)) : this.#recipient;
    if (incoming === null) { throw new KeyMessageError("authenticationFailed"); }
    const number = reader.bigint(8);
    const header = envelope.slice(0, reader.offset);
    if (number < incoming.context.sequence) { throw new KeyMessageError("replayed"); }
    let plain;
    try {
      plain = await incoming.context.open(reader.rest, header, number);
    } catch {
      throw new KeyMessageError("authenticationFailed");
    }
    // Only an envelope that opened decides which context is the peer's.
    this.#recipient = incoming;
    const message = decodePairMessage(plain);
    plain.fill(0);
    if (message.type === "acknowledgement") { this.#isEstablished = true; }
    return message;
  }

  async #accept(key, signature) {
    if (this.#recipient !== null) {
      if (!areEqual(this.#recipient.key, key)) { throw new KeyMessageError("replayed"); }
      return this.#recipient;
    }
    const info = concat(label, this.#peerBinding, this.#ownBinding);
    if (!await verifies(this.#peer.identity, signature, concat(info, key))) { throw new KeyMessageError("wrongSignature"); }
    try {
      return { key, context: await HPKERecipient.make(key, this.#own.meetingKey, info, { psk: this.#psk }) };
    } catch {
      throw new KeyMessageError("authenticationFailed");
    }
  }
}
