// Tenants, their rules and keys.

import { h, when } from "./dom.js";
import { part, request } from "./api.js";
import { chatFields, chatRules } from "./chat.js";
import { action, answer, badge, field, form, input, minutes, more, paged, select, showSecret, table } from "./widgets.js";

const LEVELS = ["Everyone", "SameEnterprise", "Invited", "Locked"];

/** @param {object} page see `app.js` */
export async function tenantsPage(page) {
  page.title("Tenants");
  const list = await paged("tenants", {}, (items) => table("Tenants", ["Name", "API key", "Sign-in", "Limits", "Made"], items.map((tenant) => [
    h("a", { href: `#/tenants/${part(tenant.name)}`, text: tenant.name }), h("span", { class: "mono", text: tenant.apiKey }),
    tenant.signIn === "open" ? badge("open", "warn") : badge(tenant.signIn === "oidc" ? "by provider" : "by token", "good"), limits(tenant), when(tenant.created),
  ]), "There are none."));
  const making = form("Make the tenant", [
    field("Name", input("name", { most: 64, pattern: "[a-z0-9\\-]+" }), "Lower-case letters, digits and hyphens."),
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
  const lines = (name, label, list, hint) => field(label, h("textarea", { name, rows: 2, spellcheck: false, value: (list ?? []).join("\n") }), hint);
  const fold = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
  const yes = (key, label) => {
    const element = select(key, [["true", "Yes"], ["false", "No"]]);
    element.value = String(tenant[key]);
    return field(label, element);
  };
  const expiry = select("tokenExpiry", [["", "As the server's setting says"], ["stay", "They stay"], ["leave", "They leave unless it is renewed"]]);
  expiry.value = tenant.tokenExpiry ?? "";
  const encryption = select("encryption", [["", "As the server's setting says"], ["off", "Never"], ["offered", "If whoever makes them asks for it"], ["default", "Preselected on the start page"], ["required", "Always"]]);
  encryption.value = tenant.encryption ?? "";
  const provider = tenant.provider;
  const rules = form("Save", [
    field("Sign-in", signIn, tenant.isDefault ? undefined : "Only the default tenant can be open."),
    field("Who gets into new meetings without waiting", level),
    field("Pages of other servers that may use its tokens", h("textarea", { name: "allowedOrigins", rows: 3, spellcheck: false, value: tenant.allowedOrigins.join("\n") }), "One address in a line, such as https://app.example.com."),
    number("capacity", "Most people in a new meeting"), number("maximumMeetings", "Most meetings at once"),
    number("maximumParticipants", "Most people at once, in all meetings together"),
    number("maximumStoredMeetings", "Most meetings that are kept, running or not"), number("maximumRequests", "Most requests a second"),
    more("Lobby, chat and tokens of new meetings",
      yes("waitForHost", "Nobody gets in before a host"), yes("announce", "Tell the others who comes and goes"),
      field("Minutes that one waits to be let in", input("lobbyMinutes", { type: "number", min: 1, max: 1440, value: tenant.lobbySeconds ? tenant.lobbySeconds / 60 : "" }), "The server's setting when left empty."),
      ...chatFields(tenant.chat),
      number("maximumChatBytes", "Most bytes of chat files at once"),
      field("When somebody's token ends in a meeting", expiry), field("Meetings are end-to-end encrypted", encryption)),
    tenant.isDefault ? more("Provider at which people sign in",
      field("Issuer", input("issuer", { most: 2048, value: provider?.issuer ?? "" }), "The address that its discovery document spells."),
      field("Client", input("clientId", { most: 512, value: provider?.clientId ?? "" }), "What the provider calls this server."),
      field("Client secret", input("clientSecret", { type: "password", autocomplete: "new-password", most: 4096 }), provider?.hasSecret ? "There is one. It stays when left empty; none takes it away." : "None for a public client."),
      lines("scopes", "Scopes", provider?.scopes ?? ["openid", "profile", "email"], "One in a line."),
      field("Claim with people's roles", input("roleClaim", { most: 200, value: provider?.roleClaim ?? "" }), "Such as groups or realm_access.roles."),
      lines("organizers", "Its values that make organizers", provider?.organizers, "One in a line."),
      lines("moderators", "Its values that make moderators", provider?.moderators, "One in a line."),
      lines("emailDomains", "Only with email addresses of", provider?.emailDomains, "One domain in a line. Everybody when left empty.")) : null,
  ].filter(Boolean), async (values) => {
    const limit = (text) => (text === "" ? null : Number(text));
    const changed = await request("PATCH", path, { body: {
      signIn: values.signIn, accessLevel: values.accessLevel,
      allowedOrigins: values.allowedOrigins.split("\n").map((line) => line.trim()).filter(Boolean),
      capacity: limit(values.capacity), maximumMeetings: limit(values.maximumMeetings), maximumParticipants: limit(values.maximumParticipants),
      maximumStoredMeetings: limit(values.maximumStoredMeetings), maximumRequests: limit(values.maximumRequests),
      waitForHost: values.waitForHost === "true", announce: values.announce === "true", lobbySeconds: minutes(values.lobbyMinutes) ?? null,
      ...chatRules(values, tenant.chat), maximumChatBytes: limit(values.maximumChatBytes),
      tokenExpiry: values.tokenExpiry || null, encryption: values.encryption || null,
      provider: values.issuer ? {
        issuer: values.issuer, clientId: answer(values.clientId), clientSecret: values.clientSecret === "none" ? null : answer(values.clientSecret),
        scopes: fold(values.scopes), roleClaim: values.roleClaim || null, organizers: fold(values.organizers), moderators: fold(values.moderators),
        emailDomains: fold(values.emailDomains),
      } : undefined,
    } });
    // The next save differs from this.
    tenant.chat = changed.chat;
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
  const removal = action("Remove the tenant", async () => {
    await request("DELETE", path);
    location.hash = "#/tenants";
  }, { question: `Remove ${tenant.name}?`, detail: "Its secrets, meetings, tokens and webhooks are gone for good, and its servers are refused. The audit log stays.", danger: true });
  page.show(h("p", {}, h("a", { href: "#/tenants", text: "All tenants" })),
    h("section", {}, h("h2", { text: "Rules" }), rules),
    h("section", {}, h("h2", { text: "Secrets" }), h("p", { class: "facts" }, "API key ", h("span", { class: "mono", text: tenant.apiKey })), secrets, h("p", {}, rotate)),
    // The default tenant stays.
    ...(tenant.isDefault ? [] : [h("section", {}, h("h2", { text: "Removal" }), h("p", {}, removal))]));
}
