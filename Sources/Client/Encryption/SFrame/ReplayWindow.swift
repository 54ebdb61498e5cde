/// Remembers which of the last numbers were seen, as RFC 3711 section 3.3.2 has it for packets.
struct ReplayWindow {
  /// How far behind the highest number one may come.
  static let size: UInt64 = 1_024

  enum Verdict { case fresh, replayed, tooOld }

  private static let words: UInt64 = 17
  // One word more than the window has: the highest number's own is always partly ahead.
  private var bits = InlineArray<17, UInt64>(repeating: 0)
  private var highest: UInt64?

  /// Whether a number may be accepted. Changes nothing.
  @inline(__always)
  func check(_ number: UInt64) -> Verdict {
    guard let highest, number <= highest else { return .fresh }
    guard highest - number < Self.size else { return .tooOld }
    return bits[Self.word(number)] & 1 << (number & 63) == 0 ? .fresh : .replayed
  }

  /// Notes an authentic number that ``check(_:)`` called fresh.
  @inline(__always)
  mutating func accept(_ number: UInt64) {
    if let highest {
      if number > highest {
        let steps = min((number >> 6) - (highest >> 6), Self.words)
        var step: UInt64 = 0
        while step < steps {
          bits[Int((((number >> 6) - step)) % Self.words)] = 0
          step += 1
        }
        self.highest = number
      }
    } else {
      highest = number
    }
    bits[Self.word(number)] |= 1 << (number & 63)
  }

  @inline(__always)
  private static func word(_ number: UInt64) -> Int { Int((number >> 6) % words) }
}
