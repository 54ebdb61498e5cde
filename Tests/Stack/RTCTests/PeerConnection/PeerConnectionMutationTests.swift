import Basics
import RTC
import TestSeeds
import Testing

@Suite("Damaged datagrams", .tellsSeeds)
struct PeerConnectionMutationTests {
  @Test(
    "damage to any datagram traps nothing, moves nothing and ends nothing",
    arguments: [1, 2] as [UInt64])
  func mutations(seed: UInt64) throws {
    var corpus: [[UInt8]] = [[], [0], [0x80], [200, 1], [64, 2, 3]]
    let pair = PeerPair(seed: seed)
    pair.passes = { bytes, toServer in
      if toServer { corpus.append(bytes) }
      return true
    }
    try pair.connected()
    pair.passes = { _, _ in true }
    for sequence in 1...5 { corpus.append(try pair.packet(from: pair.client, sequence: UInt16(sequence))) }
    var random = SeededRandom(seed: TestSeed.of(seed))
    for _ in 0..<3_000 {
      let bytes = random.mutate(random.pick(corpus))
      // A genuine check is one wherever it comes from; its last 8 bytes are the FINGERPRINT, which adds no proof.
      if corpus.contains(where: { $0.count > 8 && bytes.starts(with: $0.dropLast(8)) }) { continue }
      pair.deliver(bytes, over: random.chance(0.5) ? PeerPair.udpPath : PeerPair.strangerPath, toServer: true)
      pair.drain()
    }
    #expect(pair.server.selectedPath == PeerPair.udpPath && pair.server.isConnected)
    pair.serverMedia = []
    try pair.sendMedia(fromServer: false, sequence: 500)
    try pair.sendMedia(fromServer: true, sequence: 500)
    pair.run(for: .milliseconds(100))
    #expect(pair.serverMedia.count == 1 && pair.clientMedia.count == 1, "seed \(seed)")
    #expect(pair.server.drops.total > 1_000)
  }

  @Test("datagrams before any description are dropped and counted")
  func early() {
    let pair = PeerPair()
    let stun: [UInt8] = [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12)
    let rtp: [UInt8] = [0x80, 111] + [UInt8](repeating: 0, count: 30)
    #expect(pair.deliver(stun, over: PeerPair.udpPath, toServer: true) == .dropped(.notNegotiated))
    #expect(pair.deliver(rtp, over: PeerPair.udpPath, toServer: true) == .dropped(.mediaFromUnprovenPath))
    #expect(pair.deliver([5, 5, 5], over: PeerPair.udpPath, toServer: true) == .dropped(.unknownProtocol))
    #expect(pair.server.drops.total == 3 && pair.server.deadline == .distantFuture)
  }

  @Test(
    "the first bytes tell the protocols apart (RFC 7983 7, RFC 5761 4)",
    arguments: [
      (0, 1, PacketClass.stun), (3, 0, .stun), (4, 0, .unknown), (19, 0, .unknown), (20, 254, .dtls), (63, 0, .dtls),
      (64, 0, .turnChannel), (79, 0, .turnChannel), (80, 0, .unknown), (127, 0, .unknown), (128, 0, .rtp),
      (128, 191, .rtp), (128, 192, .rtcp),
      (191, 223, .rtcp), (191, 224, .rtp), (192, 0, .unknown), (255, 255, .unknown),
    ] as [(UInt8, UInt8, PacketClass)])
  func demultiplex(first: UInt8, second: UInt8, expected: PacketClass) {
    let bytes = [first, second, 0, 0]
    #expect(PacketClass(bytes.span) == expected)
  }
}
