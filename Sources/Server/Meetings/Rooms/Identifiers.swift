public import Basics

extension TenantID {
  public static func random() -> TenantID { TenantID(rawValue: "n_" + RandomID.text(characters: 16)) }
}

extension MeetingID {
  public static func random() -> MeetingID { MeetingID(rawValue: "m_" + RandomID.text(characters: 20)) }
}

/// Names one join token, so that it can be revoked.
public struct TokenID: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
  /// The text form, the token's `jti` claim.
  public let rawValue: String
  /// Wraps a text form.
  public init(rawValue: String) { self.rawValue = rawValue }
  public static func random() -> TokenID { TokenID(rawValue: RandomID.text(characters: 20)) }
  public var description: String { rawValue }
}
