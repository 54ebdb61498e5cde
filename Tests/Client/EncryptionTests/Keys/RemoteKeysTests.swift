import Basics
import Crypto
import Testing

@testable import Encryption

@Suite("Keys of another sender")
struct RemoteKeysTests {
  let sender: UInt16 = 5

  private func message(
    _ epoch: UInt64, _ key: SecretBytes, tracks: [UInt8: FrameSource] = [1: .camera]
  ) -> SenderKeyMessage {
    SenderKeyMessage(epoch: epoch, baseKey: key, rosterHash: [UInt8](repeating: 0, count: 32), tracks: tracks)
  }

  /// The frame of a key that follows `earlier` ones.
  private func frame(_ epoch: UInt64, _ key: SecretBytes, after earlier: Int = 0) throws -> [UInt8] {
    let id = FrameKeyID(sender: sender, track: 1, epoch: epoch)
    var out: [UInt8] = []
    let text = Array("frame".utf8)
    let sealer = try SFrameSealer(baseKey: key, keyID: id.rawValue)
    for _ in 0...earlier {
      out = []
      try sealer.seal(text.span, metadata: Span(), appendingTo: &out)
    }
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

  @Test("one epoch has one given key, and an epoch before the current one never returns")
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

  @Test("a missing key is asked for after 1 s, then every 2 s, until it or the end comes")
  func requests() throws {
    var keys = RemoteKeys(timing: KeyTiming())
    var asked: [Int64] = []
    for step in 5..<80 as Range<Int64> {
      let now = Instant.milliseconds(step * 100)
      #expect(try open(&keys, frame(1, .random(32)), at: now) == .noKey)
      if keys.handleTimeout(now: now) { asked.append(step) }
    }
    #expect(asked == [15, 35, 55, 75])
    _ = try keys.receive(message(1, .random(32)), now: .milliseconds(8_000))
    #expect(keys.deadline == nil && keys.missingSince == nil)
    // The sender has stopped: nobody waits for a key that nobody needs.
    var others = RemoteKeys(timing: KeyTiming())
    #expect(try open(&others, frame(1, .random(32)), at: .milliseconds(500)) == .noKey)
    asked = (5..<200).filter { others.handleTimeout(now: .milliseconds($0 * 100)) }
    #expect(asked == [15, 35, 55] && others.missingSince == nil && others.deadline == nil)
  }

  @Test("threat 47: a track with a lost envelope is asked for at 1 s, then every 2 s")
  func lostTrack() throws {
    var keys = RemoteKeys(timing: KeyTiming())
    let key = try SecretBytes.random(32)
    _ = try keys.receive(message(1, key, tracks: [2: .microphone]), now: .zero)
    var asked: [Int64] = []
    for step in 0..<60 as Range<Int64> {
      let now = Instant.milliseconds(step * 100)
      #expect(try open(&keys, frame(1, key), at: now) == .wrongTrack)
      if keys.handleTimeout(now: now) { asked.append(step) }
    }
    #expect(asked == [10, 30, 50] && keys.missingSince == nil)
    // The same key again, with the track: a key frame is wanted.
    let wantsKeyFrame = try keys.receive(message(1, key), now: .milliseconds(6_000))
    #expect(wantsKeyFrame && keys.deadline == nil)
    #expect(try open(&keys, frame(1, key), at: .milliseconds(6_000)) == nil)
    // Frames that were under way when a track ended cost one question.
    _ = try keys.receive(message(1, key, tracks: [2: .microphone]), now: .milliseconds(7_000))
    #expect(try open(&keys, frame(1, key), at: .milliseconds(7_100)) == .wrongTrack)
    let late = (71..<200 as Range<Int64>).filter { keys.handleTimeout(now: .milliseconds($0 * 100)) }
    #expect(late == [81])
  }

  @Test("threat 47: somebody who missed 16 keys asks, though the epoch's bits look known")
  func sameBits() throws {
    var keys = RemoteKeys(timing: KeyTiming())
    let (old, new) = try (SecretBytes.random(32), SecretBytes.random(32))
    _ = try keys.receive(message(3, old), now: .zero)
    #expect(try open(&keys, frame(3, old)) == nil)
    // The first looks like one of before.
    #expect(try open(&keys, frame(19, new)) == .refused(.replayed))
    for earlier in 1..<10 {
      #expect(try open(&keys, frame(19, new, after: earlier)) == .refused(.authenticationFailed))
    }
    #expect(keys.deadline == nil)
    #expect(try open(&keys, frame(19, new, after: 10)) == .refused(.authenticationFailed))
    let asks = keys.handleTimeout(now: .milliseconds(1_000))
    #expect(asks && keys.missingSince == nil)
    let wantsKeyFrame = try keys.receive(message(19, new), now: .milliseconds(1_100))
    #expect(wantsKeyFrame)
    #expect(try open(&keys, frame(19, new), at: .milliseconds(1_100)) == nil)
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
