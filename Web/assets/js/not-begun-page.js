import { h, setText } from "./dom.js";
import { icon } from "./icons.js";
import { frame } from "./notice.js";

/** How long it is from now to a time, in the largest two units that matter. */
function untilText(time) {
  const seconds = Math.max(0, Math.ceil((time - Date.now()) / 1_000));
  const parts = [[Math.floor(seconds / 86_400), "day"], [Math.floor(seconds / 3_600) % 24, "hour"], [Math.floor(seconds / 60) % 60, "minute"], [seconds % 60, "second"]];
  const first = Math.max(0, parts.findIndex(([count]) => count > 0));
  const shown = parts.slice(first, first === 0 || first === 1 ? first + 2 : first + 1).filter(([count], index) => count > 0 || index === 0);
  return shown.map(([count, word]) => `${count} ${word}${count === 1 ? "" : "s"}`).join(" and ");
}

/** A time on this computer's clock, in words. */
export function timeText(date) {
  return new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(date);
}

/** A day on this computer's calendar, in words. */
export function dayText(date) {
  return new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long" }).format(date);
}

/** The page of a planned meeting that begins later: when, in how long, and its calendar file. */
export class NotBegunPage {
  #options;
  #start;
  #opens;
  #left = h("p", { class: "not-begun-left", role: "timer" });
  #timer;
  /** The server's clock decides: where it is behind this one, it is not asked all the time. */
  #asksAt = Date.now() + 3_000;

  /**
   * @param {{title: string, schedule: object, calendar: HTMLElement, onOpen: () => void, onEnter: () => void}} options
   *   `onOpen` is called when one can come in, `onEnter` when somebody wants to before
   */
  constructor(options) {
    this.#options = options;
    this.#start = new Date(options.schedule.start);
    this.#opens = new Date(options.schedule.opens ?? options.schedule.start);
    this.element = frame(h("div", { class: "notice not-begun" },
      h("div", { class: "notice-sign" }, icon("clock")),
      h("p", { class: "eyebrow", dir: "auto", text: options.title }),
      h("h1", { tabIndex: -1, text: "This meeting begins later" }),
      h("p", {}, h("time", { dateTime: this.#start.toISOString(), text: timeText(this.#start) }), " on your clock."),
      this.#left,
      h("p", { class: "hint", text: "You can stay on this page: it goes on by itself when the meeting opens." }),
      h("div", { class: "notice-actions" },
        options.calendar,
        h("button", { class: "button large", type: "button", text: "I am the host", on: { click: () => this.#options.onEnter() } }))));
    this.#tick();
    this.#timer = setInterval(() => this.#tick(), 1_000);
  }

  #tick() {
    if (Date.now() >= Math.max(this.#opens.getTime(), this.#asksAt)) {
      this.close();
      this.#options.onOpen();
      return;
    }
    setText(this.#left, `In ${untilText(this.#start)}`);
  }

  /** The page is shown no more. */
  close() { clearInterval(this.#timer); }
}
