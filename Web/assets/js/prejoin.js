import { Devices } from "/sdk/parley.js";
import { isVisible, textLimits } from "/sdk/text.js";
import { fillDevices, levelMeter, playTone, themeChoice, openDialog } from "./dialogs.js";
import { h, setAttribute, setText } from "./dom.js";
import { icon, mark } from "./icons.js";
import { identityChoice } from "./identity-choice.js";
import { deviceProblem } from "./messages.js";
import { watchLength } from "./text-length.js";
import { wantedDevices } from "./starting-devices.js";
import { choices } from "./storage.js";
import { hueIndex, initials } from "./tile.js";

/**
 * The page before joining: picture, level, devices, name.
 *
 * @typedef {object} Ready
 * @property {string} name
 * @property {MediaStreamTrack|null} microphone
 * @property {MediaStreamTrack|null} camera
 * @property {boolean} microphoneMuted
 */
export class Prejoin {
  #devices = new Devices();
  #tracks = { microphone: null, camera: null };
  #wanted;
  #problems = { microphone: null, camera: null };
  #opening = { microphone: false, camera: false };
  #options;
  #video = h("video", { class: "preview-video", autoplay: true, muted: true, playsInline: true, "aria-hidden": "true" });
  #avatar = h("div", { class: "avatar", "aria-hidden": "true" });
  #note = h("div", { class: "preview-note", role: "status" });
  #buttons = {};
  #selects = {};
  #meter = levelMeter();
  #name;
  #nameLength;
  #title;
  #signedIn = h("div", { hidden: true });
  #nameProblem = h("p", { class: "field-problem", role: "alert", id: "name-problem", hidden: true });
  #join;
  #status = h("p", { class: "prejoin-status", role: "status" });
  #problemsBox = h("div", { class: "problems" });
  #onDevices = () => this.#fill();

  /**
   * @param {{title: string, overrides: import("/sdk/parley.js").Overrides, encrypted: boolean,
   *   onJoin: (ready: Ready) => void}} options
   */
  constructor(options) {
    this.#options = options;
    const stored = choices.get();
    const { overrides } = options;
    this.#wanted = wantedDevices(overrides, stored);
    this.#name = h("input", {
      class: "field", id: "display-name", type: "text", autocomplete: "name", placeholder: "How others will see you",
      value: overrides.displayName ?? stored.name, "aria-describedby": "name-problem", enterKeyHint: "go",
    });
    this.#nameLength = watchLength(this.#name, textLimits.name, "A name");
    this.#title = h("h1", { class: "prejoin-title", dir: "auto", text: options.title });
    this.#join = h("button", { class: "button primary large", type: "submit" }, h("span", { text: "Join now" }));
    for (const source of ["microphone", "camera"]) {
      this.#buttons[source] = h("button", { class: "control", type: "button", on: { click: () => this.#toggle(source) } });
      this.#selects[source] = h("select", { class: "field", "aria-label": source === "camera" ? "Camera" : "Microphone" });
      this.#selects[source].addEventListener("change", () => this.#switch(source));
    }
    this.#selects.speaker = h("select", { class: "field", "aria-label": "Speaker" });
    this.#selects.speaker.addEventListener("change", () => choices.update({ speakerId: this.#selects.speaker.value }));
    this.#name.addEventListener("input", () => {
      this.#showAvatar();
      if (!this.#nameProblem.hidden) { this.#nameProblem.hidden = true; setAttribute(this.#name, "aria-invalid", null); }
    });

    const form = h("form", { class: "prejoin-form", novalidate: "", on: { submit: (event) => { event.preventDefault(); this.#submit(); } } },
      h("p", { class: "eyebrow", text: "You are about to join" }),
      this.#title,
      options.encrypted ? h("p", { class: "prejoin-encrypted" }, icon("lock"), h("span", { text: "Encrypted from end to end" })) : null,
      h("label", { class: "label", for: "display-name", text: "Your name" }), this.#name, this.#nameProblem, this.#nameLength.element, this.#signedIn,
      options.encrypted ? identityChoice("prejoin-identity") : null,
      this.#problemsBox,
      this.#join, this.#status,
      h("details", { class: "device-choice" }, h("summary", {}, icon("settings"), h("span", { text: "Microphone, camera and speaker" })),
        h("label", { class: "row" }, h("span", { text: "Microphone" }), this.#selects.microphone),
        h("label", { class: "row" }, h("span", { text: "Camera" }), this.#selects.camera),
        this.#devices.speakerChoiceAvailable ? h("label", { class: "row" }, h("span", { text: "Speaker" }), this.#selects.speaker) : null,
        h("button", { class: "button", type: "button", on: { click: () => playTone(this.#selects.speaker.value) } }, icon("speaker"), h("span", { text: "Play a test tone" }))));
    this.element = h("div", { class: "prejoin" },
      h("header", { class: "page-head" },
        h("a", { class: "brand", href: "/" }, mark(), h("span", { text: "Parley" })),
        h("button", { class: "icon-button", type: "button", "aria-label": "Appearance", title: "Appearance", on: { click: () => openDialog("Appearance", [themeChoice()]) } }, icon("sun"))),
      h("main", { class: "prejoin-main" },
        h("div", { class: "preview-column" },
          h("div", { class: "preview" }, this.#video, this.#avatar, this.#note,
            h("div", { class: "preview-controls", role: "group", "aria-label": "Microphone and camera" }, this.#buttons.microphone, this.#buttons.camera)),
          h("div", { class: "preview-level" }, icon("microphone"), this.#meter.element)),
        form));
    this.#devices.addEventListener("changed", this.#onDevices);
    this.#refresh();
  }

  /** Opens the devices that are wanted, and puts the focus on what is to be done. */
  async start() {
    (this.#name.value.trim() === "" ? this.#name : this.#join).focus();
    if (this.#wanted.microphone && this.#wanted.camera) {
      this.#opening = { microphone: true, camera: true };
      this.#refresh();
      const stored = choices.get();
      const both = await this.#devices.openBoth({
        microphone: { deviceId: stored.microphoneId }, camera: { deviceId: stored.cameraId }, resolution: this.#options.overrides.resolution,
      });
      this.#opening = { microphone: false, camera: false };
      this.#take("microphone", both.microphone);
      this.#take("camera", both.camera);
    } else {
      for (const source of ["microphone", "camera"]) { if (this.#wanted[source]) { await this.#open(source); } }
    }
    this.#refresh();
    await this.#fill();
  }

  /**
   * Shows that joining goes on, or that it did not work.
   *
   * @param {boolean} busy
   * @param {string} [text]
   */
  setBusy(busy, text = "") {
    this.#join.disabled = busy;
    setText(this.#join.querySelector("span"), busy ? "Joining…" : "Join now");
    setText(this.#status, text);
  }

  /** The server has sent the meeting's title. @param {string} title */
  setTitle(title) { setText(this.#title, title); }

  /**
   * Shows who is signed in. The name is the account's then.
   *
   * @param {string} name
   * @param {HTMLElement} line
   */
  setSignedIn(name, line) {
    this.#name.value = name;
    this.#name.readOnly = true;
    this.#nameProblem.hidden = true;
    this.#signedIn.hidden = false;
    this.#signedIn.replaceChildren(line);
    if (document.activeElement === this.#name) { this.#join.focus(); }
    this.#showAvatar();
  }

  /** Closes the devices that were opened here. */
  stop() {
    this.#tracks.microphone?.stop();
    this.#tracks.camera?.stop();
  }

  /** Takes the page's listeners away; the tracks live on in the meeting they were handed to. */
  close() {
    this.#meter.close();
    this.#devices.removeEventListener("changed", this.#onDevices);
    this.#video.srcObject = null;
    this.closed = true;
  }

  #submit() {
    const name = this.#name.value.trim();
    if (!isVisible(name)) {
      this.#nameProblem.hidden = false;
      setText(this.#nameProblem, "Type your name, so that others know who you are.");
      setAttribute(this.#name, "aria-invalid", "true");
      this.#name.focus();
      return;
    }
    if (this.#nameLength.problem() !== null) { return; }
    // The account's name is not what its owner types elsewhere.
    if (!this.#name.readOnly) { choices.update({ name }); }
    this.#options.onJoin({
      name, microphone: this.#tracks.microphone, camera: this.#tracks.camera, microphoneMuted: !this.#wanted.microphone,
    });
  }

  async #toggle(source) {
    if (this.#opening[source]) { return; }
    const live = this.#tracks[source]?.readyState === "live";
    if (this.#problems[source]) {
      this.#wanted[source] = true;
      await this.#open(source);
    } else if (source === "microphone" && live) {
      this.#wanted.microphone = !this.#wanted.microphone;
    } else if (live) {
      this.#wanted.camera = false;
      this.#tracks.camera.stop();
      this.#tracks.camera = null;
    } else {
      this.#wanted[source] = true;
      await this.#open(source);
    }
    if (this.#tracks.microphone) { this.#tracks.microphone.enabled = this.#wanted.microphone; }
    // A device that only the address has turned off isn't the person's choice.
    choices.update({ [source]: this.#wanted[source] });
    this.#refresh();
    await this.#fill();
  }

  async #open(source) {
    this.#opening[source] = true;
    this.#problems[source] = null;
    this.#refresh();
    const stored = choices.get();
    const result = await (source === "camera"
      ? this.#devices.openCamera({ deviceId: this.#selects.camera.value || stored.cameraId, resolution: this.#options.overrides.resolution })
      : this.#devices.openMicrophone({ deviceId: this.#selects.microphone.value || stored.microphoneId })).catch((error) => error);
    this.#opening[source] = false;
    this.#take(source, result);
    this.#refresh();
  }

  #take(source, result) {
    if (this.closed) {
      if (result instanceof MediaStreamTrack) { result.stop(); }
      return;
    }
    this.#tracks[source]?.stop();
    this.#tracks[source] = result instanceof MediaStreamTrack ? result : null;
    this.#problems[source] = result instanceof MediaStreamTrack ? null : result;
    if (result instanceof MediaStreamTrack) {
      result.addEventListener("ended", () => {
        if (this.#tracks[source] !== result || this.closed) { return; }
        this.#tracks[source] = null;
        this.#problems[source] = { code: "deviceNotFound", message: "It was disconnected." };
        this.#refresh();
      });
    }
  }

  async #switch(source) {
    choices.update({ [`${source}Id`]: this.#selects[source].value });
    if (this.#tracks[source] || this.#problems[source]) {
      this.#tracks[source]?.stop();
      await this.#open(source);
    }
  }

  async #fill() {
    const list = await this.#devices.list();
    const stored = choices.get();
    const used = (source) => this.#tracks[source]?.getSettings().deviceId ?? stored[`${source}Id`];
    fillDevices(this.#selects.microphone, list.microphones, used("microphone"), "Microphone");
    fillDevices(this.#selects.camera, list.cameras, used("camera"), "Camera");
    fillDevices(this.#selects.speaker, list.speakers, stored.speakerId, "Speaker");
  }

  #showAvatar() {
    const name = this.#name.value.trim();
    setText(this.#avatar, name ? initials(name) : "?");
    setAttribute(this.#avatar, "data-hue", hueIndex(name));
  }

  #refresh() {
    const { camera, microphone } = this.#tracks;
    this.#showAvatar();
    if (camera && this.#video.srcObject?.getTracks()[0] !== camera) {
      this.#video.srcObject = new MediaStream([camera]);
      this.#video.play().catch(() => {});
    }
    if (!camera) { this.#video.srcObject = null; }
    this.#video.classList.toggle("preview-shown", Boolean(camera));
    this.#video.classList.toggle("mirrored", choices.get().mirror);
    this.#avatar.hidden = Boolean(camera);
    this.#meter.show(microphone && this.#wanted.microphone ? microphone : null);
    this.#meter.element.parentElement?.classList.toggle("preview-level-off", !(microphone && this.#wanted.microphone));
    const opening = this.#opening.camera || this.#opening.microphone;
    setText(this.#note, opening ? "Your browser may ask you to allow the camera and the microphone." : camera ? "" : this.#problems.camera ? deviceProblem("camera", this.#problems.camera).title : "Your camera is off");
    for (const source of ["microphone", "camera"]) {
      const on = Boolean(this.#tracks[source]) && this.#wanted[source];
      const problem = this.#problems[source];
      const button = this.#buttons[source];
      const Device = source === "camera" ? "Camera" : "Microphone";
      button.replaceChildren(icon(on ? source : `${source}Off`), ...(problem ? [h("span", { class: "control-warning", text: "!" })] : []));
      setAttribute(button, "aria-pressed", on ? "true" : "false");
      const label = problem ? `${deviceProblem(source, problem).title}. Try again` : on ? `Turn the ${source} off` : `Turn the ${source} on`;
      setAttribute(button, "aria-label", label);
      button.title = problem ? label : `${Device} ${on ? "on" : "off"}`;
      button.classList.toggle("control-off", !on);
      button.classList.toggle("control-busy", this.#opening[source]);
    }
    const shown = ["microphone", "camera"].filter((source) => this.#problems[source])
      .map((source) => deviceProblem(source, this.#problems[source]));
    const same = shown.length === 2 && this.#problems.microphone.code === this.#problems.camera.code;
    const list = same ? [both(this.#problems.camera.code, shown)] : shown;
    this.#problemsBox.replaceChildren(...list.map(({ title, text }) => h("div", { class: "problem", role: "alert" },
      icon("warning"), h("div", {}, h("strong", { text: title }), h("p", { text })))));
  }
}

/** One notice where microphone and camera fail for the same reason. */
function both(code, shown) {
  switch (code) {
    case "denied": return { title: "Camera and microphone are blocked", text: "Allow them through the sign in the address bar or in the site's settings, then try again. You can also join without." };
    case "deviceNotFound": return { title: "No camera and no microphone found", text: "Connect them, or join to watch, listen and chat." };
    case "insecureContext": return { title: "Camera and microphone need a secure page", text: "Browsers allow them only over HTTPS. You can still join to watch, listen and chat." };
    default: return { title: shown.map((each) => each.title).join(". "), text: shown[0].text };
  }
}
