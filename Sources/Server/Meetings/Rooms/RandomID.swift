/// Unguessable text from the system's random generator (getrandom on Linux).
public enum RandomID {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// `characters` random letters and digits, 5 bits each.
  public static func text(characters: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    var out: [UInt8] = []
    out.reserveCapacity(characters)
    var bits: UInt64 = 0
    for index in 0..<characters {
      if index % 12 == 0 { bits = generator.next() }
      out.append(alphabet[Int(bits & 31)])
      bits >>= 5
    }
    return String(decoding: out, as: UTF8.self)
  }
}
