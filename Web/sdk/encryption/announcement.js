import { areEqual, base64url, concat, utf8, ByteReader, ByteWriter, KeyMessageError } from "./bytes.js";
import { digest, hmac } from "./derivation.js";

const { subtle } = globalThis.crypto;
const version = 1;
const signatureLabel = utf8("Parley announcement 1\0");
const bindingLabel = utf8("Parley binding 1\0");
const codeLength = 32;
const signatureLength = 64;
const meetingLabel = utf8("Parley meeting 1\0");
/** Bytes of the longest texts. */
export const announcementLimits = Object.freeze({ meeting: 128, participant: 128, name: 640 });

/**
 * A key pair of Ed25519 (RFC 8032).
 *
 * @typedef {object} Identity
 * @property {CryptoKey} privateKey not extractable
 * @property {Uint8Array} publicKey 32 bytes
 */

/** A new identity, for one meeting or to be kept. @returns {Promise<Identity>} */
export async function generateIdentity() {
  const { privateKey, publicKey } = await subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  return { privateKey, publicKey: new Uint8Array(await subtle.exportKey("raw", publicKey)) };
}

/** @param {Identity} identity @param {Uint8Array} message @returns {Promise<Uint8Array>} */
export async function sign(identity, message) { return new Uint8Array(await subtle.sign("Ed25519", identity.privateKey, message)); }

/**
 * @param {Uint8Array} publicKey
 * @param {Uint8Array} signature
 * @param {Uint8Array} message
 * @returns {Promise<boolean>}
 */
export async function verifies(publicKey, signature, message) {
  try {
    return await subtle.verify("Ed25519", await subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]), signature, message);
  } catch {
    return false;
  }
}

/**
 * A meeting's name as announcements carry it: a hash in place of one of more than 128 bytes, since a name of 128
 * characters may have 512 bytes and an announcement has at most 1,024. No room's name begins with `#`.
 *
 * @param {string} name
 * @returns {Promise<string>}
 */
export async function meetingField(name) {
  return utf8(name).length <= announcementLimits.meeting ? name : `#${base64url(await digest(concat(meetingLabel, utf8(name))))}`;
}

/**
 * A client's own description for everybody in an encrypted meeting.
 *
 * @typedef {object} Announcement
 * @property {string} meeting
 * @property {string} participant
 * @property {string} name
 * @property {Uint8Array} identity the public key that people compare
 * @property {Uint8Array} meetingKey the public key that others seal envelopes for
 * @property {number} senderIndex
 * @property {number} revision rises with each announcement of a client; the keys stay
 */

/**
 * The bytes to send.
 *
 * @param {Announcement} announcement
 * @param {Identity} identity
 * @param {Uint8Array} code of the link secret
 * @param {Uint8Array} [nonce] for test vectors
 * @returns {Promise<Uint8Array>}
 */
export async function encodeAnnouncement(announcement, identity, code, nonce = globalThis.crypto.getRandomValues(new Uint8Array(16))) {
  const fields = new ByteWriter().number(version, 1).text(announcement.meeting).text(announcement.participant).text(announcement.name)
    .bytes(announcement.identity).bytes(announcement.meetingKey).number(announcement.senderIndex, 2).number(announcement.revision, 4).bytes(nonce).result;
  const signed = concat(fields, await sign(identity, concat(signatureLabel, fields)));
  return concat(signed, await hmac(code, signed));
}

/**
 * Reads an announcement and checks its code and signature.
 *
 * @param {Uint8Array} bytes
 * @param {Uint8Array} code
 * @returns {Promise<Announcement>}
 */
export async function decodeAnnouncement(bytes, code) {
  const reader = new ByteReader(bytes);
  if (reader.number(1) !== version) { throw new KeyMessageError("malformed"); }
  const announcement = {
    meeting: reader.text(announcementLimits.meeting), participant: reader.text(announcementLimits.participant), name: reader.text(announcementLimits.name),
    identity: reader.bytes(32), meetingKey: reader.bytes(32), senderIndex: reader.number(2), revision: reader.number(4),
  };
  reader.bytes(16);
  const fieldsLength = reader.offset;
  const signature = reader.bytes(signatureLength);
  const signedLength = reader.offset;
  const tag = reader.bytes(codeLength);
  reader.finish();
  if (announcement.senderIndex === 0) { throw new KeyMessageError("malformed"); }
  if (!areEqual(tag, await hmac(code, bytes.slice(0, signedLength)))) { throw new KeyMessageError("wrongSecret"); }
  if (!await verifies(announcement.identity, signature, concat(signatureLabel, bytes.slice(0, fieldsLength)))) { throw new KeyMessageError("wrongSignature"); }
  return announcement;
}

/**
 * Stands for a participant and its keys, whatever it changes of name and index.
 *
 * @param {Announcement} announcement
 * @returns {Promise<Uint8Array>}
 */
export function bindingOf({ meeting, participant, identity, meetingKey }) {
  return digest(new ByteWriter().bytes(bindingLabel).text(meeting).text(participant).bytes(identity).bytes(meetingKey).result);
}
