import Parley

/// Signals: short messages of the app's own.
extension OTSession {
  /// Sends a signal, or says why it cannot be sent.
  func send(_ type: String, _ string: String, to connection: OTConnection?, waits: Bool) -> OTError? {
    if let problem = problem(withType: type, string: string) { return problem }
    let id = connection?.connectionId
    if let id, !state.read({ $0.connections.contains(id) }) {
      return OTError(.sessionUnableToSendSignal, "The receiver of the signal is not in the session.")
    }
    if !waits, sessionConnectionStatus == .reconnecting {
      return OTError(
        .sessionUnableToSendSignal, "The connection is being brought back, and retryAfterReconnect is false.")
    }
    guard engine.takeSignalPlace() else {
      return OTError(
        .sessionUnableToSendSignal,
        "\(Meeting.maximumUnanswered) signals are on their way already, which is the limit. Wait a moment, or send fewer."
      )
    }
    onMain { [self] in engine.signal(type, string, to: id, waits: waits, in: self) }
    return nil
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
