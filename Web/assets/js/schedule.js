import { withSecret } from "/sdk/parley.js";
import { textLimits } from "/sdk/text.js";
import { withToken } from "./address.js";
import { calendarLink } from "./calendar-link.js";
import { copyButton, openDialog } from "./dialogs.js";
import { h, setText } from "./dom.js";
import { dayText, timeText } from "./not-begun-page.js";
import { EncryptedChoice } from "./encrypted-choice.js";
import { watchLength } from "./text-length.js";

/** Planning a meeting from the start page. */

const againWords = { daily: "every day", weekdays: "from Monday to Friday", weekly: "every week" };
const tooFar = "A meeting can be planned for the next four weeks. Choose an earlier day.";
const weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const pad = (number) => String(number).padStart(2, "0");
const dateOf = (date) => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;

/** The recurrence rule of a choice, from a start on until the end of a day. */
function ruleOf(choice, start, until) {
  const frequency = { daily: "FREQ=DAILY", weekdays: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", weekly: `FREQ=WEEKLY;BYDAY=${weekdays[start.getDay()]}` }[choice];
  return frequency ? `${frequency};UNTIL=${until.replaceAll("-", "")}` : undefined;
}

function labelled(text, control) {
  return h("div", { class: "plan-field" }, h("label", { class: "label", for: control.id, text }), control);
}

/** Opens the form. */
export function openSchedule() {
  const next = new Date(Date.now() + 86_400_000);
  const last = new Date(Date.now() + 27 * 86_400_000);
  const title = h("input", { class: "field", id: "plan-title", type: "text", autocomplete: "off", placeholder: "Meeting" });
  const titleLength = watchLength(title, textLimits.subject, "A title");
  const day = h("input", { class: "field", id: "plan-day", type: "date", required: true, value: dateOf(next), min: dateOf(new Date()), max: dateOf(last) });
  const time = h("input", { class: "field", id: "plan-time", type: "time", required: true, value: "10:00" });
  const length = h("select", { class: "field", id: "plan-length" },
    ...[[1800, "30 minutes"], [3600, "1 hour"], [5400, "1½ hours"], [7200, "2 hours"], [14400, "4 hours"]].map(([value, text]) => h("option", { value, text, selected: value === 3600 })));
  const repeat = h("select", { class: "field", id: "plan-repeat" },
    ...[["", "Never"], ["daily", "Every day"], ["weekdays", "Mon to Fri"], ["weekly", "Every week"]].map(([value, text]) => h("option", { value, text })));
  const until = h("input", { class: "field", id: "plan-until", type: "date", value: dateOf(last), max: dateOf(last) });
  const untilField = labelled("Until", until);
  untilField.hidden = true;
  repeat.addEventListener("change", () => { untilField.hidden = repeat.value === ""; });
  const choice = new EncryptedChoice("plan-encrypted", { isPreselected: false });
  choice.load();
  const problem = h("p", { class: "field-problem", role: "alert", id: "plan-problem" });
  problem.hidden = true;
  const button = h("button", { class: "button primary large", type: "submit", text: "Plan the meeting" });
  const form = h("form", { class: "plan", novalidate: "" },
    labelled("Title", title), titleLength.element,
    h("div", { class: "plan-row" }, labelled("Day", day), labelled("Time", time), labelled("Length", length)),
    h("div", { class: "plan-row" }, labelled("Comes again", repeat), untilField),
    h("p", { class: "hint", text: `Times are on your clock (${Intl.DateTimeFormat().resolvedOptions().timeZone}). A meeting can be planned for the next four weeks.` }),
    choice.element,
    problem, h("div", { class: "dialog-actions" }, button));
  const fail = (text, at = null) => {
    problem.hidden = false;
    setText(problem, text);
    button.disabled = false;
    (at ?? button).focus();
    if (!at) { return; }
    at.setAttribute("aria-invalid", "true");
    at.setAttribute("aria-describedby", problem.id);
    at.addEventListener("input", () => { at.removeAttribute("aria-invalid"); at.removeAttribute("aria-describedby"); problem.hidden = true; }, { once: true });
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (titleLength.problem() !== null) { return; }
    const start = new Date(`${day.value}T${time.value}`);
    if (Number.isNaN(start.getTime())) { fail(day.value === "" ? "Choose a day." : "Choose a time.", day.value === "" ? day : time); return; }
    if (day.value > day.max) { fail(tooFar, day); return; }
    if (start.getTime() + Number(length.value) * 1_000 <= Date.now()) { fail("That time is over. Choose a later one.", day.value < dateOf(new Date()) ? day : time); return; }
    if (repeat.value !== "" && until.value < day.value) { fail(until.value === "" ? "Choose the day until which it comes again." : "The meeting would end before it begins: choose a later day.", until); return; }
    button.disabled = true;
    const schedule = {
      start: `${day.value}T${time.value}`, duration: Number(length.value), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
    // A series from Monday to Friday that is to begin on a Sunday begins on the Monday after.
    const rule = ruleOf(repeat.value, start, until.value);
    if (rule) { schedule.rule = rule; }
    if (repeat.value === "weekdays") {
      while (start.getDay() % 6 === 0) { start.setDate(start.getDate() + 1); }
      schedule.start = `${dateOf(start)}T${time.value}`;
    }
    try {
      const secret = choice.newSecret();
      const body = { schedule, ...(choice.policy === "off" ? {} : { encrypted: secret !== null }) };
      if (title.value.trim() !== "") { body.subject = title.value.trim(); }
      const response = await fetch("/api/v1/meetings", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      const answer = await response.json();
      if (!response.ok) {
        if (answer.code === "tooFarAhead") {
          fail(tooFar, rule ? until : day);
        } else {
          fail(["tokenRequired", "signInRequired"].includes(answer.code) ? "On this server only its own people plan meetings." : answer.Error);
        }
        return;
      }
      dialog.close();
      showPlanned(answer, secret, rule ? `comes again ${againWords[repeat.value]} until ${dayText(new Date(`${until.value}T12:00`))}` : "");
    } catch {
      fail("The server does not answer. Check your connection and try again.");
    }
  });
  const dialog = openDialog("Plan a meeting", [form], { className: "dialog-plan" });
  title.focus();
}

/**
 * The planned meeting: what to send to whom.
 *
 * @param {object} meeting as the server answered
 * @param {import("/sdk/parley.js").LinkSecret | null} secret its key, if it is encrypted, which the server doesn't have
 * @param {string} again how it comes again, in words; empty when it does not
 */
function showPlanned(meeting, secret, again) {
  const place = withSecret(meeting.address, secret);
  const address = (label, value) => {
    const field = h("input", { class: "field", type: "text", readOnly: true, value, "aria-label": label });
    field.addEventListener("focus", () => field.select());
    return h("div", { class: "plan-field" }, h("p", { class: "label", text: label }), field);
  };
  const next = meeting.schedule.next ? timeText(new Date(meeting.schedule.next.start)) : "";
  const copy = copyButton(() => place, "Copy the address");
  openDialog(meeting.subject, [
    h("p", { text: again === "" ? next : `${next}. It ${again}.` }),
    address("Send this address to everybody", place),
    address("Keep this one for yourself: whoever has it is the host", withToken(place, meeting.hostToken)),
    secret === null ? null : h("p", { class: "hint", text: "Only this whole address lets people in. The calendar entry cannot contain it, since the server does not know it: send the address too." }),
    h("div", { class: "dialog-actions" },
      copy,
      calendarLink(meeting.calendar, meeting.hostToken)),
  ].filter(Boolean), { className: "dialog-plan" });
  copy.focus();
}
