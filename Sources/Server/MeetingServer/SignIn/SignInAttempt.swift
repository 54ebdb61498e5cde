import Basics
import Crypto
import FoundationEssentials
import Meetings

/// The state of a sign-in while somebody is at the provider. It travels with them, sealed.
struct SignInAttempt: Sendable, Codable {
  /// The random text that the provider gives back.
  var state: String
  /// The random text that the ID token has to name.
  var nonce: String
  /// The secret of PKCE (RFC 7636).
  var verifier: String
  /// The tenant whose people sign in.
  var tenant: TenantID
  /// The provider and client it was begun with.
  var provider: String
  /// The room to go on to, as a path has it.
  var room: String
  /// The address under which it was begun.
  var base: String
  /// The app that asked, where one did.
  var app: SignInApp?
  /// Not at or after.
  var expires: Date

  /// How long somebody may take at the provider.
  static let lifetime: TimeInterval = 600
}

/// An app on the person's own computer that wants a join token (RFC 8252 section 7.3).
struct SignInApp: Sendable, Codable {
  /// The URL at which the app listens, on the loopback interface.
  var listener: String
  /// The S256 challenge, whose verifier only the app knows.
  var challenge: String

  /// Reads the fields of a request; nil when there are none, or they are not as they have to be.
  init?(listener: String, challenge: String) {
    guard let origin = WebOrigin(listener), origin.scheme == "http", ["127.0.0.1", "[::1]"].contains(origin.host),
      origin.port != nil, origin.description == listener, Base64URL.decode(challenge)?.count == 32
    else { return nil }
    self.listener = listener
    self.challenge = challenge
  }

  /// The URL to which the browser goes with the result.
  func address(_ field: String, _ value: String) -> String { QueryText.adding([(field, value)], to: listener + "/") }
}

/// The code that an app exchanges for a join token: sealed, valid for a few minutes and once.
struct AppGrant: Sendable, Codable {
  var id: String
  var session: SignInSession
  var room: String
  var challenge: String
  var expires: Date

  static let lifetime: TimeInterval = 300
}
