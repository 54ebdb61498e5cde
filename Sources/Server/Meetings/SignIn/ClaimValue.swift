/// A JSON value of a claim. Providers name their claims as they like, so their types are only known when they are
/// looked at.
public enum ClaimValue: Sendable, Hashable, Decodable {
  case text(String)
  case number(Double)
  case truth(Bool)
  case list([ClaimValue])
  case object([String: ClaimValue])
  case null

  /// Reads any JSON value.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let truth = try? value.decode(Bool.self) {
      self = .truth(truth)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([ClaimValue].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: ClaimValue].self))
    }
  }

  /// The text, where it is one.
  public var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The texts: itself, or those of the list.
  public var texts: [String] {
    switch self {
    case .text(let text): [text]
    case .list(let list): list.compactMap(\.text)
    default: []
    }
  }

  /// Whether it is true; some providers write that as text.
  public var isTrue: Bool { self == .truth(true) || self == .text("true") }
}

/// A provider's statement about somebody: the claims of an ID token, and those of the provider's UserInfo answer.
public struct IdentityClaims: Sendable, Hashable {
  /// Names the person at the provider, for ever (`sub`).
  public let subject: String
  /// Every claim by name.
  public private(set) var values: [String: ClaimValue]

  /// Claims of `subject`.
  public init(subject: String, values: [String: ClaimValue]) {
    self.subject = subject
    self.values = values
  }

  /// The claim of that name; a dot goes into an object, where no claim has the whole name.
  public subscript(path: String) -> ClaimValue? {
    if let value = values[path] { return value }
    var scope = values
    var found: ClaimValue?
    for part in path.split(separator: ".") {
      found = scope[String(part)]
      if case .object(let inner) = found { scope = inner } else { scope = [:] }
    }
    return found
  }

  /// Adds claims from elsewhere about the same person; what is known already stays.
  public mutating func add(_ more: [String: ClaimValue]) { values.merge(more) { known, _ in known } }

  /// How the person is called, the best of what there is; nil when there is nothing.
  public var name: String? {
    for claim in ["name", "preferred_username", "nickname", "given_name"] {
      if let text = values[claim]?.text, text.contains(where: { !$0.isWhitespace }) { return text }
    }
    return email.map { String($0.prefix { $0 != "@" }) }
  }

  /// The email address, whether it was checked or not.
  public var email: String? { values["email"]?.text.flatMap { $0.isEmpty ? nil : $0 } }

  /// The email address that the provider has checked.
  public var verifiedEmail: String? { values["email_verified"]?.isTrue == true ? email : nil }
}

extension IdentityProvider {
  /// Whether somebody with these claims may sign in.
  public func admits(_ claims: IdentityClaims) -> Bool {
    if emailDomains.isEmpty { return true }
    // An address that nobody has checked is whatever its owner typed.
    guard let email = claims.verifiedEmail, let at = email.lastIndex(of: "@") else { return false }
    return emailDomains.contains(email[email.index(after: at)...].lowercased())
  }

  /// The role of somebody with these claims in a meeting.
  public func role(of claims: IdentityClaims) -> Role {
    guard let roleClaim, let texts = claims[roleClaim]?.texts else { return .publisher }
    if texts.contains(where: organizers.contains) { return .organizer }
    return texts.contains(where: moderators.contains) ? .moderator : .publisher
  }

  /// Whether the rules or the name need a claim that is not among these.
  public func misses(_ claims: IdentityClaims) -> Bool {
    claims.values["name"] == nil || (roleClaim.map { claims[$0] == nil } ?? false)
      || (!emailDomains.isEmpty && claims.verifiedEmail == nil)
  }
}
