/// The 48-bit packet index of SRTP: roll-over counter and sequence number (RFC 3711 section 3.3.1).
enum SRTPPacketIndex {
  /// The highest index there is.
  static let maximum: UInt64 = 0xFFFF_FFFF_FFFF

  /// The index that `sequence` most likely has, given the highest index seen in its stream: the one of the three
  /// roll-overs that lies nearest. Nil when that is before the stream's start or past the last index.
  @inline(__always)
  static func estimate(sequence: UInt16, highest: UInt64) -> UInt64? {
    let last = UInt16(truncatingIfNeeded: highest)
    let rollover = highest >> 16
    var guess = rollover
    if last < 0x8000 {
      if sequence > last, sequence &- last > 0x8000 {
        if rollover == 0 { return nil }
        guess = rollover &- 1
      }
    } else if last &- 0x8000 > sequence {
      guess = rollover &+ 1
      if guess > 0xFFFF_FFFF { return nil }
    }
    return guess << 16 | UInt64(sequence)
  }
}
