import { openDialog } from "./dialogs.js";
import { h, hasKeyboard, setAttribute, setText } from "./dom.js";
import { HostControls } from "./host-controls.js";
import { icon } from "./icons.js";
import { Polls } from "./polls.js";
import { Reactions } from "./reactions.js";

const devices = { microphone: "microphone", camera: "camera", screen: "screen", screenAudio: "screen’s sound" };
const rights = {
  publishAudio: "speak", publishVideo: "show your camera", publishScreen: "share your screen", chat: "write in the chat", subscribe: "see and hear the others", data: null,
};

/** Hands, reactions, polls and hosts' decisions in the room: their look, and the words about them. */
export class Participation {
  #meeting;
  #announcer;
  #handlers;
  #refusedAt = -Infinity;
  #asked = null;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {import("./announcer.js").Announcer} announcer
   * @param {{refresh: () => void, unmute: (sources: string[]) => void, openPeople: () => void}} handlers
   */
  constructor(meeting, announcer, handlers) {
    this.#meeting = meeting;
    this.#announcer = announcer;
    this.#handlers = handlers;
    /** The hosts' actions. */
    this.host = new HostControls(meeting, announcer);
    /** The reactions that float over the stage. */
    this.reactions = new Reactions(meeting, announcer);
    /** The polls. */
    this.polls = new Polls(meeting, announcer);
  }

  /** Raises one's own hand or lowers it. */
  async toggleHand() {
    const raised = this.#meeting.localParticipant.hand === null;
    try {
      await this.#meeting.hosting.raiseHand(raised);
      this.#announcer.say(raised ? "Your hand is raised" : "Your hand is down");
    } catch (error) {
      this.#announcer.show(error.code === "tooFast" ? "Not so fast: wait a moment." : error.message, { icon: "warning", urgent: true });
    }
  }

  /** Shows on the dock's button whether one's own hand is up. @param {HTMLElement} button */
  showHand(button) {
    const { hand } = this.#meeting.localParticipant;
    const place = this.#meeting.hosting.raisedHands.findIndex((each) => each.isLocal) + 1;
    button.classList.toggle("control-active", hand !== null);
    setAttribute(button, "aria-pressed", hand === null ? "false" : "true");
    setAttribute(button, "aria-label", hand === null ? "Raise your hand" : `Lower your hand, you are number ${place}`);
    setText(button.querySelector(".control-label"), hand === null ? "Hand" : `Hand ${place}`);
  }

  /** @param {(type: string, listener: (detail: object) => void) => void} on adds a listener to the meeting */
  listen(on) {
    const { hosting } = this.#meeting;
    const tell = (text, options = {}) => this.#announcer.show(text, { icon: "shield", time: 7_000, ...options });
    on("hand", ({ participant }) => {
      this.#handlers.refresh();
      if (participant.isLocal || participant.hand === null) { return; }
      this.#announcer.show(`${participant.displayName} raised a hand`, { icon: "hand", onClick: hosting.isHost ? () => this.#handlers.openPeople() : undefined });
    });
    on("reaction", ({ participant, reaction, emoji }) => this.reactions.show(participant, reaction, emoji));
    on("spotlight", ({ participant }) => {
      this.#handlers.refresh();
      if (participant) { tell(participant.isLocal ? "A host put you in the spotlight: everybody sees you large." : `${participant.displayName} is in the spotlight`, { icon: "star" }); }
    });
    on("error", ({ error }) => { if (error?.code === "notAllowed") { this.#refusedAt = performance.now(); } });
    on("mutedByHost", ({ publication }) => {
      this.#handlers.refresh();
      // The refusal to unmute has said it already.
      if (performance.now() - this.#refusedAt < 1_000) { return; }
      const locked = hosting.muteForAll?.mayUnmute === false && hosting.muteForAll.sources.includes(publication.source) && !hosting.isHost;
      if (publication.source === "microphone") {
        this.#announcer.clear("muted");
        tell(locked ? `A host has muted everybody. Raise your hand${hasKeyboard() ? " (H)" : ""} to be asked to speak.`
          : `A host has muted you. ${hasKeyboard() ? "Press M" : "Switch your microphone on"} to speak again.`, { icon: "microphoneOff", urgent: true, topic: "muted" });
      } else { tell(`A host has turned your ${devices[publication.source]} off.`, { icon: publication.source === "camera" ? "cameraOff" : "screenStop", urgent: true }); }
    });
    on("stoppedByHost", ({ publication, reason }) => {
      this.#handlers.refresh();
      if (publication.source === "screen") { tell("A host has ended your screen sharing.", { icon: "screenStop", urgent: true }); }
      // A permission that was taken is reported as such.
      if (reason !== "removed") { return; }
      if (publication.source === "camera") { tell("A host has turned your camera off.", { icon: "cameraOff", urgent: true }); }
      if (publication.source === "microphone") { tell("A host has turned your microphone off.", { icon: "microphoneOff", urgent: true }); }
    });
    on("muteForAll", ({ order }) => {
      this.#handlers.refresh();
      if (order === null) { tell("Everybody may unmute again."); }
    });
    on("permissions", ({ before, now }) => {
      this.#handlers.refresh();
      this.polls.refresh();
      if (before.length > 0) { this.#tellPermissions(before, now, tell); }
    });
    on("unmuteRequested", (detail) => this.#askToUnmute(detail));
    on("poll", ({ poll, isNew }) => {
      this.polls.refresh();
      this.#handlers.refresh();
      if (isNew && poll.open && !poll.unreadable && poll.mine.length === 0) {
        this.#announcer.show(`New poll: ${poll.question}`, { icon: "poll", time: 8_000, topic: "poll", onClick: () => this.polls.open() });
      }
    });
    on("pollRemoved", () => { this.polls.refresh(); this.#handlers.refresh(); });
  }

  #tellPermissions(before, now, tell) {
    this.#announcer.clear("muted");
    if (now.includes("moderate") && !before.includes("moderate")) { tell("You are a host now: you can look after the others in People."); return; }
    if (before.includes("moderate") && !now.includes("moderate")) { tell("You are a host no more."); return; }
    const lost = before.filter((each) => !now.includes(each) && rights[each]).map((each) => rights[each]);
    const won = now.filter((each) => !before.includes(each) && rights[each]).map((each) => rights[each]);
    if (lost.length > 0) { tell(`A host has decided: you may not ${list(lost, "or")} any more.`, { urgent: true }); }
    if (won.length > 0) { tell(`A host allows you to ${list(won, "and")}.`); }
  }

  /** Nobody is unmuted by somebody else: the person decides. */
  #askToUnmute({ sources, participant }) {
    const own = this.#meeting.localParticipant;
    const wanted = sources.filter((source) => (source === "camera" ? !own.cameraOn : source === "microphone" ? !own.microphoneOn : false));
    if (wanted.length === 0) { return; }
    this.#asked?.close();
    const who = participant?.displayName ?? "A host";
    const camera = wanted.includes("camera");
    const microphone = wanted.includes("microphone");
    const what = camera && microphone ? "turn your microphone and camera on" : camera ? "turn your camera on" : "unmute";
    const dialog = openDialog(`${who} asks you to ${what}`, [
      h("p", { text: microphone ? "The others will hear you." : "The others will see you." }),
      h("div", { class: "dialog-actions dialog-actions-end" },
        h("button", { class: "button", type: "button", text: camera && !microphone ? "Keep it off" : "Stay muted", on: { click: () => dialog.close() } }),
        h("button", { class: "button primary", type: "button", on: { click: () => { dialog.close(); this.#handlers.unmute(wanted); } } },
          icon(microphone ? "microphone" : "camera"), h("span", { text: camera ? "Turn on" : "Unmute" }))),
    ], { className: "dialog-confirm", onClose: () => { if (this.#asked === dialog) { this.#asked = null; } } });
    this.#asked = dialog;
    dialog.querySelector(".dialog-actions .button").focus();
  }
}

function list(words, last) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1]}`;
}
