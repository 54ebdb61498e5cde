import { AudioLevel } from "/sdk/parley.js";
import { isVisible, lengthProblem, textLimits } from "/sdk/text.js";
import { codecName } from "./codecs.js";
import { h, setText } from "./dom.js";
import { icon } from "./icons.js";
import { choices, theme } from "./storage.js";
import { watchLength } from "./text-length.js";

/**
 * Opens a modal dialog. It closes with Escape, its button or a click outside of it; the focus then returns to where it
 * was.
 *
 * @param {string} title
 * @param {Node[]} content
 * @param {{className?: string, onClose?: () => void}} [options]
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, content, options = {}) {
  const before = document.activeElement;
  const close = h("button", { class: "icon-button", type: "button", "aria-label": "Close", title: "Close (Esc)" }, icon("close"));
  const heading = h("h2", { id: "dialog-title", text: title });
  const dialog = h("dialog", { class: `dialog ${options.className ?? ""}`, "aria-labelledby": "dialog-title" },
    h("div", { class: "dialog-body" }, h("header", { class: "dialog-head" }, heading, close), ...content));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) { dialog.close(); } });
  dialog.addEventListener("close", () => {
    options.onClose?.();
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) { before.focus(); }
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Copies text; falls back to a selection where the clipboard is not open to pages.
 *
 * @param {string} text
 * @returns {Promise<boolean>}
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea", { value: text, class: "visually-hidden", readOnly: true });
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { done = false; }
    field.remove();
    return done;
  }
}

/**
 * A button that copies and says so.
 *
 * @param {() => string} text
 * @param {string} label
 * @param {(text: string) => void} [onCopied]
 * @returns {HTMLButtonElement}
 */
export function copyButton(text, label, onCopied) {
  const caption = h("span", { text: label });
  const button = h("button", { class: "button primary", type: "button" }, icon("copy"), caption);
  button.addEventListener("click", async () => {
    const done = await copyText(text());
    setText(caption, done ? "Copied" : "Press Ctrl+C");
    button.querySelector("svg").replaceWith(icon(done ? "check" : "copy"));
    if (done) { onCopied?.("Link copied"); }
    setTimeout(() => {
      setText(caption, label);
      button.querySelector("svg").replaceWith(icon("copy"));
    }, 2_500);
  });
  return button;
}

/** A warning about the link of an encrypted meeting; null for another. @param {string} url */
export function linkHint(url) {
  return url.includes("#e2ee=") ? h("p", { class: "hint", text: "Only this whole link lets people in, so send it to nobody else." }) : null;
}

/**
 * The invitation: the address of the meeting, to be copied or shared.
 *
 * @param {string} url
 * @param {string} subject
 * @param {(text: string) => void} say
 */
export function openInvite(url, subject, say) {
  const field = h("input", { class: "field", type: "text", readOnly: true, value: url, "aria-label": "Address of the meeting" });
  field.addEventListener("focus", () => field.select());
  openDialog("Invite people", [
    h("p", { text: "Send this address to whom you want to meet." }),
    h("div", { class: "invite-link" }, field, linkHint(url)),
    h("div", { class: "dialog-actions" },
      copyButton(() => url, "Copy link", say),
      typeof navigator.share === "function"
        ? h("button", { class: "button", type: "button", on: { click: () => navigator.share({ title: subject, url }).catch(() => {}) } }, icon("share"), h("span", { text: "Share…" }))
        : null),
  ]);
}

/** The keyboard shortcuts. */
export function openHelp() {
  const rows = [
    ["M", "Microphone on or off"], ["V", "Camera on or off"], ["S", "Share the screen, or stop"], ["C", "Chat"], ["P", "People"], ["H", "Raise or lower your hand"], ["E", "React"],
    ["I", "Invite people"], ["F", "Full screen"], ["?", "This list"], ["Esc", "Close a panel"],
  ];
  openDialog("Keyboard shortcuts", [
    h("dl", { class: "shortcuts" }, ...rows.flatMap(([key, text]) => [h("dt", {}, h("kbd", { text: key })), h("dd", { text })])),
    h("p", { class: "hint", text: "Double-click a picture to pin it. With the keyboard: Tab to the pictures, arrow keys to choose, Enter to pin." }),
  ]);
}

/**
 * Fills a device list.
 *
 * @param {HTMLSelectElement} select
 * @param {MediaDeviceInfo[]} devices
 * @param {string|undefined} chosen
 * @param {string} word
 */
export function fillDevices(select, devices, chosen, word) {
  const known = devices.filter((device) => device.deviceId !== "");
  select.replaceChildren(...known.map((device, index) => h("option", {
    value: device.deviceId, text: device.label || `${word} ${index + 1}`,
  })));
  if (known.length === 0) { select.append(h("option", { value: "", text: devices.length > 0 ? "System default" : `No ${word.toLowerCase()} found` })); }
  select.disabled = known.length === 0;
  if (chosen && known.some((device) => device.deviceId === chosen)) { select.value = chosen; }
}

/**
 * A bar that shows how loud a track is.
 *
 * @returns {{element: HTMLElement, show: (track: MediaStreamTrack|null) => void, close: () => void}}
 */
export function levelMeter() {
  const bar = h("div", { class: "meter-bar" });
  const element = h("div", { class: "meter", role: "img", "aria-label": "Microphone level" }, bar);
  let level = null;
  let timer = null;
  const show = (track) => {
    clearInterval(timer);
    level?.close();
    level = track ? new AudioLevel(track) : null;
    bar.style.setProperty("transform", "scaleX(0)");
    if (level) { timer = setInterval(() => bar.style.setProperty("transform", `scaleX(${level.value.toFixed(3)})`), 60); }
  };
  return { element, show, close: () => show(null) };
}

/**
 * A short tone, to try a speaker.
 *
 * @param {string|undefined} speakerId
 */
export async function playTone(speakerId) {
  const context = new AudioContext();
  const destination = context.createMediaStreamDestination();
  const gain = context.createGain();
  gain.connect(destination);
  gain.gain.setValueAtTime(0, context.currentTime);
  for (const [index, frequency] of [523.25, 659.25, 783.99].entries()) {
    const start = context.currentTime + index * 0.18;
    const oscillator = context.createOscillator();
    oscillator.frequency.value = frequency;
    oscillator.connect(gain);
    gain.gain.linearRampToValueAtTime(0.25, start + 0.03);
    gain.gain.linearRampToValueAtTime(0.0001, start + 0.17);
    oscillator.start(start);
    oscillator.stop(start + 0.18);
  }
  const audio = new Audio();
  audio.srcObject = destination.stream;
  if (speakerId && typeof audio.setSinkId === "function") { await audio.setSinkId(speakerId).catch(() => {}); }
  await audio.play().catch(() => {});
  setTimeout(() => { audio.srcObject = null; context.close(); }, 1_500);
}

/**
 * The choice of light, dark or the system's theme.
 *
 * @returns {HTMLElement}
 */
export function themeChoice() {
  const current = theme.get();
  return h("fieldset", { class: "segments" }, h("legend", { text: "Appearance" }),
    ...[["system", "System"], ["light", "Light"], ["dark", "Dark"]].map(([value, text]) => h("label", {},
      h("input", { type: "radio", name: "theme", value, checked: value === current, on: { change: () => theme.set(value) } }),
      h("span", { text }))));
}

/**
 * Device settings during a meeting.
 *
 * @param {import("/sdk/parley.js").Meeting} meeting
 * @param {{onSpeaker: (id: string) => void, onMirror: (mirror: boolean) => void, onProblem: (device: string, error:
 *   Error) => void}} handlers
 */
export function openSettings(meeting, handlers) {
  const { devices, localParticipant } = meeting;
  const select = (label) => h("select", { class: "field", "aria-label": label });
  const camera = select("Camera");
  const microphone = select("Microphone");
  const speaker = select("Speaker");
  const meter = levelMeter();
  const preview = h("video", { class: "settings-preview", autoplay: true, muted: true, playsInline: true, "aria-hidden": "true" });
  const previewOff = h("p", { class: "settings-preview-off", text: "Your camera is off" });
  const name = h("input", { class: "field", type: "text", value: localParticipant.name, autocomplete: "name" });
  const nameLength = watchLength(name, textLimits.name, "A name");
  const mirror = h("input", { type: "checkbox", checked: choices.get().mirror });
  const linkDevices = h("input", { type: "checkbox", checked: choices.get().linkDevices === true, on: { change: () => choices.update({ linkDevices: linkDevices.checked }) } });

  const showTracks = () => {
    const video = localParticipant.cameraOn ? localParticipant.publication("camera")?.track?.mediaStreamTrack : null;
    preview.srcObject = video ? new MediaStream([video]) : null;
    preview.hidden = !video;
    previewOff.hidden = Boolean(video);
    preview.classList.toggle("mirrored", mirror.checked);
    meter.show(localParticipant.publication("microphone")?.track?.mediaStreamTrack ?? null);
  };
  const fill = async () => {
    const list = await devices.list();
    const stored = choices.get();
    fillDevices(camera, list.cameras, localParticipant.publication("camera")?.track?.deviceId ?? stored.cameraId, "Camera");
    fillDevices(microphone, list.microphones, localParticipant.publication("microphone")?.track?.deviceId ?? stored.microphoneId, "Microphone");
    fillDevices(speaker, list.speakers, stored.speakerId, "Speaker");
  };
  const switchTo = (source, list, key) => async () => {
    try {
      await localParticipant.switchDevice(source, list.value);
      choices.update({ [key]: list.value });
    } catch (error) {
      handlers.onProblem(source, error);
      await fill();
    }
    showTracks();
  };
  camera.addEventListener("change", switchTo("camera", camera, "cameraId"));
  microphone.addEventListener("change", switchTo("microphone", microphone, "microphoneId"));
  speaker.addEventListener("change", () => {
    choices.update({ speakerId: speaker.value });
    handlers.onSpeaker(speaker.value);
  });
  mirror.addEventListener("change", () => {
    choices.update({ mirror: mirror.checked });
    handlers.onMirror(mirror.checked);
    showTracks();
  });
  const rename = () => {
    const text = name.value.trim();
    if (lengthProblem(text, textLimits.name, "A name") !== null) { return; }
    if (!isVisible(text) || text === localParticipant.name) { name.value = localParticipant.name; return; }
    localParticipant.rename(text);
    choices.update({ name: text });
  };
  name.addEventListener("change", rename);
  const changed = () => fill();
  devices.addEventListener("changed", changed);

  openDialog("Settings", [
    h("div", { class: "settings" },
      h("div", { class: "settings-part" },
        h("div", { class: "settings-picture" }, preview, previewOff),
        h("label", { class: "row" }, h("span", { text: "Camera" }), camera),
        h("label", { class: "row check" }, mirror, h("span", { text: "Mirror my own picture (only for me)" })),
        h("label", { class: "row check" }, linkDevices, h("span", { text: "Links that take me straight into a meeting may turn on my microphone and camera" }))),
      h("div", { class: "settings-part" },
        h("label", { class: "row" }, h("span", { text: "Microphone" }), microphone, meter.element),
        devices.speakerChoiceAvailable ? h("label", { class: "row" }, h("span", { text: "Speaker" }), speaker) : null,
        h("button", { class: "button small", type: "button", on: { click: () => playTone(speaker.value) } }, icon("speaker"), h("span", { text: "Play a test tone" })),
        h("label", { class: "row" }, h("span", { text: "Your name" }), name, nameLength.element),
        themeChoice())),
  ], {
    className: "dialog-settings",
    onClose: () => {
      rename();
      // Nobody sees the words next to the field any more.
      const problem = lengthProblem(name.value.trim(), textLimits.name, "A name");
      if (problem !== null) { handlers.onProblem("name", new Error(`Your name was not changed. ${problem}`)); }
      meter.close();
      preview.srcObject = null;
      devices.removeEventListener("changed", changed);
    },
  });
  fill();
  showTracks();
}

const rate = (bits) => (bits >= 1e6 ? `${(bits / 1e6).toFixed(1)} Mb/s` : `${Math.round(bits / 1e3)} kb/s`);
const milliseconds = (seconds) => `${Math.round(seconds * 1000)} ms`;
const percent = (part) => `${(part * 100).toFixed(1)} %`;

/**
 * Live statistics of one participant.
 *
 * @param {import("/sdk/parley.js").Meeting} meeting
 * @param {import("/sdk/parley.js").Participant} participant
 */
export function openDetails(meeting, participant) {
  const body = h("div", { class: "details" }, h("p", { class: "hint", text: "Measuring…" }));
  const sources = { microphone: "Sound", camera: "Camera", screen: "Screen", screenAudio: "Sound of the screen" };
  const table = (caption, rows) => h("table", {}, h("caption", { text: caption }), h("tbody", {},
    ...rows.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([key, value]) => h("tr", {}, h("th", { scope: "row", text: key }), h("td", { text: String(value) })))));
  const show = async () => {
    const digest = await meeting.stats().catch(() => null);
    if (!digest || !body.isConnected) { return; }
    const tables = [];
    for (const publication of participant.publications) {
      const mid = participant.isLocal ? meeting.connection.midOf(publication.source) : publication.track?.mid;
      const stream = digest.streams.filter((each) => each.mid === mid && each.direction === (participant.isLocal ? "outbound" : "inbound"))
        .sort((a, b) => (b.width ?? 0) - (a.width ?? 0))[0];
      const off = publication.muted ? "off" : null;
      tables.push(table(sources[publication.source], stream && !off ? [
        ["Codec", stream.codec],
        ["Picture", stream.width ? `${stream.width} × ${stream.height}${stream.framesPerSecond ? `, ${Math.round(stream.framesPerSecond)} a second` : ""}` : null],
        ["Rate", rate(stream.bitrate)],
        ["Lost packets", percent(stream.loss)],
        ["Jitter", stream.jitter === null ? null : milliseconds(stream.jitter)],
        ["Buffer", stream.delay === null ? null : milliseconds(stream.delay)],
        ["Freezes", stream.freezes || null],
        ["Held back by", stream.limitation],
        ["Cannot be played by", publication.undecodableFor ? `${publication.undecodableFor.count} of the others` : null],
      ] : [["State", off ?? (participant.isLocal ? "starting" : publication.undecodableCodec ? `this browser cannot play ${codecName(publication.undecodableCodec)}` : "not received")]]));
    }
    if (tables.length === 0) { tables.push(h("p", { class: "hint", text: "Neither microphone nor camera is shared." })); }
    const { transport } = digest;
    tables.push(table("Your connection to the server", [
      ["State", transport.state], ["Protocol", transport.protocol?.toUpperCase()], ["Server", transport.remoteAddress],
      ["Round trip", transport.rtt === null ? null : milliseconds(transport.rtt)],
      ["Room to send", transport.availableOutgoing ? rate(transport.availableOutgoing) : null],
    ]));
    body.replaceChildren(...tables);
  };
  const timer = setInterval(show, 1_000);
  openDialog(participant.isLocal ? "Your connection" : participant.displayName, [body], { className: "dialog-details", onClose: () => clearInterval(timer) });
  show();
}
