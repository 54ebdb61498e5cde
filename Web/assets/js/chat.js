import { isPicture } from "/sdk/chat.js";
import { chatProblem, shortened } from "/sdk/text.js";
import { placeFor, save, sizeText, Uploads } from "./chat-files.js";
import { h, setText } from "./dom.js";
import { icon } from "./icons.js";
import { linkify } from "./links.js";
import { openMenu } from "./menu.js";
import { panelHead } from "./panels.js";

/** The largest picture that is fetched without being asked for. */
const previewLimit = 4 << 20;
/** The problem with a file or a message, for people. */
function problemText(error, limit) {
  switch (error.code) {
    case "fileTooLarge": case "tooLarge": return limit > 0 ? `The file is too large: at most ${sizeText(limit)} are taken here.` : "No files can be sent in this meeting.";
    case "emptyFile": return "The file is empty.";
    case "unreadable": return "It cannot be read. A folder has to be packed into one file first.";
    case "diskFull": return "The server has no room for the file. Tell whoever runs it.";
    case "meetingFilesFull": case "quotaReached": return error.message;
    case "tooFast": return "That was too fast. Wait a moment.";
    case "unreachable": return "The connection was lost. Try again.";
    case "badCredential": case "notJoined": return "You are not connected just now. Try again when the connection is back.";
    default: return error.message;
  }
}

/**
 * The author of a message: shown apart from others of the name while they are there.
 *
 * @param {import("/sdk/parley.js").Meeting} meeting
 * @param {{from: string, name: string}} message
 * @returns {string}
 */
export function authorName(meeting, message) { return meeting.participant(message.from)?.displayName ?? message.name; }

/** The chat: messages, files, and a field to write. */
export class ChatPanel {
  #meeting;
  #list = h("ol", { class: "chat-list", tabIndex: 0, "aria-label": "Messages" });
  #empty = h("p", { class: "panel-empty" });
  #field;
  #to;
  #toRow;
  #problem = h("p", { class: "field-problem", role: "alert", hidden: true });
  #typing = h("p", { class: "chat-typing", role: "status" });
  #picker = h("input", { type: "file", class: "visually-hidden", tabIndex: -1, multiple: true, "aria-hidden": "true" });
  #attach;
  #submit = h("button", { class: "icon-button primary", type: "submit", "aria-label": "Send", title: "Send (Enter)" }, icon("send"));
  #uploads;
  #more;
  #last = null;
  #newest = 0;
  #items = new Map();
  #pictures = new Map();

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {() => void} onClose
   */
  constructor(meeting, onClose) {
    this.#meeting = meeting;
    this.#uploads = new Uploads(meeting, {
      receiver: () => this.#to.value || undefined, words: (error) => this.#words(error), onProblems: (lines) => this.#showProblems(lines),
    });
    this.#field = h("textarea", {
      class: "chat-field", rows: 1, placeholder: "Write a message", "aria-label": "Message", enterKeyHint: "send",
    });
    this.#to = h("select", { class: "chat-to", "aria-label": "Send to" });
    this.#toRow = h("label", { class: "chat-to-row" }, h("span", { text: "To" }), this.#to);
    this.#attach = h("button", { class: "icon-button chat-attach", type: "button", "aria-label": "Attach a file", title: "Attach a file", on: { click: () => this.#picker.click() } }, icon("attach"));
    const form = h("form", { class: "chat-form", on: { submit: (event) => { event.preventDefault(); this.#send(); } } },
      this.#typing, this.#uploads.element, this.#toRow,
      h("div", { class: "chat-write" }, this.#attach, this.#picker, this.#field, this.#submit),
      this.#problem);
    this.#field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.#send(); }
      if (event.key === "ArrowUp" && this.#field.value === "") { this.#editLast(event); }
    });
    this.#field.addEventListener("input", () => {
      this.#grow();
      this.#showLength(this.#field);
      meeting.chatting.setTyping(this.#field.value.trim() !== "", this.#to.value || null);
    });
    this.#picker.addEventListener("change", () => {
      this.#uploads.send([...this.#picker.files]);
      this.#picker.value = "";
    });
    this.#field.addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) { event.preventDefault(); this.#uploads.send(files); }
    });
    const head = panelHead("Chat", "chat-title", onClose);
    this.#more = h("button", { class: "icon-button", type: "button", "aria-label": "Save the chat", title: "Save the chat", "aria-haspopup": "menu", "aria-expanded": "false", hidden: true }, icon("download"));
    this.#more.addEventListener("click", () => openMenu(this.#more, "Save the chat", [
      { icon: "download", text: "As text", action: () => this.#export("text", "txt") }, { icon: "download", text: "As JSON", action: () => this.#export("json", "json") },
    ]));
    head.insertBefore(this.#more, head.lastChild);
    this.element = h("aside", { class: "panel", id: "chat-panel", "aria-labelledby": "chat-title", hidden: true },
      head, this.#empty, this.#list, form);
    this.#listenForDrops();
    for (const message of meeting.chat) { this.add(message); }
    this.refreshPeople();
    this.refreshRights();
    meeting.addEventListener("chatChanged", ({ detail }) => this.change(detail.message));
    meeting.addEventListener("typing", () => this.#showTyping());
    for (const type of ["permissions", "meetingChanged"]) { meeting.addEventListener(type, () => this.refreshRights()); }
    meeting.addEventListener("ended", () => { for (const address of this.#pictures.values()) { URL.revokeObjectURL(address); } });
  }

  /** Puts the cursor where one writes. */
  focus() {
    this.#field.focus();
    this.#list.scrollTop = this.#list.scrollHeight;
  }

  /** Shows what oneself may do here. */
  refreshRights() {
    const { mayWrite, fileLimit } = this.#meeting.chatting;
    this.#field.disabled = this.#submit.disabled = !mayWrite;
    this.#field.placeholder = mayWrite ? "Write a message" : "You may not write here";
    this.#attach.hidden = !mayWrite || fileLimit === 0;
    this.#more.hidden = !this.#meeting.hosting.isHost;
    // The writer should know who will read it.
    setText(this.#empty, this.#meeting.encrypted || this.#meeting.info?.chat?.history === false
      ? `No messages since you came. Who comes is not shown what was written before.${mayWrite ? " What you write here is seen by everybody in the meeting." : ""}`
      : `No messages yet.${mayWrite ? " What you write here is seen by everybody in the meeting, and by who comes later." : ""}`);
  }

  /** Brings the list of receivers up to date. */
  refreshPeople() {
    const chosen = this.#to.value;
    const options = [h("option", { value: "", text: "Everybody" })];
    for (const participant of this.#meeting.participants.values()) {
      options.push(h("option", { value: participant.id, text: `Only ${participant.displayName}` }));
    }
    this.#to.replaceChildren(...options);
    this.#to.value = options.some((option) => option.value === chosen) ? chosen : "";
    this.#toRow.hidden = this.#meeting.participants.size < 2;
    this.#showTyping();
  }

  /**
   * @param {{id: number, from: string, name: string, text: string, time: string, to: string|null, file?: object,
   *   deleted?: string, edited?: string}} message
   */
  add(message) {
    this.#empty.hidden = true;
    const own = message.from === this.#meeting.localParticipant.id;
    const atEnd = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < 60;
    const time = new Date(message.time);
    const minute = Number.isNaN(time.getTime()) ? "" : time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    // Messages for which the history after a loss had no room come later than those that were written after them.
    const next = message.id > this.#newest ? null : this.#items.get(Math.min(...[...this.#items.keys()].filter((id) => id > message.id)))?.item ?? null;
    this.#newest = Math.max(this.#newest, message.id);
    const grouped = next === null && this.#last && this.#last.from === message.from && (this.#last.to ?? null) === (message.to ?? null) && this.#last.minute === minute;
    if (next === null) { this.#last = { from: message.from, to: message.to, minute }; }
    const receiver = message.to ? this.#meeting.participant(message.to) : null;
    const aside = message.to ? (own ? `only to ${receiver?.displayName ?? "one person"}` : "only to you") : null;
    const body = h("div", { class: "chat-body" });
    const item = h("li", { class: `chat-message${own ? " chat-own" : ""}${grouped ? " chat-grouped" : ""}${message.to ? " chat-private" : ""}` },
      h("p", { class: grouped ? "visually-hidden" : "chat-head" },
        h("span", { class: "chat-name", dir: "auto", text: own ? "You" : authorName(this.#meeting, message) }),
        aside ? h("span", { class: "chat-aside", text: aside }) : null,
        minute ? h("time", { dateTime: message.time, text: minute }) : null),
      body);
    this.#items.set(message.id, { item, body, message });
    this.#fill(message);
    this.#list.insertBefore(item, next);
    if (atEnd || own) { this.#list.scrollTop = this.#list.scrollHeight; }
  }

  /** Shows a message as it is now. */
  change(message) {
    if (!this.#items.has(message.id)) { return; }
    const { item } = this.#items.get(message.id);
    const hadFocus = item.contains(document.activeElement);
    this.#fill(message);
    if (hadFocus) { (item.querySelector("button") ?? this.#list).focus(); }
  }

  #fill(message) {
    const { item, body } = this.#items.get(message.id);
    item.classList.toggle("chat-deleted", Boolean(message.deleted));
    if (message.deleted) {
      this.#forgetPicture(message.id);
      body.replaceChildren(h("p", { class: "chat-gone", text: message.deleted === "host" ? "A host deleted this message." : "This message was deleted." }));
      return;
    }
    if (message.unreadable) {
      body.replaceChildren(h("p", { class: "chat-gone", text: "A message that this device cannot read: it came before you, or its key is missing." }));
      return;
    }
    const own = message.from === this.#meeting.localParticipant.id;
    const content = message.file ? this.#fileView(message) : h("p", { class: "chat-text", dir: "auto" }, ...linkify(message.text),
      message.edited ? h("span", { class: "chat-edited", text: " (edited)" }) : null);
    const mayDelete = own || (this.#meeting.hosting.isHost && !message.to);
    const menu = mayDelete
      ? h("button", { class: "icon-button small chat-menu", type: "button", "aria-label": `Change or delete: ${shortened(message.file?.name ?? message.text, 40)}`, title: "Change or delete", "aria-haspopup": "menu", "aria-expanded": "false" }, icon("more"))
      : null;
    menu?.addEventListener("click", () => openMenu(menu, own ? "Your message" : `From ${authorName(this.#meeting, message)}`, [
      own && !message.file ? { icon: "edit", text: "Edit", action: () => this.#edit(message) } : null,
      { icon: "trash", text: own ? "Delete" : "Delete for everybody", danger: true, action: () => this.#ask(() => this.#meeting.chatting.remove(message)) },
    ]));
    body.replaceChildren(...[content, menu].filter(Boolean));
  }

  // MARK: Editing

  #edit(message) {
    const { body } = this.#items.get(message.id);
    const field = h("textarea", { class: "chat-field chat-edit-field", rows: 2, "aria-label": "Change the message", value: message.text });
    const done = (text) => {
      // A text that is too long stays where it is.
      if (text !== undefined && this.#showLength(field)) { return; }
      if (text === undefined) { this.#showProblem(null); }
      this.#fill(message);
      this.#field.focus();
      if (text !== undefined && text.trim() !== "" && text.trim() !== message.text) { this.#ask(() => this.#meeting.chatting.edit(message, text.trim())); }
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); done(); }
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); done(field.value); }
    });
    body.replaceChildren(h("div", { class: "chat-edit" }, field,
      h("div", { class: "chat-edit-row" },
        h("button", { class: "button small", type: "button", text: "Cancel", on: { click: () => done() } }),
        h("button", { class: "button primary small", type: "button", text: "Save", on: { click: () => done(field.value) } }))));
    const grow = () => {
      field.style.setProperty("height", "auto");
      field.style.setProperty("height", `${Math.min(240, field.scrollHeight + 4)}px`);
    };
    field.addEventListener("input", () => { grow(); this.#showLength(field); });
    grow();
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    // With its buttons, which lie below the field.
    body.scrollIntoView({ block: "nearest" });
  }

  /** With the arrow up in the empty field, as people know it from elsewhere. */
  #editLast(event) {
    const mine = [...this.#items.values()].map(({ message }) => message)
      .filter((message) => message.from === this.#meeting.localParticipant.id && !message.deleted && !message.file && !message.unreadable);
    if (mine.length === 0) { return; }
    event.preventDefault();
    this.#edit(mine.reduce((last, each) => (each.id > last.id ? each : last)));
  }

  async #ask(action) {
    try {
      await action();
      this.#showProblem(null);
    } catch (error) {
      this.#showProblem(error);
    }
  }

  #showProblem(error) { this.#showProblems(error === null ? [] : [this.#words(error)]); }

  #showProblems(lines) {
    this.#problem.hidden = lines.length === 0;
    this.#problem.replaceChildren(...lines.map((text) => h("span", { class: "chat-problem", dir: "auto", text })));
  }

  /**
   * Says that a text is too long for one message, and whether it is. A field with a `maxLength` would cut what is
   * pasted, and say nothing.
   */
  #showLength(field) {
    const problem = chatProblem(field.value.trim(), this.#meeting.encrypted);
    const isLong = problem !== null;
    if (isLong) { this.#showProblems([problem]); } else if (field.getAttribute("aria-invalid") === "true") { this.#showProblem(null); }
    if (isLong) { field.setAttribute("aria-invalid", "true"); } else { field.removeAttribute("aria-invalid"); }
    return isLong;
  }

  #words(error) { return problemText(error, this.#meeting.chatting.fileLimit); }

  // MARK: Files

  #fileView(message) {
    const { file } = message;
    const size = h("span", { class: "chat-file-size", text: sizeText(file.size) });
    const saveButton = h("button", { class: "chat-file", type: "button", title: `Save ${file.name}`, on: { click: () => this.#save(file, saveButton, size) } },
      icon("file"), h("span", { class: "chat-file-text" }, h("span", { class: "chat-file-name", dir: "auto", text: file.name }), size), icon("download"));
    if (!isPicture(file) || file.size > previewLimit) { return saveButton; }
    const picture = h("img", { class: "chat-picture", alt: file.name, hidden: true, decoding: "async" });
    picture.addEventListener("load", () => {
      const atEnd = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < 400;
      picture.hidden = false;
      if (atEnd) { this.#list.scrollTop = this.#list.scrollHeight; }
    });
    this.#preview(message.id, file, picture);
    return h("div", { class: "chat-shared" }, picture, saveButton);
  }

  async #preview(id, file, picture) {
    try {
      if (!this.#pictures.has(id)) { this.#pictures.set(id, URL.createObjectURL(await this.#meeting.chatting.fetchFile(file))); }
      picture.src = this.#pictures.get(id);
    } catch {
      // The button to save it says why, when it is used.
    }
  }

  #forgetPicture(id) {
    if (!this.#pictures.has(id)) { return; }
    URL.revokeObjectURL(this.#pictures.get(id));
    this.#pictures.delete(id);
  }

  #save(file, button, size) {
    button.disabled = true;
    const onProgress = (share) => setText(size, `${Math.floor(share * 100)} % of ${sizeText(file.size)}`);
    this.#ask(async () => {
      const writable = await placeFor(file);
      if (writable === undefined) { return; }
      const content = await this.#meeting.chatting.fetchFile(file, { onProgress, writable: writable ?? undefined });
      // Saved and never opened here: whatever it is, it runs nowhere in this page.
      if (content !== null) { save(new Blob([content], { type: "application/octet-stream" }), file.name); }
    }).finally(() => {
      button.disabled = false;
      setText(size, sizeText(file.size));
    });
  }

  #export(format, ending) {
    this.#ask(async () => save(await this.#meeting.chatting.export(format), `chat ${this.#meeting.info?.name ?? ""}.${ending}`));
  }

  #listenForDrops() {
    const mayDrop = (event) => !this.#attach.hidden && [...(event.dataTransfer?.types ?? [])].includes("Files");
    let depth = 0;
    const show = (on) => this.element.classList.toggle("chat-dropping", on);
    this.element.addEventListener("dragenter", (event) => { if (mayDrop(event)) { event.preventDefault(); depth += 1; show(true); } });
    this.element.addEventListener("dragover", (event) => { if (mayDrop(event)) { event.preventDefault(); event.dataTransfer.dropEffect = "copy"; } });
    this.element.addEventListener("dragleave", (event) => { if (mayDrop(event)) { depth = Math.max(0, depth - 1); show(depth > 0); } });
    this.element.addEventListener("drop", (event) => {
      depth = 0;
      show(false);
      if (!mayDrop(event)) { return; }
      event.preventDefault();
      this.#uploads.send([...event.dataTransfer.files]);
    });
  }

  // MARK: Writing

  #showTyping() {
    const names = this.#meeting.chatting.typing.map((each) => each.displayName);
    setText(this.#typing, names.length === 0 ? "" : names.length === 1 ? `${names[0]} is typing…` : names.length === 2 ? `${names[0]} and ${names[1]} are typing…` : "Several people are typing…");
  }

  #send() {
    const text = this.#field.value.trim();
    if (text.length === 0 || this.#showLength(this.#field)) { return; }
    try {
      this.#meeting.sendChat(text, { to: this.#to.value || undefined });
    } catch (error) {
      // The text stays where it is.
      this.#showProblems([error.code === "tooFast" ? "1,000 messages wait to be sent already. Wait a moment, and send it again." : this.#words(error)]);
      return;
    }
    this.#showProblem(null);
    this.#field.value = "";
    // The message itself says at the others that nobody types any more.
    this.#meeting.chatting.setTyping(false, this.#to.value || null);
    this.#grow();
    this.#field.focus();
  }

  #grow() {
    this.#field.style.setProperty("height", "auto");
    this.#field.style.setProperty("height", `${Math.min(140, this.#field.scrollHeight)}px`);
  }
}
