// The audit log: rights that were used, and by whom.

import { h, when } from "./dom.js";
import { paged, table } from "./widgets.js";

/** @param {object} page see `app.js` */
export async function auditPage(page) {
  page.title("Audit log");
  page.show(await paged("audit", {}, (items) => table("Audit log", ["When", "Who", "What", "On", "Tenant", "Detail"], items.map((entry) => [
    when(entry.time), entry.actor, h("strong", { text: entry.action }), h("span", { class: "mono", text: entry.target }), entry.tenant, entry.detail,
  ]), "No right was used yet.")));
}
