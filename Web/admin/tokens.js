// Making and revoking join tokens.

import { h } from "./dom.js";
import { part, request } from "./api.js";
import { field, form, input, select, showSecret, tenantChoice } from "./widgets.js";

const ROLES = ["publisher", "moderator", "organizer", "publisher-only", "subscriber", "recorder", "hidden"];

/** @param {object} page see `app.js` */
export async function tokensPage(page) {
  page.title("Tokens");
  const making = form("Make the token", [
    field("Tenant", await tenantChoice()), field("Room", input("room", { required: true, maxLength: 128 }), "* opens every room of the tenant."),
    field("Role", select("role", ROLES)), field("Name", input("name", { maxLength: 100 }), "The name its holder bears. Left empty, they choose."),
    field("Good for", select("expiresIn", [["3600", "1 hour"], ["28800", "8 hours"], ["86400", "1 day"], ["604800", "7 days"], ["2592000", "30 days"]])),
  ], async (values) => {
    const body = { tenant: values.tenant, room: values.room, role: values.role, expiresIn: Number(values.expiresIn) };
    if (values.name) { body.name = values.name; }
    const token = await request("POST", "tokens", { body });
    await showSecret("The token", `It is shown this once. Its id, to revoke it: ${token.id}`, token.token);
  });
  const revoking = form("Revoke", [
    field("Tenant", await tenantChoice()), field("Id of the token", input("id", { required: true, maxLength: 128 }), "Its jti. Those of people in a meeting are revoked on the meeting's page."),
  ], async (values) => {
    await request("DELETE", `tokens/${part(values.id.trim())}`, { query: { tenant: values.tenant } });
    page.saved(`${values.id.trim()} is refused from now on. Who joined with it stays.`);
  });
  page.show(h("div", { class: "columns" },
    h("section", { class: "card" }, h("h2", { text: "Make a token" }), making),
    h("section", { class: "card" }, h("h2", { text: "Revoke a token" }), h("p", { text: "Tokens are signed and kept nowhere, so there is no list of them." }), revoking)));
}
