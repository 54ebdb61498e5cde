import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Asks before something that hurts.
 *
 * @param {string} title
 * @param {string} text
 * @param {{action: string, danger?: boolean, more?: HTMLElement|null, choices?: {name: string, text: string, checked?:
 *   boolean}[], onYes: (chosen: object) => void}} options `more` comes before the choices
 */
export function confirmDialog(title, text, { action, danger = true, more = null, choices = [], onYes }) {
  const boxes = choices.map((choice) => [choice.name, h("input", { type: "checkbox", checked: choice.checked === true }), choice.text]);
  const dialog = openDialog(title, [
    h("p", { dir: "auto", text }),
    ...(more ? [more] : []),
    ...boxes.map(([, box, words]) => h("label", { class: "row check" }, box, h("span", { text: words }))),
    h("div", { class: "dialog-actions dialog-actions-end" },
      h("button", { class: "button", type: "button", text: "Cancel", on: { click: () => dialog.close() } }),
      h("button", {
        class: `button primary${danger ? " button-danger" : ""}`, type: "button", text: action,
        on: { click: () => {
          const chosen = Object.fromEntries(boxes.map(([name, box]) => [name, box.checked]));
          dialog.close();
          onYes(chosen);
        } },
      })),
  ], { className: "dialog-confirm" });
  dialog.querySelector(".dialog-actions .button").focus();
  return dialog;
}

/** A host's actions, as menus and dialogs. Whether it may is the server's decision, whose refusals are shown. */
export class HostControls {
  #meeting;
  #announcer;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {import("./announcer.js").Announcer} announcer
   */
  constructor(meeting, announcer) {
    this.#meeting = meeting;
    this.#announcer = announcer;
  }

  get #hosting() { return this.#meeting.hosting; }

  /** A host's menu for one person. @returns {object[]} entries of `openMenu` */
  entries(participant) {
    const { name, permissions } = participant;
    const hosting = this.#hosting;
    const may = (permission) => permissions.includes(permission);
    const isHost = may("moderate");
    const above = participant.role === "organizer" && this.#meeting.localParticipant.role !== "organizer";
    const entry = (sign, text, action, danger = false) => ({ icon: sign, text, action, danger });
    const run = (task, done) => () => this.#try(task, done);
    const spotlit = hosting.spotlighted === participant;
    return [
      !above && participant.microphoneOn ? entry("microphoneOff", "Mute", run(() => hosting.mute(participant), `${name} is muted`)) : null,
      !above && !participant.microphoneOn && may("publishAudio")
        ? entry("microphone", "Ask to unmute", run(() => hosting.askToUnmute(participant), `${name} was asked to unmute`)) : null,
      !above && participant.cameraOn ? entry("cameraOff", "Turn camera off", run(() => hosting.mute(participant, ["camera"]), `${name}’s camera is off`)) : null,
      !above && !participant.cameraOn && may("publishVideo")
        ? entry("camera", "Ask to turn camera on", run(() => hosting.askToUnmute(participant, ["camera"]), `${name} was asked to turn the camera on`)) : null,
      !above && participant.sharing ? entry("screenStop", "Stop their sharing", run(() => hosting.mute(participant, ["screen"]), `${name}’s screen is shared no more`)) : null,
      this.#meeting.participants.size > 1 ? entry("microphoneOff", "Mute everyone else", () => this.muteEveryone(participant)) : null,
      participant.hand !== null ? entry("hand", "Lower hand", run(() => hosting.lowerHand(participant), `${name}’s hand is down`)) : null,
      entry("star", spotlit ? "End spotlight" : "Spotlight for everybody", run(() => hosting.spotlight(spotlit ? null : participant), spotlit ? "The spotlight is off" : undefined)),
      above || isHost ? null : "line",
      ...(above || isHost ? [] : [
        ["publishAudio", "speaking"], ["publishVideo", "camera"], ["publishScreen", "screen sharing"], ["chat", "chat"],
      ].map(([permission, what]) => entry(may(permission) ? "block" : "check", `${may(permission) ? "Forbid" : "Allow"} ${what}`,
        run(() => hosting.allow(participant, permission, !may(permission)),
          `${name}: ${what} is ${may(permission) ? "not allowed any more" : "allowed"}`)))),
      above ? null : "line",
      !above && !isHost ? entry("shield", "Make host", () => this.#makeHost(participant)) : null,
      !above && isHost ? entry("shield", "Take host role away", run(() => hosting.setRole(participant, "guest"), `${name} is a host no more`)) : null,
      above ? null : entry("leave", "Remove from meeting", () => this.#remove(participant), true),
    ];
  }

  #makeHost(participant) {
    confirmDialog(`Make ${participant.displayName} a host?`, "Hosts can mute and remove others, change who may do what, and end the meeting.", {
      action: "Make host", danger: false,
      onYes: () => this.#try(() => this.#hosting.setRole(participant, "presenter"), `${participant.displayName} is a host now`),
    });
  }

  #remove(participant) {
    const choices = [{ name: "ban", text: "Do not let them come back" }];
    if (this.#meeting.lobby?.locked === false) { choices.push({ name: "lock", text: "Lock the meeting, so that nobody else comes in" }); }
    confirmDialog(`Remove ${participant.displayName}?`, `${participant.displayName} leaves the meeting at once and is told that a host did this.`, {
      action: "Remove", choices,
      more: h("p", { class: "hint", text: "Who has no invitation of their own is known by their network at most: this may keep out others from there too, and they may come back from another one. A locked meeting lets in nobody but hosts." }),
      // Locked first: they could be back before.
      onYes: ({ ban, lock }) => this.#try(async () => {
        if (lock) { await this.#meeting.lock(); }
        await this.#hosting.remove(participant, { ban });
      }),
    });
  }

  /**
   * Asks how and except whom, and mutes everybody else.
   *
   * @param {import("/sdk/parley.js").RemoteParticipant|null} [spared] who is left out unless the host chooses otherwise
   */
  muteEveryone(spared = null) {
    const people = this.#whoCanBeSpared().map((participant) => ({ participant, box: h("input", { type: "checkbox", checked: participant === spared }) }));
    const except = people.length < 2 ? null : h("fieldset", { class: "except" }, h("legend", { text: "Except" }),
      h("div", { class: "except-list" }, ...people.map(({ participant, box }) => h("label", { class: "row check" }, box, h("span", { dir: "auto", text: participant.displayName })))));
    confirmDialog(spared ? "Mute everyone else?" : "Mute everyone?", except ? "Everybody is muted but you and those you choose here." : "Everybody but you is muted.", {
      action: "Mute everyone", danger: false, more: except,
      choices: [{ name: "later", text: "Also people who come later" }, { name: "locked", text: "Nobody may unmute until I allow it or ask them to" }],
      onYes: ({ later, locked }) => {
        const left = people.filter(({ participant, box }) => box.checked && this.#meeting.participants.has(participant.id)).map(({ participant }) => participant);
        const names = left.length > 2 ? `${left.length} people` : left.map(({ displayName }) => displayName).join(" and ");
        this.#try(
          () => this.#hosting.muteAll({ except: left.map(({ id }) => id), includingLater: later || locked, mayUnmute: !locked }),
          left.length === 0 ? "Everybody is muted" : `Everybody but ${names} is muted`);
      },
    });
  }

  /** Those whom muting everybody would reach: who can be heard now comes first. The server takes 500 exceptions. */
  #whoCanBeSpared() {
    const reachesOrganizers = this.#meeting.localParticipant.role === "organizer";
    return [...this.#meeting.participants.values()].filter(({ role }) => reachesOrganizers || role !== "organizer")
      .sort((a, b) => Number(b.microphoneOn) - Number(a.microphoneOn) || a.displayName.localeCompare(b.displayName)).slice(0, 500);
  }

  /** Takes back what was said of muting. */
  allowUnmuting() { this.#try(() => this.#hosting.allowUnmuting(), "Everybody may unmute again"); }

  /** Asks, and ends the meeting for everybody. */
  endForAll() {
    confirmDialog("End the meeting for everyone?", "Everybody is taken out of the meeting, and so are you.", {
      action: "End for everyone", onYes: () => this.#try(() => this.#hosting.endForAll()),
    });
  }

  /** A host's bar above the list of the people panel. @returns {HTMLElement} */
  makeBar() {
    const mute = h("button", { class: "button small", type: "button", on: { click: () => this.muteEveryone() } }, icon("microphoneOff"), h("span", { text: "Mute everyone" }));
    const allow = h("button", { class: "button small", type: "button", on: { click: () => this.allowUnmuting() } }, icon("microphone"), h("span", { text: "Allow unmuting" }));
    const hands = h("button", { class: "button small", type: "button", on: { click: () => this.#try(() => this.#hosting.lowerHands(), "All hands are down") } }, icon("hand"), h("span", { text: "Lower all hands" }));
    const bar = h("div", { class: "people-host", role: "group", "aria-label": "For hosts", hidden: true }, mute, allow, hands);
    bar.refresh = () => {
      bar.hidden = !this.#hosting.isHost || this.#meeting.participants.size === 0;
      allow.hidden = this.#hosting.muteForAll === null;
      hands.hidden = this.#hosting.raisedHands.length === 0;
    };
    return bar;
  }

  async #try(task, done) {
    try {
      await task();
      if (done) { this.#announcer.show(done, { icon: "check" }); }
    } catch (error) {
      this.#announcer.show(error.message, { icon: "warning", urgent: true });
    }
  }
}
