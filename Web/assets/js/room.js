import { AudioLevel, MeetingState } from "/sdk/parley.js";
import { shortened } from "/sdk/text.js";
import { Announcer } from "./announcer.js";
import { AudioSink } from "./audio-sink.js";
import { timeText } from "./begins.js";
import { codecName, unableToPlay } from "./codecs.js";
import { copyButton, openDetails, openHelp, openInvite, openSettings } from "./dialogs.js";
import { h, hasKeyboard, setAttribute, setText } from "./dom.js";
import { Lock } from "./encryption.js";
import { icon, mark } from "./icons.js";
import { LobbyControls } from "./lobby.js";
import { deviceProblem } from "./messages.js";
import { authorName, ChatPanel } from "./chat.js";
import { deviceOffer } from "./device-offer.js";
import { PeoplePanel } from "./panels.js";
import { Stage } from "./stage.js";
import { choices } from "./storage.js";
import { closeMenu } from "./menu.js";
import { Together } from "./together.js";

/** How long a track may go over to a codec that everybody can play before anything is said, in milliseconds. */
const codecPatience = 2_000;

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
  #together;
  #buttons = {};
  #panel = null;
  #unread = 0;
  #banner;
  #hear;
  #alone;
  #title;
  #sharing;
  #offer;
  #clock;
  #timers = [];
  #menu = null;
  #ended = false;
  /** The unsaid words about tracks that somebody can't play. */
  #unplayable = new Map();
  #mutedLevel = null;
  #mutedTrack = null;
  #loudFor = 0;
  #hintedAt = -Infinity;
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
    this.#together = new Together(meeting, this.#announcer, {
      refresh: () => this.#refresh(), openPeople: () => this.#openPanel("people", true), unmute: (sources) => this.#unmute(sources),
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
      host: this.#together.host,
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
    document.removeEventListener("keydown", this.#onKey);
    document.removeEventListener("visibilitychange", this.#onVisible);
    this.#wakeLock?.release().catch(() => {});
    this.#mutedLevel?.close();
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
      h("button", { class: "button small", type: "button", text: "Stop sharing", on: { click: () => this.#toggleScreen() } }));
    this.#offer = deviceOffer(this.#options.withheld, (sources) => this.#unmute(sources), () => this.#buttons.microphone.focus());
    this.#alone = h("div", { class: "alone", hidden: true },
      h("h2", { text: "You are the first one here" }),
      ...(this.#options.invite
        ? [h("p", { text: "Send this address to whom you want to meet:" }), h("p", { class: "alone-url", text: this.#options.url }), copyButton(() => this.#options.url, "Copy link", (text) => this.#announcer.say(text))]
        : [h("p", { text: "The others will appear here." })]));
    this.#lock = new Lock(this.#meeting, this.#announcer);
    const isEncrypted = this.#meeting.encrypted;
    const dock = h("footer", { class: "dock", role: "group", "aria-label": "Meeting controls" },
      h("div", { class: "dock-info" }, mark(), h("div", { class: "dock-text" }, this.#title,
        h("div", { class: "dock-line" }, this.#clock, isEncrypted ? null : this.#lock.element))),
      h("div", { class: "dock-main" },
        button("microphone", "Mic", () => this.#toggleMicrophone(), { key: "M" }),
        button("camera", "Camera", () => this.#toggleCamera(), { key: "V" }),
        devices.screenAvailable ? button("screen", "Share", () => this.#toggleScreen(), { key: "S", className: "control-wide" }) : null,
        button("hand", "Hand", () => this.#together.toggleHand(), { key: "H" }),
        button("smile", "React", () => this.#together.reactions.choose(this.#buttons.smile), { key: "E", className: "control-wide" }),
        button("chat", "Chat", () => this.#openPanel("chat"), { key: "C" }),
        button("people", "People", () => this.#openPanel("people"), { key: "P", className: "control-wide" }),
        this.#options.invite ? button("link", "Invite", () => this.#invite(), { key: "I", className: "control-wide" }) : null,
        button("more", "More", () => this.#toggleMenu())),
      h("div", { class: "dock-end" }, button("leave", "Leave", () => this.#meeting.leave(), { className: "control-leave" })));
    setAttribute(this.#buttons.chat, "aria-controls", "chat-panel");
    setAttribute(this.#buttons.people, "aria-controls", "people-panel");
    for (const name of ["more", "smile"]) { setAttribute(this.#buttons[name], "aria-haspopup", "menu"); }
    setAttribute(this.#buttons.more, "aria-expanded", "false");
    const sounds = h("div", { class: "sounds", hidden: true });
    this.#audio = new AudioSink(sounds, (blocked) => { this.#hear.hidden = !blocked; }, choices.get().speakerId);
    this.element = h("div", { class: "room" },
      h("main", { class: "room-main" }, this.#banner, this.#offer.element, this.#sharing, this.#stage.element, this.#together.reactions.element, this.#alone, this.#hear, isEncrypted ? this.#lock.element : null),
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
    on("undecodable", ({ participant, publication, codec }) => {
      const what = { camera: "video", screen: "screen" }[publication.source] ?? "sound";
      // The tile shows it to those who see it.
      this.#tellUnplayable(publication.id, `This browser cannot play the ${what} of ${participant.displayName} (${codecName(codec)})`);
    });
    on("decodable", ({ publication }) => this.#tellUnplayable(publication.id, null));
    on("undecodableFor", ({ publication, ...receivers }) => {
      this.#tellUnplayable(publication.source, receivers.count > 0 ? unableToPlay(publication, receivers) : null, { icon: "warning", time: 8_000 });
      this.#refresh();
    });
    on("trackSubscribed", ({ track }) => {
      if (track.kind === "audio") { this.#audio.add(track); }
      this.#refresh();
    });
    on("trackUnsubscribed", ({ track }) => { if (track.kind === "audio") { this.#audio.remove(track); } });
    on("speakers", ({ speakers }) => {
      this.#stage.showSpeakers(speakers);
      this.#people.refresh();
    });
    this.#together.listen(on);
    // The announcement isn't repeated when the person speaks.
    on("mutedByHost", () => { this.#hintedAt = performance.now(); });
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
    this.#timers.push(setInterval(() => this.#listenWhileMuted(), 250));
    this.#timers.push(setInterval(() => this.#showState(), 1_000));
  }

  // MARK: The view

  #refresh() {
    const { localParticipant } = this.#meeting;
    this.#stage.refresh();
    this.#people.refresh();
    this.#chat.refreshPeople();
    this.#switchLook("microphone", localParticipant.microphoneOn, "Microphone");
    this.#switchLook("camera", localParticipant.cameraOn, "Camera");
    if (this.#buttons.screen) {
      const sharing = localParticipant.sharing;
      this.#buttons.screen.querySelector("svg").replaceWith(icon(sharing ? "screenStop" : "screen"));
      setText(this.#buttons.screen.querySelector(".control-label"), sharing ? "Stop" : "Share");
      setAttribute(this.#buttons.screen, "aria-label", sharing ? "Stop sharing the screen" : "Share the screen");
      this.#buttons.screen.classList.toggle("control-active", sharing);
    }
    if (localParticipant.microphoneOn) { this.#announcer.clear("muted"); }
    this.#together.showHand(this.#buttons.hand);
    this.#lock.refresh();
    this.#sharing.hidden = !localParticipant.sharing;
    this.#offer.show(localParticipant);
    this.#alone.hidden = this.#meeting.participants.size > 0;
    setAttribute(this.#buttons.people, "aria-label", `People, ${this.#stage.peopleCount} in the meeting`);
    this.#buttons.people.dataset.count = String(this.#stage.peopleCount);
    this.#showState();
  }

  /** Says something of a track that somebody cannot play, if that lasts: its sender may go over to another codec. */
  #tellUnplayable(topic, text, options = null) {
    clearTimeout(this.#unplayable.get(topic));
    this.#announcer.clear(topic);
    if (text === null) { return; }
    this.#unplayable.set(topic, setTimeout(() => {
      if (this.#ended) { return; }
      if (options) { this.#announcer.show(text, { ...options, topic }); } else { this.#announcer.say(text); }
    }, codecPatience));
  }

  #switchLook(source, on, label) {
    const button = this.#buttons[source];
    button.querySelector("svg").replaceWith(icon(on ? source : `${source}Off`));
    button.classList.toggle("control-off", !on);
    setAttribute(button, "aria-pressed", on ? "true" : "false");
    setAttribute(button, "aria-label", `${label}, ${on ? "on" : "off"}`);
    button.title = `Turn the ${source} ${on ? "off" : "on"} (${source === "camera" ? "V" : "M"})`;
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
    const text = message.unreadable ? "sends a message that this device cannot read" : message.file ? `sends ${message.file.name}` : shortened(message.text, 90, "…");
    if (this.#panel === "chat") {
      if (!message.deleted) { this.#announcer.say(`${authorName(this.#meeting, message)}: ${text}`); }
      return;
    }
    this.#unread += 1;
    this.#showUnread();
    if (message.deleted) { return; }
    this.#announcer.show(`${authorName(this.#meeting, message)}: ${text}`, { icon: "chat", time: 6_000, topic: "chat", onClick: () => this.#openPanel("chat", true) });
  }

  #showUnread() {
    const button = this.#buttons.chat;
    button.querySelector(".badge")?.remove();
    if (this.#unread > 0) { button.append(h("span", { class: "badge", "aria-hidden": "true", text: this.#unread > 99 ? "99+" : String(this.#unread) })); }
    setAttribute(button, "aria-label", this.#unread > 0 ? `Chat, ${this.#unread} unread` : "Chat");
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
      this.#announcer.clear("chat");
      this.#unread = 0;
      this.#showUnread();
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

  async #toggleMicrophone() {
    const { localParticipant } = this.#meeting;
    const on = !localParticipant.microphoneOn;
    await this.#try("microphone", () => localParticipant.setMicrophone(on, { deviceId: choices.get().microphoneId }));
    if (localParticipant.microphoneOn === on) { this.#announcer.say(on ? "Microphone on" : "Microphone off"); }
  }

  async #toggleCamera() {
    const { localParticipant } = this.#meeting;
    const on = !localParticipant.cameraOn;
    await this.#try("camera", () => localParticipant.setCamera(on, { deviceId: choices.get().cameraId }));
    if (localParticipant.cameraOn === on) { this.#announcer.say(on ? "Camera on" : "Camera off"); }
  }

  async #toggleScreen() {
    const { localParticipant, devices } = this.#meeting;
    if (!devices.screenAvailable) { return; }
    const on = !localParticipant.sharing;
    await this.#try("screen", () => localParticipant.setScreenShare(on));
    if (localParticipant.sharing === on) { this.#announcer.say(on ? "You share your screen" : "Screen sharing ended"); }
  }

  /** Unmutes on a host's request, once the person has agreed. */
  async #unmute(sources) {
    const own = this.#meeting.localParticipant;
    // Both at once, so that the browser asks once.
    await Promise.all([
      sources.includes("microphone") && !own.microphoneOn ? this.#toggleMicrophone() : null,
      sources.includes("camera") && !own.cameraOn ? this.#toggleCamera() : null,
    ]);
  }

  /** Does something with a device: the button is busy until then, and a failure is reported. */
  async #try(name, action) {
    const button = this.#buttons[name];
    if (button?.classList.contains("control-busy")) { return; }
    button?.classList.add("control-busy");
    try {
      await action();
    } catch (error) {
      if (error.code !== "cancelled") { this.#problem(error); }
    } finally {
      button?.classList.remove("control-busy");
      this.#refresh();
    }
  }

  /** Says so when somebody speaks into a muted microphone. The sound stays in the page. */
  #listenWhileMuted() {
    const publication = this.#meeting.localParticipant.publication("microphone");
    const track = publication?.muted ? publication.track?.mediaStreamTrack ?? null : null;
    if (track !== this.#mutedTrack) {
      this.#mutedLevel?.close();
      this.#mutedTrack = track;
      this.#mutedLevel = track?.readyState === "live" ? new AudioLevel(track) : null;
      this.#loudFor = 0;
    }
    if (!this.#mutedLevel) { return; }
    this.#loudFor = this.#mutedLevel.value > 0.55 ? this.#loudFor + 1 : Math.max(0, this.#loudFor - 0.5);
    if (this.#loudFor < 4 || performance.now() - this.#hintedAt < 30_000) { return; }
    this.#hintedAt = performance.now();
    const keys = hasKeyboard();
    this.#announcer.clear("muted");
    this.#announcer.show(this.#mutedForGood ? `Nobody hears you: a host has muted everybody. Raise your hand${keys ? " (H)" : ""} to be asked to speak.`
      : `Nobody hears you: your microphone is off. ${keys ? "Press M" : "Switch it on"} to speak.`, { icon: "microphoneOff", urgent: true, topic: "muted", onClick: () => this.#toggleMicrophone() });
  }

  /** Keeps a phone's screen from going dark, where the browser lets a page ask for it. */
  async #keepAwake() {
    if (this.#ended || document.visibilityState !== "visible") { return; }
    try { this.#wakeLock = await navigator.wakeLock?.request("screen"); } catch { /* the battery comes first */ }
  }

  #toggleMenu() {
    if (this.#menu) { this.#closeMenu(); return; }
    const { devices } = this.#meeting;
    const entry = (name, text, action, className = "") => h("button", {
      class: `menu-item ${className}`, type: "button", role: "menuitem", on: { click: () => { this.#closeMenu(); action(); } },
    }, icon(name), h("span", { text }));
    const menu = h("div", { class: "menu", role: "menu", "aria-label": "More" },
      devices.screenAvailable ? entry("screen", this.#meeting.localParticipant.sharing ? "Stop sharing" : "Share the screen", () => this.#toggleScreen(), "menu-narrow") : null,
      entry("people", `People (${this.#stage.peopleCount})`, () => this.#openPanel("people", true), "menu-narrow"),
      this.#options.invite ? entry("link", "Invite people", () => this.#invite(), "menu-narrow") : null,
      entry("smile", "React", () => this.#together.reactions.choose(this.#buttons.more), "menu-narrow"),
      entry(this.#meeting.encrypted ? "lock" : "unlock", this.#meeting.encrypted ? "Encryption and safety code" : "Not encrypted", () => this.#lock.open()),
      entry("poll", this.#together.polls.waiting > 0 ? `Polls (${this.#together.polls.waiting} to vote in)` : "Polls", () => this.#together.polls.open()),
      this.#meeting.hosting.isHost ? entry("microphoneOff", "Mute everyone", () => this.#together.host.muteEveryone()) : null,
      this.#meeting.hosting.isHost && this.#meeting.hosting.muteForAll ? entry("microphone", "Allow unmuting", () => this.#together.host.allowUnmuting()) : null,
      this.#meeting.hosting.isHost ? entry("leave", "End for everyone", () => this.#together.host.endForAll(), "menu-danger") : null,
      entry("settings", "Settings", () => this.#settings()),
      entry("chart", "Your connection", () => openDetails(this.#meeting, this.#meeting.localParticipant)),
      document.fullscreenEnabled ? entry("fullscreen", document.fullscreenElement ? "Leave full screen" : "Full screen", () => this.#toggleFullscreen()) : null,
      entry("help", "Keyboard shortcuts", () => openHelp()));
    menu.addEventListener("keydown", (event) => {
      const items = [...menu.querySelectorAll(".menu-item")].filter((item) => item.offsetParent !== null);
      const index = items.indexOf(document.activeElement);
      const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
      if (to !== undefined) {
        event.preventDefault();
        items[(to + items.length) % items.length].focus();
      } else if (event.key === "Tab") { this.#closeMenu(); }
    });
    this.#menu = { menu, outside: (event) => { if (!menu.contains(event.target) && !this.#buttons.more.contains(event.target)) { this.#closeMenu(false); } } };
    document.addEventListener("pointerdown", this.#menu.outside);
    this.#buttons.more.parentElement.append(menu);
    setAttribute(this.#buttons.more, "aria-expanded", "true");
    [...menu.querySelectorAll(".menu-item")].find((item) => item.offsetParent !== null)?.focus();
  }

  #closeMenu(focus = true) {
    if (!this.#menu) { return; }
    document.removeEventListener("pointerdown", this.#menu.outside);
    this.#menu.menu.remove();
    this.#menu = null;
    setAttribute(this.#buttons.more, "aria-expanded", "false");
    if (focus) { this.#buttons.more.focus(); }
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
      if (this.#menu) { this.#closeMenu(); } else if (this.#panel && !document.querySelector("dialog[open]")) { this.#openPanel(null); }
      return;
    }
    if (event.repeat || event.target.closest?.("input, textarea, select, [contenteditable], dialog")) { return; }
    const actions = {
      h: () => this.#together.toggleHand(), e: () => this.#together.reactions.choose(this.#buttons.smile.offsetParent ? this.#buttons.smile : this.#buttons.more),
      m: () => this.#toggleMicrophone(), v: () => this.#toggleCamera(), s: () => this.#toggleScreen(), c: () => this.#openPanel("chat"),
      p: () => this.#openPanel("people"), i: () => { if (this.#options.invite) { this.#invite(); } }, f: () => this.#toggleFullscreen(), "?": () => openHelp(),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action) { return; }
    event.preventDefault();
    action();
  }
}
