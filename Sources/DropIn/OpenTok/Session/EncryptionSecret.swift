import Parley

/// The secret of ``OTSession/setEncryptionSecret(_:error:)``, made into the link secret of one session.
struct EncryptionSecret: Sendable, Equatable {
  /// Characters that OpenTok allows.
  private static let lengths = 8...256

  let linkSecret: LinkSecret

  init(_ text: String, session: String) throws(OTError) {
    guard Self.lengths.contains(text.count) else {
      throw OTError(.sessionInvalidEncryptionSecret, "An encryption secret has 8 to 256 characters.")
    }
    guard let secret = try? LinkSecret(shared: text, session: session) else {
      throw OTError(.sessionInvalidEncryptionSecret, "No key could be made from the encryption secret.")
    }
    linkSecret = secret
  }
}

extension OTSession {
  /// Takes the secret of ``setEncryptionSecret(_:error:)``.
  func setSecret(_ text: String) -> OTError? {
    let made = Result { () throws(OTError) in try EncryptionSecret(text, session: sessionId) }
    let (problem, isInClear) = change { state -> (OTError?, Bool) in
      switch (state.status, made) {
      case (.notConnected, .success(let secret)), (.failed, .success(let secret)):
        (state.secret, state.secretProblem) = (secret, nil)
        return (nil, false)
      case (.notConnected, .failure(let problem)), (.failed, .failure(let problem)):
        (state.secret, state.secretProblem) = (nil, problem)
        return (problem, false)
      case (_, .success(let secret)) where state.secret == secret: return (nil, false)
      case (.connected, _), (.connecting, _), (.reconnecting, _), (.disconnecting, _):
        let problem = OTError(
          .sessionIllegalState,
          "Set the encryption secret before you connect. A session that has begun keeps its own; one without a secret was disconnected."
        )
        return (problem, state.secret == nil)
      }
    }
    // An app that sets a secret must not go on in clear.
    if isInClear { disconnect(nil) }
    return problem
  }
}
