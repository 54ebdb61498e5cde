import { LinkSecret, RoomName, secretTextOf, withSecret } from "/sdk/parley.js";
import { typedMeeting, withToken } from "./address.js";
import { openDialog, themeChoice } from "./dialogs.js";
import { h, setText } from "./dom.js";
import { EncryptedChoice } from "./encrypted-choice.js";
import { icon, mark } from "./icons.js";
import { openSchedule } from "./schedule.js";
import { encryptedRooms, recentRooms, theme } from "./storage.js";

/** The start page: a new meeting, a meeting by name, and the rooms visited lately. */

theme.apply();

for (const place of document.querySelectorAll("[data-icon]")) { place.replaceChildren(icon(place.dataset.icon)); }
for (const place of document.querySelectorAll("[data-mark]")) { place.replaceChildren(mark()); }

document.getElementById("appearance").addEventListener("click", () => openDialog("Appearance", [themeChoice()]));

const choice = new EncryptedChoice("encrypted", { withIdentity: true });
document.getElementById("encrypted-place").replaceWith(choice.element);
choice.load();

document.getElementById("new-meeting").addEventListener("click", async ({ currentTarget: button }) => {
  if (button.disabled) { return; }
  button.disabled = true;
  location.href = await newMeeting();
});
// A returning visitor finds the page as it was left.
addEventListener("pageshow", () => { document.getElementById("new-meeting").disabled = false; });

/**
 * Makes a meeting whose host is who makes it. On a server that makes none for strangers, the address of a room says
 * what it needs.
 */
async function newMeeting() {
  const secret = choice.newSecret();
  try {
    const body = choice.policy === "off" ? {} : { encrypted: secret !== null };
    const response = await fetch("/api/v1/meetings", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    if (response.ok) {
      const { room, hostToken } = await response.json();
      return withToken(withSecret(`/${encodeURIComponent(room)}`, secret), hostToken);
    }
  } catch {
    // The room's page says that the server does not answer.
  }
  return withSecret(`/${RoomName.random()}`, secret);
}

document.getElementById("plan-meeting").addEventListener("click", () => openSchedule());

const form = document.getElementById("join-form");
const field = document.getElementById("room-name");
const problem = document.getElementById("room-problem");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const target = typedMeeting(field.value);
  if (target.problem) {
    setText(problem, target.problem);
    problem.hidden = false;
    field.setAttribute("aria-invalid", "true");
    field.focus();
    return;
  }
  location.href = withNewSecret(target.address);
});

/** On servers with encrypted meetings only, opening a room by its name makes a key; others need the whole link. */
function withNewSecret(address) {
  return choice.policy === "required" && secretTextOf(new URL(address, location.href)) === null ? withSecret(address, new LinkSecret()) : address;
}

field.addEventListener("input", () => {
  problem.hidden = true;
  field.removeAttribute("aria-invalid");
});

const recent = document.getElementById("recent");
const list = document.getElementById("recent-list");

function showRecent() {
  const rooms = recentRooms.get();
  recent.hidden = rooms.length === 0;
  list.replaceChildren(...rooms.map((room) => h("li", { class: "recent-room" },
    h("a", { href: `/${encodeURIComponent(room.name)}` },
      h("span", { class: "recent-name", dir: "auto", title: encryptedRooms.has(room.name) ? "Encrypted: open it with its whole link" : null },
        room.subject ?? room.name, encryptedRooms.has(room.name) ? icon("lock") : null),
      h("span", { class: "recent-time", text: ago(room.time) })),
    h("button", {
      class: "icon-button small", type: "button", "aria-label": `Forget ${room.name}`, title: "Forget",
      on: { click: () => { recentRooms.remove(room.name); showRecent(); (list.querySelector("a") ?? field).focus(); } },
    }, icon("close")))));
}

function ago(time) {
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const minutes = Math.round((time - Date.now()) / 60_000);
  if (minutes > -1) { return "just now"; }
  if (minutes > -60) { return words.format(minutes, "minute"); }
  if (minutes > -60 * 24) { return words.format(Math.round(minutes / 60), "hour"); }
  return words.format(Math.round(minutes / 60 / 24), "day");
}

showRecent();
