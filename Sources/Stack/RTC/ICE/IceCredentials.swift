public import Basics

/// A user fragment and password of one side of an ICE session (RFC 8839 section 5.4).
public struct IceCredentials: Hashable, Sendable {
  /// Lengths of a user fragment.
  public static let ufragLengths = 4...256
  /// Lengths of a password: at least 128 bits of randomness.
  public static let passwordLengths = 22...256

  /// The user fragment, public.
  public let ufrag: String
  /// The password, the key of MESSAGE-INTEGRITY.
  public let password: Secret<String>

  /// Credentials as they stand in a description; nil when a length is not allowed by RFC 8839 section 5.4, or a
  /// character by that or by browsers.
  public init?(ufrag: String, password: String) {
    guard Self.ufragLengths.contains(ufrag.utf8.count), Self.passwordLengths.contains(password.utf8.count),
      ufrag.utf8.allSatisfy(Self.isIceCharacter), password.utf8.allSatisfy(Self.isIceCharacter)
    else { return nil }
    self.ufrag = ufrag
    self.password = Secret(password)
  }

  /// Fresh credentials: a fragment of 12 characters (72 bits, so that a worker finds an agent by it alone) and a
  /// password of 24 (144 bits). Pass `SystemRandomNumberGenerator`, except in tests.
  public static func random(using random: inout some RandomNumberGenerator) -> IceCredentials {
    IceCredentials(
      unchecked: text(length: 12, using: &random), password: text(length: 24, using: &random))
  }

  /// Fresh credentials from the system's randomness.
  public static func random() -> IceCredentials {
    var random = SystemRandomNumberGenerator()
    return Self.random(using: &random)
  }

  private init(unchecked ufrag: String, password: String) {
    self.ufrag = ufrag
    self.password = Secret(password)
  }

  private static func text(length: Int, using random: inout some RandomNumberGenerator) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let letters = (0..<length).map { _ in alphabet[Int(random.next(upperBound: UInt(64)))] }
    return String(decoding: letters, as: UTF8.self)
  }

  /// Whether `byte` is an `ice-char` (a letter, a digit, `+` or `/`), or one of the four that other stacks write with
  /// Base64 or Base64url. Chromium and Firefox take those too.
  static func isIceCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "="), UInt8(ascii: "#"):
      true
    default: false
    }
  }
}
