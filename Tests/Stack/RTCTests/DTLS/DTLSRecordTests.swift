import Basics
import TestSeeds
import Testing

@testable import RTC

@Suite("DTLS records after the handshake", .tellsSeeds)
struct DTLSRecordTests {
  static let kinds: [DTLSRecordCipher.Kind] = [.aes128GCM, .aes256GCM, .chaCha20Poly1305]

  /// One of two ends that have the same two keys.
  private final class End {
    var layer: DTLSRecordLayer

    init(_ layer: DTLSRecordLayer) { self.layer = layer }

    func seal(_ content: [UInt8]) -> [UInt8]? { layer.seal(.applicationData, content.span) }

    /// The content of a record that opens.
    func open(_ record: [UInt8]) -> [UInt8]? {
      if case .content(.applicationData, let bytes) = layer.open(record) { return bytes }
      return nil
    }

    func isReplayed(_ record: [UInt8]) -> Bool {
      if case .replayed = layer.open(record) { return true }
      return false
    }
  }

  private static func pair(_ kind: DTLSRecordCipher.Kind, lastSequence: UInt64 = 0) -> (End, End) {
    func cipher(_ direction: Int, encrypts: Bool) -> DTLSRecordCipher {
      DTLSRecordCipher(
        kind, key: [UInt8](repeating: UInt8(1 + direction), count: kind.keyLength),
        fixed: [UInt8](repeating: UInt8(7 + direction), count: kind.fixedLength), encrypts: encrypts)
    }
    func end(_ number: Int) -> End {
      End(
        DTLSRecordLayer(
          sending: cipher(number, encrypts: true), receiving: cipher(1 - number, encrypts: false),
          lastSequence: lastSequence, lastNonce: .max - 1))
    }
    return (end(0), end(1))
  }

  @Test(
    "the keys are OpenSSL's: its Finished opens, and a lost last flight repeats",
    arguments: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"])
  func agreesWithOpenSSL(cipher: String) throws {
    let link = try DTLSLink(cipher: cipher)
    var lost = 0
    link.network.tamper = { fromClient, datagram in
      // The server's second flight starts with ChangeCipherSpec.
      guard !fromClient, datagram[0] == 20, lost < 2 else { return [datagram] }
      lost += 1
      return []
    }
    link.handshake()
    #expect(lost == 2)
    #expect(link.bothConnected)
    #expect(
      link.server.drops.total == link.server.drops.wrongEpoch, "nothing but the unencrypted part of the repeated flight"
    )
    #expect(link.client.send(bytes: [1, 2, 3]))
    #expect(link.server.send(bytes: [4]))
    link.run(limit: .seconds(1))
    #expect(link.serverEvents.last == .received([1, 2, 3]))
    #expect(link.clientEvents.last == .received([4]))
  }

  @Test("a sealed record opens once at the other end, in any order, of any length", arguments: kinds)
  func roundTrip(kind: DTLSRecordCipher.Kind) throws {
    let (sender, receiver) = Self.pair(kind)
    var records: [[UInt8]] = []
    for length in [0, 1, 15, 16, 17, 1_163] {
      let content = [UInt8](repeating: UInt8(truncatingIfNeeded: length), count: length)
      let record = try #require(sender.seal(content))
      #expect(record.count == 13 + kind.overhead + length)
      records.append(record)
    }
    for (record, length) in zip(records, [0, 1, 15, 16, 17, 1_163]).reversed() {
      #expect(receiver.open(record)?.count == length)
    }
    for record in records { #expect(receiver.isReplayed(record)) }
  }

  @Test("a record with a changed byte doesn't open, and the right one still does", arguments: kinds)
  func tampering(kind: DTLSRecordCipher.Kind) throws {
    let (sender, receiver) = Self.pair(kind)
    let content = [UInt8](0..<40)
    let record = try #require(sender.seal(content))
    for index in record.indices where !(11...12).contains(index) {
      var changed = record
      changed[index] ^= 1
      #expect(receiver.open(changed) == nil, "byte \(index)")
    }
    for count in 0..<record.count { #expect(receiver.open(Array(record[..<count])) == nil) }
    #expect(receiver.open(record) == content)
  }

  @Test("no number and no nonce is used twice, and after the last nothing is sealed", arguments: kinds)
  func numbers(kind: DTLSRecordCipher.Kind) throws {
    let (sender, receiver) = Self.pair(kind, lastSequence: DTLSRecordLayer.lastSequence - 3)
    var heads: Set<[UInt8]> = []
    let content: [UInt8] = [1]
    for _ in 0..<3 {
      let record = try #require(sender.seal(content))
      heads.insert(Array(record[3..<11]))
      if kind.explicitLength > 0 { heads.insert(Array(record[13..<21])) }
      #expect(receiver.open(record) == content)
    }
    #expect(heads.count == (kind.explicitLength > 0 ? 6 : 3))
    #expect(sender.seal(content) == nil)
  }

  // Older ones never.
  @Test("each of the newest 64 numbers is accepted once (RFC 6347 4.1.2.6)")
  func window() {
    var random = SeededRandom(seed: TestSeed.of(5))
    var window = DTLSReplayWindow()
    var accepted: Set<UInt64> = []
    var highest: UInt64 = 0
    for step in 0..<5_000 {
      let far = step % 400 == 0 ? 1_000 : 0
      let number = (highest + UInt64(random.below(8) + far)) - min(highest, UInt64(random.below(90)))
      let expected = !accepted.contains(number) && (number >= highest || highest - number < 64)
      #expect(window.isFresh(number) == expected, "number \(number), highest \(highest)")
      if expected {
        window.accept(number)
        accepted.insert(number)
        highest = max(highest, number)
      }
    }
    #expect(!window.isFresh(highest))
  }

  @Test("on a network that doubles every datagram, each message arrives once")
  func duplicates() throws {
    let link = try DTLSLink(network: .init(duplicates: 1))
    link.handshake()
    for number: UInt8 in 0..<20 { #expect(link.client.send(bytes: [number])) }
    link.run(limit: .seconds(1))
    #expect(link.serverEvents.dropFirst() == ArraySlice((0..<20).map { DTLSEvent.received([$0]) }))
    #expect(link.server.drops.replayed >= 20)
    #expect(link.server.drops.forged == 0)
  }

  @Test("data that overtakes the last flight of the handshake is not lost")
  func overtaking() throws {
    let link = try DTLSLink()
    var held: [UInt8]?
    link.network.tamper = { fromClient, datagram in
      guard !fromClient else { return [datagram] }
      if datagram[0] == 20, held == nil {
        held = datagram
        return []
      }
      return datagram[0] == 23 ? [datagram, held ?? []] : [datagram]
    }
    link.handshake(until: { $0.serverKeys != nil })
    #expect(link.server.send(bytes: [5]))
    link.run(limit: .milliseconds(30))
    #expect(link.clientEvents.count == 2)
    #expect(link.clientEvents.last == .received([5]))
  }
}
