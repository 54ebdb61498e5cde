/// Base 64 in the letters that URLs and file names may have, without padding (RFC 4648 section 5).
public enum Base64URL {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The text of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

  /// The text of `bytes`.
  public static func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var width = 0
    for index in bytes.indices {
      bits = bits << 8 | UInt32(bytes[index])
      width += 8
      while width >= 6 {
        width -= 6
        text.append(letters[Int(bits >> UInt32(width) & 63)])
      }
    }
    if width > 0 { text.append(letters[Int(bits << UInt32(6 - width) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text; nil when it holds another character, padding, or a length that no bytes have.
  ///
  /// Bits behind the last byte must be zero, so that each byte string has exactly one text (RFC 4648 section 3.5).
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var bits: UInt32 = 0
    var width = 0
    for letter in text.utf8 {
      guard let value = value(of: letter) else { return nil }
      bits = bits << 6 | value
      width += 6
      if width >= 8 {
        width -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(width)))
      }
    }
    return bits & (1 << UInt32(width) - 1) == 0 ? bytes : nil
  }

  private static func value(of letter: UInt8) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
