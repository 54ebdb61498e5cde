import Basics
import Foundation
import TestSeeds
import Testing

/// The table of `docs/benchmarks/networks.md`, printed if `CONDITIONS_TABLE` is set; a word in it picks the rows
/// that contain it.
@Suite(.tellsSeeds) struct ConditionsTable {
  static let rows: [CallConditions] =
    [0, 0.02, 0.05, 0.1, 0.2].map { CallConditions.loss($0) }
    + [0.02, 0.05, 0.1, 0.2].map { CallConditions.loss($0, atReceiver: true) }
    + [0.05, 0.1, 0.2].map { CallConditions.loss($0, atReceiver: true).withoutRedundancy }
    + [
      .loss(0.05).withoutCopies, .jitter(), .jitter(atReceiver: true), .bottleneck(), .bottleneck(loss: 0.02),
      .narrowing, .outage(),
      .outage(atReceiver: true),
    ]

  @Test(.enabled(if: ProcessInfo.processInfo.environment["CONDITIONS_TABLE"] != nil))
  func table() throws {
    let wanted = ProcessInfo.processInfo.environment["CONDITIONS_TABLE"] ?? ""
    print(CallFigures.header)
    for conditions in Self.rows where wanted == "1" || conditions.name.contains(wanted) {
      let call = try SimulatedCall(conditions).run()
      let figures = CallFigures(call)
      print(figures.row)
      if ProcessInfo.processInfo.environment["CONDITIONS_DETAILS"] != nil { print(details(call)) }
      #expect(figures.broken == 0)
    }
  }

  private func details(_ call: SimulatedCall) -> String {
    var out = ["wakes \(call.publisher.idleWakes) \(call.receiver.idleWakes) recovered \(call.audioGap.recovered)"]
    if let sent = call.sendStatistics { out.append("\(sent)") }
    if let video = call.videoStatistics { out.append("\(video)") }
    var second = call.started
    var line = "rate:"
    while second < call.now {
      line += " \(Int(call.publisher.rate(from: second, to: second + .seconds(1)) / 1_000))"
      second = second + .seconds(1)
    }
    out.append(line)
    let paths = call.paths.map {
      "\(($0.estimate?.bitsPerSecond ?? 0) / 1_000)/\($0.wanted.bitsPerSecond / 1_000)"
        + ($0.paused > 0 ? " paused" : "")
        + String(format: " %.0f %%", $0.loss * 100)
    }
    out.append("to the receiver, estimated and wanted in kb/s, lost: \(paths.joined(separator: ", "))")
    second = call.started
    var delays = "delay:"
    while second < call.now {
      let shown = call.shown.filter { $0.time >= second && $0.time < second + .seconds(1) }
      delays += " \(shown.last?.delay.milliseconds ?? -1)"
      second = second + .seconds(1)
    }
    out.append(delays)
    let slow = zip(call.shown, call.shown.dropFirst()).filter { ($1.time - $0.time).seconds > 0.2 }
    out.append(
      "stood: "
        + slow.map {
          String(
            format: "%.2f+%.2f(%d→%d)", ($0.time - call.started).seconds, ($1.time - $0.time).seconds, $0.index,
            $1.index)
        }.joined(separator: " "))
    out.append(
      "keyframes at: "
        + call.video.sent.filter(\.isKeyframe).map {
          String(format: "%.2f(%d B)", ($0.captured - call.started).seconds, $0.data.count)
        }.joined(separator: " "))
    return out.joined(separator: "\n")
  }
}
