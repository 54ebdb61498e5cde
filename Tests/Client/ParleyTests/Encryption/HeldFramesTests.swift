import Basics
import RTC
import Testing

@testable import Parley

@Suite("Frames that wait for their key")
struct HeldFramesTests {
  @Test("frames that wait for a key are few, and none waits for long")
  func limits() {
    func frame(_ number: Int, bytes: Int) -> EncodedFrame {
      EncodedFrame(
        codec: .vp8, data: [UInt8](repeating: 0, count: bytes), timestamp: RTPTimestamp(rawValue: UInt32(number)))
    }
    var held = HeldFrames()
    var dropped: [UInt32] = []
    for number in 0..<60 {
      held.append(frame(number, bytes: 10), since: .zero)
      dropped += held.removeExcess(now: .zero).map(\.frame.timestamp.rawValue)
    }
    #expect(held.count == HeldFrames.maximumFrames && held.bytes == 500 && dropped == Array(0..<10))
    // A large one displaces what it has no room next to, and nothing has room next to one that is too large.
    held.append(frame(60, bytes: HeldFrames.maximumBytes - 100), since: .milliseconds(500))
    #expect(held.removeExcess(now: .milliseconds(500)).count == 40 && held.count == 11)
    #expect(held.removeExcess(now: .milliseconds(1_001)).count == 10)
    #expect(held.removeExcess(now: .milliseconds(1_501)).count == 1 && held.isEmpty && held.bytes == 0)
    held.append(frame(61, bytes: HeldFrames.maximumBytes + 1), since: .zero)
    #expect(held.removeExcess(now: .zero).count == 1 && held.bytes == 0)
  }
}
