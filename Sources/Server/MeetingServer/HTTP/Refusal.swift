import Meetings
import Transport

/// An error answer: a status, a stable code, and a sentence with the problem and what to do.
struct Refusal: Error, Sendable {
  var status: Int
  var code: String
  var message: String
  /// The URL of the sign-in, when one is needed.
  var signIn: String?
  /// The limit that is reached, where one is.
  var limit: LimitReached.Limit?
  /// The methods of the path, if the request has another one.
  var allowed: [String] = []
  /// Seconds until it is worth asking again, for a locked vault.
  var seconds: Int?
  /// Wrong passcodes until a vault is locked.
  var triesLeft: Int?
  /// The version of a vault that another device has changed.
  var version: Int?

  /// How a refusal is written.
  enum Form: Sendable {
    /// JSON, or a page for people.
    case parley(asPage: Bool)
    /// As the SDKs of OpenTok's REST API read it.
    case openTok, openTokXML
  }

  init(_ status: Int, _ code: String, _ message: String, limit: LimitReached.Limit? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.limit = limit
  }

  init(_ reached: LimitReached, code: String = "quotaReached") {
    self.init(429, code, reached.text, limit: reached.limit)
  }

  /// The answer to a store's failure. A full disk or a shutdown is not the caller's fault and may pass.
  init(_ error: MeetingStoreError) {
    switch error {
    case .closed, .busy: self.init(503, error.code, "The server is not available just now. Try again in a moment.")
    case .tooManyMeetings(let reached): self.init(reached)
    case .diskFull: self.init(507, error.code, "The server's disk is full. Nothing that was stored is lost.")
    default: self.init(500, error.code, "The server cannot reach its data. Its log says why.")
    }
  }

  init(_ error: JoinRefusal) {
    if case .limit(let reached) = error {
      self.init(reached)
      return
    }
    let status =
      switch error {
      case .badToken, .tokenTooLarge, .tokenExpired, .tokenRequired, .signInRequired: 401
      case .wrongOrigin, .wrongMeeting: 403
      case .noSuchMeeting, .roomNeeded: 404
      case .meetingExpired: 410
      case .banned: 403
      case .limit: 429
      case .unavailable: 503
      }
    self.init(status, error.code, error.description)
  }

  /// Nothing is at the address.
  static let nothing = Refusal(404, "notFound", "There is nothing at this address.")

  /// The path has these methods only.
  static func methodNotAllowed(_ allowed: [String]) -> Refusal {
    let isForReading = allowed.first == "GET" && allowed.allSatisfy { ["GET", "HEAD", "OPTIONS"].contains($0) }
    var refusal = Refusal(
      405, "methodNotAllowed",
      isForReading ? "This address can only be read." : "This address takes \(allowed.joined(separator: ", ")).")
    refusal.allowed = allowed
    return refusal
  }

  init(_ error: RoomNameError) { self.init(404, error.code, error.description) }
}

/// The JSON form of an error answer.
struct ErrorAnswer: Encodable {
  var error: String
  var code: String
  var signIn: String?
  var limit: String?
  var setting: String?
  var seconds: Int?
  var triesLeft: Int?
  var version: Int?

  init(_ refusal: Refusal) {
    error = refusal.message
    code = refusal.code
    signIn = refusal.signIn
    limit = refusal.limit?.rawValue
    setting = refusal.limit?.setting
    seconds = refusal.seconds
    triesLeft = refusal.triesLeft
    version = refusal.version
  }

  enum CodingKeys: String, CodingKey {
    case error = "Error"
    case code, signIn, limit, setting, seconds, triesLeft, version
  }
}
