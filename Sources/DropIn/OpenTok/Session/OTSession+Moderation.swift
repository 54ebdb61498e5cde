/// The actions of a moderator. Each reports at once why it can't be done, where that is known. A later refusal of the
/// server is dropped.
extension OTSession {
  func muteAll(except streams: [OTStream]) -> OTError? {
    let except = streams.map(\.streamId)
    return moderate { [self] in engine.muteAll(except: except, in: self) }
  }

  func mute(_ stream: OTStream) -> OTError? {
    guard stream.owner === self else {
      return OTError(.nullOrInvalidParameter, "The stream is not one of this session.")
    }
    let isThere = streams[stream.streamId] === stream
    return moderate(.sessionUnableToForceMute, isThere ? nil : "The stream has ended.") { [self] in
      engine.mute(stream, in: self)
    }
  }

  func allowUnmuting() -> OTError? {
    moderate { [self] in engine.allowUnmuting(in: self) }
  }

  func remove(_ connection: OTConnection?) -> OTError? {
    guard let connection else { return OTError(.nullOrInvalidParameter, "The connection is nil.") }
    let id = connection.connectionId
    let (isOwn, isThere) = state.read { ($0.connection?.connectionId == id, $0.connections.contains(id)) }
    let problem =
      isOwn
      ? "The connection is one's own; disconnect the session instead."
      : isThere ? nil : "The connection is not in the session."
    return moderate(.sessionUnableToForceDisconnect, problem) { [self] in engine.remove(id, in: self) }
  }

  private func moderate(
    _ code: OTSessionErrorCode = .sessionUnableToForceMute, _ problem: String? = nil,
    _ body: @escaping @MainActor @Sendable () -> Void
  ) -> OTError? {
    if let problem = missingConnection { return problem }
    let may = capabilities
    guard (code == .sessionUnableToForceMute ? may?.canForceMute : may?.canForceDisconnect) == true else {
      return OTError(code, "The token's role is not that of a moderator.")
    }
    if let problem { return OTError(code, problem) }
    onMain(body)
    return nil
  }
}
