/** The acts of moderators on the streams and connections of a session. */
export class SessionModeration {
  #session;
  #meeting;
  #error;

  /**
   * @param {object} session the object that the page has
   * @param {() => import("../meeting.js").Meeting} meeting the present one
   * @param {(name: string, message: string) => Error} error an error of the library
   */
  constructor(session, meeting, error) {
    this.#session = session;
    this.#meeting = meeting;
    this.#error = error;
  }

  /** @param {object|string} connection */
  forceDisconnect(connection) {
    return this.#moderate("OT_UNABLE_TO_FORCE_DISCONNECT", connection, (hosting, whom) => hosting.remove(whom));
  }

  /** Ends a stream. */
  forceUnpublish(stream) {
    const sources = stream?.videoType === "screen" ? ["screen", "screenAudio"] : ["camera", "microphone"];
    return this.#moderate("OT_UNABLE_TO_FORCE_UNPUBLISH", stream?.connection ?? null, (hosting, whom) => hosting.stop(whom, sources));
  }

  /** Mutes the sound of a stream. */
  forceMuteStream(stream) {
    const sources = [stream?.videoType === "screen" ? "screenAudio" : "microphone"];
    return this.#moderate("OT_UNABLE_TO_FORCE_MUTE", stream?.connection ?? null, (hosting, whom) => hosting.mute(whom, sources));
  }

  /** Mutes the audio of every stream but these, also this client's and later ones. */
  forceMuteAll(excluded) {
    const exceptTracks = (Array.isArray(excluded) ? excluded : []).filter((each) => each?.connection?.connectionId).map((each) => (
      { participant: each.connection.connectionId, source: each.videoType === "screen" ? "screenAudio" : "microphone" }));
    return this.#moderate("OT_UNABLE_TO_FORCE_MUTE", undefined, (hosting) => hosting.muteAll(
      { sources: ["microphone", "screenAudio"], exceptTracks, includingLater: true, includingSelf: true }));
  }

  /** Lets later streams begin with their sound again. */
  disableForceMute() { return this.#moderate("OT_UNABLE_TO_FORCE_MUTE", undefined, (hosting) => hosting.allowUnmuting()); }

  /** Asks the server for something that a moderator may do; `connection` is undefined where it is about everybody. */
  async #moderate(name, connection, ask) {
    if (!this.#session.isConnected()) { throw this.#error("OT_NOT_CONNECTED", "Connect to the session first."); }
    if (this.#session.capabilities.forceMute !== 1) { throw this.#error(name, "The token does not let you moderate."); }
    const whom = this.#meeting().participant(connection?.connectionId ?? connection);
    if (!whom && connection !== undefined) { throw this.#error("OT_INVALID_PARAMETER", "The connection or stream is not in the session."); }
    try { await ask(this.#meeting().hosting, whom); } catch (error) { throw this.#error(name, error.message); }
  }
}
