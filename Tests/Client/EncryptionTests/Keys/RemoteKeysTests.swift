import Basics
import Crypto
import Testing

@testable import Encryption

@Suite("Keys of another sender")
struct RemoteKeysTests {
  let sender: UInt16 = 5

  private func message(_ epoch: UInt64, _ key: SecretBytes) -> SenderKeyMessage {
    SenderKeyMessage(
      epoch: epoch, baseKey: key, rosterHash: [UInt8](repeating: 0, count: 32), tracks: [1: .camera])
  }

  private func frame(_ epoch: UInt64, _ key: SecretBytes) throws -> [UInt8] {
    let id = FrameKeyID(sender: sender, track: 1, epoch: epoch)
    var out: [UInt8] = []
    let text = Array("frame".utf8)
    try SFrameSealer(baseKey: key, keyID: id.rawValue).seal(text.span, metadata: Span(), appendingTo: &out)
    return out
  }

  private func open(_ keys: inout RemoteKeys, _ frame: [UInt8], at now: Instant = .zero) throws -> FrameDrop? {
    let header = try SFrameHeader(reading: frame.span)
    let id = try #require(FrameKeyID(rawValue: header.keyID))
    var out: [UInt8] = []
    do throws(FrameDrop) {
      try keys.open(frame.span, keyID: id, source: .camera, metadata: Span(), now: now, appendingTo: &out)
      return nil
    } catch {
      return error
    }
  }

  @Test("frames of a ratchet step open between two given keys, and after the last")
  func gaps() throws {
    var keys = RemoteKeys(timing: KeyTiming())
    let (first, fourth) = try (SecretBytes.random(32), SecretBytes.random(32))
    let suite = SFrameSuite.aes128GCM
    _ = try keys.receive(message(1, first), now: .zero)
    // A new key is given before anything of the steps in between was seen.
    _ = try keys.receive(message(4, fourth), now: .zero)
    let third = try suite.ratchet(suite.ratchet(first))
    #expect(try open(&keys, frame(3, third)) == nil)
    #expect(try open(&keys, frame(4, fourth)) == nil)
    #expect(try open(&keys, frame(6, suite.ratchet(suite.ratchet(fourth)))) == nil)
    // Not one that was fresh.
    #expect(try open(&keys, frame(7, .random(32))) == .noKey)
    #expect(keys.missingSince != nil)
  }

  @Test("a derived key that opened nothing is forgotten when the envelope comes")
  func derivedWrongly() throws {
    var keys = RemoteKeys(timing: KeyTiming())
    let (first, second) = try (SecretBytes.random(32), SecretBytes.random(32))
    _ = try keys.receive(message(1, first), now: .zero)
    let early = try frame(2, second)
    #expect(try open(&keys, early) == .noKey)
    #expect(try keys.receive(message(2, second), now: .zero))
    #expect(try open(&keys, early) == nil)
    #expect(try open(&keys, early) == .refused(.replayed))
  }

  @Test("one epoch has one given key, and an epoch before the one in use does not come back")
  func oneKey() throws {
    var keys = RemoteKeys(timing: KeyTiming())
    let (first, second) = try (SecretBytes.random(32), SecretBytes.random(32))
    _ = try keys.receive(message(2, second), now: .zero)
    _ = try keys.receive(message(2, second), now: .zero)
    #expect(throws: KeyMessageError.replayed) { _ = try keys.receive(message(2, first), now: .zero) }
    #expect(try open(&keys, frame(2, second)) == nil)
    _ = try keys.receive(message(1, first), now: .zero)
    #expect(try open(&keys, frame(1, first)) == .noKey)
  }

  @Test("a key that is lacking is asked for after 1 s and then every 2 s, until it comes")
  func requests() throws {
    var keys = RemoteKeys(timing: KeyTiming())
    #expect(try open(&keys, frame(1, .random(32)), at: .milliseconds(500)) == .noKey)
    var asked: [Int64] = []
    for step in 0..<80 as Range<Int64> where keys.handleTimeout(now: .milliseconds(step * 100)) { asked.append(step) }
    #expect(asked == [15, 35, 55, 75])
    _ = try keys.receive(message(1, .random(32)), now: .milliseconds(8_000))
    #expect(keys.deadline == nil && keys.missingSince == nil)
  }

  @Test("late frames of the key before open for 10 s")
  func grace() throws {
    var keys = RemoteKeys(timing: KeyTiming())
    let (first, second) = try (SecretBytes.random(32), SecretBytes.random(32))
    _ = try keys.receive(message(1, first), now: .zero)
    _ = try keys.receive(message(2, second), now: .zero)
    #expect(try open(&keys, frame(1, first)) == nil)
    #expect(try open(&keys, frame(2, second), at: .milliseconds(1_000)) == nil)
    let sealer = try SFrameSealer(
      baseKey: first, keyID: FrameKeyID(sender: sender, track: 1, epoch: 1).rawValue)
    var late: [[UInt8]] = []
    for _ in 0..<3 {
      var out: [UInt8] = []
      try sealer.seal(Span(), metadata: Span(), appendingTo: &out)
      late.append(out)
    }
    _ = keys.handleTimeout(now: .milliseconds(10_999))
    #expect(try open(&keys, late[1], at: .milliseconds(10_999)) == nil)
    _ = keys.handleTimeout(now: .milliseconds(11_000))
    #expect(try open(&keys, late[2], at: .milliseconds(11_000)) == .noKey)
  }
}
