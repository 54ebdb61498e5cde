// Domains of the messaging service, their identities, and the endpoints of these.

import { announce, h, when } from "./dom.js";
import { part, request } from "./api.js";
import { action, answer, badge, field, form, input, more, paged, select, showSecret, table } from "./widgets.js";

const SIGN_IN = { disabled: ["not at all", "warn"], jwt: ["signed tokens", "good"], oauth: ["opaque tokens", "good"] };

/** @param {object} page see `app.js` */
export async function domainsPage(page) {
  page.title("Domains");
  let count = 0;
  const list = await paged("domains", {}, (items) => {
    count = items.length;
    return table("Domains", ["Name", "Id", "Environment", "Users prove themselves by", "Made"], items.map((domain) => [
      h("a", { href: `#/domains/${part(domain.name)}`, text: domain.name }), h("span", { class: "mono", text: domain.id }),
      domain.removing ? badge("being removed", "warn") : domain.environment, badge(...SIGN_IN[domain.authentication]), when(domain.created),
    ]), "There are none. An app of the messaging service needs one.");
  });
  const making = form("Make the domain", [
    field("Name", input("name", { required: true, most: 64, pattern: "[a-z0-9\\-]+" }), "Lower-case letters, digits and hyphens. A tenant of this name is made too."),
    ...settingsFields(),
  ], async (values) => {
    const domain = await request("POST", "domains", { body: { name: values.name, ...settings(values) } });
    await showPushKey(domain);
    location.hash = `#/domains/${part(domain.name)}`;
  });
  page.show(list, h("details", { class: "card", open: count === 0 }, h("summary", { text: "Make a domain" }), making));
}

/** Shows the key of push signatures, if an answer has it: only that which makes it does. */
async function showPushKey(domain) {
  if (!domain.pushSecret) { return; }
  await showSecret("The key of push signatures", "It is shown this once. Pushes are signed with it.", domain.pushSecret);
}

/**
 * The fields about a domain's settings. Those that belong to another kind of sign-in are hidden.
 *
 * @param {object} [domain] the domain that is changed
 */
function settingsFields(domain) {
  const authentication = select("authentication", [
    ["jwt", "Signed tokens of an identity provider (JWT)"], ["oauth", "Opaque tokens, which the provider is asked about (OAuth 2.0)"],
    ["disabled", "Not at all: anybody is who they say (sandbox only)"],
  ]);
  const environment = select("environment", ["production", "sandbox"]);
  const keyManagement = select("keyManagement", [["true", "Yes"], ["false", "No: the app keeps its keys itself"]]);
  if (domain) {
    authentication.value = domain.authentication;
    environment.value = domain.environment;
    keyManagement.value = String(domain.keyManagement);
  }
  const address = (name, label, hint) => field(label, input(name, { type: "url", most: 2048, value: domain?.[name] ?? "" }), hint);
  const lines = (name, label, hint) => field(label, h("textarea", { name, rows: 2, spellcheck: false, value: (domain?.[name] ?? []).join("\n") }), hint);
  const claim = (name, label, usual) => field(label, input(name, { most: 128, value: domain?.[name] ?? usual }));
  const jwt = h("div", { class: "form" },
    address("jwks", "Address of the provider's keys (JWKS)", "https, or on this machine."),
    field("Only issuer", input("issuer", { most: 2048, value: domain?.issuer ?? "" }), "Any whose keys are at that address when left empty."));
  const oauth = h("div", { class: "form" },
    address("tokenInfo", "Address of token information", "Token introspection (RFC 7662). https, or on this machine."),
    address("userInfo", "Address of user information"),
    field("Client secret", input("clientSecret", { type: "password", autocomplete: "new-password", most: 4096 }), domain?.hasClientSecret
      ? "There is one. It stays when left empty; none takes it away." : "Of the first client, where token information asks for it."));
  const both = h("div", { class: "form" },
    lines("clientIds", "Client ids", "One in a line. The provider issued the token for one of them."),
    lines("scopes", "Scopes", "One in a line. A token needs all of them."),
    claim("userClaim", "Claim with the user id", "sub"));
  const claims = more("Names of other claims", claim("clientClaim", "Claim with the client id", "aud"), claim("expiryClaim", "Claim with the end", "exp"),
    claim("issuerClaim", "Claim with the issuer", "iss"));
  const needed = [[jwt, "jwks", "jwt"], [oauth, "tokenInfo", "oauth"], [oauth, "userInfo", "oauth"]];
  function arrange() {
    const kind = authentication.value;
    jwt.hidden = claims.hidden = kind !== "jwt";
    oauth.hidden = kind !== "oauth";
    both.hidden = kind === "disabled";
    for (const [place, name, of] of needed) { place.querySelector(`[name=${name}]`).required = kind === of; }
    both.querySelector("[name=clientIds]").required = kind !== "disabled";
    if (kind === "disabled") { environment.value = "sandbox"; }
    environment.disabled = kind === "disabled";
  }
  authentication.addEventListener("change", arrange);
  arrange();
  return [
    field("Users prove who they are by", authentication), field("Environment", environment, "Without authentication it is the sandbox."), jwt, oauth, both, claims,
    field("Key management: sealed keys of users are kept here", keyManagement, "Apps have to be set up for the same."),
    field("Most bytes of messages, files, chats and key records", input("maximumStoredBytes", { type: "number", min: 0, value: domain?.maximumStoredBytes ?? "" }),
      "64 GiB, or 4 GiB in the sandbox, when left empty."),
    address("pushUrl", "Push address", "Told of messages and calls for identities without a connection. None when left empty."),
  ];
}

/** The settings that a form says, as the interface takes them. */
function settings(values) {
  const kind = values.authentication;
  const fold = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
  const common = {
    authentication: kind, environment: kind === "disabled" ? "sandbox" : values.environment, keyManagement: values.keyManagement === "true",
    pushUrl: values.pushUrl || null, maximumStoredBytes: values.maximumStoredBytes === "" ? null : Number(values.maximumStoredBytes),
  };
  if (kind === "disabled") { return common; }
  const rules = { ...common, clientIds: fold(values.clientIds), scopes: fold(values.scopes), userClaim: values.userClaim || "sub" };
  return kind === "jwt"
    ? {
      ...rules, jwks: values.jwks, issuer: values.issuer || null, clientClaim: values.clientClaim || "aud", expiryClaim: values.expiryClaim || "exp",
      issuerClaim: values.issuerClaim || "iss",
    }
    : { ...rules, tokenInfo: values.tokenInfo, userInfo: values.userInfo, clientSecret: values.clientSecret === "none" ? null : answer(values.clientSecret) };
}

/** One domain with its identities. */
export async function domainPage(page, name) {
  const path = `domains/${part(name)}`;
  const domain = await request("GET", path);
  page.title(`Domain ${domain.name}`);
  const rules = form("Save", settingsFields(domain), async (values) => {
    await showPushKey(await request("PATCH", path, { body: settings(values) }));
    page.saved("Saved. It holds for the next token of each user.");
  });
  const found = h("div", {});
  async function show(text) {
    const numbered = await ofNumber(path, text);
    let count = 0;
    found.replaceChildren(await paged(`${path}/identities`, { user: text }, (items) => {
      const all = numbered ? [numbered, ...items.filter((each) => each.regId !== numbered.regId)] : items;
      count = all.length;
      return table("Identities", ["User id", "Number (regId)", "PIN", "Keys"], all.map((identity) => [
        h("a", { class: "address", href: `#/domains/${part(domain.name)}/${identity.regId}`, text: identity.user }),
        h("span", { class: "mono", text: identity.regId }), h("span", { class: "mono", text: identity.pin }),
        identity.hasKeys ? badge("published", "good") : badge("none"),
      ]), text ? "No identity matches." : "Nobody has signed in to this domain yet.");
    }));
    if (text) { announce(count === 1 ? "1 identity is shown" : `${count} identities are shown`); }
  }
  await show("");
  const search = form("Search", [
    field("User id or number", input("text", { type: "search", most: 255 }), "The beginning of a user id, or a whole number (regId)."),
  ], (values) => show(values.text.trim()));
  const removal = action("Remove the domain", async () => {
    await request("DELETE", path);
    location.hash = "#/domains";
  }, {
    question: `Remove ${domain.name}?`, danger: true,
    detail: "Its identities, endpoints, chats, messages and keys are removed permanently, and its apps are signed out. Tenant and audit log stay.",
  });
  page.show(h("p", {}, h("a", { href: "#/domains", text: "All domains" })),
    h("p", { class: "facts" }, h("span", {}, "Id ", h("span", { class: "mono", text: domain.id })), h("span", {}, "Made ", when(domain.created)),
      h("span", {}, `Stores ${Math.ceil((domain.storedBytes ?? 0) / (1 << 20))} MiB`),
      h("span", {}, "Limits of its calls are rules of the tenant ", h("a", { href: `#/tenants/${part(domain.name)}`, text: domain.name }))),
    h("section", {}, h("h2", { text: "Identities" }), search, found),
    h("details", { class: "card" }, h("summary", { text: "Change the domain" }), rules),
    h("section", {}, h("h2", { text: "Removal" }), h("p", {}, removal)));
}

/** The identity of that number; null when the text is none, or nobody has it. */
async function ofNumber(path, text) {
  if (!/^[0-9]{1,20}$/.test(text)) { return null; }
  try {
    return await request("GET", `${path}/identities/${part(text)}`);
  } catch (error) {
    if (error.status === 404) { return null; }
    throw error;
  }
}

/** One identity with its endpoints. */
export async function identityPage(page, name, number) {
  const path = `domains/${part(name)}`;
  const facts = h("p", { class: "facts" });
  const list = h("div", {});
  async function refresh() {
    const identity = await request("GET", `${path}/identities/${part(number)}`);
    page.title(`Identity ${identity.user}`);
    page.replace(facts, h("span", {}, "Number (regId) ", h("span", { class: "mono", text: identity.regId })),
      h("span", {}, "PIN ", h("span", { class: "mono", text: identity.pin })),
      identity.hasKeys ? badge("keys published", "good") : badge("no keys yet"));
    page.replace(list, table("Endpoints", ["Endpoint", "Kind", "State", "Registered", "Last seen", ""], identity.endpoints.map((endpoint) => [
      h("span", { class: "who" }, h("strong", { text: title(endpoint) }), h("span", { class: "faint mono", text: endpoint.id })),
      endpoint.persistent ? "persistent" : "ephemeral", endpoint.connected ? badge("connected", "good") : badge("away"),
      when(endpoint.created), when(endpoint.lastSeen),
      action("Deregister", async () => {
        await request("DELETE", `${path}/endpoints/${part(endpoint.id)}`);
        // Said first, so that the list may be replaced.
        page.saved(`${title(endpoint)} is deregistered.`);
        await refresh();
      }, {
        question: `Deregister ${title(endpoint)}?`, detail: "Its app is signed out and wipes its data. This can't be undone.", danger: true,
        label: `Deregister ${title(endpoint)}`,
      }),
    ]), "It has no endpoints."));
  }
  await refresh();
  page.show(h("p", {}, h("a", { href: `#/domains/${part(name)}`, text: `Domain ${name}` })), facts, h("section", {}, h("h2", { text: "Endpoints" }), list));
  page.every(5, refresh);
}

/** How an endpoint is called: by its description, its nickname, or for want of both its id. */
function title(endpoint) { return endpoint.description || endpoint.nickname || endpoint.id; }
