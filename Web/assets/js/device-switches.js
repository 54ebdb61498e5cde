import { setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
import { choices } from "./storage.js";

/** The switches of one's microphone, camera and shared screen. */
export class DeviceSwitches {
  #meeting;
  #announcer;
  #buttons;
  #onChange;
  #onProblem;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {import("./announcer.js").Announcer} announcer
   * @param {Record<string, HTMLButtonElement>} buttons the room's buttons by name, as far as they are there
   * @param {{onChange: () => void, onProblem: (error: Error) => void}} handlers
   */
  constructor(meeting, announcer, buttons, { onChange, onProblem }) {
    this.#meeting = meeting;
    this.#announcer = announcer;
    this.#buttons = buttons;
    this.#onChange = onChange;
    this.#onProblem = onProblem;
  }

  /** Shows what is on. */
  refresh() {
    const { localParticipant } = this.#meeting;
    this.#switchLook("microphone", localParticipant.microphoneOn, "Microphone");
    this.#switchLook("camera", localParticipant.cameraOn, "Camera");
    if (this.#buttons.screen) {
      const sharing = localParticipant.sharing;
      this.#buttons.screen.querySelector("svg").replaceWith(icon(sharing ? "screenStop" : "screen"));
      setText(this.#buttons.screen.querySelector(".control-label"), sharing ? "Stop" : "Share");
      setAttribute(this.#buttons.screen, "aria-label", sharing ? "Stop sharing the screen" : "Share the screen");
      this.#buttons.screen.classList.toggle("control-active", sharing);
    }
  }

  async toggleMicrophone() {
    const { localParticipant } = this.#meeting;
    const on = !localParticipant.microphoneOn;
    await this.#try("microphone", () => localParticipant.setMicrophone(on, { deviceId: choices.get().microphoneId }));
    if (localParticipant.microphoneOn === on) { this.#announcer.say(on ? "Microphone on" : "Microphone off"); }
  }

  async toggleCamera() {
    const { localParticipant } = this.#meeting;
    const on = !localParticipant.cameraOn;
    await this.#try("camera", () => localParticipant.setCamera(on, { deviceId: choices.get().cameraId }));
    if (localParticipant.cameraOn === on) { this.#announcer.say(on ? "Camera on" : "Camera off"); }
  }

  async toggleScreen() {
    const { localParticipant, devices } = this.#meeting;
    if (!devices.screenAvailable) { return; }
    const on = !localParticipant.sharing;
    await this.#try("screen", () => localParticipant.setScreenShare(on));
    if (localParticipant.sharing === on) { this.#announcer.say(on ? "You share your screen" : "Screen sharing ended"); }
  }

  /** Unmutes on a host's request, once the person has agreed. */
  async unmute(sources) {
    const own = this.#meeting.localParticipant;
    // Both at once, so that the browser asks once.
    await Promise.all([
      sources.includes("microphone") && !own.microphoneOn ? this.toggleMicrophone() : null,
      sources.includes("camera") && !own.cameraOn ? this.toggleCamera() : null,
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
      if (error.code !== "cancelled") { this.#onProblem(error); }
    } finally {
      button?.classList.remove("control-busy");
      this.#onChange();
    }
  }

  #switchLook(source, on, label) {
    const button = this.#buttons[source];
    button.querySelector("svg").replaceWith(icon(on ? source : `${source}Off`));
    button.classList.toggle("control-off", !on);
    setAttribute(button, "aria-pressed", on ? "true" : "false");
    setAttribute(button, "aria-label", `${label}, ${on ? "on" : "off"}`);
    button.title = `Turn the ${source} ${on ? "off" : "on"} (${source === "camera" ? "V" : "M"})`;
  }
}
