import { DistinctNames } from "./distinct-names.js";
import { RemoteParticipant } from "./participant.js";
import { permissionsOf } from "./permissions.js";
import { Publication } from "./publication.js";

const qualities = ["excellent", "good", "poor", "lost"];

/**
 * The participants of a meeting and what they publish, as the server's messages describe them. It does no I/O: a
 * message goes in through `apply`, and events come out through `emit`. The local participant carries out a
 * host's mute or end of its tracks.
 */
export class Roster {
  #local;
  #emit;
  #names = new DistinctNames();
  #ownIds = new Set();
  #serverQuality = new Map();

  /** The others, by id, in the order they joined. @type {Map<string, RemoteParticipant>} */
  participants = new Map();

  /** Everybody who speaks now, loudest first. @type {import("./participant.js").Participant[]} */
  speakers = [];

  /**
   * @param {import("./local-participant.js").LocalParticipant} local
   * @param {(type: string, detail: object) => void} emit
   */
  constructor(local, emit) {
    this.#local = local;
    this.#emit = emit;
  }

  /** The numbers that distinguish people of one name; the lobby shares them. @type {DistinctNames} */
  get names() { return this.#names; }

  /** The local participant. @type {import("./local-participant.js").LocalParticipant} */
  get local() { return this.#local; }

  /** @param {string} id @returns {import("./participant.js").Participant|undefined} */
  participant(id) { return id === this.#local.id ? this.#local : this.participants.get(id); }

  /** Everything that the others publish. @type {Publication[]} */
  get remotePublications() { return [...this.participants.values()].flatMap(({ publications }) => publications); }

  /** Gives the local participant its id; each rejoin brings another. @param {string} id */
  enter(id) {
    this.#local.id = id;
    this.#ownIds.add(id);
  }

  /** Whether an id is or was this client's. @param {string} id */
  isOwnId(id) { return this.#ownIds.has(id); }

  /** The connection quality that the server reported, or undefined. @param {string} id @returns {string|undefined} */
  serverQuality(id) { return this.#serverQuality.get(id); }

  /** Numbers a name that is new. The local participant keeps its number over a rejoin, which brings another id. */
  nameChanged(participant) {
    // The order is unknown before the join.
    if (participant.id === "") { return; }
    participant.nameNumber = this.#names.number(participant.isLocal ? "self" : participant.id, participant.name);
  }

  /**
   * Applies a message about participants, publications, speakers or quality.
   *
   * @param {object} message
   * @returns {boolean} false for a message about something else
   */
  apply(message) {
    switch (message.type) {
      case "participantJoined": this.#applyParticipant(message.participant); return true;
      case "participantUpdated":
        this.#applyParticipant(message.participant);
        this.#applyOwnName(message.participant);
        return true;
      case "participantLeft": this.#remove(message.id, message.reason); return true;
      case "published":
      case "publicationUpdated": this.#applyPublication(this.participant(message.participant), message.publication); return true;
      case "unpublished": this.#applyUnpublished(message); return true;
      // The slots of an answer apply once its offer is settled: then they come as `slots`.
      case "answer":
        for (const each of list(message.publications)) { this.#applyPublication(this.#local, each, false); }
        return true;
      case "speakers": this.#applySpeakers(message.speakers); return true;
      case "quality": this.#applyQuality(message.quality); return true;
      default: return false;
    }
  }

  /**
   * Applies the participants of a `welcome` or `resumed`: anybody who isn't listed has left.
   *
   * @param {object[]} values
   * @param {{isWelcome: boolean}} options a `welcome` decides this client's name; after a resume the client reports it
   *   again
   */
  applyAll(values, { isWelcome }) {
    const everybody = list(values);
    for (const each of everybody) { this.#applyParticipant(each, true); }
    const present = new Set(everybody.map((each) => each?.id));
    for (const id of [...this.participants.keys()]) {
      if (!present.has(id)) { this.#remove(id, "left"); }
    }
    const own = everybody.find((each) => each?.id === this.#local.id);
    if (isWelcome) { this.#applyOwnName(own); } else { this.#stopMissing(own); }
  }

  // MARK: Participants

  #applyParticipant(value, isWhole = false) {
    if (typeof value?.id !== "string") { return; }
    const publications = list(value.publications);
    if (value.id === this.#local.id) {
      this.#applyHand(this.#local, value);
      this.#local._applyFacts(value);
      for (const each of publications) { this.#applyPublication(this.#local, each, isWhole); }
      return;
    }
    this.#describe(value);
    const participant = this.participants.get(value.id);
    this.#applyHand(participant, value);
    for (const each of publications) { this.#applyPublication(participant, each); }
    if (!isWhole) { return; }
    const ids = new Set(publications.map((each) => each?.id));
    for (const each of [...participant.publications]) {
      if (!ids.has(each.id)) { this.#removePublication(participant, each.id); }
    }
  }

  #describe(value) {
    const known = this.participants.get(value.id);
    const participant = known ?? new RemoteParticipant(value.id, "");
    if (!known) { this.participants.set(value.id, participant); }
    const described = () => `${participant.name}\n${participant.role}\n${participant.connection}\n${participant.permissions}`;
    const before = described();
    participant.permissions = permissionsOf(value);
    participant.name = String(value.name ?? "Guest");
    this.nameChanged(participant);
    participant.role = String(value.role ?? "guest");
    participant._applyFacts(value);
    participant.connection = value.connection === "reconnecting" ? "reconnecting" : "connected";
    if (!known) {
      this.#emit("participantJoined", { participant });
    } else if (before !== described()) {
      this.#emit("participantUpdated", { participant });
    }
  }

  /** A join token may set the name, so the server's is the one that counts. */
  #applyOwnName(value) {
    const own = this.#local;
    if (value?.id !== own.id || typeof value.name !== "string") { return; }
    const before = own.displayName;
    own._confirmName(value.name);
    this.nameChanged(own);
    if (own.displayName !== before) { this.#emit("participantUpdated", { participant: own }); }
  }

  #applyHand(participant, { hand }) {
    const value = Number.isInteger(hand) ? hand : null;
    if (participant.hand === value) { return; }
    participant.hand = value;
    this.#emit("hand", { participant });
  }

  #remove(id, reason) {
    const participant = this.participants.get(id);
    if (!participant) { return; }
    for (const each of [...participant.publications]) { this.#removePublication(participant, each.id); }
    this.participants.delete(id);
    this.#names.remove(id);
    this.speakers = this.speakers.filter((each) => each !== participant);
    this.#emit("participantLeft", { participant, reason: reason ?? "left" });
  }

  // MARK: Publications

  /** `decides` is false for a list that may be older than a change that this client has just made. */
  #applyPublication(participant, value, decides = true) {
    if (!participant || !isPublication(value)) { return; }
    if (participant.isLocal) { this.#applyOwnPublication(value, decides); return; }
    const known = participant.publications.find((each) => each.id === value.id);
    if (!known) {
      const publication = new Publication(value, participant);
      participant.publications.push(publication);
      this.#emit("published", { participant, publication });
      return;
    }
    const muted = value.muted === true;
    known.mutedByHost = value.mutedByHost === true;
    if (known.muted === muted) { return; }
    known.muted = muted;
    this.#emit("muted", { participant, publication: known, muted });
  }

  #applyOwnPublication(value, decides) {
    const own = this.#local.publication(value.source);
    if (!own) { return; }
    own._applyFacts(value);
    if (!decides || value.mutedByHost !== true || (own.muted && own.mutedByHost)) { return; }
    this.#local._muteForHost(own);
    this.#emit("mutedByHost", { publication: own });
  }

  #applyUnpublished({ participant: id, publication, reason }) {
    const participant = this.participant(id);
    const why = typeof reason === "string" ? reason : null;
    if (participant?.isLocal) { this.#stopOwn(publication, why); } else if (participant) { this.#removePublication(participant, publication, why); }
  }

  #removePublication(participant, id, reason = null) {
    const index = participant.publications.findIndex((each) => each.id === id);
    if (index < 0) { return; }
    const [publication] = participant.publications.splice(index, 1);
    this.#emit("unpublished", { participant, publication, reason });
  }

  /** After a resume: own tracks that the server doesn't have were ended while the socket was down. */
  #stopMissing(own) {
    const present = new Set(list(own?.publications).map((each) => each?.id));
    for (const { id } of [...this.#local.publications]) {
      if (id !== null && !present.has(id)) { this.#stopOwn(id); }
    }
  }

  #stopOwn(id, reason = null) {
    const publication = this.#local.publications.find((each) => each.id === id);
    if (!publication) { return; }
    this.#emit("stoppedByHost", { publication, reason });
    this.#local._stopPublication(publication, reason);
  }

  // MARK: Speakers and quality

  #applySpeakers(values) {
    for (const each of this.speakers) { each.audioLevel = 0; }
    this.speakers = [];
    for (const value of list(values)) {
      const participant = this.participant(value?.participant);
      if (!participant) { continue; }
      participant.audioLevel = Math.min(1, Math.max(0.01, Number(value.level) || 0));
      this.speakers.push(participant);
    }
    this.#emit("speakers", { speakers: [...this.speakers] });
  }

  #applyQuality(values) {
    const changed = [];
    for (const [id, quality] of Object.entries(values ?? {})) {
      const participant = this.participant(id);
      if (!participant || !qualities.includes(quality)) { continue; }
      this.#serverQuality.set(id, quality);
      if (participant.quality === quality) { continue; }
      participant.quality = quality;
      changed.push(participant);
    }
    if (changed.length > 0) { this.#emit("quality", { participants: changed }); }
  }
}

const kinds = { microphone: "audio", camera: "video", screen: "video", screenAudio: "audio" };

/** A publication of a kind or source that this version doesn't know is left out, and the rest of its message counts. */
function isPublication(value) {
  return typeof value?.id === "string" && ["audio", "video"].includes(value.kind) && value.source in kinds;
}

function list(value) { return Array.isArray(value) ? value : []; }
