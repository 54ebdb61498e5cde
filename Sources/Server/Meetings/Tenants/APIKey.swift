public import Basics
public import FoundationEssentials

/// One secret of a tenant's API key, with which the tenant's own server signs join tokens.
///
/// Up to ``maximumLive`` are good at a time, so that a server can change to a new one before the old one goes.
public struct APIKey: Sendable, Hashable {
  /// Names the secret, so that it can be retired without showing it.
  public var id: String
  public var tenant: TenantID
  /// The secret: hexadecimal digits, since some server SDKs take a text with a dot for the path of a file.
  public var secret: Secret<String>
  /// When it was made.
  public var created: Date
  /// From when on it is good no more; nil as long as nobody says so.
  public var expires: Date?
  /// When it was taken out of use by hand.
  public var retired: Date?

  /// The most secrets that are good at a time.
  public static let maximumLive = 2

  public init(
    id: String, tenant: TenantID, secret: Secret<String>, created: Date, expires: Date? = nil, retired: Date? = nil
  ) {
    self.id = id
    self.tenant = tenant
    self.secret = secret
    self.created = created
    self.expires = expires
    self.retired = retired
  }

  /// A new random secret: 160 bits.
  public static func make(tenant: TenantID, now: Date) -> APIKey {
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<40).map { _ in "0123456789abcdef".randomElement(using: &generator) ?? "0" }
    return APIKey(
      id: "k_" + RandomID.text(characters: 8), tenant: tenant, secret: Secret(String(digits)), created: now)
  }

  /// Whether tokens that it signed are believed at `now`.
  public func isLive(at now: Date) -> Bool { retired == nil && (expires.map { now < $0 } ?? true) }
}
