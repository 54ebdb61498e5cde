import Signaling
import Testing

@Suite("Data messages")
struct DataMessageTests {
  private func frame(_ header: String, _ payload: [UInt8] = [1, 2, 3], version: UInt8 = 1, length: Int? = nil)
    -> [UInt8]
  {
    let count = length ?? header.utf8.count
    return [version, UInt8(count >> 8), UInt8(count & 255)] + Array(header.utf8) + payload
  }

  private func parse(_ bytes: [UInt8]) throws(DataMessageError) -> DataMessage<ClientDataHeader> {
    try DataMessage<ClientDataHeader>(parsing: bytes)
  }

  @Test("a client's message is read with the keys of docs/protocol.md")
  func client() throws {
    let named = try parse(frame(#"{"to":["p_1","p_2"],"topic":"cursor"}"#))
    #expect(
      named.header == ClientDataHeader(to: ["p_1", "p_2"], topic: "cursor") && Array(named.payload) == [1, 2, 3])
    #expect(try parse(frame("{}", [])).header == ClientDataHeader())
    #expect(try parse(frame(#"{"to":null,"topic":"x","later":{"a":[1]}}"#)).header == ClientDataHeader(topic: "x"))
    #expect(try parse(frame(#"{"to":[]}"#)).header.to == [])
  }

  @Test("a written message reads back, and gives its length in network order")
  func roundTrip() throws {
    let payload = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
    let message = DataMessage(
      header: ServerDataHeader(from: "p_5", topic: String(repeating: "é/\"", count: 40)), payload: payload[5...])
    let bytes = try message.encoded()
    #expect(
      bytes[0] == 1 && bytes[3] == UInt8(ascii: "{")
        && bytes[2 + (Int(bytes[1]) << 8 | Int(bytes[2]))] == UInt8(ascii: "}"))
    let back = try DataMessage<ServerDataHeader>(parsing: bytes)
    #expect(back == message)
    let long = DataMessage(header: ClientDataHeader(to: [String(repeating: "p", count: 5_000)]), payload: [])
    #expect(throws: DataMessageError.headerTooLong(5_022)) { _ = try long.encoded() }
  }

  @Test("the longest header within the limits fits, however it is escaped")
  func longestHeader() throws {
    let message = DataMessage(
      header: ClientDataHeader(
        to: (0..<DataLimits.recipients).map { "p_abcdefghijk\($0 % 10)" },
        topic: String(repeating: "\u{1}", count: DataLimits.topic)), payload: [])
    try message.check(.lossy)
    #expect(try DataMessage<ClientDataHeader>(parsing: message.encoded()) == message)
  }

  @Test("a lossy message with a usual topic stays in one packet of 1,200 bytes")
  func onePacket() throws {
    let payload = [UInt8](repeating: 7, count: DataLimits.lossyPayload)
    let message = DataMessage(
      header: ServerDataHeader(from: "p_abcdefghijkl", topic: String(repeating: "t", count: 60)), payload: payload[...])
    // 1,200 less a DTLS record's 37, padded down to four bytes, less the headers of SCTP and of a DATA chunk.
    #expect(try message.encoded().count <= 1_160 - 12 - 16)
  }

  @Test("threats 27 and 29: what does not parse is an error, never a message")
  func malformed() {
    let bad: [[UInt8]] = [
      [], [1], [1, 0], [1, 0, 0], frame("{}", version: 0), frame("{}", version: 2), frame("{}", [], length: 3),
      frame("{}", length: 65_535), frame("[]"), frame("null"), frame("{\"topic\":5}"), frame("{\"to\":\"p_1\"}"),
      frame("{\"to\":[1]}"), frame("{\"topic\":\"a\",\"topic\":\"b\"}"), frame("{\"topic\":\"\u{0}\"}"),
      frame(String(repeating: "[", count: 40) + String(repeating: "]", count: 40)),
      [1, 0, 2, 0xFF, 0xFE], frame("{\"topic\":\"" + String(repeating: "x", count: 4_200) + "\"}"),
    ]
    for bytes in bad {
      #expect(throws: DataMessageError.self, "\(bytes.prefix(20))") { _ = try parse(bytes) }
    }
  }

  @Test("limits of payload, topic and recipients are named in the error")
  func limits() throws {
    func message(_ count: Int, topic: String = "", to: Int = 0) -> DataMessage<ClientDataHeader> {
      DataMessage(
        header: .init(to: (0..<to).map { "p\($0)" }, topic: topic), payload: [UInt8](repeating: 0, count: count)[...])
    }
    try message(65_536, topic: String(repeating: "t", count: 128), to: 100).check(.reliable)
    try message(1_024).check(.lossy)
    #expect(throws: DataMessageError.payloadTooLarge(maximum: 65_536)) { try message(65_537).check(.reliable) }
    #expect(throws: DataMessageError.payloadTooLarge(maximum: 1_024)) { try message(1_025).check(.lossy) }
    #expect(throws: DataMessageError.topicTooLong) {
      try message(1, topic: String(repeating: "é", count: 65)).check(.lossy)
    }
    #expect(throws: DataMessageError.tooManyRecipients) { try message(1, to: 101).check(.lossy) }
  }

  @Test("seeded damage gives an error or a message, never a trap")
  func mutation() throws {
    var state: UInt64 = 42
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    let valid = frame(#"{"to":["p_1","p_2"],"topic":"a\u00e9\n"}"#, Array("payload".utf8))
    var accepted = 0
    for _ in 0..<5_000 {
      var bytes = valid
      for _ in 0...random(3) {
        switch random(3) {
        case 0: bytes[random(bytes.count)] = UInt8(random(256))
        case 1: bytes.removeSubrange(random(bytes.count)..<bytes.count)
        default: bytes.insert(UInt8(random(256)), at: random(bytes.count + 1))
        }
        if bytes.isEmpty { break }
      }
      if (try? DataMessage<ClientDataHeader>(parsing: bytes)) != nil { accepted += 1 }
    }
    #expect(accepted > 50 && accepted < 5_000)
  }
}
