import Basics
import Foundation
import NetworkEmulator
import TestSeeds
import Testing

@testable import SFU

/// Loss that no queue announces: a radio link that loses at any rate, and a rate limit that drops the excess at once. A
/// reaction that is right for one must not come with the other. `QUALITY_TABLE` prints the figures.
@Suite("Loss without a queue", .tellsSeeds)
struct LossWithoutQueueTests {
  /// The figures of a receiver of one publisher over a minute, from second 2 on.
  struct Figures {
    /// Seconds for which the picture was paused.
    var paused = 0.0
    /// The longest of them in a row.
    var longest = 0.0
    /// The share of time in which it stood.
    var frozen = 0.0
    var layer = 0.0
    /// The share of what was sent from second 12 on that the limit dropped.
    var dropped = 0.0

    var text: String {
      [paused, longest, frozen * 100, layer, dropped * 100].map { String(format: "%.1f", $0) }.joined(separator: " | ")
    }
  }

  /// A publisher, and what drops at once.
  struct Limit: Sendable, CustomTestStringConvertible {
    var layers: [Int]
    var kilobits: Int64
    var loss = 0.0
    /// The layer that fits.
    var layer = 0.0
    var testDescription: String { "layers of \(layers) over \(kilobits) kb/s, \(loss * 100) % random loss" }
  }

  private func run(
    _ layers: [Int], hasTemporalLayers: Bool = true, _ way: LinkConditions, seed: UInt64
  ) throws -> Figures {
    let meeting = QualityMeeting(seed: seed)
    try meeting.addPublisher(layers).hasTemporalLayers = hasTemporalLayers
    let link = meeting.addLink(way)
    let back = LinkConditions(loss: way.loss, delay: .milliseconds(25))
    let receiver = try meeting.addReceiver(link: link, back: back)
    var figures = Figures()
    var row = 0.0
    var before = (sent: 0, dropped: 0)
    meeting.onSample = {
      if meeting.seconds < 12 {
        let now = meeting.links[link].statistics
        before = (now.sent, now.dropped)
      }
      guard meeting.seconds >= 2 else { return }
      row = receiver.subscriptions[0].target == nil ? row + 0.1 : 0
      if row > 0 { figures.paused += 0.1 }
      figures.longest = max(figures.longest, row)
    }
    meeting.run(for: .seconds(60))
    let after = meeting.links[link].statistics
    figures.dropped = Double(after.dropped - before.dropped) / Double(max(after.sent - before.sent, 1))
    figures.frozen = receiver.video()?.frozen(from: 2, to: 60) ?? 1
    figures.layer = receiver.video()?.layer(from: 2, to: 60) ?? 0
    return figures
  }

  private func show(_ name: String, _ figures: Figures) {
    guard ProcessInfo.processInfo.environment["QUALITY_TABLE"] != nil else { return }
    print("LOSS | \(name) | \(figures.text) |")
  }

  @Test(
    "random loss alone pauses no picture, also one that is sent whole or not at all",
    arguments: [20, 25], 1...2 as ClosedRange<UInt64>)
  func randomLoss(percent: Int, seed: UInt64) throws {
    let way = LinkConditions(loss: .random(Double(percent) / 100), delay: .milliseconds(25))
    for (rate, hasTemporalLayers) in [(400, true), (400, false), (1_000, false)] {
      let figures = try run([rate], hasTemporalLayers: hasTemporalLayers, way, seed: seed)
      let form = hasTemporalLayers ? "in two temporal layers" : "whole"
      show("\(rate) kb/s \(form), \(percent) %, seed \(seed)", figures)
      #expect(figures.paused == 0, "\(rate) kb/s, temporal layers: \(hasTemporalLayers)")
      #expect(figures.frozen < 0.1)
    }
  }

  @Test(
    "a policer that drops without delay is found: video that doesn't fit is paused",
    arguments: [
      Limit(layers: [400], kilobits: 300), Limit(layers: [400], kilobits: 300, loss: 0.05),
      Limit(layers: [1_000], kilobits: 600),
    ])
  func limitBelow(_ limit: Limit) throws {
    let seed: UInt64 = 1
    let figures = try run(limit.layers, hasTemporalLayers: false, way(limit), seed: seed)
    show("\(limit.testDescription), seed \(seed)", figures)
    #expect(figures.paused > 25)
  }

  @Test(
    "of several layers the one is sent that fits such a limit",
    arguments: [
      Limit(layers: [120, 450, 1_500], kilobits: 1_000, layer: 1),
      Limit(layers: [120, 450, 1_500], kilobits: 1_000, loss: 0.05, layer: 1),
      Limit(layers: [120, 450, 1_500], kilobits: 300),
    ])
  func limitAmong(_ limit: Limit) throws {
    let seed: UInt64 = 1
    let figures = try run(limit.layers, way(limit), seed: seed)
    show("\(limit.testDescription), seed \(seed)", figures)
    #expect(figures.paused == 0)
    #expect(abs(figures.layer - limit.layer) < 0.2)
    #expect(figures.frozen < 0.2)
  }

  /// A tenth of a second of the rate may pass in one burst.
  private func way(_ limit: Limit) -> LinkConditions {
    LinkConditions(
      loss: .random(limit.loss), delay: .milliseconds(25), capacity: .kilobits(limit.kilobits),
      queue: .time(.milliseconds(100)), polices: true)
  }
}
