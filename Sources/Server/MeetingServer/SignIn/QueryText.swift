/// Fields as an address and a form spell them.
enum QueryText {
  /// `a=b&c=d`, every byte but letters, digits and `-._~` percent-encoded.
  static func of(_ fields: [(String, String)]) -> String {
    fields.map { encode($0.0) + "=" + encode($0.1) }.joined(separator: "&")
  }

  /// `address` with more fields in its query.
  static func adding(_ fields: [(String, String)], to address: String) -> String {
    address + (address.contains("?") ? "&" : "?") + of(fields)
  }

  /// One text percent-encoded (RFC 3986 section 2.1).
  static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        out.append(byte)
      default: out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
