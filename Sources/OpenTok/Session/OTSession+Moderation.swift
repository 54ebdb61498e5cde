public import Foundation

/// What a moderator may do, and what there is of encryption and support.
extension OTSession {
  /// Mutes the sound of every stream but `excludedStreams`, also of the own ones; streams that come later start muted, too.
  public func forceMuteAll(_ excludedStreams: [OTStream]?, error: UnsafeMutablePointer<OTError?>?) {
    let except = (excludedStreams ?? []).map(\.streamId)
    moderate(error) { [self] in engine.muteAll(except: except, in: self) }
  }

  /// Mutes the sound of one stream.
  public func forceMuteStream(_ stream: OTStream?, error: UnsafeMutablePointer<OTError?>?) {
    guard let stream, stream.session === self else {
      return OTError.put(OTError(.nullOrInvalidParameter, "The stream is not one of this session."), error)
    }
    let isThere = streams[stream.streamId] === stream
    moderate(error, .sessionUnableToForceMute, isThere ? nil : "The stream has ended.") { [self] in
      engine.mute(stream, in: self)
    }
  }

  /// Lets later streams begin with their sound again. Who is muted stays muted.
  public func disableForceMute(_ error: UnsafeMutablePointer<OTError?>?) {
    moderate(error) { [self] in engine.allowUnmuting(in: self) }
  }

  /// Takes a client out of the session.
  public func forceDisconnect(_ connection: OTConnection?, error: UnsafeMutablePointer<OTError?>?) {
    guard let connection else {
      return OTError.put(OTError(.nullOrInvalidParameter, "The connection is nil."), error)
    }
    let id = connection.connectionId
    let (isOwn, isThere) = state.read { ($0.connection?.connectionId == id, $0.connections.contains(id)) }
    let problem =
      isOwn
      ? "The connection is one's own; disconnect the session instead."
      : isThere ? nil : "The connection is not in the session."
    moderate(error, .sessionUnableToForceDisconnect, problem) { [self] in engine.remove(id, in: self) }
  }

  /// Does what a moderator may do, unless it is known that it cannot be done. What the server refuses after that is dropped.
  private func moderate(
    _ place: UnsafeMutablePointer<OTError?>?, _ code: OTSessionErrorCode = .sessionUnableToForceMute,
    _ problem: String? = nil, _ body: @escaping @MainActor @Sendable () -> Void
  ) {
    if let problem = missingConnection { return OTError.put(problem, place) }
    let may = capabilities
    guard (code == .sessionUnableToForceMute ? may?.canForceMute : may?.canForceDisconnect) == true else {
      return OTError.put(OTError(code, "The token's role is not that of a moderator."), place)
    }
    if let problem { return OTError.put(OTError(code, problem), place) }
    onMain(body)
  }

  /// End-to-end encryption is not there: every secret is refused, so that nobody believes to be encrypted.
  public func setEncryptionSecret(_ secret: String, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(
      OTError(.sessionInvalidEncryptionSecret, "End-to-end encryption with a secret is not available on this server."),
      error)
  }

  /// Gives an id to name a problem by; the time and the session are what the server's log knows it by.
  public func reportIssue(_ issueId: UnsafeMutablePointer<NSString?>?) {
    issueId?.pointee = NSString(string: UUID().uuidString)
  }
}
