import Basics
import Testing

@testable import RTC
@testable import SFU

@Suite("Retransmission store")
struct RetransmissionStoreTests {
  private func packet(_ sequence: Int64, at milliseconds: Int64 = 0) -> StoredPacket {
    var packet = StoredPacket()
    packet.sequence = sequence
    packet.arrival = .milliseconds(milliseconds)
    return packet
  }

  private func bytes(_ store: RetransmissionStore, _ slot: Int) -> [UInt8] {
    let packet = store[slot]
    return (0..<Int(packet.payloadLength)).map { store.byte(at: $0, of: packet) }
  }

  @Test("every packet is found at every place of the ring, and older ones aren't")
  func wraps() {
    let store = RetransmissionStore(
      limits: .init(packets: 16, chunkBytes: 4_096, chunks: 4, age: .seconds(1)))
    for sequence in 0..<200 {
      let payload = [UInt8](repeating: UInt8(sequence & 0xFF), count: 20 + sequence % 7)
      guard case .stored = store.insert(packet(Int64(sequence)), descriptor: Span(), payload: payload.span) else {
        Issue.record("packet \(sequence) was refused")
        continue
      }
      for old in max(0, sequence - 15)...sequence {
        let slot = store.slot(of: Int64(old))
        #expect(slot.map { bytes(store, $0) } == [UInt8](repeating: UInt8(old & 0xFF), count: 20 + old % 7))
      }
      if sequence >= 16 { #expect(store.slot(of: Int64(sequence - 16)) == nil) }
    }
  }

  @Test("duplicates and packets older than the ring are told apart")
  func refusals() {
    let store = RetransmissionStore(limits: .init(packets: 16, chunkBytes: 4_096, chunks: 2, age: .seconds(1)))
    let payload: [UInt8] = [1, 2, 3]
    for sequence in [100, 101, 103] as [Int64] {
      _ = store.insert(packet(sequence), descriptor: Span(), payload: payload.span)
    }
    guard case .duplicate = store.insert(packet(101), descriptor: Span(), payload: payload.span) else {
      Issue.record("a duplicate was stored")
      return
    }
    guard case .stored = store.insert(packet(102), descriptor: Span(), payload: payload.span) else {
      Issue.record("a late packet was refused")
      return
    }
    guard case .tooOld = store.insert(packet(80), descriptor: Span(), payload: payload.span) else {
      Issue.record("an old packet was stored")
      return
    }
    let large = [UInt8](repeating: 0, count: 5_000)
    guard case .tooLarge = store.insert(packet(104), descriptor: Span(), payload: large.span) else {
      Issue.record("a packet larger than a chunk was stored")
      return
    }
  }

  @Test("memory follows the rate up to the limit, and a reused chunk's packets are gone")
  func bounded() {
    let limits = RetransmissionStore.Limits(packets: 512, chunkBytes: 8_192, chunks: 4, age: .seconds(1))
    let store = RetransmissionStore(limits: limits)
    #expect(store.allocatedBytes == 0)
    let payload = [UInt8](repeating: 7, count: 1_000)
    // Ten packets a second: two chunks are enough.
    for sequence in 0..<200 {
      _ = store.insert(packet(Int64(sequence), at: Int64(sequence) * 100), descriptor: Span(), payload: payload.span)
    }
    #expect(store.allocatedBytes <= 3 * 8_192)
    // A thousand a second: all chunks, and only what fits them.
    for sequence in 200..<600 {
      _ = store.insert(packet(Int64(sequence), at: 20_000 + Int64(sequence)), descriptor: Span(), payload: payload.span)
    }
    #expect(store.allocatedBytes == limits.bytes)
    #expect(store.slot(of: 599) != nil)
    #expect(store.slot(of: 400) == nil)
    for sequence in 500...599 {
      if let slot = store.slot(of: Int64(sequence)) { #expect(bytes(store, slot).allSatisfy { $0 == 7 }) }
    }
  }
}
