/// An IPv4 or IPv6 address in canonical form: an IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) is kept as IPv4,
/// so that two spellings of one host never compare as different.
///
/// Printing redacts the host part (``description``), because addresses are personal data and end up in logs;
/// ``text`` is the full spelling for SDP and the like.
public struct IPAddress: Hashable, Sendable {
  /// The first eight bytes of the IPv6 form, big-endian. Zero for IPv4.
  public let high: UInt64
  /// The last eight bytes of the IPv6 form, big-endian; for IPv4 the mapped form `0:ffff:a.b.c.d`.
  public let low: UInt64

  /// An IPv6 address, or an IPv4 address in its mapped form, from its 16 bytes as two big-endian words.
  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// An IPv4 address from its 32 bits, most significant byte first (`127.0.0.1` is `0x7F000001`).
  @inlinable public init(v4 bits: UInt32) {
    self.init(high: 0, low: 0x0000_FFFF_0000_0000 | UInt64(bits))
  }

  /// Whether this is an IPv4 address.
  @inlinable public var isIPv4: Bool { high == 0 && low >> 32 == 0x0000_FFFF }

  /// The 32 bits of an IPv4 address; meaningless for IPv6.
  @inlinable public var v4Bits: UInt32 { UInt32(truncatingIfNeeded: low) }

  /// Whether the address is of the loopback range (`127.0.0.0/8` or `::1`).
  public var isLoopback: Bool { isIPv4 ? v4Bits >> 24 == 127 : (high == 0 && low == 1) }

  /// Whether the address means "every interface" (`0.0.0.0` or `::`).
  public var isUnspecified: Bool { isIPv4 ? v4Bits == 0 : (high == 0 && low == 0) }

  /// Whether the address is link-local (`169.254.0.0/16` or `fe80::/10`).
  public var isLinkLocal: Bool { isIPv4 ? v4Bits >> 16 == 0xA9FE : high >> 54 == 0x3FA }

  /// Whether only networks inside reach the address, no other machine of the internet: private (RFC 1918, RFC 4193),
  /// shared with a provider (RFC 6598), link-local or loopback.
  public var isPrivate: Bool {
    if isLoopback || isLinkLocal { return true }
    guard isIPv4 else { return high >> 57 == 0x7E }
    let bits = v4Bits
    return bits >> 24 == 10 || bits >> 20 == 0xAC1 || bits >> 16 == 0xC0A8 || bits >> 22 == 0x191
  }

  /// The full textual form (RFC 5952 for IPv6). Use it where a protocol needs it, not in logs.
  public var text: String {
    if isIPv4 {
      let b = v4Bits
      return "\(b >> 24).\(b >> 16 & 255).\(b >> 8 & 255).\(b & 255)"
    }
    let groups = (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> UInt64((3 - $0 % 4) * 16)) }
    var best = 0..<0
    var i = 0
    while i < 8 {
      var j = i
      while j < 8 && groups[j] == 0 { j += 1 }
      if j - i > max(best.count, 1) { best = i..<j }
      i = max(j, i + 1)
    }
    func join(_ part: ArraySlice<UInt16>) -> String {
      part.map { String($0, radix: 16) }.joined(separator: ":")
    }
    if best.isEmpty { return join(groups[...]) }
    return join(groups[..<best.lowerBound]) + "::" + join(groups[best.upperBound...])
  }

  /// Parses dotted-quad IPv4 or RFC 4291 IPv6 text (no zone, no brackets); nil when it is neither.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 45 else { return nil }
    if let bits = Self.parseV4(text) {
      self.init(v4: bits)
      return
    }
    guard let groups = Self.parseV6(text) else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for i in 0..<4 {
      high = high << 16 | UInt64(groups[i])
      low = low << 16 | UInt64(groups[i + 4])
    }
    self.init(high: high, low: low)
  }

  private static func parseV4(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
        part.utf8.count == 1 || part.utf8.first != 48, let byte = UInt8(part)
      else { return nil }
      bits = bits << 8 | UInt32(byte)
    }
    return bits
  }

  private static func parseV6(_ text: some StringProtocol) -> [UInt16]? {
    /// `isLast`: an IPv4 tail may stand at the very end only.
    func groups(_ part: some StringProtocol, isLast: Bool) -> [UInt16]? {
      if part.isEmpty { return [] }
      var out: [UInt16] = []
      let pieces = part.split(separator: ":", omittingEmptySubsequences: false)
      for (index, piece) in pieces.enumerated() {
        if piece.contains(".") {
          guard isLast, index == pieces.count - 1, let v4 = parseV4(piece) else { return nil }
          out += [UInt16(v4 >> 16), UInt16(v4 & 0xFFFF)]
        } else {
          guard (1...4).contains(piece.utf8.count), piece.utf8.first != 43, let value = UInt16(piece, radix: 16)
          else { return nil }
          out.append(value)
        }
      }
      return out.count <= 8 ? out : nil
    }
    var halves: [Substring] = []
    let whole = Substring(text)
    var start = whole.startIndex
    var index = whole.startIndex
    while index < whole.endIndex {
      let next = whole.index(after: index)
      if whole[index] == ":", next < whole.endIndex, whole[next] == ":" {
        halves.append(whole[start..<index])
        start = whole.index(after: next)
        index = start
        if halves.count > 1 { return nil }
      } else {
        index = next
      }
    }
    halves.append(whole[start...])
    if halves.count == 1 {
      guard let all = groups(halves[0], isLast: true), all.count == 8 else { return nil }
      return all
    }
    guard let head = groups(halves[0], isLast: false), let tail = groups(halves[1], isLast: true),
      head.count + tail.count <= 7
    else { return nil }
    return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
  }
}

extension IPAddress: CustomStringConvertible {
  /// The address with its host part hidden, fit for logs: `192.0.x.x`, `2001:db8:x`. Loopback is shown whole.
  public var description: String {
    if isLoopback || isUnspecified { return text }
    if isIPv4 { return "\(v4Bits >> 24).\(v4Bits >> 16 & 255).x.x" }
    return String(UInt16(high >> 48), radix: 16) + ":" + String(UInt16(high >> 32 & 0xFFFF), radix: 16) + ":x"
  }
}
