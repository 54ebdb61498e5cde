import { AudioLevel } from "../audio-level.js";

const meterInterval = 50;

/** The common part of publishers and subscribers: the elements that play, and the meter. */
export class WidgetCore {
  #meter = null;
  #timer = null;

  /**
   * @param {object} facade the object that the page has
   * @param {object} kit what `/opentok.js` lends
   */
  constructor(facade, kit) {
    this.facade = facade;
    this.kit = kit;
    this.video = document.createElement("video");
    this.video.autoplay = true;
    this.video.playsInline = true;
    this.video.muted = true;
    this.video.className = "OT_video-element";
    const { fitMode = "cover" } = facade.properties;
    Object.assign(this.video.style, { display: "block", width: "100%", height: "100%", objectFit: fitMode === "contain" ? "contain" : "cover" });
  }

  /** Puts the picture into its place, or gives it to the page that shows it by itself. */
  show() {
    if (this.video.isConnected) { return; }
    this.facade.element.append(this.video);
    if (this.facade.properties.insertDefaultUI === false) { this.facade._emit("videoElementCreated", { element: this.video }); }
  }

  /** Begins to say how loud it is, once the page wants to know. */
  measure() { this.#timer ??= setInterval(() => this.#read(), meterInterval); }

  #read() {
    const track = this.soundTrack;
    if (track !== this.#meter?.track) {
      this.#meter?.level.close();
      this.#meter = track ? { track, level: new AudioLevel(track) } : null;
    }
    this.facade._emit("audioLevelUpdated", { audioLevel: this.#meter && track.enabled ? this.#meter.level.value : 0 });
  }

  /** Takes its element out of the page. */
  remove() {
    clearInterval(this.#timer);
    this.#meter?.level.close();
    this.#meter = null;
    this.video.srcObject = null;
    this.facade.element?.remove();
  }
}
