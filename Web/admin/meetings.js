// Running meetings, and who is in them.

import { h, when } from "./dom.js";
import { part, request } from "./api.js";
import { action, badge, field, form, input, paged, select, table, tenantChoice } from "./widgets.js";
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
    field("Tenant", tenant), field("Room", input("room", { maxLength: 128 }), "Stands in the address. Unguessable when left empty."),
    field("Title", input("subject", { maxLength: 250 })),
    field("Who gets in without waiting", select("accessLevel", [["", "As the tenant says"], "Everyone", "SameEnterprise", "Invited", "Locked"])),
  ], async (values) => {
    const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    const meeting = await request("POST", "meetings", { body });
    location.hash = `#/meetings/${part(meeting.id)}`;
  });
  page.show(h("section", {}, h("h2", { text: "Running now" }), live),
    h("section", {}, h("h2", { text: "Not running" }), others),
    h("details", { class: "card" }, h("summary", { text: "Make a meeting" }), making));
  page.every(5, refresh);
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
        h("span", { text: `Access ${meeting.accessLevel}` }),
        meeting.capacity ? h("span", { text: `At most ${meeting.capacity} people` }) : null,
        meeting.owner ? h("span", { text: `The own room of ${meeting.owner}` }) : null,
        h("span", {}, "Made ", when(meeting.created))),
      planned(meeting.schedule),
      h("p", { class: "actions" }, meeting.running ? end(meeting, refresh) : null,
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
  page.show(h("p", {}, h("a", { href: "#/meetings", text: "All meetings" })), facts, h("section", {}, h("h2", { text: "People" }), people));
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

function remove(meeting, after) {
  return action("Forget", async () => {
    await request("DELETE", `meetings/${part(meeting.id)}`);
    await after();
  }, { question: `Forget ${meeting.room}?`, detail: "It ends for everybody who is in it.", danger: true, label: `Forget ${meeting.room}` });
}
