import RTC
import TestSeeds
import Testing

@Suite("STUN against hostile bytes", .tellsSeeds)
struct STUNHostileInputTests {
  private let key = STUNIntegrityKey(password: RFC5769.password)

  static let corpus = [
    RFC5769.request, RFC5769.responseIPv4, RFC5769.responseIPv6, RFC5769.longTermRequest,
  ]

  private func error(_ bytes: [UInt8]) -> STUNError? {
    do {
      _ = try STUNMessage(parsing: bytes.span)
      return nil
    } catch {
      return error
    }
  }

  /// A header that declares `attributes.count` bytes, and the attributes.
  private func message(_ attributes: [UInt8]) -> [UInt8] {
    let header: [UInt8] = [0, 1, UInt8(attributes.count >> 8), UInt8(attributes.count & 255)]
    return header + [0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12) + attributes
  }

  @Test("a message cut at any length is an error, never a crash")
  func truncated() {
    for whole in Self.corpus {
      for length in 0..<whole.count {
        let cut = Array(whole[..<length])
        #expect(error(cut) != nil, "cut to \(length)")
        // The same with a header that claims the cut length is right.
        guard length >= 20 else { continue }
        var claimed = cut
        claimed[2] = UInt8((length - 20) >> 8)
        claimed[3] = UInt8((length - 20) & 255)
        if let message = try? STUNSnapshot(claimed) {
          #expect(message.isAuthentic == (whole != RFC5769.longTermRequest && length == whole.count - 8))
        }
      }
    }
  }

  @Test("lengths that do not fit are named errors, RFC 8489 sections 5 and 14")
  func lengths() {
    #expect(error([]) == .tooShort(length: 0))
    #expect(error([0]) == .tooShort(length: 1))
    #expect(error([UInt8](repeating: 0, count: 20)) == .notSTUN)
    #expect(error([UInt8](repeating: 0, count: 5_000)) == .tooLong(length: 5_000))
    #expect(error(message([]) + [0]) == .lengthMismatch(declared: 0, arrived: 1))
    #expect(error(message([0, 0x22, 0])) == .lengthMismatch(declared: 3, arrived: 3))
    #expect(error(message([0, 6, 0, 1])) == .attributeOverrun(.username))
    #expect(error(message([0, 6, 0xFF, 0xFF])) == .attributeOverrun(.username))
    #expect(error(message([0, 0x24, 0, 3, 1, 2, 3, 0])) == .malformedAttribute(.priority))
    #expect(error(message([0, 0x25, 0, 1, 1, 0, 0, 0])) == .malformedAttribute(.useCandidate))
    #expect(error(message([0, 8, 0, 4, 1, 2, 3, 4])) == .malformedAttribute(.messageIntegrity))
    #expect(error(message([0x80, 0x28, 0, 0])) == .malformedAttribute(.fingerprint))
    #expect(error(message([0, 9, 0, 0])) == .malformedAttribute(.errorCode))
    #expect(error(message([0, 9, 0, 4, 0, 0, 7, 99])) == .malformedAttribute(.errorCode))
    #expect(error(message([0, 0x20, 0, 8, 0, 2, 1, 2, 1, 2, 3, 4])) == .malformedAttribute(.xorMappedAddress))
    #expect(error(message([0x80, 0x28, 0, 4, 1, 2, 3, 4, 0, 0x25, 0, 0])) == .fingerprintNotLast)
    let many = (0..<33).flatMap { _ in [0x80, 0x22, 0, 0] as [UInt8] }
    #expect(error(message(many)) == .tooManyAttributes)
  }

  @Test("100,000 damaged messages do not crash, and none of them verifies")
  func mutated() {
    var random = SeededRandom(seed: TestSeed.of(8_489))
    var parsed = 0
    var forged = 0
    for _ in 0..<100_000 {
      let original = random.pick(Self.corpus)
      let bytes = random.mutate(original)
      _ = STUNMessage.peekUsername(in: bytes.span)
      guard bytes != original, let message = try? STUNMessage(parsing: bytes.span) else { continue }
      parsed += 1
      _ = message.unknownRequired
      _ = message.listedUnknownAttributes
      _ = message.username?.count
      _ = message.software?.count
      _ = message.realm?.count
      _ = message.nonce?.count
      // Only the tail after MESSAGE-INTEGRITY may differ from an original and still verify.
      if message.isAuthentic(key), message.fingerprint != .absent,
        bytes.prefix(2) != original.prefix(2) || bytes[20..<60] != original[20..<60]
      {
        forged += 1
      }
    }
    #expect(forged == 0)
    #expect(parsed > 1_000, "the mutations must reach past the header, \(parsed) did")
  }

  @Test("100,000 random datagrams behind a right header do not crash")
  func randomAttributes() {
    var random = SeededRandom(seed: TestSeed.of(5))
    for _ in 0..<100_000 {
      var bytes = message(random.bytes(random.below(30) * 4))
      // Small lengths and known types, so that the walk goes on.
      var at = 20
      while at + 4 <= bytes.count {
        bytes[at] = random.pick([0, 0x80])
        bytes[at + 1] = random.pick([0x06, 0x08, 0x09, 0x0A, 0x20, 0x24, 0x25, 0x28, 0x29, 0x2A, 0x22])
        bytes[at + 2] = 0
        bytes[at + 3] = random.pick([0, 4, 8, 20, 3, 5])
        at += 4 + (Int(bytes[at + 3]) + 3) & ~3
      }
      _ = STUNMessage.peekUsername(in: bytes.span)
      guard let message = try? STUNMessage(parsing: bytes.span) else { continue }
      _ = message.fingerprint
      _ = message.isAuthentic(key)
    }
  }
}
