import { ParleyError } from "./errors.js";

/**
 * Cameras, microphones and speakers of this machine, with an error code for each kind of failure.
 *
 * Dispatches `changed` when a device is plugged in or removed.
 */
export class Devices extends EventTarget {
  constructor() {
    super();
    this.#media?.addEventListener?.("devicechange", () => this.dispatchEvent(new Event("changed")));
  }

  get #media() { return globalThis.navigator?.mediaDevices; }

  /** Whether this page may ask for devices at all: false on plain HTTP from another machine. @type {boolean} */
  get available() { return typeof this.#media?.getUserMedia === "function"; }

  /** Whether a screen can be shared here; phones mostly cannot. @type {boolean} */
  get screenAvailable() { return typeof this.#media?.getDisplayMedia === "function"; }

  /** Whether the speaker can be chosen (Chromium, and Firefox from 116). @type {boolean} */
  get speakerChoiceAvailable() { return "setSinkId" in (globalThis.HTMLMediaElement?.prototype ?? {}); }

  /**
   * Lists devices. Labels and ids are empty until the user has given permission once.
   *
   * @returns {Promise<{cameras: MediaDeviceInfo[], microphones: MediaDeviceInfo[], speakers: MediaDeviceInfo[]}>}
   */
  async list() {
    let all = [];
    try { all = await this.#media?.enumerateDevices() ?? []; } catch { all = []; }
    const of = (kind) => all.filter((device) => device.kind === kind);
    return { cameras: of("videoinput"), microphones: of("audioinput"), speakers: of("audiooutput") };
  }

  /**
   * The browser's stored answer about a permission, without asking the user.
   *
   * @param {"camera"|"microphone"} name
   * @returns {Promise<"granted"|"denied"|"prompt"|"unknown">}
   */
  async permission(name) {
    try { return (await navigator.permissions.query({ name })).state; } catch { return "unknown"; }
  }

  /**
   * Opens a microphone with echo cancellation, noise suppression and gain control.
   *
   * @param {{deviceId?: string}} [options] the device to prefer; another one is opened when it is gone
   * @returns {Promise<MediaStreamTrack>}
   * @throws {ParleyError} `denied`, `deviceNotFound`, `deviceBusy`, `deviceFailed`, `insecureContext`
   */
  async openMicrophone(options = {}) {
    return this.#open("microphone", microphoneConstraints(options));
  }

  /**
   * Opens a camera.
   *
   * @param {{deviceId?: string, facingMode?: "user"|"environment", resolution?: number}} [options] `resolution` is the
   *   height in pixels asked for, 720 by default
   * @returns {Promise<MediaStreamTrack>}
   * @throws {ParleyError} as `openMicrophone`
   */
  async openCamera(options = {}) {
    return this.#open("camera", cameraConstraints(options));
  }

  /**
   * Opens a microphone and a camera with one question to the user. Each failure is reported by itself.
   *
   * @param {{microphone?: {deviceId?: string}, camera?: {deviceId?: string, facingMode?: string}, resolution?: number}}
   *   [options]
   * @returns {Promise<{microphone: MediaStreamTrack|ParleyError, camera: MediaStreamTrack|ParleyError}>}
   */
  async openBoth(options = {}) {
    const camera = { resolution: options.resolution, ...options.camera };
    if (this.available) {
      try {
        const stream = await this.#media.getUserMedia({
          ...microphoneConstraints(options.microphone ?? {}), ...cameraConstraints(camera),
        });
        return { microphone: stream.getAudioTracks()[0], camera: stream.getVideoTracks()[0] };
      } catch { /* one of them may still work */ }
    }
    const kept = (promise) => promise.catch((error) => error);
    return {
      microphone: await kept(this.openMicrophone(options.microphone)), camera: await kept(this.openCamera(camera)),
    };
  }

  /**
   * Opens the devices that the options of a join ask for. The join goes on without a device that fails.
   *
   * @param {import("./join-options.js").JoinOptions} options
   * @param {Promise<object>} document the discover document, for options that are functions of it
   * @param {() => void} ensureGoingOn throws if the meeting was left, so that no device is opened for it
   * @returns {Promise<{microphone?: MediaStreamTrack|ParleyError, camera?: MediaStreamTrack|ParleyError}>}
   */
  async openForJoin(options, document, ensureGoingOn) {
    const opened = { microphone: options.microphone, camera: options.camera };
    for (const [source, choice] of Object.entries(opened)) {
      if (typeof choice === "function") { opened[source] = choice(await document) === true; }
    }
    ensureGoingOn();
    const camera = { resolution: options.resolution, ...options.devices?.camera };
    if (opened.microphone === true && opened.camera === true) { return this.openBoth({ ...options.devices, resolution: options.resolution }); }
    const orError = (promise) => promise.catch((error) => error);
    if (opened.microphone === true) { opened.microphone = await orError(this.openMicrophone(options.devices?.microphone)); }
    if (opened.camera === true) { opened.camera = await orError(this.openCamera(camera)); }
    return opened;
  }

  /**
   * Lets the user choose a screen, window or tab.
   *
   * @returns {Promise<{video: MediaStreamTrack, audio: MediaStreamTrack|null}>} `audio` where the user shares audio as
   *   well
   * @throws {ParleyError} `cancelled` when the user closes the chooser
   */
  async openScreen() {
    if (!this.screenAvailable) { throw new ParleyError("unsupported", "This browser cannot share the screen."); }
    try {
      const stream = await this.#media.getDisplayMedia({
        video: { frameRate: { ideal: 15, max: 30 } },
        audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
        selfBrowserSurface: "exclude",
        surfaceSwitching: "include",
      });
      const video = stream.getVideoTracks()[0];
      if ("contentHint" in video) { video.contentHint = "detail"; }
      return { video, audio: stream.getAudioTracks()[0] ?? null };
    } catch (error) {
      if (error?.name === "NotAllowedError" || error?.name === "AbortError") {
        throw new ParleyError("cancelled", "Nothing was shared.", { cause: error });
      }
      throw classify("screen", error);
    }
  }

  async #open(what, constraints) {
    if (!this.available) {
      throw globalThis.isSecureContext === false
        ? new ParleyError("insecureContext", `A browser gives the ${what} only to pages loaded over HTTPS or from this machine.`)
        : new ParleyError("unsupported", `This browser gives no access to a ${what}.`);
    }
    try {
      const stream = await this.#media.getUserMedia(constraints);
      return stream.getTracks()[0];
    } catch (error) {
      throw classify(what, error);
    }
  }
}

function microphoneConstraints(options) {
  return {
    audio: { ...preferred(options.deviceId), echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  };
}

function cameraConstraints(options) {
  const height = options.resolution ?? 720;
  return {
    video: {
      ...preferred(options.deviceId),
      ...(options.facingMode && !options.deviceId ? { facingMode: options.facingMode } : {}),
      height: { ideal: height },
      width: { ideal: Math.round(height * 16 / 9) },
      frameRate: { ideal: 30, max: 30 },
    },
  };
}

function preferred(deviceId) {
  return deviceId ? { deviceId: { ideal: deviceId } } : {};
}

function classify(what, error) {
  switch (error?.name) {
    case "NotAllowedError":
    case "SecurityError":
      return new ParleyError("denied", `The ${what} is blocked for this page.`, { cause: error });
    case "NotFoundError":
    case "OverconstrainedError":
      return new ParleyError("deviceNotFound", `No ${what} was found.`, { cause: error });
    case "NotReadableError":
    case "AbortError":
      return new ParleyError("deviceBusy", `The ${what} could not be opened; another program may be using it.`, { cause: error });
    default:
      return new ParleyError("deviceFailed", `The ${what} could not be opened: ${error?.message ?? error}`, { cause: error });
  }
}
