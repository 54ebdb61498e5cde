// Webhooks and their deliveries.

import { h, when } from "./dom.js";
import { part, request } from "./api.js";
import { action, badge, field, form, input, paged, select, showSecret, table, tell, tenantChoice } from "./widgets.js";

const STATES = { pending: "warn", delivered: "good", failed: "bad" };

/** @param {object} page see `app.js` */
export async function webhooksPage(page) {
  page.title("Webhooks");
  const answer = await request("GET", "webhooks");
  const list = table("Webhooks", ["Address", "Tenant", "Hears of", "State", "Made"], answer.items.map((hook) => [
    h("a", { class: "address", href: `#/webhooks/${part(hook.id)}`, text: hook.url }), hook.tenant, hook.events.join(", ") || "everything",
    hook.enabled ? badge("on", "good") : badge("off"), when(hook.created),
  ]), "Nobody is told what happens in meetings. A webhook posts it to an address of yours.");
  const making = form("Make the webhook", [
    field("Tenant", await tenantChoice()),
    field("Address", input("url", { type: "url", required: true, most: 2048, placeholder: "https://app.example.com/events" })),
  ], async (values) => {
    const hook = await request("POST", "webhooks", { body: { tenant: values.tenant, url: values.url } });
    await showSecret("The webhook's secret", "It is shown this once. Events are signed with it, so that the receiver knows that they come from here.", hook.secret);
    location.hash = `#/webhooks/${part(hook.id)}`;
  });
  page.show(list, h("details", { class: "card", open: answer.items.length === 0 }, h("summary", { text: "Make a webhook" }), making));
}

/** One webhook. */
export async function webhookPage(page, id) {
  const path = `webhooks/${part(id)}`;
  const hook = await request("GET", path);
  page.title("Webhook");
  const state = select("state", [["", "All"], ["pending", "Waiting"], ["delivered", "Delivered"], ["failed", "Given up"]]);
  const list = h("div", {});
  async function refresh() {
    list.replaceChildren(await paged(`${path}/deliveries`, { state: state.value }, (items) => table(
      "Deliveries", ["Event", "When", "State", "Attempts", "Last problem", ""], items.map((delivery) => [
        h("span", { class: "who" }, h("strong", { text: delivery.type }), h("span", { class: "faint mono", text: delivery.id })),
        when(delivery.created), badge(delivery.state, STATES[delivery.state]), String(delivery.attempts), delivery.problem ?? "",
        h("span", { class: "actions" },
          action("Look", async () => {
            const whole = await request("GET", `${path}/deliveries/${part(delivery.id)}`);
            await tell(whole.type, h("pre", { class: "body", tabIndex: 0, text: pretty(whole.body) }));
          }, { label: `Look at ${delivery.type}` }),
          action("Send again", async () => {
            const { waitsBehind } = await request("POST", `${path}/deliveries/${part(delivery.id)}/replay`);
            await refresh();
            if (waitsBehind > 0) {
              await tell("It waits its turn", h("p", {
                text: `${waitsBehind === 1 ? "One event of the same meeting waits" : `${waitsBehind} events of the same meeting wait`} before it and ${waitsBehind === 1 ? "is" : "are"} tried now.`,
              }));
            }
          }, { label: `Send ${delivery.type} again` })),
      ]), "Nothing was sent yet.")));
  }
  state.addEventListener("change", () => refresh());
  await refresh();
  const buttons = h("p", { class: "actions" },
    action("Send a test", async () => {
      await request("POST", `${path}/test`);
      await refresh();
    }),
    action(hook.enabled ? "Switch off" : "Switch on", async () => {
      await request("PATCH", path, { body: { enabled: !hook.enabled } });
      page.again();
    }),
    action("New secret", async () => {
      const changed = await request("POST", `${path}/secret`);
      await showSecret("The new secret", "It is shown this once, and everything is signed with it from now on.", changed.secret);
    }, { question: "Make a new secret?", detail: "Everything is signed with it at once, also what waits." }),
    action("Forget", async () => {
      await request("DELETE", path);
      location.hash = "#/webhooks";
    }, { question: "Forget this webhook?", detail: "What waits for it is forgotten too.", danger: true }));
  page.show(h("p", {}, h("a", { href: "#/webhooks", text: "All webhooks" })),
    h("p", { class: "facts" }, hook.enabled ? badge("on", "good") : badge("off"), h("span", { text: `Tenant ${hook.tenant}` }), h("span", { class: "address mono", text: hook.url })),
    buttons, h("section", {}, h("h2", { text: "Deliveries" }), field("Show", state), list));
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}
