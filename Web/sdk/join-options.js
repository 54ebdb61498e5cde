// The options of `Meeting.join`, as a type for editors and type checkers.

/**
 * @typedef {object} JoinOptions
 * @property {string|URL} [url] address of the meeting (`https://host/<room>`); this, `discover`, or `signaling` with
 *   `token`
 * @property {string|URL} [discover] address of a discover document
 * @property {string} [signaling] address of the WebSocket, if no discover document is to be fetched
 * @property {string} [token] join token
 * @property {string} name display name
 * @property {string} [passcode] the meeting's passcode
 * @property {string|import("./encryption/link-secret.js").LinkSecret} [encryptionSecret] link secret of an encrypted
 *   meeting; without it that of `#e2ee=` in `url`
 * @property {"device"|"guest"} [identity] in encrypted meetings: `device` signs with a key that stays in this browser,
 *   and remembers those of others; `guest`, the default, with one of this meeting
 * @property {boolean|MediaStreamTrack|DeviceChoice} [microphone] true opens one; a function decides after the server's
 *   answer
 * @property {boolean|MediaStreamTrack|DeviceChoice} [camera] as `microphone`
 * @property {boolean} [microphoneMuted] publish the microphone muted
 * @property {{microphone?: {deviceId?: string}, camera?: {deviceId?: string, facingMode?: string}}} [devices] preferred
 *   devices
 * @property {number} [resolution] height of the camera video, in pixels
 * @property {string} [preferredVideoCodec] `VP8`, `VP9`, `H264` or `AV1`
 * @property {boolean} [simulcast] false sends a camera in one size instead of three
 * @property {"tcp"} [iceTransport] media over TCP only
 * @property {string} [client] names the program to the server
 *
 * @typedef {(document: import("./discover.js").DiscoverDocument) => boolean} DeviceChoice whether a device is opened
 */

export {};
