import { areEqual, base64url, compareTexts, utf8, ByteWriter, KeyMessageError } from "./bytes.js";
import { digest } from "./derivation.js";

const maximumMembers = 2_000;
const maximumDeparted = 10_000;

/** Everybody who may hold keys, as their announcements say, and what becomes of those that contradict each other. */
export class Roster {
  /**
   * @type {Map<string, { announcement: import("./announcement.js").Announcement, bytes: Uint8Array,
   *   hasIndex: boolean }>}
   */
  members = new Map();
  #owners = new Map();
  // The meeting keys of those who have gone, the oldest first: their announcements bring nobody back.
  #departed = new Set();

  /** The participant whose frames have this index. @param {number} index @returns {string | undefined} */
  owner(index) { return this.#owners.get(index); }

  /** Whether somebody has the index, or claims it. @param {number} index @returns {boolean} */
  isClaimed(index) { return [...this.members.values()].some(({ announcement }) => announcement.senderIndex === index); }

  /**
   * Takes a checked announcement.
   *
   * @param {import("./announcement.js").Announcement} announcement
   * @param {Uint8Array} bytes
   * @param {number} ownIndex
   * @returns {"nothing" | "joined" | "updated" | "indexChanged"}
   */
  accept(announcement, bytes, ownIndex) {
    const id = announcement.participant;
    const member = this.members.get(id);
    if (member === undefined) {
      if (this.#departed.has(base64url(announcement.meetingKey))) { throw new KeyMessageError("replayed"); }
      if (this.members.size >= maximumMembers) { throw new KeyMessageError("tooMany"); }
      this.members.set(id, { announcement, bytes, hasIndex: false });
      this.assignIndices(ownIndex, id);
      return "joined";
    }
    const known = member.announcement;
    if (!areEqual(known.identity, announcement.identity) || !areEqual(known.meetingKey, announcement.meetingKey)) { throw new KeyMessageError("identityChanged"); }
    if (areEqual(member.bytes, bytes)) { return "nothing"; }
    if (announcement.revision <= known.revision) { throw new KeyMessageError("replayed"); }
    member.announcement = announcement;
    member.bytes = bytes;
    const indexChanged = known.senderIndex !== announcement.senderIndex;
    if (indexChanged) {
      if (this.#owners.get(known.senderIndex) === id) { this.#owners.delete(known.senderIndex); }
      member.hasIndex = false;
    }
    this.assignIndices(ownIndex, id);
    return indexChanged ? "indexChanged" : "updated";
  }

  /** @param {string} id @param {number} ownIndex @returns {boolean} whether it was there */
  remove(id, ownIndex) {
    const member = this.members.get(id);
    if (member === undefined) { return false; }
    this.members.delete(id);
    if (this.#departed.size >= maximumDeparted) { this.#departed.delete(this.#departed.values().next().value); }
    this.#departed.add(base64url(member.announcement.meetingKey));
    if (this.#owners.get(member.announcement.senderIndex) === id) { this.#owners.delete(member.announcement.senderIndex); }
    this.assignIndices(ownIndex, null);
    return true;
  }

  /**
   * Gives free indices to those who claim them: who has one keeps it.
   *
   * @param {number} ownIndex
   * @param {string | null} first
   */
  assignIndices(ownIndex, first) {
    for (const id of [...(first === null ? [] : [first]), ...[...this.members.keys()].toSorted(compareTexts)]) {
      const member = this.members.get(id);
      if (member === undefined || member.hasIndex) { continue; }
      const { senderIndex } = member.announcement;
      if (this.#owners.has(senderIndex) || senderIndex === ownIndex) { continue; }
      this.#owners.set(senderIndex, id);
      member.hasIndex = true;
    }
  }

  /**
   * A hash of all who hold keys, this client included.
   *
   * @param {import("./announcement.js").Announcement} own
   * @returns {Promise<Uint8Array>}
   */
  hash(own) {
    const writer = new ByteWriter().bytes(utf8("Parley roster 1\0"));
    const all = [own, ...[...this.members.values()].map(({ announcement }) => announcement)];
    for (const { participant, identity } of all.toSorted((a, b) => compareTexts(a.participant, b.participant))) { writer.text(participant).bytes(identity); }
    return digest(writer.result);
  }
}
