// Tenants, their rules and keys.

import { h, when } from "./dom.js";
import { part, request } from "./api.js";
import { action, badge, field, form, input, paged, select, showSecret, table } from "./widgets.js";

const LEVELS = ["Everyone", "SameEnterprise", "Invited", "Locked"];

/** @param {object} page see `app.js` */
export async function tenantsPage(page) {
  page.title("Tenants");
  const list = await paged("tenants", {}, (items) => table("Tenants", ["Name", "API key", "Sign-in", "Limits", "Made"], items.map((tenant) => [
    h("a", { href: `#/tenants/${part(tenant.name)}`, text: tenant.name }), h("span", { class: "mono", text: tenant.apiKey }),
    tenant.signIn === "open" ? badge("open", "warn") : badge(tenant.signIn === "oidc" ? "by provider" : "by token", "good"), limits(tenant), when(tenant.created),
  ]), "There are none."));
  const making = form("Make the tenant", [
    field("Name", input("name", { maxLength: 64, pattern: "[a-z0-9\\-]+" }), "Lower-case letters, digits and hyphens."),
  ], async (values) => {
    const tenant = await request("POST", "tenants", { body: { name: values.name } });
    await showSecret(`Secret of ${tenant.name}`, `API key ${tenant.apiKey}. The secret is shown this once: the tenant's server signs join tokens with it.`, tenant.key.secret);
    location.hash = `#/tenants/${part(tenant.name)}`;
  });
  page.show(list, h("details", { class: "card" }, h("summary", { text: "Make a tenant" }), making));
}

function limits(tenant) {
  const all = [
    tenant.maximumMeetings !== undefined && `${tenant.maximumMeetings} meetings`,
    tenant.maximumParticipants !== undefined && `${tenant.maximumParticipants} people`,
    tenant.capacity !== undefined && `${tenant.capacity} in a meeting`,
  ].filter(Boolean);
  return all.length ? all.join(", ") : h("span", { class: "faint", text: "none" });
}

/** One tenant. */
export async function tenantPage(page, name) {
  const path = `tenants/${part(name)}`;
  const [tenant, keys] = [await request("GET", path), await request("GET", `${path}/keys`)];
  page.title(`Tenant ${tenant.name}`);
  const number = (key, label) => field(label, input(key, { type: "number", min: 0, value: tenant[key] ?? "" }), "No limit when left empty.");
  const signIn = select("signIn", [["open", "Whoever has the address of a room gets in"], ["token", "Only with a token"], ["oidc", "People sign in at the provider, or have a token"]], { disabled: !tenant.isDefault });
  signIn.value = tenant.signIn;
  const level = select("accessLevel", LEVELS);
  level.value = tenant.accessLevel;
  const rules = form("Save", [
    field("Sign-in", signIn, tenant.isDefault ? undefined : "Only the default tenant can be open."),
    field("Who gets into new meetings without waiting", level),
    field("Pages of other servers that may use its tokens", h("textarea", { name: "allowedOrigins", rows: 3, spellcheck: false, value: tenant.allowedOrigins.join("\n") }), "One address in a line, such as https://app.example.com."),
    number("capacity", "Most people in a new meeting"), number("maximumMeetings", "Most meetings at once"),
    number("maximumParticipants", "Most people at once, in all meetings together"),
    number("maximumStoredMeetings", "Most meetings that are kept, running or not"), number("maximumRequests", "Most requests a second"),
  ], async (values) => {
    const limit = (text) => (text === "" ? null : Number(text));
    await request("PATCH", path, { body: {
      signIn: values.signIn, accessLevel: values.accessLevel,
      allowedOrigins: values.allowedOrigins.split("\n").map((line) => line.trim()).filter(Boolean),
      capacity: limit(values.capacity), maximumMeetings: limit(values.maximumMeetings), maximumParticipants: limit(values.maximumParticipants),
      maximumStoredMeetings: limit(values.maximumStoredMeetings), maximumRequests: limit(values.maximumRequests),
    } });
    page.saved("Saved. It holds from the next join on.");
  });
  const secrets = table("Secrets", ["Id", "State", "Made", "Good until", ""], keys.items.map((key) => [
    h("span", { class: "mono", text: key.id }), badge(key.state, key.state === "live" ? "good" : "plain"), when(key.created), when(key.retired ?? key.expires),
    h("span", {}, key.state === "live" ? action("Retire", async () => {
      await request("DELETE", `${path}/keys/${part(key.id)}`);
      page.again();
    }, { question: `Retire ${key.id}?`, detail: "Tokens that it signed are refused at once. Who is in a meeting with one stays there.", danger: true, label: `Retire ${key.id}` }) : "",
    " ", action("End its sessions", async () => {
      await request("DELETE", `${path}/keys/${part(key.id)}?endSessions=true`);
      page.again();
    }, { question: key.state === "live" ? `Retire ${key.id} and end its sessions?` : `End the sessions of ${key.id}?`, detail: "Everybody who is in a meeting with a token that it signed is out, as when it has leaked.", danger: true, label: `End the sessions of ${key.id}` })),
  ]), "There are none.");
  const rotate = action("Make a further secret", async () => {
    const key = await request("POST", `${path}/keys`, { body: {} });
    await showSecret("The new secret", "It is shown this once. The old one stays good until it is retired.", key.secret);
    page.again();
  });
  page.show(h("p", {}, h("a", { href: "#/tenants", text: "All tenants" })),
    h("section", {}, h("h2", { text: "Rules" }), rules),
    h("section", {}, h("h2", { text: "Secrets" }), h("p", { class: "facts" }, "API key ", h("span", { class: "mono", text: tenant.apiKey })), secrets, h("p", {}, rotate)));
}
