/// Extends sequence numbers to 64 bits (RFC 3550 appendix A.1) and remembers which of the last 1,024 came, so that each
/// passes once.
///
/// Extended numbers never go back by more than the window: a sender that restarts its sequence continues above the
/// highest one. Memory: 128 bytes, in the value. Cost: constant; a jump clears at most 16 words.
struct SequenceWindow: Sendable {
  /// How many numbers behind the highest are remembered.
  static let size: Int64 = 1_024

  /// The place of a number in the stream.
  enum Place: Hashable {
    /// Seen for the first time.
    case new(Int64)
    case duplicate
    /// Behind the window of 1,024.
    case tooOld
  }

  /// The highest number; negative before the first.
  private(set) var highest: Int64 = -1
  /// In the value itself: a list would lie elsewhere in memory, and cost each packet a wait for it.
  private var bits = InlineArray<16, UInt64>(repeating: 0)
  /// A number far behind the highest whose successor would mean that the sender started again.
  private var restartCandidate: SequenceNumber?
  /// How often the sender started again.
  private(set) var restarts = 0

  /// Takes note of a number and says what it is.
  /// - Parameter isRepair: whether it came as a repair, which never starts a sequence.
  mutating func insert(_ sequence: SequenceNumber, isRepair: Bool) -> Place {
    guard highest >= 0 else {
      guard !isRepair else { return .tooOld }
      // Above zero, so that numbers before the first one have a place too.
      let first = Int64(sequence.rawValue) &+ 0x1_0000
      highest = first
      mark(first)
      return .new(first)
    }
    var distance = Int64(sequence.distance(from: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest))))
    if distance <= -Self.size {
      guard !isRepair else { return .tooOld }
      guard restartCandidate == sequence else {
        restartCandidate = sequence.advanced(by: 1)
        return .tooOld
      }
      distance &+= 0x1_0000
      restarts &+= 1
    }
    let number = highest &+ distance
    if distance > 0 {
      guard !isRepair || distance < Self.size else { return .tooOld }
      advance(to: number)
      mark(number)
      return .new(number)
    }
    guard !contains(number) else { return .duplicate }
    mark(number)
    return .new(number)
  }

  /// Whether `number` was seen; numbers outside the window count as seen.
  func contains(_ number: Int64) -> Bool {
    guard number > highest &- Self.size else { return true }
    guard number <= highest else { return false }
    return bits[Int(number >> 6) & 15] & 1 << UInt64(number & 63) != 0
  }

  /// Lets a number of the window through that a repair brought; false when it was seen before.
  mutating func insertRepaired(_ number: Int64) -> Bool {
    guard number <= highest, !contains(number) else { return false }
    mark(number)
    return true
  }

  private mutating func mark(_ number: Int64) { bits[Int(number >> 6) & 15] |= 1 << UInt64(number & 63) }

  /// Clears what lies between the old and the new highest number.
  private mutating func advance(to number: Int64) {
    restartCandidate = nil
    if number &- highest >= Self.size {
      for index in bits.indices { bits[index] = 0 }
    } else {
      var skipped = highest &+ 1
      while skipped <= number {
        if skipped & 63 == 0, skipped &+ 63 <= number {
          bits[Int(skipped >> 6) & 15] = 0
          skipped &+= 64
        } else {
          bits[Int(skipped >> 6) & 15] &= ~(1 << UInt64(skipped & 63))
          skipped &+= 1
        }
      }
    }
    highest = number
  }
}
