// Making and revoking join tokens.

import { h, when } from "./dom.js";
import { part, request } from "./api.js";
import { action, badge, field, form, input, more, paged, select, showSecret, table, tell, tenantChoice } from "./widgets.js";

const PERMISSIONS = ["publishAudio", "publishVideo", "publishScreen", "subscribe", "chat", "data", "moderate"];
const ROLES = ["publisher", "moderator", "organizer", "publisher-only", "subscriber", "recorder", "hidden"];

/** @param {object} page see `app.js` */
export async function tokensPage(page) {
  page.title("Tokens");
  const list = h("div", {});
  async function show() {
    list.replaceChildren(await paged("tokens", {}, (items) => table(
      "Tokens", ["Id", "Tenant", "Room", "Name", "Role", "State", "Good until", "Last used", ""], items.map((token) => [
        h("span", { class: "mono id", text: token.id }), token.tenant, token.room,
        h("span", { class: "who" }, h("span", { text: token.name ?? "" }), token.user ? h("span", { class: "faint mono", text: token.user }) : null),
        token.role, badge(token.state, token.state === "live" ? "good" : token.state === "revoked" ? "warn" : "plain"), when(token.expires),
        token.used ? h("span", {}, when(token.used), token.uses > 1 ? ` (${token.uses} times)` : "") : h("span", { class: "faint", text: "never" }),
        token.state === "live" ? action("Revoke", async () => {
          await request("DELETE", `tokens/${part(token.id)}`, { query: { tenant: token.tenant } });
          await show();
        }, { question: `Revoke ${token.id}?`, detail: "Who is in with it is out, and cannot come back with it.", danger: true, label: `Revoke ${token.id}` }) : "",
      ]), "No token was made here or used yet.")));
  }
  await show();
  const permissions = select("permissions", PERMISSIONS, { multiple: true, size: PERMISSIONS.length });
  const making = form("Make the token", [
    field("Tenant", await tenantChoice()), field("Room", input("room", { required: true, most: 255 }), "* opens every room of the tenant."),
    field("Role", select("role", ROLES)), field("Name", input("name", { most: 100 }), "The name its holder bears. Left empty, they choose."),
    field("User", input("user", { most: 64 }), "Who its holder is, for rooms of their own and bans. May be left empty."),
    field("Good for", select("expiresIn", [["3600", "1 hour"], ["28800", "8 hours"], ["86400", "1 day"], ["604800", "7 days"], ["2592000", "30 days"]])),
    field("Whose people they are", select("guest", [["", "The tenant's own"], ["true", "A guest, who waits in the lobby where only those go in"]])),
    more("Other permissions than the role's", field("May", permissions, "Several can be chosen. None chosen: those of the role.")),
  ], async (values) => {
    const body = { tenant: values.tenant, room: values.room, role: values.role, expiresIn: Number(values.expiresIn) };
    if (values.guest) { body.guest = true; }
    const chosen = [...permissions.selectedOptions].map((option) => option.value);
    if (chosen.length) { body.permissions = chosen; }
    if (values.name) { body.name = values.name; }
    if (values.user) { body.user = values.user; }
    const token = await request("POST", "tokens", { body });
    await showSecret("The token", `It is shown this once. Its id, to revoke it: ${token.id}`, token.token);
    await show();
  });
  const revoking = form("Revoke", [
    field("Tenant", await tenantChoice()), field("Id of the token", input("id", { required: true, most: 128 }), "Its jti. Those of people in a meeting are revoked on the meeting's page."),
  ], async (values) => {
    await request("DELETE", `tokens/${part(values.id.trim())}`, { query: { tenant: values.tenant } });
    await show();
    page.saved(`${values.id.trim()} is refused from now on, and who was in a meeting with it is out.`);
  });
  const looking = form("Look at it", [
    field("Token", input("token", { rows: 3, most: 8192, required: true }, "textarea"), "It is sent to this server only, and kept nowhere."),
  ], async (values) => {
    // Line breaks are of whoever copied it.
    const says = await request("POST", "token-inspection", { body: { token: values.token.replace(/\s/g, "") } });
    looking.reset();
    await tell(says.valid ? "The token is good" : "The token is not good", says.valid ? grants(says) : h("p", { text: `The server says: ${says.problem}.` }));
  });
  page.show(h("section", {}, h("h2", { text: "Made or used" }), h("p", { text: "The tokens themselves are kept nowhere. One that was signed elsewhere is listed once somebody came in with it." }), list), h("div", { class: "columns" },
    h("section", { class: "card" }, h("h2", { text: "Make a token" }), making),
    h("section", { class: "card" }, h("h2", { text: "Revoke a token" }), h("p", { text: "Also one that nobody has used yet, by its id." }), revoking),
    h("section", { class: "card" }, h("h2", { text: "Look at a token" }), h("p", { text: "What it grants, or what is wrong with it." }), looking)));
}

/** The grants of a token, as `parley token inspect` says them. */
function grants(says) {
  const rows = [
    ["Form", says.form], ["Id", h("span", { class: "mono", text: says.id })], ["Tenant", says.tenant], ["Room", says.room === "*" ? "Every room" : says.room],
    ["Role", says.role], ["May", says.permissions.join(", ") || "nothing"], ["Name", says.name ?? "The holder's choice"], ["User", says.user ?? "Nobody known"],
    ["Whose people they are", says.guest ? "A guest" : "The tenant's own"], ["Good until", when(says.expires)],
  ];
  return h("table", {}, h("caption", { class: "visually-hidden", text: "What the token grants" }),
    h("tbody", {}, ...rows.map(([name, value]) => h("tr", {}, h("th", { scope: "row", text: name }), h("td", {}, value)))));
}
