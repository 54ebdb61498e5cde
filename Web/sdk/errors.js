/**
 * An error with a stable `code`, so that a page can say in its own words what happened.
 *
 * Codes of the server (`badToken`, `tokenExpired`, `noSuchMeeting`, `meetingExpired`, `meetingFull`, `badName`, …) pass through
 * unchanged; see `docs/protocol.md`. The SDK adds:
 *
 * | code | meaning |
 * |---|---|
 * | `denied` | the browser or the user refused a device |
 * | `deviceNotFound` | there is no such device |
 * | `deviceBusy` | the device exists but could not be opened, mostly because another program holds it |
 * | `deviceFailed` | another failure of a device |
 * | `insecureContext` | devices need HTTPS or localhost |
 * | `unsupported` | the browser lacks something that is needed |
 * | `unreachable` | the server did not answer |
 * | `mediaFailed` | signalling works but no media path could be found |
 * | `offerRefused` | the server refused an offer that nobody waits for: somebody may be missing in the meeting |
 * | `connectionLost` | the connection was lost and could not be restored |
 * | `notJoined` | the call needs a joined meeting |
 * | `tooLarge` | data of more bytes than one message may have |
 * | `badMessage` | data, topic or recipients of a wrong kind |
 * | `cancelled` | the user closed a chooser, or the meeting was left meanwhile |
 * | `endedByHost`, `shutdown`, `expired`, … | the meeting ended before one was in it; the reasons are those of the event `ended` |
 */
export class ParleyError extends Error {
  /**
   * @param {string} code stable code, see the table above
   * @param {string} message what happened, for people
   * @param {{cause?: unknown, status?: number, signIn?: string}} [options] the error beneath; the HTTP status and where to sign in, where there are such
   */
  constructor(code, message, options = {}) {
    super(message, { cause: options.cause });
    this.name = "ParleyError";
    /** Stable code. @type {string} */
    this.code = code;
    /** HTTP status, where the error came from an HTTP answer. @type {number|undefined} */
    this.status = options.status;
    /** Where to sign in, with `signInRequired`. @type {string|undefined} */
    this.signIn = typeof options.signIn === "string" ? options.signIn : undefined;
  }
}
