import Parley

/// Signals: short messages of the app's own.
extension OTSession {
  /// Sends a signal to everybody, this client included, or to one connection. It waits for its turn, since the server takes 50 messages a second, and for
  /// a connection that is being brought back. With 1,000 on their way `error` is 1550.
  public func signal(
    withType type: String?, string: String?, connection: OTConnection?, error: UnsafeMutablePointer<OTError?>?
  ) {
    signal(withType: type, string: string, connection: connection, retryAfterReconnect: true, error: error)
  }

  /// Sends a signal to everybody, this client included, or to one connection.
  ///
  /// - Parameters:
  ///   - type: What it is about: at most 128 letters of ASCII, digits, `-`, `_` and `~`.
  ///   - string: The content, at most 8 KiB.
  ///   - connection: The one who is to get it; nil for everybody.
  ///   - retryAfterReconnect: Whether it waits for a connection that is being brought back; otherwise `error` is 1550 then.
  public func signal(
    withType type: String?, string: String?, connection: OTConnection?, retryAfterReconnect: Bool,
    error: UnsafeMutablePointer<OTError?>?
  ) {
    let (type, string) = (type ?? "", string ?? "")
    if let problem = problem(withType: type, string: string) { return OTError.put(problem, error) }
    let id = connection?.connectionId
    if let id, !state.read({ $0.connections.contains(id) }) {
      let problem = OTError(.sessionUnableToSendSignal, "The receiver of the signal is not in the session.")
      return OTError.put(problem, error)
    }
    if !retryAfterReconnect, sessionConnectionStatus == .reconnecting {
      let problem = OTError(
        .sessionUnableToSendSignal, "The connection is being brought back, and retryAfterReconnect is false.")
      return OTError.put(problem, error)
    }
    guard engine.takeSignalPlace() else {
      let problem = OTError(
        .sessionUnableToSendSignal,
        "\(Meeting.maximumUnanswered) signals are on their way already, which is the limit. Wait a moment, or send fewer."
      )
      return OTError.put(problem, error)
    }
    onMain { [self] in engine.signal(type, string, to: id, waits: retryAfterReconnect, in: self) }
  }

  private func problem(withType type: String, string: String) -> OTError? {
    let isWritable = type.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "A"..."Z", "a"..."z", "0"..."9", "-", "_", "~": true
      default: false
      }
    }
    guard isWritable, type.utf8.count <= 128 else {
      return OTError(
        .sessionInvalidSignalType,
        "The type of a signal has at most 128 letters of ASCII, digits, '-', '_' and '~'; it was “\(type.prefix(200))”."
      )
    }
    guard string.utf8.count <= 8_192 else {
      return OTError(
        .sessionSignalDataTooLong, "The data of a signal has at most 8,192 bytes; it had \(string.utf8.count).")
    }
    if let problem = missingConnection { return problem }
    guard engine.maySignal.read({ $0 }) else {
      return OTError(.sessionUnableToSendSignal, "The token's role does not allow sending signals.")
    }
    return nil
  }
}
