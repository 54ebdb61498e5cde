/// Names a tenant: one customer of a server, with keys and meetings of its own.
public struct TenantID: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
  /// The text form, `n_…`.
  public let rawValue: String
  /// Wraps a text form.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A new id.
  public static func random() -> TenantID { TenantID(rawValue: "n_" + RandomID.text(characters: 16)) }
  /// The text form.
  public var description: String { rawValue }
}

/// Names a meeting for ever, also when its room name is used again.
public struct MeetingID: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
  /// The text form, `m_…`.
  public let rawValue: String
  /// Wraps a text form.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A new id.
  public static func random() -> MeetingID { MeetingID(rawValue: "m_" + RandomID.text(characters: 20)) }
  /// The text form.
  public var description: String { rawValue }
}

/// Names one join token, so that it can be revoked.
public struct TokenID: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
  /// The text form, the token's `jti` claim.
  public let rawValue: String
  /// Wraps a text form.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A new id.
  public static func random() -> TokenID { TokenID(rawValue: RandomID.text(characters: 20)) }
  /// The text form.
  public var description: String { rawValue }
}
