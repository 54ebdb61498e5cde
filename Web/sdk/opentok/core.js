/**
 * The modules that `/opentok.js` loads. The classes that a page sees are in that script; these
 * do their work.
 *
 * @module opentok
 */
import { Devices } from "../devices.js";
import { playback } from "../playback.js";

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

/**
 * The speakers, as `OT.getAudioOutputDevices` lists them.
 *
 * @returns {Promise<{deviceId: string, label: string}[]>}
 */
export async function speakers() {
  return (await new Devices().list()).speakers.map(({ deviceId, label }) => ({ deviceId, label }));
}

/**
 * The speaker in use; without a choice of the page that of the browser, which lists it first.
 *
 * @returns {Promise<{deviceId: string, label: string}|null>}
 */
export async function activeSpeaker() {
  const all = await speakers();
  return all.find(({ deviceId }) => deviceId === (playback.speakerId || "default")) ?? all[0] ?? null;
}

/** @param {string} deviceId */
export function setSpeaker(deviceId) { return playback.setSpeaker(deviceId); }

/** Plays what the browser has held back; to be called from a click. */
export async function unblockAudio() { await playback.unblock(); }
