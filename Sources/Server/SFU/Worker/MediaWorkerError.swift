/// Why a worker refused.
public enum MediaWorkerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offer cannot be used: a sentence for the client.
  case badOffer(String)
  /// No such participant, or not any more.
  case unknownParticipant
  /// The participant is there already.
  case duplicateParticipant
  /// The worker takes no more: a sentence for the log.
  case unavailable(String)

  /// The error and the expected form.
  public var description: String {
    switch self {
    case .badOffer(let reason): "The offer cannot be used: \(reason)"
    case .unknownParticipant: "There is no such participant in this worker; it may have left. Join again."
    case .duplicateParticipant: "The participant has a connection already; offer on it, or leave first."
    case .unavailable(let reason): "The media worker cannot take it: \(reason)"
    }
  }
}
