import Meetings
import Signaling

/// The reason for a refusal, as signalling says it: a stable code and a sentence. Everything that refuses a client
/// throws, stores or returns this; ``Refusal`` is the form for HTTP.
struct SignalingRefusal: Error, Sendable, Hashable {
  var code: SignalingErrorCode
  var message: String

  init(_ code: SignalingErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ refusal: JoinRefusal) {
    self.init(SignalingErrorCode(rawValue: refusal.code) ?? .internalError, refusal.description)
  }

  static func notAllowed(_ message: String) -> SignalingRefusal { .init(.notAllowed, message) }
  static func bad(_ message: String) -> SignalingRefusal { .init(.badMessage, message) }
}
