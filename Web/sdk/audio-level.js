let shared = null;

function audioContext() {
  const Context = globalThis.AudioContext ?? globalThis.webkitAudioContext;
  if (!Context) { return null; }
  shared ??= new Context();
  if (shared.state === "suspended") { shared.resume().catch(() => {}); }
  return shared;
}

/**
 * Measures how loud a track is, for a level meter.
 *
 * ```js
 * const meter = new AudioLevel(track);
 * meter.value; // 0…1, to be read about 20 times a second
 * meter.close();
 * ```
 */
export class AudioLevel {
  #source = null;
  #analyser = null;
  #samples = null;
  #track = null;

  /**
   * @param {MediaStreamTrack} track measured through a copy, so that muting `track` does not silence the meter
   */
  constructor(track) {
    const context = audioContext();
    if (!context || track.kind !== "audio") { return; }
    this.#track = track.clone();
    this.#track.enabled = true;
    this.#source = context.createMediaStreamSource(new MediaStream([this.#track]));
    this.#analyser = context.createAnalyser();
    this.#analyser.fftSize = 1024;
    this.#samples = new Float32Array(this.#analyser.fftSize);
    this.#source.connect(this.#analyser);
  }

  /** Loudness now: 0 is silence (−60 dBFS and less), 1 is full scale; linear in decibels. @type {number} */
  get value() {
    if (!this.#analyser) { return 0; }
    this.#analyser.getFloatTimeDomainData(this.#samples);
    let sum = 0;
    for (const sample of this.#samples) { sum += sample * sample; }
    const decibels = 10 * Math.log10(sum / this.#samples.length + 1e-10);
    return Math.min(1, Math.max(0, (decibels + 60) / 60));
  }

  /** Frees the measuring copy. */
  close() {
    this.#source?.disconnect();
    this.#track?.stop();
    this.#source = this.#analyser = this.#track = null;
  }
}
