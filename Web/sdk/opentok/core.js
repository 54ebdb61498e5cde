/**
 * What stands behind `/opentok.js`: the modules that it loads. The classes that a page sees are in that script; these do their work.
 *
 * @module opentok
 */
import { Devices } from "../devices.js";

export { SessionCore } from "./session.js";
export { PublisherCore } from "./publisher.js";
export { SubscriberCore } from "./subscriber.js";
export { userMedia } from "./media.js";

/**
 * The cameras and microphones, as `OT.getDevices` lists them.
 *
 * @returns {Promise<{deviceId: string, label: string, kind: "audioInput"|"videoInput"}[]>}
 */
export async function devices() {
  const { cameras, microphones } = await new Devices().list();
  const entry = (kind) => ({ deviceId, label }) => ({ deviceId, label, kind });
  return [...microphones.map(entry("audioInput")), ...cameras.map(entry("videoInput"))];
}
