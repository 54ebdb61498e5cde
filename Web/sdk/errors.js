/** Refusals after which joining again can't succeed. */
export const finalRefusals = new Set([
  "badToken", "tokenExpired", "tokenRequired", "signInRequired", "wrongOrigin", "wrongMeeting", "noSuchMeeting", "meetingExpired", "badName",
  "notAllowed", "unsupported", "banned", "passcodeRequired", "wrongPasscode", "passcodeBlocked", "meetingLocked", "notStarted", "meetingCancelled",
  "entryDenied", "lobbyTimeout", "encryptionRequired", "notEncrypted", "wrongSecret", "badSecret", "encryptionUnsupported", "encryptionFailed",
]);

/** Refusals that may pass, so a rejoin goes on; the meeting ends with them if they outlast the reconnect timeout. */
export const lastingRefusals = new Set(["meetingFull", "quotaReached", "lobbyFull"]);

/**
 * An error with a stable `code`, so that a page can say in its own words what happened.
 *
 * Codes of the server (`badToken`, `tokenExpired`, `noSuchMeeting`, `meetingExpired`, `meetingFull`, `badName`, …) pass
 * through unchanged; see `docs/protocol.md`. The SDK adds:
 *
 * | code | meaning |
 * |---|---|
 * | `denied` | the browser or the user refused a device |
 * | `deviceNotFound` | there is no such device |
 * | `deviceBusy` | the device exists but could not be opened, mostly because another program holds it |
 * | `deviceFailed` | another failure of a device |
 * | `insecureContext` | devices need HTTPS or localhost |
 * | `unsupported` | the browser lacks a required feature |
 * | `unreachable` | the server did not answer |
 * | `mediaFailed` | signalling works but no media path could be found |
 * | `offerRefused` | the server refused an offer of the SDK's own: somebody may be missing in the meeting |
 * | `connectionLost` | the connection was lost and could not be restored |
 * | `notJoined` | the call needs a joined meeting |
 * | `tooLarge` | data of more bytes than one message may have |
 * | `badMessage` | data, topic or recipients of a wrong kind |
 * | `badSecret` | the link secret in the address is cut or damaged |
 * | `wrongSecret` | nobody in the meeting has the same link secret |
 * | `encryptionUnsupported` | the browser can't encrypt from end to end |
 * | `encryptionFailed` | encryption stopped working here; nothing is sent any more |
 * | `encrypted` | this client doesn't have the key of a file or poll |
 * | `damagedFile` | a file of an encrypted meeting was changed or cut on its way |
 * | `cancelled` | the user closed a chooser, or the meeting was left during the call |
 * | `endedByHost`, `shutdown`, `expired`, … | the meeting ended before the client was in it: a reason of `ended` |
 */
export class ParleyError extends Error {
  /**
   * @param {string} code stable code, see the table above
   * @param {string} message the sentence for people
   * @param {{cause?: unknown, status?: number, signIn?: string}} [options] the cause; HTTP status and sign-in address,
   *   if any
   */
  constructor(code, message, options = {}) {
    super(message, { cause: options.cause });
    this.name = "ParleyError";
    /** Stable code. @type {string} */
    this.code = code;
    /** HTTP status, if the error came from an HTTP answer. @type {number|undefined} */
    this.status = options.status;
    /** The address to sign in at, with `signInRequired`. @type {string|undefined} */
    this.signIn = typeof options.signIn === "string" ? options.signIn : undefined;
  }
}
