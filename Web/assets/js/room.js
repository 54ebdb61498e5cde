import { MeetingState } from "/sdk/parley.js";
import { Announcer } from "./announcer.js";
import { AudioSink } from "./audio-sink.js";
import { timeText } from "./not-begun-page.js";
import { copyButton, openDetails, openHelp, linkHint, openInvite, openSettings } from "./dialogs.js";
import { h, hasKeyboard, setAttribute, setText } from "./dom.js";
import { Lock } from "./encryption.js";
import { icon, mark } from "./icons.js";
import { LobbyControls } from "./lobby.js";
import { deviceProblem } from "./messages.js";
import { ChatPanel } from "./chat.js";
import { deviceOffer } from "./device-offer.js";
import { DeviceSwitches } from "./device-switches.js";
import { MutedSpeech } from "./muted-speech.js";
import { PeoplePanel } from "./panels.js";
import { RoomMenu } from "./room-menu.js";
import { Stage } from "./stage.js";
import { choices } from "./storage.js";
import { closeMenu } from "./menu.js";
import { Participation } from "./participation.js";
import { UnplayableNotices } from "./unplayable-notices.js";
import { UnreadChat } from "./unread-chat.js";

/** The page while in the meeting. */
export class Room {
  #meeting;
  #options;
  #stage;
  #chat;
  #people;
  #audio;
  #announcer = new Announcer();
  #lobby;
  #lock;
  #participation;
  #buttons = {};
  #panel = null;
  #unread;
  #banner;
  #hear;
  #alone;
  #title;
  #sharing;
  #offer;
  #clock;
  #timers = [];
  #menu;
  #switches;
  #mutedSpeech;
  #ended = false;
  #unplayable = new UnplayableNotices(this.#announcer);
  #wakeLock = null;
  #beforePanel = null;
  #onKey = (event) => this.#key(event);
  #onVisible = () => this.#keepAwake();

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {{title: string, url: string, invite: boolean, withheld: string[]}} options `withheld`: devices that wait
   *   for a click to be turned on
   */
  constructor(meeting, options) {
    this.#meeting = meeting;
    this.#options = options;
    this.#stage = new Stage(meeting, {
      onDetails: (tile) => openDetails(meeting, tile.participant),
      onMore: () => this.#openPanel("people"),
      onPinned: (tile) => this.#announcer.say(tile ? `Pinned ${tile.participant.displayName}` : "Unpinned"),
    });
    this.#switches = new DeviceSwitches(meeting, this.#announcer, this.#buttons, {
      onChange: () => this.#refresh(), onProblem: (error) => this.#problem(error),
    });
    this.#mutedSpeech = new MutedSpeech(meeting, () => this.#hintMuted());
    this.#participation = new Participation(meeting, this.#announcer, {
      refresh: () => this.#refresh(), openPeople: () => this.#openPanel("people", true), unmute: (sources) => this.#switches.unmute(sources),
    });
    this.#chat = new ChatPanel(meeting, () => this.#openPanel(null));
    this.#people = new PeoplePanel(meeting, {
      onClose: () => this.#openPanel(null),
      onPin: (participant) => {
        const tile = this.#stage.tile(participant, participant.sharing && !participant.isLocal ? "screen" : "camera");
        if (tile) { this.#stage.togglePin(tile); }
      },
      onDetails: (participant) => openDetails(meeting, participant),
      onInvite: options.invite ? () => this.#invite() : null,
      host: this.#participation.host,
    });
    this.#build();
    this.#listen();
    this.#stage.element.classList.toggle("mirror-self", choices.get().mirror);
    this.#refresh();
  }

  /**
   * The meeting has another title.
   *
   * @param {string} title
   */
  rename(title) {
    this.#options.title = title;
    setText(this.#title, title);
    this.#announcer.show(`The meeting is called ${title} now`, { icon: "edit" });
  }

  /** Takes listeners away; the page goes on to another state. */
  close() {
    this.#ended = true;
    closeMenu(false);
    this.#unplayable.close();
    document.removeEventListener("keydown", this.#onKey);
    document.removeEventListener("visibilitychange", this.#onVisible);
    this.#wakeLock?.release().catch(() => {});
    this.#mutedSpeech.close();
    this.#audio.close();
    for (const timer of this.#timers) { clearInterval(timer); }
    if (document.fullscreenElement) { document.exitFullscreen().catch(() => {}); }
    document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
  }

  // MARK: Building

  #build() {
    const button = (name, label, onClick, options = {}) => {
      const caption = h("span", { class: "control-label", text: label });
      const element = h("button", { class: `control ${options.className ?? ""}`, type: "button", on: { click: onClick } },
        icon(options.icon ?? name), caption);
      element.title = options.key ? `${label} (${options.key})` : label;
      if (options.key) { element.setAttribute("aria-keyshortcuts", options.key); }
      this.#buttons[name] = element;
      return element;
    };
    const { devices } = this.#meeting;
    this.#title = h("h1", { class: "room-title", dir: "auto", text: this.#options.title });
    this.#clock = h("span", { class: "room-clock" });
    this.#banner = h("div", { class: "banner", role: "status", hidden: true });
    this.#hear = h("button", { class: "button primary hear", type: "button", hidden: true, on: { click: () => this.#audio.unblock() } },
      icon("speaker"), h("span", { text: "Click to hear the others" }));
    this.#sharing = h("div", { class: "sharing-note", hidden: true }, icon("screen"), h("span", { text: "You are sharing your screen" }),
      h("button", { class: "button small", type: "button", text: "Stop sharing", on: { click: () => this.#switches.toggleScreen() } }));
    this.#offer = deviceOffer(this.#options.withheld, (sources) => this.#switches.unmute(sources), () => this.#buttons.microphone.focus());
    this.#alone = h("div", { class: "alone", hidden: true },
      h("h2", { text: "You are the first one here" }),
      ...(this.#options.invite
        ? [h("p", { text: "Send this address to whom you want to meet:" }), h("p", { class: "alone-url", text: this.#options.url }), linkHint(this.#options.url), copyButton(() => this.#options.url, "Copy link", (text) => this.#announcer.say(text))]
        : [h("p", { text: "The others will appear here." })]));
    this.#lock = new Lock(this.#meeting, this.#announcer);
    const isEncrypted = this.#meeting.encrypted;
    const dock = h("footer", { class: "dock", role: "group", "aria-label": "Meeting controls" },
      h("div", { class: "dock-info" }, mark(), h("div", { class: "dock-text" }, this.#title,
        h("div", { class: "dock-line" }, this.#clock, isEncrypted ? null : this.#lock.element))),
      h("div", { class: "dock-main" },
        button("microphone", "Mic", () => this.#switches.toggleMicrophone(), { key: "M" }),
        button("camera", "Camera", () => this.#switches.toggleCamera(), { key: "V" }),
        devices.screenAvailable ? button("screen", "Share", () => this.#switches.toggleScreen(), { key: "S", className: "control-wide" }) : null,
        button("hand", "Hand", () => this.#participation.toggleHand(), { key: "H" }),
        button("smile", "React", () => this.#participation.reactions.choose(this.#buttons.smile), { key: "E", className: "control-wide" }),
        button("chat", "Chat", () => this.#openPanel("chat"), { key: "C" }),
        button("people", "People", () => this.#openPanel("people"), { key: "P", className: "control-wide" }),
        this.#options.invite ? button("link", "Invite", () => this.#invite(), { key: "I", className: "control-wide" }) : null,
        button("more", "More", () => this.#menu.toggle())),
      h("div", { class: "dock-end" }, button("leave", "Leave", () => this.#meeting.leave(), { className: "control-leave" })));
    setAttribute(this.#buttons.chat, "aria-controls", "chat-panel");
    setAttribute(this.#buttons.people, "aria-controls", "people-panel");
    this.#unread = new UnreadChat(this.#meeting, this.#announcer, this.#buttons.chat, () => this.#openPanel("chat", true));
    for (const name of ["more", "smile"]) { setAttribute(this.#buttons[name], "aria-haspopup", "menu"); }
    setAttribute(this.#buttons.more, "aria-expanded", "false");
    this.#menu = new RoomMenu(this.#buttons.more, () => this.#menuEntries());
    const sounds = h("div", { class: "sounds", hidden: true });
    this.#audio = new AudioSink(sounds, (blocked) => { this.#hear.hidden = !blocked; }, choices.get().speakerId);
    this.element = h("div", { class: "room" },
      h("main", { class: "room-main" }, this.#banner, this.#offer.element, this.#sharing, this.#stage.element, this.#participation.reactions.element, this.#alone, this.#hear, isEncrypted ? this.#lock.element : null),
      this.#chat.element, this.#people.element, dock, sounds);
    this.#announcer.attach(this.element);
    this.#lobby = new LobbyControls(this.#meeting, {
      announcer: this.#announcer, peopleButton: this.#buttons.people, address: this.#options.address, onShow: () => this.#openPanel("people", true),
    });
    this.#banner.after(this.#lobby.notice);
    this.#people.element.querySelector(".people-list").before(this.#lobby.panel);
    const start = Date.now();
    this.#timers.push(setInterval(() => {
      const seconds = Math.floor((Date.now() - start) / 1000);
      const two = (number) => String(number).padStart(2, "0");
      const hours = Math.floor(seconds / 3600);
      setText(this.#clock, `${hours > 0 ? `${hours}:` : ""}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`);
    }, 1_000));
    setText(this.#clock, "00:00");
  }

  #listen() {
    const meeting = this.#meeting;
    const on = (type, listener) => meeting.addEventListener(type, ({ detail }) => { if (!this.#ended) { listener(detail); } });
    const quiet = () => meeting.participants.size > 12 || meeting.state !== MeetingState.connected;
    on("announced", ({ participant, entered, reason }) => {
      if (quiet()) { return; }
      const what = entered ? "joined" : reason === "timeout" ? "lost the connection" : reason === "removed" ? "was removed" : "left";
      this.#announcer.show(`${participant.displayName} ${what}`, { icon: entered ? "people" : "leave" });
    });
    on("lobby", () => this.#lobby.refresh());
    for (const type of ["participantJoined", "participantLeft", "participantUpdated", "unpublished", "muted", "quality", "trackUnsubscribed", "trackPaused", "trackResumed", "undecodable", "decodable"]) { on(type, () => this.#refresh()); }
    on("published", ({ participant, publication }) => {
      if (publication.source === "screen" && !participant.isLocal && meeting.state === MeetingState.connected) {
        this.#announcer.show(`${participant.displayName} shares the screen`, { icon: "screen" });
      }
      this.#refresh();
    });
    this.#unplayable.listen(on, () => this.#refresh());
    on("trackSubscribed", ({ track }) => {
      if (track.kind === "audio") { this.#audio.add(track); }
      this.#refresh();
    });
    on("trackUnsubscribed", ({ track }) => { if (track.kind === "audio") { this.#audio.remove(track); } });
    on("speakers", ({ speakers }) => {
      this.#stage.showSpeakers(speakers);
      this.#people.refresh();
    });
    this.#participation.listen(on);
    // The announcement isn't repeated when the person speaks.
    on("mutedByHost", () => this.#mutedSpeech.postpone());
    on("chat", ({ message, history }) => this.#chatMessage(message, history));
    on("meetingChanged", ({ info, before }) => {
      if (info.expires === before?.expires) { return; }
      const time = info.expires === null ? null : new Date(info.expires);
      this.#announcer.show(time === null ? "The meeting has no end any more" : `The meeting ends on ${timeText(time)}`, { icon: "clock" });
    });
    on("statechanged", () => this.#showState());
    on("reconnected", () => this.#announcer.show("You are connected again", { icon: "check" }));
    on("chatFailed", ({ error }) => { this.#problem(error); });
    on("error", ({ error, fatal }) => { if (!fatal) { this.#problem(error); } });
    for (const participant of meeting.participants.values()) {
      for (const publication of participant.publications) {
        if (publication.track?.kind === "audio") { this.#audio.add(publication.track); }
      }
    }
    document.addEventListener("keydown", this.#onKey);
    document.addEventListener("visibilitychange", this.#onVisible);
    // Screen readers hear only what is put into a region that is already there.
    setTimeout(() => this.#announcer.say(`You joined ${this.#options.title}, ${this.#stage.peopleCount} in the meeting${this.#offer.isShown ? `. ${this.#offer.text}` : ""}`), 500);
    this.#keepAwake();
    this.#mutedSpeech.start();
    this.#timers.push(setInterval(() => this.#showState(), 1_000));
  }

  // MARK: The view

  #refresh() {
    const { localParticipant } = this.#meeting;
    this.#stage.refresh();
    this.#people.refresh();
    this.#chat.refreshPeople();
    this.#switches.refresh();
    if (localParticipant.microphoneOn) { this.#announcer.clear("muted"); }
    this.#participation.showHand(this.#buttons.hand);
    this.#lock.refresh();
    this.#sharing.hidden = !localParticipant.sharing;
    this.#offer.show(localParticipant);
    this.#alone.hidden = this.#meeting.participants.size > 0;
    setAttribute(this.#buttons.people, "aria-label", `People, ${this.#stage.peopleCount} in the meeting`);
    this.#buttons.people.dataset.count = String(this.#stage.peopleCount);
    this.#showState();
  }

  #showState() {
    const { state } = this.#meeting;
    const offline = navigator.onLine === false;
    const text = state === MeetingState.connecting ? "Connecting…"
      : state === MeetingState.reconnecting
        ? (offline ? "You are offline. The meeting goes on as soon as your network is back." : "The connection was interrupted. Reconnecting…")
        : state === MeetingState.waiting ? `The connection was lost, and ${this.#meeting.waiting === "lobby" ? "a host has to let you in again" : "the meeting waits for a host"}. Waiting…`
          : "";
    if (this.#banner.dataset.text === text) { return; }
    this.#banner.dataset.text = text;
    this.#banner.hidden = text === "";
    this.#banner.replaceChildren(h("span", { class: "spinner", "aria-hidden": "true" }), h("span", { text }));
    this.element.classList.toggle("room-reconnecting", state === MeetingState.reconnecting);
  }

  #problem(error) {
    const device = /camera/i.test(error.message) ? "camera" : /microphone/i.test(error.message) ? "microphone" : null;
    if (device && ["denied", "deviceNotFound", "deviceBusy", "deviceFailed", "insecureContext", "unsupported"].includes(error.code)) {
      const { title, text } = deviceProblem(device, error, true);
      this.#announcer.show(`${title}. ${text}`, { icon: `${device}Off`, urgent: true });
      return;
    }
    // A participant who may not unmute hears it once, whatever they try.
    if (error.code === "notAllowed" && this.#mutedForGood) { this.#announcer.clear("muted"); }
    if (error.code === "tooFast") { this.#announcer.show("That was too fast. Wait a moment.", { icon: "warning", urgent: true }); return; }
    this.#announcer.show(error.message, { icon: "warning", urgent: true, topic: error.code === "notAllowed" && this.#mutedForGood ? "muted" : undefined });
  }

  /** Whether a host lets nobody unmute, oneself included. */
  get #mutedForGood() {
    const { hosting, localParticipant } = this.#meeting;
    return hosting.muteForAll?.mayUnmute === false && !hosting.isHost && localParticipant.publication("microphone")?.mutedByHost === true;
  }

  #chatMessage(message, history) {
    this.#chat.add(message);
    if (message.from === this.#meeting.localParticipant.id || history) { return; }
    this.#unread.add(message, this.#panel === "chat");
  }

  // MARK: The actions

  #openPanel(name, stay = false) {
    const next = this.#panel === name && !stay ? null : name;
    const last = this.#panel;
    if (next && !this.#panel) { this.#beforePanel = document.activeElement; }
    const hadFocus = this.#chat.element.contains(document.activeElement) || this.#people.element.contains(document.activeElement);
    this.#panel = next;
    this.#chat.element.hidden = next !== "chat";
    this.#people.element.hidden = next !== "people";
    this.element.classList.toggle("room-panel", next !== null);
    setAttribute(this.#buttons.chat, "aria-expanded", next === "chat" ? "true" : "false");
    setAttribute(this.#buttons.people, "aria-expanded", next === "people" ? "true" : "false");
    this.#buttons.chat.classList.toggle("control-active", next === "chat");
    this.#buttons.people.classList.toggle("control-active", next === "people");
    if (next === "chat") {
      this.#unread.clear();
      this.#chat.focus();
    } else if (next === "people") {
      this.#people.focus();
    } else if (hadFocus) {
      const before = this.#beforePanel;
      // On a narrow window the button of the people is in the menu.
      const places = [before === document.body ? null : before, this.#buttons[last], this.#buttons.more];
      places.find((each) => each?.isConnected && each.offsetParent !== null)?.focus();
    }
  }

  #invite() { openInvite(this.#options.url, this.#options.title, (text) => this.#announcer.say(text)); }

  /** Somebody speaks into a muted microphone. */
  #hintMuted() {
    const keys = hasKeyboard();
    this.#announcer.clear("muted");
    this.#announcer.show(this.#mutedForGood ? `Nobody hears you: a host has muted everybody. Raise your hand${keys ? " (H)" : ""} to be asked to speak.`
      : `Nobody hears you: your microphone is off. ${keys ? "Press M" : "Switch it on"} to speak.`, { icon: "microphoneOff", urgent: true, topic: "muted", onClick: () => this.#switches.toggleMicrophone() });
  }

  /** Keeps a phone's screen from going dark, where the browser lets a page ask for it. */
  async #keepAwake() {
    if (this.#ended || document.visibilityState !== "visible") { return; }
    try { this.#wakeLock = await navigator.wakeLock?.request("screen"); } catch { /* the battery comes first */ }
  }

  #menuEntries() {
    const { devices, hosting, encrypted } = this.#meeting;
    const entry = (name, text, action, className = "") => ({ icon: name, text, action, className });
    return [
      devices.screenAvailable ? entry("screen", this.#meeting.localParticipant.sharing ? "Stop sharing" : "Share the screen", () => this.#switches.toggleScreen(), "menu-narrow") : null,
      entry("people", `People (${this.#stage.peopleCount})`, () => this.#openPanel("people", true), "menu-narrow"),
      this.#options.invite ? entry("link", "Invite people", () => this.#invite(), "menu-narrow") : null,
      entry("smile", "React", () => this.#participation.reactions.choose(this.#buttons.more), "menu-narrow"),
      entry(encrypted ? "lock" : "unlock", encrypted ? "Encryption and safety code" : "Not encrypted", () => this.#lock.open()),
      entry("poll", this.#participation.polls.waiting > 0 ? `Polls (${this.#participation.polls.waiting} to vote in)` : "Polls", () => this.#participation.polls.open()),
      hosting.isHost ? entry("microphoneOff", "Mute everyone", () => this.#participation.host.muteEveryone()) : null,
      hosting.isHost && hosting.muteForAll ? entry("microphone", "Allow unmuting", () => this.#participation.host.allowUnmuting()) : null,
      hosting.isHost ? entry("leave", "End for everyone", () => this.#participation.host.endForAll(), "menu-danger") : null,
      entry("settings", "Settings", () => this.#settings()),
      entry("chart", "Your connection", () => openDetails(this.#meeting, this.#meeting.localParticipant)),
      document.fullscreenEnabled ? entry("fullscreen", document.fullscreenElement ? "Leave full screen" : "Full screen", () => this.#toggleFullscreen()) : null,
      entry("help", "Keyboard shortcuts", () => openHelp()),
    ];
  }

  #settings() {
    openSettings(this.#meeting, {
      onSpeaker: (id) => this.#audio.useSpeaker(id),
      onMirror: (mirror) => this.#stage.element.classList.toggle("mirror-self", mirror),
      onProblem: (device, error) => this.#problem(error),
    });
  }

  #toggleFullscreen() {
    if (document.fullscreenElement) { document.exitFullscreen().catch(() => {}); } else { document.documentElement.requestFullscreen().catch(() => {}); }
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) { return; }
    if (event.key === "Escape") {
      if (this.#menu.isOpen) { this.#menu.close(); } else if (this.#panel && !document.querySelector("dialog[open]")) { this.#openPanel(null); }
      return;
    }
    if (event.repeat || event.target.closest?.("input, textarea, select, [contenteditable], dialog")) { return; }
    const actions = {
      h: () => this.#participation.toggleHand(), e: () => this.#participation.reactions.choose(this.#buttons.smile.offsetParent ? this.#buttons.smile : this.#buttons.more),
      m: () => this.#switches.toggleMicrophone(), v: () => this.#switches.toggleCamera(), s: () => this.#switches.toggleScreen(), c: () => this.#openPanel("chat"),
      p: () => this.#openPanel("people"), i: () => { if (this.#options.invite) { this.#invite(); } }, f: () => this.#toggleFullscreen(), "?": () => openHelp(),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action) { return; }
    event.preventDefault();
    action();
  }
}
