import Crypto
import TestSeeds
import Testing

@testable import Encryption

@Suite("SFrame ciphers", .tellsSeeds)
struct SFrameCipherTests {
  let baseKey: SecretBytes

  init() throws { baseKey = try .random(32) }

  func seal(_ sealer: SFrameSealer, _ text: [UInt8], metadata: [UInt8] = []) throws -> [UInt8] {
    var output: [UInt8] = []
    try sealer.seal(text.span, metadata: metadata.span, appendingTo: &output)
    return output
  }

  func open(_ opener: SFrameOpener, _ frame: [UInt8], metadata: [UInt8] = []) -> Result<[UInt8], SFrameError> {
    var output: [UInt8] = []
    do throws(SFrameError) {
      try opener.open(frame.span, metadata: metadata.span, appendingTo: &output)
      return .success(output)
    } catch {
      #expect(output.isEmpty)
      return .failure(error)
    }
  }

  @Test("frames of every length open, empty ones too, in each suite", arguments: SFrameSuite.allCases)
  func roundTrip(suite: SFrameSuite) throws {
    let sealer = try SFrameSealer(baseKey: baseKey, keyID: 0x123, suite: suite)
    let opener = try SFrameOpener(baseKey: baseKey, keyID: 0x123, suite: suite)
    for count in [0, 1, 15, 16, 17, 100, 1_500, 100_000] {
      let text = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let sealed = try seal(sealer, text, metadata: [1, 2])
      #expect(sealed.count <= count + 6 + suite.tagLength)
      #expect(open(opener, sealed, metadata: [1]) == .failure(.authenticationFailed))
      #expect(open(opener, sealed, metadata: [1, 2]) == .success(text))
    }
  }

  @Test("no two frames of a key have one number, and a refused frame uses its number up")
  func counters() throws {
    let sealer = try SFrameSealer(baseKey: baseKey, keyID: 1)
    var seen: Set<UInt64> = []
    for _ in 0..<1_000 {
      let frame = try seal(sealer, [1, 2, 3])
      let header = try SFrameHeader(reading: frame.span)
      #expect(seen.insert(header.counter).inserted)
    }
    #expect(sealer.counter == 1_000)
  }

  @Test("a key ends before its limits in frames and blocks, and reports at half of them")
  func limits() throws {
    let few = try SFrameSealer(baseKey: baseKey, keyID: 1, limits: .init(frames: 10, blocks: 1 << 20))
    for number in 0..<10 {
      #expect(few.isWorn == (number >= 5))
      _ = try seal(few, [1])
    }
    #expect(throws: SFrameError.keyExhausted) { _ = try seal(few, [1]) }
    #expect(few.counter == 10)
    let small = try SFrameSealer(baseKey: baseKey, keyID: 1, limits: .init(frames: 1 << 20, blocks: 1_000))
    _ = try seal(small, [UInt8](repeating: 0, count: 9_000))
    #expect(small.isWorn)
    #expect(throws: SFrameError.keyExhausted) { _ = try seal(small, [UInt8](repeating: 0, count: 9_000)) }
  }

  @Test("a short base key is refused")
  func shortKeys() {
    #expect(throws: SFrameError.keyTooShort) { _ = try SFrameSealer(baseKey: .random(15), keyID: 1) }
    #expect(throws: SFrameError.keyTooShort) { _ = try SFrameOpener(baseKey: .random(0), keyID: 1) }
  }

  @Test("a frame opens once, in any order within 1,024 frames; older ones are refused")
  func replay() throws {
    let sealer = try SFrameSealer(baseKey: baseKey, keyID: 1)
    let opener = try SFrameOpener(baseKey: baseKey, keyID: 1)
    let frames = try (0..<2_100).map { try seal(sealer, [UInt8(truncatingIfNeeded: $0)]) }
    var random = SeededRandom(seed: TestSeed.of(1))
    for frame in frames[..<1_000].shuffled(using: &random) {
      #expect((try? open(opener, frame).get()) != nil)
      #expect(open(opener, frame) == .failure(.replayed))
    }
    #expect((try? open(opener, frames[2_099]).get()) != nil)
    #expect(open(opener, frames[2_099 - 1_024]) == .failure(.tooOld))
    for index in [2_099 - 1_023, 2_000, 2_098] {
      #expect((try? open(opener, frames[index]).get()) != nil)
      #expect(open(opener, frames[index]) == .failure(.replayed))
    }
  }

  @Test("the window agrees with a set of numbers, whatever order they come in")
  func window() {
    var random = SeededRandom(seed: TestSeed.of(2))
    for _ in 0..<20 {
      var window = ReplayWindow()
      var seen: Set<UInt64> = []
      var highest: UInt64 = 0
      for _ in 0..<3_000 {
        let step = [1, 2, 70, 1_100, 5_000][random.below(5)]
        let number =
          random.below(3) == 0
          ? highest + UInt64(random.below(step)) : highest - min(highest, UInt64(random.below(1_300)))
        let expected: ReplayWindow.Verdict =
          !seen.isEmpty && number + 1_024 <= highest ? .tooOld : seen.contains(number) ? .replayed : .fresh
        #expect(window.check(number) == expected, "\(number) of \(highest)")
        guard expected == .fresh else { continue }
        window.accept(number)
        seen.insert(number)
        highest = max(highest, number)
      }
    }
    var last = ReplayWindow()
    last.accept(.max)
    #expect(last.check(.max) == .replayed)
    #expect(last.check(.max - 1_024) == .tooOld)
  }

  @Test("bad input 11: 10,000 forged frames later, media goes on")
  func forged() throws {
    let sealer = try SFrameSealer(baseKey: baseKey, keyID: 1)
    let opener = try SFrameOpener(baseKey: baseKey, keyID: 1)
    var random = SeededRandom(seed: TestSeed.of(3))
    let model = try seal(sealer, [1, 2, 3, 4])
    for number in 0..<10_000 {
      var frame = model
      frame[2 + random.below(frame.count - 2)] ^= UInt8(1 << random.below(8))
      if number % 2 == 0 {
        // Claims a number far ahead.
        frame = [0x1F] + random.bytes(8) + frame.dropFirst(2)
        frame[1] |= 0x80
      }
      #expect(open(opener, frame) == .failure(.authenticationFailed))
    }
    #expect(open(opener, model) == .success([1, 2, 3, 4]))
  }

  @Test("plain frames, frames of other keys and cut ones are refused")
  func foreign() throws {
    let sealer = try SFrameSealer(baseKey: baseKey, keyID: 0x0110)
    let opener = try SFrameOpener(baseKey: baseKey, keyID: 0x0110)
    let other = try SFrameOpener(baseKey: .random(32), keyID: 0x0110)
    let elsewhere = try SFrameOpener(baseKey: baseKey, keyID: 0x0120)
    let frame = try seal(sealer, [9, 9, 9, 9])
    #expect(open(other, frame) == .failure(.authenticationFailed))
    #expect(open(elsewhere, frame) == .failure(.unknownKey))
    for count in 0..<frame.count { #expect((try? open(opener, Array(frame.prefix(count))).get()) == nil) }
    // Silence of Opus, which some let pass.
    #expect(open(opener, [0xF8, 0xFF, 0xFE]) != .success([0xF8, 0xFF, 0xFE]))
    #expect((try? open(opener, [UInt8](repeating: 0, count: 300)).get()) == nil)
    #expect(open(opener, frame) == .success([9, 9, 9, 9]))
  }

  @Test("a ratcheted key opens nothing of before, and both ends derive the same")
  func ratchet() throws {
    let suite = SFrameSuite.aes128GCM
    let next = try suite.ratchet(baseKey)
    #expect(next != baseKey)
    #expect(try suite.ratchet(baseKey) == next)
    #expect(try suite.ratchet(next) != next)
    #expect(next.count == 32)
    #expect(try SFrameSuite.aes256GCM.ratchet(baseKey).count == 64)
    let frame = try seal(SFrameSealer(baseKey: baseKey, keyID: 1), [1])
    #expect(open(try SFrameOpener(baseKey: next, keyID: 1), frame) == .failure(.authenticationFailed))
  }
}
