import { WorkerSession } from "./worker-session.js";

/**
 * The worker of an encrypted meeting: it holds the keys, and every frame goes through it. The page calls the methods of
 * `WorkerSession` by their names.
 */
const methods = new Set(["start", "announcement", "resume", "envelopes", "remove", "rename", "tracks", "assign", "seal", "open", "report"]);
/** How often it is looked at what is due, in milliseconds. */
const interval = 50;
const sessions = new Map();

function session(id) {
  if (!sessions.has(id)) { sessions.set(id, new WorkerSession((message) => self.postMessage({ session: id, ...message }))); }
  return sessions.get(id);
}

self.addEventListener("rtctransform", ({ transformer }) => session(transformer.options.session)._attach(transformer));

self.addEventListener("message", async ({ data: { call, session: id, method, argument } }) => {
  if (method === "ping") { self.postMessage({ call, result: null }); return; }
  if (method === "close") {
    sessions.get(id)?._close();
    sessions.delete(id);
    return;
  }
  try {
    if (!methods.has(method)) { throw new TypeError(`There is no ${method}.`); }
    self.postMessage({ call, result: await session(id)[method](argument) });
  } catch (error) {
    self.postMessage({ call, problem: String(error?.code ?? error?.message ?? error) });
  }
});

setInterval(() => { for (const each of sessions.values()) { each._tick(); } }, interval);
self.postMessage({ type: "ready" });
