/// Why signing in did not work.
enum SignInProblem: Error, Sendable, Hashable {
  /// The provider doesn't answer as a provider should. The text has the error.
  case unreachable(String)
  /// The person, or the provider for them, said no.
  case denied
  /// The provider's answer isn't trusted. The text has the reason.
  case refused(String)
  /// The rules let in other people only.
  case notAdmitted
  /// It took too long, was begun in another browser, or has been used already.
  case expired
  /// Too many people sign in at this moment.
  case busy
  /// The provider isn't set up. The text names the missing part.
  case misconfigured(String)
  /// The audit log can't be written just now. The text has the reason.
  case notWritten(String)

  /// The code for the page and for apps.
  var code: String {
    switch self {
    case .unreachable: "unreachable"
    case .denied: "denied"
    case .refused, .misconfigured, .notWritten: "failed"
    case .notAdmitted: "notAdmitted"
    case .expired: "expired"
    case .busy: "busy"
    }
  }

  /// The reason, for the operator. Holds no token, code or secret.
  var reason: String {
    switch self {
    case .unreachable(let text), .refused(let text), .misconfigured(let text), .notWritten(let text): text
    case .denied: "the provider says that access was denied"
    case .notAdmitted: "no verified email address of an allowed domain"
    case .expired: "the attempt is over, unknown or used"
    case .busy: "too many at once"
    }
  }

  /// The problem and what to do about it, for people.
  var message: String {
    switch self {
    case .unreachable: "The sign-in service does not answer. Try again in a few minutes."
    case .denied: "You were not signed in: the sign-in was cancelled or refused. You can try again."
    case .refused, .misconfigured, .notWritten:
      "Signing in did not work. Try again; if that does not help, tell whoever runs this server."
    case .notAdmitted: "Your account may not be used here. Sign in with another one, or ask for an invitation."
    case .expired:
      "This sign-in is over, or was begun in another browser. Open the meeting's address and sign in again."
    case .busy: "Many people are signing in just now. Try again in a moment."
    }
  }
}
