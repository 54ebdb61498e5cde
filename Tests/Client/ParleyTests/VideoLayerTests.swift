import Basics
import RTC
import Testing

@testable import Parley

/// When a frame is due for a layer.
@Suite struct VideoLayerTests {
  private let rids: [RID?] = ["q", "h", "f"].map { RID(rawValue: $0) }

  @Test("a layer keeps its rate with early and late frames; a keyframe need not wait")
  func rhythm() {
    var layer = VideoLayer(0, of: [nil], VideoOptions(maximumFramesPerSecond: 10))
    layer.wantsKeyframe = false
    func isDue(at milliseconds: Int, isRepeated: Bool = false) -> Bool {
      layer.takeDue(at: Instant.zero + .milliseconds(Int64(milliseconds)), most: nil, isRepeated: isRepeated) != nil
    }
    // A source of 30 frames a second, which come up to 8 ms early or late, then a pause.
    let jitter = [0, 8, -8]
    let due = (0..<30).filter { isDue(at: 1_000 + $0 * 33 + jitter[$0 % 3]) }
    #expect(due.count == 10)
    let after = (0..<10).filter { isDue(at: 60_000 + $0) }
    #expect(after == [0], "what the pause left out isn't made up for")

    let isRepeatDue = isDue(at: 60_011, isRepeated: true)
    #expect(!isRepeatDue)
    layer.wantsKeyframe = true
    let next = layer.nextTime
    let keyframe = layer.takeDue(at: Instant.zero + .milliseconds(60_012), most: 5, isRepeated: true)
    #expect(keyframe?.wantsKeyframe == true && keyframe?.framesPerSecond == 5)
    #expect(!layer.wantsKeyframe && layer.nextTime == next)
  }

  @Test("a stream that goes on keeps the rates of the layers whose size stays")
  func goesOn() {
    let options = VideoOptions(maximumBitrate: .kilobits(400))
    var before = rids.indices.map { VideoLayer($0, of: rids, options) }
    #expect(before.map(\.divisor) == [4, 2, 1] && before.map(\.isActive) == [true, false, false])
    #expect(before.map(\.bitrate) == [.kilobits(150), .kilobits(300), .kilobits(400)])
    before[1].bitrate = .kilobits(220)
    before[1].wantsKeyframe = false
    let again = VideoLayer(1, of: rids, options, continuing: before)
    #expect(again.bitrate == .kilobits(220) && again.wantsKeyframe)
    let alone = VideoLayer(0, of: [rids[1]], options, continuing: before)
    #expect(alone.divisor == 1 && alone.bitrate == .kilobits(400) && alone.isActive)
  }
}
