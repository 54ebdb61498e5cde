// Running meetings, and who is in them.

import { h, when } from "./dom.js";
import { part, request } from "./api.js";
import { chatFields, chatRules } from "./chat.js";
import { action, answer, badge, choice, field, form, input, minutes, more, paged, select, table, tenantChoice, truth } from "./widgets.js";
import { QUALITY, qualityLine } from "./quality.js";

/** @param {object} page see `app.js` */
export async function meetingsPage(page) {
  page.title("Meetings");
  const live = h("div", {});
  async function refresh() {
    const answer = await request("GET", "meetings", { query: { running: true, limit: 200 } });
    page.replace(live, table("Running meetings", ["Room", "Tenant", "People", "Since", ""], answer.items.map((meeting) => [
      h("a", { href: `#/meetings/${part(meeting.id)}`, text: meeting.subject || meeting.room }),
      meeting.tenant, String(meeting.participants), when(meeting.created),
      end(meeting, refresh),
    ]), "Nobody is in a meeting just now."));
  }
  await refresh();
  const others = h("div", {});
  async function known() {
    others.replaceChildren(await paged("meetings", { running: false }, (items) => table(
      "Other meetings", ["Room", "Tenant", "Kind", "Made", "Ends", ""], items.map((meeting) => [
        h("a", { href: `#/meetings/${part(meeting.id)}`, text: meeting.room }), meeting.tenant,
        meeting.schedule ? "Planned" : { room: "Opened by its address", adHoc: "On request", named: "Made here", personal: "One person's own" }[meeting.kind],
        when(meeting.created), when(meeting.expires), remove(meeting, known),
      ]), "There are no others.")));
  }
  await known();
  const tenant = await tenantChoice();
  const making = form("Make the meeting", [
    field("Tenant", tenant), field("Room", input("room", { most: 255 }), "Stands in the address. Unguessable when left empty."),
    field("Title", input("subject", { most: 250 })),
    field("Who gets in without waiting", select("accessLevel", [["", "As the tenant says"], ...LEVELS])),
    field("Passcode", input("passcode", { most: 64 }), "What guests must know. None when left empty."),
    more("More about who gets in", ...doors("As the tenant says"),
      field("Own room of", input("owner", { most: 256 }), "The user whom tokens name. Others wait for them.")),
    more("Chat", ...chatFields(undefined, "As the tenant says")), more("Plan it", ...times()),
  ], async (values) => {
    const { tenant: name, room, subject, accessLevel, passcode, owner } = values;
    const meeting = await request("POST", "meetings", { body: {
      tenant: name, room: answer(room), subject: answer(subject), accessLevel: answer(accessLevel), passcode: answer(passcode), owner: answer(owner),
      capacity: answer(values.capacity, Number), ...rules(values), ...chatRules(values), schedule: schedule(values),
    } });
    location.hash = `#/meetings/${part(meeting.id)}`;
  });
  page.show(h("section", {}, h("h2", { text: "Running now" }), live),
    h("section", {}, h("h2", { text: "Not running" }), others),
    h("details", { class: "card" }, h("summary", { text: "Make a meeting" }), making));
  page.every(5, refresh);
}

const LEVELS = ["Everyone", "SameEnterprise", "Invited", "Locked"];

/** Fields about who gets in. */
function doors(asItIs) {
  return [
    choice("waitForHost", "Nobody gets in before a host", asItIs), choice("announce", "Tell the others who comes and goes", asItIs),
    field("Minutes that one waits to be let in", input("lobbyMinutes", { type: "number", min: 1, max: 1440 }), `${asItIs} when left empty.`),
    field("Most people", input("capacity", { type: "number", min: 1, max: 10000 }), `${asItIs} when left empty.`),
  ];
}

function rules(values) {
  return { waitForHost: truth(values.waitForHost), announce: truth(values.announce), lobbySeconds: minutes(values.lobbyMinutes) };
}

/** Fields about when it takes place. */
function times(known) {
  return [
    field("First start", input("start", { type: "datetime-local", value: known?.start.slice(0, 16) ?? "" }), "On the clocks of the time zone."),
    field("Time zone", input("timeZone", { most: 64, value: known?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone })),
    field("Minutes that it lasts", input("duration", { type: "number", min: 1, max: 1440, value: known ? Math.round(known.duration / 60) : 60 })),
    field("Repeats", input("rule", { most: 400, value: known?.rule ?? "" }), "Such as FREQ=WEEKLY;BYDAY=MO;COUNT=10. Once when left empty."),
    field("Who is invited", h("textarea", { name: "attendees", rows: 3, spellcheck: false, value: known?.attendees.join("\n") ?? "" }), "One in a line, such as Bob Roe <bob@example.com>. The server sends no mail."),
  ];
}

function schedule(values) {
  if (!values.start) {
    if (values.rule || values.attendees.trim()) { throw new Error("“First start” is missing."); }
    return undefined;
  }
  return {
    start: values.start, timeZone: answer(values.timeZone), duration: minutes(values.duration), rule: values.rule,
    attendees: values.attendees.split("\n").map((line) => line.trim()).filter(Boolean),
  };
}

/** The form that changes a meeting: what is left as it is is not sent, so that nobody else's change is undone. */
function changing(meeting, path, after) {
  const level = select("accessLevel", LEVELS);
  level.value = meeting.accessLevel;
  return form("Save", [
    field("Title", input("subject", { most: 250, value: meeting.subject })), field("Who gets in without waiting", level),
    field("Passcode", input("passcode", { most: 64 }), meeting.passcode ? "There is one. It stays when left empty; none takes it away." : "There is none."),
    more("More about who gets in", ...doors("As it is")), more("Chat", ...chatFields(meeting.chat)), more("When it takes place", ...times(meeting.schedule)),
  ], async (values) => {
    const planned = schedule(values);
    const isSame = planned && meeting.schedule && JSON.stringify(planned) === JSON.stringify(schedule(Object.fromEntries(new FormData(h("form", {}, ...times(meeting.schedule))))));
    await request("PATCH", path, { body: {
      subject: values.subject === meeting.subject ? undefined : answer(values.subject),
      accessLevel: values.accessLevel === meeting.accessLevel ? undefined : values.accessLevel,
      passcode: values.passcode === "none" ? null : answer(values.passcode), capacity: answer(values.capacity, Number),
      ...rules(values), ...chatRules(values, meeting.chat), schedule: isSame ? undefined : planned,
    } });
    await after();
  });
}

/** One meeting with its people. */
export async function meetingPage(page, id) {
  const path = `meetings/${part(id)}`;
  const facts = h("div", {});
  const people = h("div", {});
  async function refresh() {
    const [meeting, answer] = [await request("GET", path), await request("GET", `${path}/participants`)];
    page.title(meeting.subject || meeting.room);
    page.replace(facts,
      h("p", { class: "facts" }, meeting.running ? badge("running", "good") : badge("not running"),
        h("span", { text: `Tenant ${meeting.tenant}` }), h("span", { text: `Room ${meeting.room}` }),
        h("span", { text: `Access ${meeting.accessLevel}` }), meeting.passcode ? badge("passcode") : null,
        meeting.waitForHost ? h("span", { text: "Waits for a host" }) : null, meeting.announce ? null : h("span", { text: "Comings and goings are not told" }),
        meeting.lobbySeconds ? h("span", { text: `Waiting ends after ${Math.round(meeting.lobbySeconds / 60)} minutes` }) : null,
        meeting.capacity ? h("span", { text: `At most ${meeting.capacity} people` }) : null,
        meeting.owner ? h("span", { text: `The own room of ${meeting.owner}` }) : null,
        h("span", {}, "Made ", when(meeting.created))),
      planned(meeting.schedule),
      h("p", { class: "actions" }, meeting.running ? end(meeting, refresh) : null,
        meeting.schedule && !meeting.schedule.cancelled ? cancel(meeting, refresh) : null,
        remove(meeting, async () => { location.hash = "#/meetings"; })));
    page.replace(people, table("People", ["Name", "Role", "Sends", "Quality", "Last 10 minutes", ""], answer.items.map((person) => [
      h("span", { class: "who" }, h("strong", { text: person.name }), h("span", { class: "faint mono", text: person.id })),
      h("span", {}, person.role, person.connection === "reconnecting" ? badge("reconnecting", "warn") : null),
      sends(person), quality(person), qualityLine(person.samples, person.name),
      h("span", { class: "actions" },
        action("Remove", async () => {
          await request("DELETE", `${path}/participants/${part(person.id)}`);
          await refresh();
        }, { question: `Remove ${person.name}?`, detail: "They can join again unless their token is revoked.", danger: true, label: `Remove ${person.name}` }),
        action("Revoke token", async () => {
          await request("DELETE", `tokens/${part(person.token)}`, { query: { tenant: meeting.tenant } });
          await refresh();
        }, {
          question: `Revoke ${person.name}'s token?`, detail: "Whoever is in with it is out, and cannot come back with it.", danger: true, label: `Revoke ${person.name}'s token` })),
    ]), "Nobody is in the meeting."));
  }
  await refresh();
  const change = h("div", {});
  async function changed() {
    change.replaceChildren(changing(await request("GET", path), path, async () => {
      await refresh();
      await changed();
      page.saved("Saved. Who is in stays in; it holds for who comes or waits.");
    }));
  }
  await changed();
  page.show(h("p", {}, h("a", { href: "#/meetings", text: "All meetings" })), facts, h("section", {}, h("h2", { text: "People" }), people),
    h("details", { class: "card" }, h("summary", { text: "Change the meeting" }), change));
  page.every(5, refresh);
}

/** When a planned meeting takes place. */
function planned(schedule) {
  if (!schedule) { return null; }
  return h("p", { class: "facts" }, schedule.cancelled ? badge("called off", "warn") : badge("planned"),
    h("span", { text: `${schedule.start.slice(0, 16).replace("T", " ")} ${schedule.timeZone}, ${Math.round(schedule.duration / 60)} minutes` }),
    schedule.rule ? h("span", { class: "mono", text: schedule.rule }) : null,
    schedule.next ? h("span", {}, "Next ", when(schedule.next.start)) : null,
    schedule.attendees.length ? h("span", { text: `${schedule.attendees.length} invited` }) : null);
}

function sends(person) {
  const names = { microphone: "microphone", camera: "camera", screen: "screen", screenAudio: "screen sound" };
  const all = person.publications.map((track) => names[track.source] + (track.muted ? " (muted)" : ""));
  return all.length ? all.join(", ") : h("span", { class: "faint", text: "nothing" });
}

function quality(person) {
  if (!person.quality) { return badge("unknown"); }
  const [text, tone] = QUALITY[person.quality];
  return badge(text, tone);
}

function end(meeting, after) {
  return action("End", async () => {
    await request("POST", `meetings/${part(meeting.id)}/end`);
    await after();
  }, { question: `End ${meeting.room} for everybody?`, detail: "Its address can be joined again.", danger: true, label: `End ${meeting.room}` });
}

function cancel(meeting, after) {
  return action("Call off", async () => {
    await request("POST", `meetings/${part(meeting.id)}/cancel`);
    await after();
  }, { question: `Call off ${meeting.room}?`, detail: "Nobody can come in any more. Calendars hear of it with the next invitation.", danger: true, label: `Call off ${meeting.room}` });
}

function remove(meeting, after) {
  return action("Forget", async () => {
    await request("DELETE", `meetings/${part(meeting.id)}`);
    await after();
  }, { question: `Forget ${meeting.room}?`, detail: "It ends for everybody who is in it.", danger: true, label: `Forget ${meeting.room}` });
}
