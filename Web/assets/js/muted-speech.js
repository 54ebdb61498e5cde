import { AudioLevel } from "/sdk/parley.js";

/** Notices when somebody speaks into a muted microphone. The sound stays in the page. */
export class MutedSpeech {
  #meeting;
  #onSpeech;
  #level = null;
  #track = null;
  #loudFor = 0;
  #noticedAt = -Infinity;
  #timer;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {() => void} onSpeech called twice a minute at most
   */
  constructor(meeting, onSpeech) {
    this.#meeting = meeting;
    this.#onSpeech = onSpeech;
  }

  start() { this.#timer = setInterval(() => this.#listen(), 250); }

  /** The person knows just now that the microphone is muted. */
  postpone() { this.#noticedAt = performance.now(); }

  close() {
    clearInterval(this.#timer);
    this.#level?.close();
  }

  #listen() {
    const publication = this.#meeting.localParticipant.publication("microphone");
    const track = publication?.muted ? publication.track?.mediaStreamTrack ?? null : null;
    if (track !== this.#track) {
      this.#level?.close();
      this.#track = track;
      this.#level = track?.readyState === "live" ? new AudioLevel(track) : null;
      this.#loudFor = 0;
    }
    if (!this.#level) { return; }
    this.#loudFor = this.#level.value > 0.55 ? this.#loudFor + 1 : Math.max(0, this.#loudFor - 0.5);
    if (this.#loudFor < 4 || performance.now() - this.#noticedAt < 30_000) { return; }
    this.#noticedAt = performance.now();
    this.#onSpeech();
  }
}
