/// Small readers of SDP tokens. They work on UTF-8 bytes: `Character` would make one of CR LF, and costs more.
extension Substring {
  /// The parts between spaces; runs of spaces count as one.
  var words: [Substring] { utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) } }

  /// The text without spaces, tabs and CR at its end.
  var trimmedEnd: Substring {
    var bytes = utf8
    while let last = bytes.last, last == 0x20 || last == 0x09 || last == 0x0D { bytes.removeLast() }
    return Substring(bytes)
  }

  /// The text without spaces and tabs at either end.
  var trimmed: Substring { Substring(utf8.drop { $0 == 0x20 || $0 == 0x09 }).trimmedEnd }

  /// The parts before and after the first `separator`; the second is nil without one.
  func cut(at separator: Character) -> (Substring, Substring?) {
    guard let byte = separator.asciiValue, let index = utf8.firstIndex(of: byte) else { return (self, nil) }
    return (self[..<index], self[utf8.index(after: index)...])
  }

  /// The value of 1 to 20 decimal digits that fits `type`; nil for anything else, such as a sign.
  func decimal<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    let bytes = utf8
    guard (1...20).contains(bytes.count), bytes.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return T(self)
  }

  /// Whether all bytes are of RFC 8866's `token`.
  var isToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x30...0x39, 0x41...0x5A, 0x5E...0x7E: true
        default: false
        }
      }
  }

  /// Whether all bytes may stand in ICE credentials.
  var isIceChars: Bool { utf8.allSatisfy(IceCredentials.isIceCharacter) }

  /// Whether this can name a simulcast layer (RFC 8851 `rid-id`), at most 16 bytes here.
  var isRID: Bool {
    (1...16).contains(utf8.count)
      && utf8.allSatisfy { byte in
        switch byte {
        case 0x2D, 0x5F, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
      }
  }

  /// The bytes of colon-separated hexadecimal pairs, or nil.
  var colonHexBytes: [UInt8]? {
    let parts = utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (1...64).contains(parts.count) else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard part.count == 2, part.first != UInt8(ascii: "+"), part.first != UInt8(ascii: "-"),
        let byte = UInt8(Substring(part), radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
