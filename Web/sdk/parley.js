/**
 * Parley's JavaScript SDK: everything an application needs to join a meeting.
 *
 * ```js
 * import { Meeting } from "/sdk/parley.js";
 * const meeting = await Meeting.join({ url: "/daily", name: "Ann", microphone: true, camera: true });
 * meeting.addEventListener("trackSubscribed", ({ detail }) => document.body.append(detail.track.attach()));
 * ```
 *
 * @module parley
 */
export { Meeting } from "./meeting.js";
export { MeetingState } from "./lifecycle.js";
export { LocalParticipant } from "./local-participant.js";
export { RemoteParticipant } from "./participant.js";
export { LocalTrack, RemoteTrack } from "./track.js";
export { Publication } from "./publication.js";
export { Signaling } from "./signaling.js";
export { Connection } from "./connection.js";
export { DataChannels, dataLimits } from "./data-channels.js";
export { Chatting, isPicture } from "./chat.js";
export { Hosting } from "./hosting.js";
export { reactions } from "./moderation.js";
export { Devices } from "./devices.js";
export { playback } from "./playback.js";
export { AudioLevel } from "./audio-level.js";
export { Overrides } from "./overrides.js";
export { Views } from "./views.js";
export { Stats } from "./stats.js";
export { RoomName } from "./room-name.js";
export { LinkSecret } from "./encryption/link-secret.js";
export { secretOf, secretTextOf, withSecret } from "./encryption/link.js";
export { encryptionProblem } from "./encryption/support.js";
export { prepareEncryption } from "./encryption/engine.js";
export { discover } from "./discover.js";
export { ParleyError } from "./errors.js";
export { isSupported } from "./support.js";
