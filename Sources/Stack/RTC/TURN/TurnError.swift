/// Why a TURN server gives no relayed address, or no longer (RFC 8656 section 19, RFC 8489 section 14.8).
public enum TurnError: Error, Hashable, Sendable {
  /// 401 or 441: the server does not accept the user name and password, or they have expired.
  case badCredentials
  /// 486: the user has as many allocations as allowed.
  case quotaReached
  /// 508: the server has no address left.
  case noCapacity
  /// 440 or 442: the server does not relay for this family of addresses, or not over UDP.
  case unsupported
  /// 403: the server does not relay to this peer, or not for us.
  case forbidden
  /// 437: the server no longer knows the allocation.
  case allocationLost
  /// Another error of the server's, in its own words (printable ASCII, at most 128 bytes).
  case refused(code: Int, reason: String)
  /// The server does not answer.
  case noAnswer
  /// The answer lacks what it must have.
  case malformedAnswer(missing: String)
  /// The server sent us on too often, or to an address it had sent us to before.
  case tooManyAlternates
  /// The connection to the server could not be opened, or broke.
  case connectionFailed
  /// The server's name has no address.
  case unknownHost
  /// The socket that the allocation was made over is gone.
  case socketRemoved

  /// The error of an answer's code.
  init(code: Int, reason: String) {
    self =
      switch code {
      case 401, 441: .badCredentials
      case 403: .forbidden
      case 437: .allocationLost
      case 440, 442: .unsupported
      case 486: .quotaReached
      case 508: .noCapacity
      default: .refused(code: code, reason: reason)
      }
  }
}

extension TurnError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .badCredentials:
      "The TURN server does not accept the user name and password; they may have expired. Ask for new ones."
    case .quotaReached:
      "The TURN server allows this user no more relayed addresses at once. Wait until others are released."
    case .noCapacity: "The TURN server has no relayed address left."
    case .unsupported: "The TURN server does not relay for this address family over UDP."
    case .forbidden: "The TURN server refuses to relay to this address."
    case .allocationLost: "The TURN server no longer knows our relayed address."
    case .refused(let code, let reason):
      "The TURN server refused with error \(code)" + (reason.isEmpty ? "." : " (\(reason)).")
    case .noAnswer: "The TURN server does not answer."
    case .malformedAnswer(let missing): "The TURN server's answer lacks \(missing)."
    case .tooManyAlternates: "The TURN servers keep sending us from one to the other."
    case .connectionFailed: "The connection to the TURN server could not be opened, or broke."
    case .unknownHost: "The name of the server has no address."
    case .socketRemoved: "The network interface that the TURN server was reached over is gone."
    }
  }
}
