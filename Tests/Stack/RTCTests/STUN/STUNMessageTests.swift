import Basics
import RTC
import Testing

@Suite("STUN messages")
struct STUNMessageTests {
  private let key = STUNIntegrityKey(password: RFC5769.password)

  private func peek(_ bytes: [UInt8]) -> String? { STUNMessage.peekUsername(in: bytes.span) }

  @Test("the sample request reads and verifies, RFC 5769 section 2.1")
  func sampleRequest() throws {
    let bytes = RFC5769.request
    let message = try STUNSnapshot(bytes)
    #expect(message.messageClass == .request)
    #expect(message.method == .binding)
    #expect(message.transactionID == STUNTransactionID(high: 0xB7E7_A701, low: 0xBC34_D686_FA87_DFAE))
    #expect(message.software == "STUN test client")
    #expect(message.username == "evtj:h6vY")
    #expect(message.priority == 0x6E00_01FF)
    #expect(message.role == .controlled(tieBreaker: 0x932F_F9B1_5126_3B36))
    #expect(message.nominates == false)
    #expect(message.fingerprint == .valid)
    #expect(message.isAuthentic)
    let other = STUNIntegrityKey(password: "VOkJxbRl1RmTxUk/WvJxBu")
    #expect(try STUNSnapshot(bytes, key: other).isAuthentic == false)
  }

  @Test("the sample IPv4 response reads and verifies, RFC 5769 section 2.2")
  func sampleResponseIPv4() throws {
    let bytes = RFC5769.responseIPv4
    let message = try STUNSnapshot(bytes)
    #expect(message.messageClass == .successResponse)
    #expect(message.software == "test vector")
    #expect(message.xorMappedAddress?.text == "192.0.2.1:32853")
    #expect(message.fingerprint == .valid)
    #expect(message.isAuthentic)
  }

  @Test("the sample IPv6 response reads and verifies, RFC 5769 section 2.3")
  func sampleResponseIPv6() throws {
    let bytes = RFC5769.responseIPv6
    let message = try STUNSnapshot(bytes)
    #expect(message.xorMappedAddress?.text == "[2001:db8:1234:5678:11:2233:4455:6677]:32853")
    #expect(message.fingerprint == .valid)
    #expect(message.isAuthentic)
  }

  @Test("the sample request with long-term credentials verifies (RFC 5769 2.4)")
  func sampleLongTermRequest() throws {
    let bytes = RFC5769.longTermRequest
    let user = "\u{30DE}\u{30C8}\u{30EA}\u{30C3}\u{30AF}\u{30B9}"
    let key = STUNIntegrityKey(username: user, realm: "example.org", password: "TheMatrIX")
    let message = try STUNSnapshot(bytes, key: key)
    #expect(message.username == user)
    #expect(message.realm == "example.org")
    #expect(message.nonce == "f//499k954d6OL34oL9FSTvy64sA")
    #expect(message.fingerprint == .absent)
    #expect(message.isAuthentic)
  }

  @Test("the parser reads and verifies the builder's messages (RFC 8489 5 and 14)")
  func roundTrip() throws {
    let id = STUNTransactionID(high: 1, low: 2)
    let v6 = TransportAddress(ip: try #require(IPAddress("2001:db8::7")), port: 9)
    var builder = STUNMessageBuilder(.errorResponse, transactionID: id)
    builder.addUsername("abcd:efgh")
    builder.addXorMappedAddress(v6)
    builder.addErrorCode(420, reason: "no")
    builder.addUnknownAttributes([STUNAttributeType(rawValue: 0x7001), STUNAttributeType(rawValue: 0x7002)])
    builder.addRole(.controlling(tieBreaker: 77))
    builder.addUseCandidate()
    builder.addPriority(5)
    let bytes = builder.finish(integrity: key)
    let message = try STUNSnapshot(bytes)
    #expect(message.messageClass == .errorResponse)
    #expect(message.transactionID == id)
    #expect(message.username == "abcd:efgh")
    #expect(message.xorMappedAddress == v6)
    #expect(message.errorCode == 420)
    #expect(message.listedUnknownAttributes.map(\.rawValue) == [0x7001, 0x7002])
    #expect(message.role == .controlling(tieBreaker: 77))
    #expect(message.nominates)
    #expect(message.priority == 5)
    #expect(message.fingerprint == .valid)
    #expect(message.isAuthentic)
  }

  @Test("every class and method survives the interleaved type field, RFC 8489 section 5")
  func classesAndMethods() throws {
    for raw in [0x001, 0x003, 0x080, 0x3FF, 0xFFF] as [UInt16] {
      for messageClass in [STUNClass.request, .indication, .successResponse, .errorResponse] {
        let builder = STUNMessageBuilder(
          messageClass, method: STUNMethod(rawValue: raw), transactionID: STUNTransactionID(high: 0, low: 0))
        let bytes = builder.finish(integrity: nil)
        let message = try STUNSnapshot(bytes)
        #expect(message.method.rawValue == raw)
        #expect(message.messageClass == messageClass)
      }
    }
  }

  // Attributes between it and FINGERPRINT.
  @Test("attributes after MESSAGE-INTEGRITY count for nothing (RFC 8489 14.5)")
  func attributesAfterIntegrity() throws {
    let id = STUNTransactionID(high: 3, low: 4)
    var builder = STUNMessageBuilder(.request, transactionID: id)
    builder.addUsername("abcd:efgh")
    var bytes = builder.finish(integrity: key, fingerprint: false)
    // USE-CANDIDATE and an unknown comprehension-required attribute, added by somebody on the way.
    bytes += [0x00, 0x25, 0, 0, 0x7F, 0xFF, 0, 0]
    bytes[3] += 8
    let message = try STUNSnapshot(bytes)
    #expect(message.isAuthentic)
    #expect(message.nominates == false)
    #expect(message.unknownRequiredCount == 0)
  }

  @Test("of an attribute that comes twice the first counts, RFC 8489 section 14")
  func duplicates() throws {
    var builder = STUNMessageBuilder(.request, transactionID: STUNTransactionID(high: 3, low: 4))
    builder.addUsername("abcd:efgh")
    builder.addUsername("evil:evil")
    builder.addPriority(1)
    builder.addPriority(2)
    let bytes = builder.finish(integrity: nil)
    let message = try STUNSnapshot(bytes)
    #expect(message.username == "abcd:efgh")
    #expect(message.priority == 1)
  }

  @Test("unknown required attributes are listed, optional ones aren't (RFC 8489 14)")
  func unknownAttributes() throws {
    var builder = STUNMessageBuilder(.request, transactionID: STUNTransactionID(high: 3, low: 4))
    builder.add(STUNAttributeType(rawValue: 0x7001), [1, 2, 3])
    builder.add(STUNAttributeType(rawValue: 0xC057), [1, 2, 3, 4])
    for index in 0..<10 { builder.add(STUNAttributeType(rawValue: 0x7100 + UInt16(index)), []) }
    let bytes = builder.finish(integrity: nil)
    let message = try STUNSnapshot(bytes)
    #expect(message.unknownRequiredCount == 11)
    #expect(message.unknownRequired.count == 8)
    #expect(message.unknownRequired.first?.rawValue == 0x7001)
  }

  @Test("MESSAGE-INTEGRITY detects each flipped bit that it covers")
  func integrityCoversEverything() {
    let original = RFC5769.request
    // All bytes before FINGERPRINT; the header's length is covered in its adjusted form.
    for bit in 0..<((original.count - 8) * 8) where bit / 8 != 2 && bit / 8 != 3 {
      var bytes = original
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let message = try? STUNSnapshot(bytes) else { continue }
      #expect(message.isAuthentic == false, "bit \(bit)")
      #expect(message.fingerprint != .valid, "bit \(bit)")
    }
  }

  @Test("a worker finds the ufrag without parsing the rest (RFC 8445 7.2.2)")
  func peek() {
    #expect(peek(RFC5769.request) == "evtj")
    #expect(peek(RFC5769.responseIPv4) == nil)
    #expect(peek(RFC5769.longTermRequest) == nil)
    for name in ["abc:efgh", "abcdefgh", ":", "", "ab d:efgh", String(repeating: "a", count: 257) + ":b"] {
      var builder = STUNMessageBuilder(.request, transactionID: STUNTransactionID(high: 0, low: 0))
      builder.addPriority(1)
      builder.addUsername(name)
      #expect(peek(builder.finish(integrity: nil)) == nil, "\(name)")
    }
    let longest = String(repeating: "a", count: 256)
    var builder = STUNMessageBuilder(.request, transactionID: STUNTransactionID(high: 0, low: 0))
    builder.addUsername("\(longest):\(longest)")
    #expect(peek(builder.finish(integrity: nil)) == longest)
  }
}
