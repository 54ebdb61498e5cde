public import RTC
import Signaling

/// Why a meeting could not be joined, published to, or written to. ``description`` is a sentence for people; decide by
/// the case.
///
/// ```swift
/// do { try await meeting.join() } catch {
///   switch error {
///   case .badAddress, .notParley: print("Look at the address again: \(error)")
///   case .refused(code: "tokenExpired", _): print("Ask for another invitation.")
///   case .refused(code: "passcodeRequired", _), .refused(code: "wrongPasscode", _): print("Type the passcode.")
///   case .signInRequired(let url): print("Sign in: \(url)")  // see BrowserSignIn
///   case .encryptionRequired, .notEncrypted, .wrongSecret: print("Look at the link again: \(error)")
///   case .refused, .untrustedCertificate: print("The server does not let you in: \(error)")
///   case .unreachable, .timedOut, .mediaFailed: print("Try again from another network: \(error)")
///   case .relayFailed(let url, let reason): print("\(url) is of no use: \(reason)")
///   case .cancelled, .ended: break
///   }
/// }
/// ```
public enum JoinError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text isn't the address of a meeting.
  case badAddress(String)
  /// No server answers there, or it could not be found.
  case unreachable(String)
  /// The server's certificate is not one to trust.
  case untrustedCertificate(String)
  /// The server refused: `code` is one of the stable codes of `docs/protocol.md`, such as `tokenExpired` or
  /// `noSuchMeeting`.
  case refused(code: String, message: String)
  /// The meeting is for people who sign in, at this address; ``BrowserSignIn`` does it with a browser. Its ``code`` is
  /// `signInRequired`.
  case signInRequired(url: String)
  /// The meeting is end-to-end encrypted, and this client has no link secret. Its ``code`` is `encryptionRequired`.
  case encryptionRequired
  /// This client has a link secret, and the meeting is not end-to-end encrypted, or its server allows no encryption: it
  /// is not joined in clear. Its ``code`` is `notEncrypted`.
  case notEncrypted
  /// The meeting is end-to-end encrypted with another link secret than this client's. Its ``code`` is
  /// `wrongSecret`.
  case wrongSecret
  /// The server answered with something that is not the protocol, so it may not be a Parley server.
  case notParley(String)
  /// The meeting was found, but no way for audio and video.
  case mediaFailed(String)
  /// The meeting was found, but no way for audio and video: there is no direct one, or none is wanted, and this TURN
  /// server cannot be used. The reason distinguishes a wrong or expired password (`TurnError.badCredentials`) from a
  /// server that doesn't answer.
  case relayFailed(url: String, TurnError)
  /// The server did not answer in time.
  case timedOut(String)
  /// The task was cancelled, or the meeting was over, before it was done: joining, publishing or sending.
  case cancelled
  /// The meeting has ended, so that nothing can be done in it any more.
  case ended

  /// A sentence for people: the problem, and what they can do.
  public var description: String {
    switch self {
    case .badAddress(let text), .mediaFailed(let text), .timedOut(let text), .notParley(let text): text
    case .unreachable(let text), .untrustedCertificate(let text): text
    case .relayFailed(let url, let reason):
      "The meeting was found, but sound and pictures have no way there: a direct one did not work or is not wanted, and the TURN server "
        + "\(url), which was to relay them, is of no use. \(reason) \(reason.advice)"
    case .refused(_, let message): message
    case .encryptionRequired:
      "This meeting is end-to-end encrypted. Open it with its whole link, which contains its key (#e2ee=)."
    case .notEncrypted:
      "This link is for an encrypted meeting, and the server has this one unencrypted. It was not joined, so that nothing is sent in clear."
    case .wrongSecret:
      "This link has another key than the people in this meeting have. Ask one of them for the link again."
    case .signInRequired(let url):
      "This meeting is for people who sign in. Sign in at \(url), or ask for an invitation."
    case .cancelled:
      "Cancelled before it was done: its task was cancelled, or the meeting was over. In a meeting that goes on, it can be tried again."
    case .ended: "The meeting is over."
    }
  }

  /// A refusal of the server.
  init(code: String, message: String) {
    self =
      switch SignalingErrorCode(rawValue: code) {
      case .encryptionRequired?: .encryptionRequired
      case .notEncrypted?: .notEncrypted
      default: .refused(code: code, message: message)
      }
  }

  /// The code of a refusal; nil for every other error.
  public var code: String? {
    switch self {
    case .refused(let code, _): code
    case .signInRequired: "signInRequired"
    case .encryptionRequired: "encryptionRequired"
    case .notEncrypted: "notEncrypted"
    case .wrongSecret: "wrongSecret"
    default: nil
    }
  }

  /// Whether trying again with the same address and token is of no use.
  var isFinal: Bool {
    switch self {
    case .badAddress, .untrustedCertificate, .signInRequired, .cancelled, .ended: true
    case .encryptionRequired, .notEncrypted, .wrongSecret: true
    case .refused(let code, _):
      [
        "badToken", "tokenExpired", "tokenRequired", "signInRequired", "wrongOrigin", "wrongMeeting", "noSuchMeeting",
        "meetingExpired", "badName", "notAllowed", "banned", "passcodeRequired", "wrongPasscode", "passcodeBlocked",
        "meetingLocked", "notStarted", "meetingCancelled", "entryDenied", "lobbyTimeout", "badRoomName", "reservedName",
      ].contains(code)
    case .unreachable, .notParley, .mediaFailed, .relayFailed, .timedOut: false
    }
  }
}

extension TurnError {
  /// Advice for people without another way. Another network doesn't help where the server itself refuses.
  fileprivate var advice: String {
    switch self {
    case .noAnswer, .connectionFailed, .unknownHost, .unsupported, .socketRemoved:
      "Try another network; if that does not help, tell whoever runs the meeting's server."
    case .badCredentials, .quotaReached, .noCapacity, .forbidden, .allocationLost, .refused, .malformedAnswer,
      .tooManyAlternates:
      "Tell whoever runs the meeting's server."
    }
  }
}
