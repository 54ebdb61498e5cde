import Basics
import Foundation
import NetworkEmulator
import TestSeeds
import Testing

@testable import SFU

/// The first seconds of a call on a path that is narrower than the picture: the publisher's layers have just begun and
/// look cheaper than they are, and nothing is known of the path. `QUALITY_TABLE` prints the figures.
@Suite("The beginning of a call on a narrow path", .tellsSeeds)
struct NarrowStartTests {
  /// A path, a publisher's layers and a seed.
  struct Case: Sendable, CustomTestStringConvertible {
    var path: Int64
    var layers: [Int]
    var seed: UInt64
    var testDescription: String { "\(path) kb/s, layers of \(layers), seed \(seed)" }
  }

  static let cases: [Case] = [300, 400].flatMap { path in
    [[120, 450, 1_500], [150, 500]].flatMap { layers in
      (1...5).map { Case(path: path, layers: layers, seed: $0) }
    }
  }

  @Test("pictures move from the beginning, and the estimate is near the truth after 5 s", arguments: cases)
  func narrow(_ wanted: Case) throws {
    let meeting = QualityMeeting(seed: wanted.seed)
    _ = try meeting.addPublisher(wanted.layers, ramp: .seconds(4))
    let way = LinkConditions(
      delay: .milliseconds(25), jitter: .milliseconds(3), capacity: .kilobits(wanted.path),
      queue: .time(.milliseconds(400)))
    let receiver = try meeting.addReceiver(link: meeting.addLink(way), back: way)
    var estimates: [Int] = []
    var tick = 0
    meeting.onSample = {
      tick += 1
      guard tick % 5 == 0 else { return }
      estimates.append(Int((meeting.router.bandwidth(of: receiver.member).estimate?.bitsPerSecond ?? 0) / 1_000))
    }
    meeting.run(for: .seconds(12))
    let video = try #require(receiver.video())
    let frozen = video.frozen(from: 0.5, to: 12)
    let frames = video.frameRate(from: 1, to: 12)
    let layers = video.layer(from: 0, to: 5)
    let concealed = receiver.sound()?.concealed(from: 0.5, to: 11) ?? 1
    let late = estimates.dropFirst(10)
    let estimate = Double(late.reduce(0, +)) / Double(late.count) / Double(wanted.path)
    if ProcessInfo.processInfo.environment["QUALITY_TABLE"] != nil {
      let figures = [frozen * 100, frames, layers, concealed * 100, estimate * 100].map { String(format: "%.1f", $0) }
      print("NARROW \(wanted): \(figures.joined(separator: " | "))  \(estimates)")
    }
    #expect(frozen < 0.03)
    #expect(frames > 20)
    #expect(concealed < 0.03)
    #expect((0.8...1.1).contains(estimate))
  }

  /// As at 300 kb/s both ways, with a browser's publisher: 15 frames a second, keyframes of ten times the mean, audio
  /// twice in each packet, and a larger layer that begins late and grows slowly, while the estimate is still the guess
  /// of the beginning.
  @Test(
    "padding tries a late larger layer on a narrow path, and no video stands for it",
    arguments: [500, 900], 1...10 as ClosedRange<UInt64>)
  func lateLayer(kilobits: Int, seed: UInt64) throws {
    let meeting = QualityMeeting(seed: seed)
    let publisher = try meeting.addPublisher([160, kilobits], ramp: .seconds(12), addsRedundancy: true)
    publisher.frameInterval = TimeSpan(nanoseconds: 66_666_667)
    publisher.keyframeWeight = 10
    publisher.begin(layer: 1, after: .seconds(5))
    let way = LinkConditions(
      delay: .milliseconds(25), jitter: .milliseconds(1), capacity: .kilobits(300), queue: .time(.milliseconds(400)))
    let receiver = try meeting.addReceiver(link: meeting.addLink(way), back: way)
    var random = EmulatorRandom(seed: seed)
    // The receiver sends, too, so that its reports come late or not at all.
    meeting.onSample = {
      let packets = Int((meeting.seconds < 3 ? 12 : 6) * random.unit() + 0.5)
      for _ in 0..<packets { receiver.back.send([UInt8](repeating: 0, count: 1_100), now: meeting.now) }
    }
    meeting.run(for: .seconds(25))
    let video = try #require(receiver.video())
    let frozen = video.frozen(from: 1, to: 25)
    if ProcessInfo.processInfo.environment["QUALITY_TABLE"] != nil {
      let rate = video.frameRate(from: 1, to: 25)
      print("LATE layer of \(kilobits), seed \(seed): \(frozen * 100) % frozen, \(rate) a second")
    }
    #expect(frozen < 0.03)
    #expect(video.frameRate(from: 1, to: 25) > 14)
    #expect((receiver.sound()?.concealed(from: 1, to: 24) ?? 1) < 0.03)
  }
}
