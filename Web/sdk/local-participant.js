import { ParleyError } from "./errors.js";
import { MeetingState } from "./lifecycle.js";
import { Participant } from "./participant.js";
import { Publication } from "./publication.js";
import { LocalTrack } from "./track.js";

/** The permission for publishing a source, and its words in an error. */
const permissionFor = {
  microphone: ["publishAudio", "speak"], camera: ["publishVideo", "show your camera"], screen: ["publishScreen", "share your screen"],
  screenAudio: ["publishScreen", "share your screen"],
};

/**
 * Oneself: devices are switched on and off here.
 *
 * Every method may be called at any time; calls for one source run one after the other.
 */
export class LocalParticipant extends Participant {
  #meeting;
  #devices;
  #queues = new Map();
  // Far from the numbers of offers, of the send queue and of requests.
  #renameId = -2_000_000_000;
  #confirmedName = null;

  constructor(name, meeting, devices) {
    super("", name);
    this.#meeting = meeting;
    this.#devices = devices;
  }

  /** @type {boolean} */
  get isLocal() { return true; }

  /**
   * Switches the microphone. It is opened when first needed; after that, muting keeps it open, so that speaking can go
   * on at once.
   *
   * @param {boolean} on
   * @param {{deviceId?: string}} [options]
   * @throws {ParleyError} as `Devices.openMicrophone`; `notAllowed` for who may not speak here, and no device is opened
   *   then
   */
  setMicrophone(on, options = {}) {
    return this.#serially("microphone", async () => {
      const publication = this.publication("microphone");
      const track = publication?.track;
      if (track?.mediaStreamTrack?.readyState === "live") {
        track.mediaStreamTrack.enabled = on;
        this.#setMuted(publication, !on);
      } else if (on) {
        this.#ensureAllowed("microphone");
        const opened = await this.#devices.openMicrophone({ ...this.#meeting.options.devices?.microphone, ...options });
        await this._publish(opened, "microphone");
      }
    });
  }

  /**
   * Switches the camera. Off stops the device, so that its light goes out; on opens it again.
   *
   * @param {boolean} on
   * @param {{deviceId?: string, facingMode?: string}} [options]
   * @throws {ParleyError} as `Devices.openCamera`; `notAllowed` as above
   */
  setCamera(on, options = {}) {
    return this.#serially("camera", async () => {
      const publication = this.publication("camera");
      const live = publication?.track?.mediaStreamTrack?.readyState === "live";
      if (!on) {
        if (!publication) { return; }
        this.#setMuted(publication, true);
        publication.track.stop();
        await this.#meeting._media.replace("camera", null);
      } else if (!live) {
        this.#ensureAllowed("camera");
        const opened = await this.#devices.openCamera({
          resolution: this.#meeting.options.resolution, ...this.#meeting.options.devices?.camera, ...options,
        });
        await this._publish(opened, "camera");
      }
    });
  }

  /**
   * Starts or ends sharing the screen. Starting shows the browser's chooser and needs a user gesture.
   *
   * @param {boolean} on
   * @throws {ParleyError} `cancelled` when the user chose nothing; `notAllowed` as above
   */
  setScreenShare(on) {
    return this.#serially("screen", async () => {
      if (on === this.sharing) { return; }
      if (!on) { return this._unpublish(["screen", "screenAudio"]); }
      this.#ensureAllowed("screen");
      const { video, audio } = await this.#devices.openScreen();
      this.#ensureGoingOn(video, audio);
      video.addEventListener("ended", () => { this.setScreenShare(false).catch(() => {}); });
      try {
        if (audio) { this.#add(audio, "screenAudio"); }
        await this._publish(video, "screen");
      } catch (error) {
        video.stop();
        const sound = this.publication("screenAudio");
        if (sound) { this.#drop(sound); }
        throw error;
      }
    });
  }

  /**
   * Takes another microphone or camera; remembered for the next time it is switched on.
   *
   * @param {"microphone"|"camera"} source
   * @param {string} deviceId
   * @throws {ParleyError} when the device cannot be opened; the old one then stays
   */
  switchDevice(source, deviceId) {
    const devices = this.#meeting.options.devices ??= {};
    devices[source] = { ...devices[source], deviceId };
    return this.#serially(source, async () => {
      const publication = this.publication(source);
      if (publication?.track?.mediaStreamTrack?.readyState !== "live") { return; }
      const opened = source === "camera"
        ? await this.#devices.openCamera({ resolution: this.#meeting.options.resolution, deviceId })
        : await this.#devices.openMicrophone({ deviceId });
      this.#ensureGoingOn(opened);
      const old = publication.track.mediaStreamTrack;
      opened.enabled = old.enabled;
      publication.track._replace(opened);
      await this.#meeting._media.replace(source, opened);
      old.stop();
    });
  }

  /**
   * Changes the display name for everybody.
   *
   * @param {string} name
   */
  rename(name) {
    this.name = name;
    this.#meeting._nameChanged(this);
    this.#meeting._encryption?._rename(name);
    this._reportName();
    this.#meeting._emit("participantUpdated", { participant: this });
  }

  /** Reports the name to the server, which may refuse it. */
  _reportName() {
    this.#renameId -= 1;
    this.#meeting._send({ type: "rename", name: this.name, id: this.#renameId });
  }

  /** The name is what the others see. @param {string} name */
  _confirmName(name) {
    this.name = name;
    this.#confirmedName = name;
  }

  /**
   * Takes the server's refusal of the newest name: the one that the others see holds again.
   *
   * @param {number} id the refused message's
   */
  _refuseName(id) {
    if (id !== this.#renameId || this.#confirmedName === null) { return; }
    this.name = this.#confirmedName;
    this.#meeting._nameChanged(this);
    this.#meeting._encryption?._rename(this.name);
    this.#meeting._emit("participantUpdated", { participant: this });
  }

  /** Opens the devices that the options ask for, and publishes them with the first offer. */
  async _openDevices(document, ensureGoingOn) {
    const { options } = this.#meeting;
    const opened = await this.#devices.openForJoin(options, document, ensureGoingOn);
    for (const [source, track] of Object.entries(opened)) {
      if (track instanceof MediaStreamTrack && track.readyState === "live") {
        this._prepare(track, source, source === "microphone" && options.microphoneMuted === true);
      } else if (track instanceof Error) {
        // The join goes on without the device.
        this.#meeting._emit("error", { error: track, fatal: false });
      }
    }
    try { ensureGoingOn(); } catch (error) {
      this._stop();
      throw error;
    }
  }

  /** Publishes a browser track, or puts it under the publication of that source. */
  async _publish(mediaStreamTrack, source, { muted = false, name = undefined } = {}) {
    this.#ensureGoingOn(mediaStreamTrack);
    const existing = this.publication(source);
    if (existing) {
      existing.track._replace(mediaStreamTrack);
      await this.#meeting._media.replace(source, mediaStreamTrack);
      this.#setMuted(existing, muted);
      return existing;
    }
    const publication = this.#add(mediaStreamTrack, source, muted, name);
    try {
      await this.#meeting._media.negotiate();
    } catch (error) {
      // A refused track must not look as if others received it.
      this.#drop(publication);
      this.#meeting._media.renegotiate();
      throw error;
    }
    return publication;
  }

  /** Whether this client may publish a source. Before the server's answer it may. */
  #mayPublish(source) { return this.permissions.length === 0 || this.permissions.includes(permissionFor[source][0]); }

  /** Refuses what the server would, before a device is opened for it. */
  #ensureAllowed(source) {
    if (this.#mayPublish(source)) { return; }
    throw new ParleyError("notAllowed", `You may not ${permissionFor[source][1]} in this meeting. Hosts can allow it.`);
  }

  /** Ends what was opened for a meeting that has ended during the browser's question. */
  #ensureGoingOn(...opened) {
    if (this.#meeting.state !== MeetingState.ended) { return; }
    for (const track of opened) { track?.stop(); }
    throw new ParleyError("cancelled", "The meeting was left.");
  }

  /** Ends tracks that this client may not publish: they were opened before the server's answer. */
  _endForbidden() {
    const forbidden = this.publications.filter(({ source }) => !this.#mayPublish(source));
    if (forbidden.length === 0) { return; }
    for (const publication of forbidden) { this.#drop(publication); }
    this.#meeting._media.renegotiate();
  }

  /** Ends a publication and frees its device; the next offer does without it. */
  #drop(publication, reason = null) {
    const index = this.publications.indexOf(publication);
    if (index < 0) { return; }
    this.publications.splice(index, 1);
    publication.track?.stop();
    this.#meeting._media.remove(publication.source);
    this.#meeting._emit("unpublished", { participant: this, publication, reason });
  }

  /** Adds a publication without an offer; the caller's next offer carries it. */
  #add(mediaStreamTrack, source, muted = false, name = undefined) {
    mediaStreamTrack.enabled = !muted;
    const track = new LocalTrack(mediaStreamTrack, source);
    const publication = new Publication({ id: null, kind: track.kind, source, muted, name }, this);
    publication.track = track;
    try {
      this.#meeting._media.add(publication);
    } catch (error) {
      track.stop();
      throw error;
    }
    this.publications.push(publication);
    track.addEventListener("ended", () => this.#deviceEnded(publication));
    this.#meeting._emit("published", { participant: this, publication });
    return publication;
  }

  /** Adds the tracks that are there before the first offer. */
  _prepare(mediaStreamTrack, source, muted, name) { return this.#add(mediaStreamTrack, source, muted, name); }

  /** Mutes a publication or ends that, with the device kept open. */
  _mute(publication, muted) {
    const track = publication.track?.mediaStreamTrack;
    if (track) { track.enabled = !muted; }
    this.#setMuted(publication, muted);
  }

  /** A host muted a track. The client confirms it, since an `unmute` of its own may have crossed with it. */
  _muteForHost(publication) {
    const { track } = publication;
    if (track?.mediaStreamTrack) { track.mediaStreamTrack.enabled = false; }
    this.#setMuted(publication, true);
    publication.mutedByHost = true;
    // Its light is to go out as well.
    if (publication.source === "camera") { this.setCamera(false).catch(() => {}); }
  }

  /** A host ended a track: the device is freed, and the next offer does without it. */
  _stopPublication(publication, reason) {
    if (!this.publications.includes(publication)) { return; }
    this.#drop(publication, reason);
    this.#meeting._media.renegotiate();
  }

  /** Ends publications and frees their devices. */
  async _unpublish(sources) {
    for (const source of sources) {
      const publication = this.publication(source);
      if (publication) { this.#drop(publication); }
    }
    await this.#meeting._media.negotiate();
  }

  #setMuted(publication, muted) {
    if (publication.muted === muted) { return; }
    publication.muted = muted;
    publication.mutedByHost = false;
    this.#meeting._media.setMuted(publication.source, muted);
    this.#meeting._emit("muted", { participant: this, publication, muted });
  }

  #deviceEnded(publication) {
    if (publication.source !== "camera" && publication.source !== "microphone") { return; }
    this.#setMuted(publication, true);
    this.#meeting._emit("error", {
      error: new ParleyError("deviceNotFound", `The ${publication.source} was disconnected.`), fatal: false,
    });
  }

  /** Frees every device. */
  _stop() {
    for (const publication of this.publications) { publication.track?.stop(); }
  }

  /** Does something with a source when what was asked of it before is done. @returns {Promise<void>} */
  _inTurn(source, task) { return this.#serially(source, task); }

  #serially(key, task) {
    const before = this.#queues.get(key) ?? Promise.resolve();
    const run = before.catch(() => {}).then(task);
    this.#queues.set(key, run.catch(() => {}));
    return run;
  }
}
