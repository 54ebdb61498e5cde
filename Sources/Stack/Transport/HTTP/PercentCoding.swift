/// Percent-encoding of URLs (RFC 3986 section 2).
enum PercentCoding {
  /// Encodes every byte but the unreserved characters.
  static func encode(_ bytes: some Sequence<UInt8>, into out: inout String) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in bytes {
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 95, 126:
        out.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        out += "%"
        out.unicodeScalars.append(Unicode.Scalar(digits[Int(byte >> 4)]))
        out.unicodeScalars.append(Unicode.Scalar(digits[Int(byte & 15)]))
      }
    }
  }

  /// A query from its decoded fields, each `name=value`: the first `=` of a field is its separator.
  static func query(_ fields: [[UInt8]]) -> String {
    var out = ""
    for (index, field) in fields.enumerated() {
      if index > 0 { out += "&" }
      if let equals = field.firstIndex(of: 0x3D) {
        encode(field[..<equals], into: &out)
        out += "="
        encode(field[(equals + 1)...], into: &out)
      } else {
        encode(field, into: &out)
      }
    }
    return out
  }
}
