import TestSeeds
import Testing

@testable import RTC

@Suite("SRTP and SRTCP", .tellsSeeds)
struct SRTPRoundTripTests {
  static let profiles = DTLSContext.defaultProfiles

  @Test("protected packets open to the same bytes, of any size and header shape", arguments: profiles)
  func roundTrip(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    var random = SeededRandom(seed: TestSeed.of(5))
    for sequence in 0..<2_000 as Range<UInt16> {
      var header = SRTPPair.packet(ssrc: UInt32(random.below(5)), sequence, payload: [])
      let sources = random.below(16)
      header[0] |= UInt8(sources)
      header += random.bytes(sources * 4)
      if random.chance(0.5) {
        let words = random.below(10)
        header[0] |= 0x10
        header += [0xBE, 0xDE, 0, UInt8(words)] + random.bytes(words * 4)
      }
      let plain = header + random.bytes(random.below(1_300))
      let packet = try pair.sender.protect(plain)
      #expect(packet.count == plain.count + profile.rtpOverhead)
      #expect(Array(packet[..<header.count]) == header)
      #expect(try pair.receiver.open(packet) == plain)
    }
    #expect(pair.receiver.streamCount == 5)
  }

  @Test("streams that take turns keep their roll-over counters", arguments: profiles)
  func turns(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    // Both roll over, at different times; one comes for a packet, the other for two.
    for step in 0..<400 {
      let first = UInt16(truncatingIfNeeded: 32_000 + step * 500)
      let second = UInt16(truncatingIfNeeded: step * 300)
      for plain in [
        SRTPPair.packet(ssrc: 1, first, payload: [1]), SRTPPair.packet(ssrc: 2, second, payload: [2]),
        SRTPPair.packet(ssrc: 1, first &+ 1, payload: [3]),
      ] {
        let packet = try pair.sender.protect(plain)
        #expect(try pair.receiver.open(packet) == plain)
      }
    }
  }

  @Test("OpenSSL's GCM functions are found for keys of both lengths and no others")
  func sealers() {
    for length in [16, 32] {
      let sealer = GCMSealer(key: [UInt8](repeating: 1, count: length))
      #expect(sealer != nil, "a key of \(length) bytes")
      if let sealer { unsafe sealer.free() }
    }
    for length in [0, 3, 24] {
      let sealer = GCMSealer(key: [UInt8](repeating: 1, count: length))
      #expect(sealer == nil, "a key of \(length) bytes")
    }
  }

  @Test("RTCP round-trips and its index rises", arguments: profiles)
  func controlRoundTrip(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    var random = SeededRandom(seed: TestSeed.of(6))
    for _ in 0..<500 {
      let plain = SRTPPair.report(ssrc: UInt32(random.below(3)), payload: random.bytes(4 * random.below(200)))
      let packet = try pair.sender.protectRTCP(plain)
      #expect(packet.count == plain.count + profile.rtcpOverhead)
      #expect(try pair.receiver.openRTCP(packet) == plain)
    }
  }

  @Test("payload bytes are not to be seen on the wire", arguments: profiles)
  func isEncrypted(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    let payload = [UInt8](repeating: 0x55, count: 64)
    let packet = try pair.sender.protect(SRTPPair.packet(1, payload: payload))
    #expect(Array(packet[12..<76]) != payload)
    let next = try pair.sender.protect(SRTPPair.packet(2, payload: payload))
    #expect(packet[12..<76] != next[12..<76])
    let report = try pair.sender.protectRTCP(SRTPPair.report(payload: payload))
    #expect(Array(report[8..<72]) != payload)
  }

  @Test("a packet changed in any byte is refused, and the right one still opens", arguments: profiles)
  func tamper(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    _ = try pair.receiver.open(pair.sender.protect(SRTPPair.packet(1)))
    let plain = SRTPPair.packet(2, payload: [UInt8](0..<40))
    let packet = try pair.sender.protect(plain)
    for at in packet.indices {
      for bit: UInt8 in [1, 0x80] {
        var bad = packet
        bad[at] ^= bit
        #expect(srtpError { _ = try pair.receiver.open(bad) } != nil, "byte \(at)")
      }
    }
    #expect(pair.receiver.streamCount == 1)
    #expect(try pair.receiver.open(packet) == plain)

    let report = SRTPPair.report()
    let control = try pair.sender.protectRTCP(report)
    for at in control.indices {
      var bad = control
      bad[at] ^= 4
      #expect(srtpError { _ = try pair.receiver.openRTCP(bad) } != nil, "byte \(at)")
    }
    #expect(try pair.receiver.openRTCP(control) == report)
  }

  @Test("every cut of a packet is refused", arguments: profiles)
  func cut(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    let packet = try pair.sender.protect(SRTPPair.packet(1, payload: [UInt8](0..<30)))
    let control = try pair.sender.protectRTCP(SRTPPair.report())
    for length in packet.indices {
      #expect(srtpError { _ = try pair.receiver.open(Array(packet[..<length])) } != nil)
    }
    for length in control.indices {
      #expect(srtpError { _ = try pair.receiver.openRTCP(Array(control[..<length])) } != nil)
    }
    #expect(srtpError { _ = try pair.receiver.open([]) } == .tooShort)
    #expect(pair.receiver.streamCount == 0)
  }

  @Test("a header that lies about its length is refused (RFC 3550 section 5.1)")
  func lyingHeader() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    let packet = try pair.sender.protect(SRTPPair.packet(1, payload: [UInt8](0..<30)))
    var manySources = packet
    manySources[0] |= 0x0F
    #expect(srtpError { _ = try pair.receiver.open(manySources) } == .malformedHeader)
    var longExtension = packet
    longExtension[0] |= 0x10
    (longExtension[14], longExtension[15]) = (0xFF, 0xFF)
    #expect(srtpError { _ = try pair.receiver.open(longExtension) } == .malformedHeader)
    // The header ends inside the tag.
    var intoTag = packet
    intoTag[0] |= 0x0A
    #expect(srtpError { _ = try pair.receiver.open(intoTag) } == .tooShort)
    var version = packet
    version[0] = 0x40
    #expect(srtpError { _ = try pair.receiver.open(version) } == .malformedHeader)
  }

  @Test("protecting checks its arguments")
  func arguments() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    func protect(_ header: [UInt8], _ payload: [UInt8], room: Int) -> SRTPError? {
      var out = [UInt8](repeating: 0, count: room)
      return srtpError {
        var output = out.mutableSpan
        _ = try pair.sender.protectRTP(header: header.span, payload: payload.span, into: &output)
      }
    }
    let header = SRTPPair.packet(1, payload: [])
    #expect(protect(header, [1], room: 28) == .outputTooSmall)
    #expect(protect(header, [1], room: 29) == nil)
    #expect(protect(header + [0], [1], room: 100) == .malformedHeader)
    #expect(protect([], [1], room: 100) == .malformedHeader)
    #expect(protect(header, [UInt8](repeating: 0, count: 65_600), room: 70_000) == .tooLong)
    var report = SRTPPair.report()
    let length = report.count
    #expect(
      srtpError {
        var span = report.mutableSpan
        _ = try pair.sender.protectRTCP(&span, length: length)
      } == .outputTooSmall)
    #expect(
      srtpError {
        var span = report.mutableSpan
        _ = try pair.sender.protectRTCP(&span, length: 7)
      } == .tooShort)
    #expect(
      srtpError {
        var span = report.mutableSpan
        _ = try pair.sender.protectRTCP(&span, length: length + 1)
      } == .outputTooSmall)
  }

  @Test("an empty payload is fine", arguments: profiles)
  func empty(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    let plain = SRTPPair.packet(1, payload: [])
    #expect(try pair.receiver.open(pair.sender.protect(plain)) == plain)
  }

  @Test("the null profile passes bytes through")
  func null() throws {
    let material = SRTPKeyingMaterial.insecureNullForSimulation()
    let sender = try SRTPSender(material)
    let receiver = try SRTPReceiver(material)
    let plain = SRTPPair.packet(1)
    #expect(try sender.protect(plain) == plain)
    #expect(try receiver.open(plain) == plain)
    #expect(try sender.protectRTCP(SRTPPair.report()) == SRTPPair.report())
    #expect(try receiver.openRTCP(SRTPPair.report()) == SRTPPair.report())
  }

  @Test("100,000 damaged packets are refused without a trap and leave the session working", arguments: profiles)
  func mutationFuzz(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    var random = SeededRandom(seed: TestSeed.of(21))
    var corpus: [[UInt8]] = []
    var reports: [[UInt8]] = []
    for sequence in 0..<16 as Range<UInt16> {
      corpus.append(try pair.sender.protect(SRTPPair.packet(sequence, payload: random.bytes(random.below(60)))))
      reports.append(try pair.sender.protectRTCP(SRTPPair.report(payload: random.bytes(4 * random.below(20)))))
    }
    var accepted = 0
    for _ in 0..<34_000 {
      let packet = random.pick(corpus)
      let mutated = random.mutate(packet)
      // A mutation may change nothing; only then may it open.
      if mutated != packet, (try? pair.receiver.open(mutated)) != nil { accepted += 1 }
      let report = random.pick(reports)
      let mutatedReport = random.mutate(report)
      if mutatedReport != report, (try? pair.receiver.openRTCP(mutatedReport)) != nil { accepted += 1 }
    }
    #expect(accepted == 0)
    #expect(pair.receiver.streamCount == 0)
    for packet in corpus { _ = try pair.receiver.open(packet) }
    for report in reports { _ = try pair.receiver.openRTCP(report) }
  }
}
