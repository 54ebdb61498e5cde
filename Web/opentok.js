/*
 * The names of the OpenTok JavaScript library, standing on Parley's SDK: `<script src="/opentok.js"></script>`.
 *
 * A classic script, so that `OT` and `TB` are there for the next script tag. Modules of the server that this script
 * came from do the work; calls that come before they are loaded wait for them. `docs/opentok-rest.md` says what is
 * there and what differs.
 */
(() => {
  "use strict";

  const server = new URL(document.currentScript?.src || location.href).origin;
  const core = import(`${server}/sdk/opentok/core.js`);
  core.catch(() => {});

  // MARK: Errors and events

  /** The codes that the library's documents list for a name. */
  const codes = {
    OT_AUTHENTICATION_ERROR: 1004, OT_INVALID_SESSION_ID: 1005, OT_CONNECT_FAILED: 1006, OT_NOT_CONNECTED: 1010, OT_INVALID_PARAMETER: 1011,
    OT_ILLEGAL_STATE: 1015, OT_CONNECTION_LIMIT_EXCEEDED: 1027, OT_SUBSCRIBER_NOT_FOUND: 1112, OT_PUBLISHER_NOT_FOUND: 1113,
    OT_INVALID_SIGNAL: 400, OT_SIGNAL_NOT_FOUND: 404, OT_SIGNAL_TOO_LARGE: 413, OT_SIGNAL_FAILED: 500, OT_USER_MEDIA_ACCESS_DENIED: 1500,
    OT_NO_DEVICES_FOUND: 1500, OT_HARDWARE_UNAVAILABLE: 1500, OT_UNABLE_TO_PUBLISH: 1500, OT_PERMISSION_DENIED: 1500,
    OT_UNABLE_TO_SIGNAL: 1550, OT_UNABLE_TO_FORCE_DISCONNECT: 1520, OT_UNABLE_TO_FORCE_UNPUBLISH: 1530, OT_UNABLE_TO_FORCE_MUTE: 1540, OT_TIMEOUT: 1542,
    OT_ENCRYPTION_SECRET_MISSING: 6000, OT_ENCRYPTION_INTERNAL_ERROR: 6001, OT_ENCRYPTION_SECRET_MISMATCH: 6003, OT_INVALID_ENCRYPTION_SECRET: 6004,
    OT_UNABLE_TO_SUBSCRIBE: 1600, OT_STREAM_NOT_FOUND: 1604, OT_UNEXPECTED_SERVER_RESPONSE: 2000, OT_NOT_SUPPORTED: 2000,
  };

  /** Errors for callbacks: `name` and `code` as the library's documents list them, `message` for people. */
  class OTError extends Error {
    constructor(name, message, code = codes[name] ?? 2000) {
      super(message);
      this.name = name;
      this.code = code;
    }
  }

  const asError = (error) => (error instanceof OTError ? error : new OTError("OT_UNEXPECTED_SERVER_RESPONSE", String(error?.message ?? error)));

  class OTEvent {
    #isPrevented = false;

    constructor(type, target, fields, cancelable) {
      Object.assign(this, fields);
      this.type = type;
      this.target = target;
      this.cancelable = cancelable;
    }

    preventDefault() { this.#isPrevented = this.cancelable; }

    isDefaultPrevented() { return this.#isPrevented; }
  }

  /** Handlers by event, called in the order in which they were added. One that throws stops no other. */
  class Emitter {
    #handlers = new Map();

    on(types, handler, context) {
      if (typeof types === "object" && types !== null) {
        for (const [type, each] of Object.entries(types)) { this.#add(type, each, handler, false); }
      } else {
        for (const type of String(types).split(/\s+/)) { this.#add(type, handler, context, false); }
      }
      return this;
    }

    once(types, handler, context) {
      if (typeof types === "object" && types !== null) {
        for (const [type, each] of Object.entries(types)) { this.#add(type, each, handler, true); }
      } else {
        for (const type of String(types).split(/\s+/)) { this.#add(type, handler, context, true); }
      }
      return this;
    }

    off(types, handler) {
      if (types === undefined) {
        this.#handlers.clear();
      } else if (typeof types === "object" && types !== null) {
        for (const [type, each] of Object.entries(types)) { this.off(type, each); }
      } else {
        for (const type of String(types).split(/\s+/)) {
          const kept = handler ? (this.#handlers.get(type) ?? []).filter((each) => each.handler !== handler) : [];
          this.#handlers.set(type, kept);
        }
      }
      return this;
    }

    addEventListener(type, handler, context) { this.on(type, handler, context); }

    removeEventListener(type, handler) { this.off(type, handler); }

    #add(type, handler, context, once) {
      if (typeof handler !== "function") { return; }
      if (!this.#handlers.has(type)) { this.#handlers.set(type, []); }
      this.#handlers.get(type).push({ handler, context, once });
      this._listened?.(type);
    }

    /**
     * Calls all handlers; the event says whether somebody prevented the default. `lists` are the names under which
     * handlers are looked for.
     */
    _emit(type, fields = {}, { cancelable = false, lists = [type] } = {}) {
      const event = new OTEvent(type, this, fields, cancelable);
      for (const list of lists) {
        for (const each of [...this.#handlers.get(list) ?? []]) {
          if (each.once) { this.off(list, each.handler); }
          call(() => each.handler.call(each.context ?? this, event));
        }
      }
      return event;
    }
  }

  function call(body) {
    try { body(); } catch (error) { (globalThis.reportError ?? console.error)(error); }
  }

  const exceptions = new Emitter();

  /** Ends an operation: calls its callback, and the handlers of exceptions when it failed. */
  function settle(promise, callback) {
    promise.then(
      () => { if (typeof callback === "function") { call(() => callback(undefined)); } },
      (reason) => {
        const error = asError(reason);
        if (typeof callback === "function") { call(() => callback(error)); }
        const { code, message, name: title } = error;
        exceptions._emit("exception", { code, message, title });
      },
    );
  }

  // MARK: Places of pictures

  const length = (value, fallback) => (typeof value === "number" ? `${value}px` : String(value ?? fallback));

  /** The element that a publisher or subscriber is shown in, put where the page wants it. */
  function place(target, properties, className) {
    const { insertMode = "replace", insertDefaultUI = true } = properties;
    const found = typeof target === "string" ? document.getElementById(target) : target;
    if (typeof target === "string" && target !== "" && !found) {
      throw new OTError("OT_INVALID_PARAMETER", `There is no element with the id ${target}.`);
    }
    let element;
    if (insertDefaultUI && found instanceof Element && insertMode === "replace") {
      element = found;
      element.replaceChildren();
    } else {
      element = document.createElement("div");
      if (insertDefaultUI) {
        const where = { append: "append", before: "before", after: "after" }[found instanceof Element ? insertMode : "append"] ?? "append";
        (found instanceof Element ? found : document.body)[where](element);
      }
    }
    element.id ||= `OT_${crypto.randomUUID?.() ?? Math.random().toString(36).slice(2)}`;
    element.classList.add("OT_root", className);
    Object.assign(element.style, {
      overflow: "hidden", width: length(properties.width, "264px"), height: length(properties.height, "198px"),
    });
    return element;
  }

  /** A picture as the library gives it: PNG in Base64, without what a data URL begins with. */
  function imageData(element) {
    const video = element?.querySelector("video");
    if (!video?.videoWidth) { return null; }
    const canvas = Object.assign(document.createElement("canvas"), { width: video.videoWidth, height: video.videoHeight });
    canvas.getContext("2d").drawImage(video, 0, 0);
    return canvas.toDataURL("image/png").replace("data:image/png;base64,", "");
  }

  // MARK: Objects of a session

  class Connection {
    constructor({ connectionId, creationTime, data, permissions }) { Object.assign(this, { connectionId, id: connectionId, creationTime, data, permissions }); }
  }

  class Stream extends Emitter {
    constructor(facts) {
      super();
      Object.assign(this, facts);
      this.id = this.streamId;
    }
  }

  /** The common part of publishers and subscribers. */
  class Widget extends Emitter {
    constructor(className, target, properties, callback) {
      super();
      this.properties = properties;
      this.element = null;
      this.stream = null;
      this.session = null;
      let problem = null;
      try { this.element = place(target, properties, className); } catch (error) { problem = error; }
      this.id = this.element?.id;
      this._core = problem ? Promise.reject(problem) : core.then((module) => this._make(module));
      this._core.catch(() => {});
      settle(this._core.then((made) => made.opened), callback);
    }

    /** Passes a call on; what it answers is for nobody. */
    _pass(body) { this._core.then(body).catch((error) => exceptions._emit("exception", { code: asError(error).code, message: error.message, title: error.name })); }

    getImgData(callback) {
      const data = imageData(this.element);
      if (typeof callback === "function") {
        callback(data === null ? new OTError("OT_NOT_SUPPORTED", "There is no picture yet.") : null, data);
      }
      return data;
    }

    videoWidth() { return this.element?.querySelector("video")?.videoWidth || undefined; }

    videoHeight() { return this.element?.querySelector("video")?.videoHeight || undefined; }

    getStats(callback) {
      const answer = this._core.then((made) => made.stats());
      answer.then((stats) => callback?.(null, stats), (error) => callback?.(asError(error)));
    }

    getRtcStatsReport() { return this._core.then((made) => made.report()); }

    setStyle() { return this; }

    getStyle() { return {}; }

    _listened(type) { if (type === "audioLevelUpdated") { this._pass((made) => made.measure()); } }
  }

  class Publisher extends Widget {
    constructor(target, properties, callback) { super("OT_publisher", target, properties ?? {}, callback); }

    _make({ PublisherCore }) { return new PublisherCore(this, kit); }

    publishAudio(on, callback) { return this.#turn("audio", on, callback); }

    publishVideo(on, callback) { return this.#turn("video", on, callback); }

    #turn(kind, on, callback) {
      settle(this._core.then((made) => made.mute(kind, !on)), callback);
      return this;
    }

    cycleVideo() { return this._core.then((made) => made.cycleVideo()); }

    setAudioSource(source) { return this._core.then((made) => made.setAudioSource(source)); }

    setVideoSource(source) { return this._core.then((made) => made.setVideoSource(source)); }

    getAudioSource() { return this._tracks?.audio ?? null; }

    getVideoSource() { return { deviceId: this._tracks?.video?.getSettings().deviceId ?? null, type: this._isScreen ? "screen" : "camera", track: this._tracks?.video ?? null }; }

    destroy() { this._pass((made) => made.destroy()); return this; }
  }

  class Subscriber extends Widget {
    constructor(session, stream, target, properties, callback) {
      super("OT_subscriber", target, { ...properties, _session: session, _stream: stream }, callback);
      this.stream = stream;
      this.streamId = stream?.streamId;
      this.session = session;
      this._isAudioBlocked = false;
    }

    _make({ SubscriberCore }) { return new SubscriberCore(this, kit); }

    subscribeToAudio(on) { this._pass((made) => made.want("audio", on !== false)); return this; }

    subscribeToVideo(on) { this._pass((made) => made.want("video", on !== false)); return this; }

    setAudioVolume(volume) { this._pass((made) => made.setVolume(volume)); return this; }

    getAudioVolume() { return this._volume ?? 100; }

    isAudioBlocked() { return this._isAudioBlocked; }

    restrictFrameRate() { return this; }

    setPreferredResolution(size) { this._pass((made) => made.prefer(size)); return this; }

    setPreferredFrameRate(rate) { this._pass((made) => made.preferRate(rate)); return this; }

    destroy() { this._pass((made) => made.destroy()); return this; }
  }

  // MARK: Sessions

  class Session extends Emitter {
    /** A text; undefined for a session without one. */
    #secret;

    constructor(apiKey, sessionId, isLegacy, secret) {
      super();
      this.#secret = secret;
      this.apiKey = apiKey;
      this.sessionId = this.id = sessionId;
      this.connection = null;
      this.capabilities = null;
      this.currentState = "disconnected";
      this.streams = new Map();
      this.connections = new Map();
      /** Whether it was made as by version 0.91: events then carry lists, and one's own streams. */
      this._isLegacy = isLegacy;
      this._publishers = [];
      this._subscribers = [];
      this._core = core.then(({ SessionCore }) => new SessionCore(this, kit));
      this._core.catch(() => {});
    }

    #run(callback, body) {
      settle(this._core.then(body), callback);
      return this;
    }

    /** `connect(token, callback)`, and `connect(apiKey, token)` as in version 0.91. */
    connect(first, second, third) {
      const [apiKey, token, callback] = typeof second === "string" ? [String(first), second, third] : [this.apiKey, first, second];
      return this.#run(callback, (made) => made.connect(String(token), apiKey, this.#secret));
    }

    disconnect() { this.#run(undefined, (made) => made.disconnect()); }

    isConnected() { return this.currentState === "connected"; }

    publish(target, properties, callback) {
      if (typeof properties === "function") { [properties, callback] = [undefined, properties]; }
      const publisher = target instanceof Publisher ? target : new Publisher(target, properties);
      settle(this._core.then((made) => made.publish(publisher)), callback);
      return publisher;
    }

    unpublish(publisher) { this.#run(undefined, (made) => made.unpublish(publisher)); }

    subscribe(stream, target, properties, callback) {
      if (typeof target === "function") { [target, callback] = [undefined, target]; }
      if (typeof properties === "function") { [properties, callback] = [undefined, properties]; }
      const subscriber = new Subscriber(this, stream, target, properties ?? {}, callback);
      this._subscribers.push(subscriber);
      return subscriber;
    }

    unsubscribe(subscriber) { subscriber.destroy(); }

    signal(signal, callback) { return this.#run(callback, (made) => made.signal(signal ?? {})); }

    forceDisconnect(connection, callback) { return this.#moderate("forceDisconnect", connection ?? null, callback); }

    forceUnpublish(stream, callback) { return this.#moderate("forceUnpublish", stream, callback); }

    forceMuteStream(stream) { return this.#moderate("forceMuteStream", stream); }

    forceMuteAll(excluded = []) { return this.#moderate("forceMuteAll", excluded); }

    disableForceMute() { return this.#moderate("disableForceMute"); }

    #moderate(name, argument, callback) {
      const done = this._core.then((made) => made.moderation[name](argument));
      settle(done, callback);
      done.catch(() => {});
      return done;
    }

    /**
     * The secret that the apps of a session share, before `connect`. One that is set later is refused, and ends a
     * session that is in clear: a page that has set a secret must not go on without it.
     */
    setEncryptionSecret(secret) {
      // The next connection has this one, or fails by it.
      if (this.currentState === "disconnected") { this.#secret = secret; }
      const set = this._core.then((made) => made.checkSecret(secret));
      set.catch(() => {});
      return set;
    }

    getPublisherForStream(stream) { return this._publishers.find((each) => each.stream?.streamId === stream?.streamId); }

    getSubscribersForStream(stream) { return this._subscribers.filter((each) => each.stream?.streamId === stream?.streamId); }
  }

  // MARK: OT

  /** The parts of this script that the modules need. */
  const kit = { server, Connection, Stream, Publisher, OTError, asError };

  const isSupported = () => ["RTCPeerConnection", "WebSocket", "MediaStream"].every((name) => typeof globalThis[name] === "function");

  const OT = {
    NONE: 0, ERROR: 1, WARN: 2, INFO: 3, LOG: 4, DEBUG: 5, HAS_REQUIREMENTS: 1, NOT_HAS_REQUIREMENTS: 0,
    version: "2.0-parley",
    /** `initSession(apiKey, sessionId, { encryptionSecret })`; with the session id alone as in version 0.91. */
    initSession(first, second, options) {
      return second === undefined ? new Session(null, String(first), true) : new Session(String(first), String(second), false, options?.encryptionSecret);
    },
    initPublisher(target, properties, callback) {
      if (typeof target === "function") { [target, callback] = [undefined, target]; }
      if (typeof properties === "function") { [properties, callback] = [undefined, properties]; }
      // An object that isn't an element: only the properties were given.
      if (properties === undefined && typeof target === "object" && target !== null && !(target instanceof Element)) { [target, properties] = [undefined, target]; }
      return new Publisher(target, properties, callback);
    },
    checkSystemRequirements() { return isSupported() ? OT.HAS_REQUIREMENTS : OT.NOT_HAS_REQUIREMENTS; },
    upgradeSystemRequirements() {},
    hasEndToEndEncryptionSupport() {
      return typeof RTCRtpScriptTransform === "function" && typeof globalThis.crypto?.subtle === "object" && typeof Worker === "function";
    },
    hasMediaProcessorSupport() { return false; },
    getSupportedCodecs() { return Promise.resolve({ videoEncoders: ["VP8", "VP9", "H264"], videoDecoders: ["VP8", "VP9", "H264"] }); },
    getDevices(callback) {
      core.then(({ devices }) => devices()).then((list) => callback(undefined, list), (error) => callback(asError(error)));
    },
    getAudioOutputDevices() { return core.then(({ speakers }) => speakers()); },
    getActiveAudioOutputDevice() { return core.then(({ activeSpeaker }) => activeSpeaker()); },
    setAudioOutputDevice(deviceId) {
      if (typeof deviceId !== "string") { return Promise.reject(new OTError("OT_INVALID_PARAMETER", "The id of a device is expected, as getAudioOutputDevices gives it.")); }
      return core.then(({ setSpeaker }) => setSpeaker(deviceId)).catch((error) => {
        throw new OTError(error?.code === "unsupported" ? "OT_NOT_SUPPORTED" : "OT_INVALID_PARAMETER", error?.message ?? String(error));
      });
    },
    unblockAudio() { return core.then((made) => made.unblockAudio()); },
    getUserMedia(properties = {}) { return core.then(({ userMedia }) => userMedia(properties, kit)); },
    registerScreenSharingExtension() {},
    checkScreenSharingCapability(callback) {
      const supported = typeof navigator.mediaDevices?.getDisplayMedia === "function";
      callback({ supported, supportedSources: { screen: supported, application: supported, window: supported }, extensionRequired: undefined });
    },
    reportIssue(callback) { callback(new OTError("OT_NOT_SUPPORTED", "There is nobody to report to.")); },
    setLogLevel() {},
    log(...words) { console.log(...words); },
    on: (...words) => { exceptions.on(...words); },
    once: (...words) => { exceptions.once(...words); },
    off: (...words) => { exceptions.off(...words); },
    addEventListener: (...words) => { exceptions.on(...words); },
    removeEventListener: (...words) => { exceptions.off(...words); },
    Error: OTError,
  };

  globalThis.OT = OT;
  globalThis.TB = OT;
})();
