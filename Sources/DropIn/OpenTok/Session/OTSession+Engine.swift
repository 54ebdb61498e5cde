import Dispatch

/// The parts of a session that its engine and its methods use.
extension OTSession {
  func start(apiKey: String?, token: String) -> OTError? {
    let isFree = change { state in
      guard state.status == .notConnected || state.status == .failed else { return false }
      state.status = .connecting
      return true
    }
    guard isFree else {
      return OTError(.sessionIllegalState, "The session is connected or connecting already. Disconnect it first.")
    }
    if let problem = state.secretProblem {
      change { $0.status = .failed }
      return problem
    }
    onMain { [self] in engine.connect(self, apiKey: apiKey, token: token) }
    return nil
  }

  /// Runs `body` on the app's queue, after earlier reports. Properties are changed in it, too, so that they are what
  /// the callback says.
  func tell(_ body: @escaping @Sendable (OTSession) -> Void) {
    apiQueue.async { [self] in body(self) }
  }

  /// Why nothing can be asked of the session now; nil when it can.
  var missingConnection: OTError? {
    switch sessionConnectionStatus {
    case .connected, .reconnecting: nil
    default: OTError(.notConnected, "The session is not connected. Connect it and wait for sessionDidConnect.")
    }
  }

  /// Reports an error of a call that has no `error:`. A call that has one fills it at once, since the delegate gets the
  /// errors that end the session.
  func report(_ problem: OTError?) {
    guard let problem else { return }
    let error = isLegacy ? problem.asLegacy() : problem
    tell { $0.delegate?.session($0, didFailWithError: error) }
  }

  /// A session without a connection. Streams and subscribers return it after the app has released the session that they
  /// were in.
  static func detached(_ sessionId: String) -> OTSession {
    guard let session = OTSession(apiKey: "", sessionId: sessionId, delegate: nil) else {
      preconditionFailure("The initialiser gives nil, which it never does.")
    }
    return session
  }
}
