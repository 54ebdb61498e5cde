import Basics
import Foundation
import NetworkEmulator
@testable import Parley

/// The measurements of one call.
struct CallFigures {
  var name: String
  /// Frames encoded and shown while the network was bad; all the time where it was always.
  var encoded = 0
  var shown = 0
  var keyframes = 0
  /// In the terms of the W3C, over the whole call: pauses above 5 s count as freezes here.
  var freezes = 0
  var freezeTime = 0.0
  /// The longest time that one picture stood.
  var longestFreeze = 0.0
  /// Made-up sound per minute while the network was bad, and the longest piece of it, in milliseconds.
  var concealedPerMinute = 0.0
  var longestGap = 0.0
  /// From the end of the bad network until a picture taken after it is shown, and until the sender sends 80 % of what
  /// it did before.
  var pictureBack: Double?
  var rateBack: Double?
  var delay50 = 0.0
  var delay95 = 0.0
  /// Bits a second on the publisher's wire in the last ten seconds of the bad network.
  var rate = 0.0
  /// Queueing in front of the publisher's bottleneck from the tenth second on.
  var queue50 = 0.0
  var queue95 = 0.0
  var queueMost = 0.0
  var broken = 0

  init(_ call: SimulatedCall) {
    name = call.conditions.name
    let end = call.started + call.conditions.length
    let phase = call.conditions.phase
    let from = phase.map { call.started + $0.lowerBound } ?? call.started
    let to = phase.map { call.started + $0.upperBound } ?? end
    let sent = call.video.sent
    // Frames under way at the end cannot have been shown.
    let last = min(to, end - .seconds(1))
    encoded = sent.count { $0.captured >= from && $0.captured < last }
    keyframes = sent.count { $0.isKeyframe }
    let during = call.shown.filter { sent[$0.index].captured >= from && sent[$0.index].captured < last }
    shown = during.count
    if let video = call.videoStatistics {
      freezes = Int(video.freezeCount + video.pauseCount)
      freezeTime = video.totalFreezesDuration.seconds + video.totalPausesDuration.seconds
    }
    for (a, b) in zip(call.shown, call.shown.dropFirst()) {
      longestFreeze = max(longestFreeze, (b.time - a.time).seconds)
    }
    if let shownLast = call.shown.last { longestFreeze = max(longestFreeze, (end - shownLast.time).seconds - 0.5) }
    concealedPerMinute = call.audioGap.concealed(from: from, to: to) / (to - from).seconds * 60
    longestGap = Double(call.audioGap.longest) / 48
    let delays = during.map(\.delay).sorted()
    if !delays.isEmpty {
      delay50 = delays[delays.count / 2].seconds * 1_000
      delay95 = delays[delays.count * 95 / 100].seconds * 1_000
    }
    rate = call.publisher.rate(from: max(from, to - .seconds(10)), to: to)
    if phase != nil {
      pictureBack = call.shown.first { sent[$0.index].captured >= to && $0.time >= to }.map { ($0.time - to).seconds }
      let before = call.publisher.rate(from: from - .seconds(5), to: from)
      var time = to
      while time < end {
        if call.publisher.rate(from: time, to: time + .seconds(1)) >= before * 0.8 {
          rateBack = (time - to).seconds
          break
        }
        time = time + .milliseconds(250)
      }
    }
    let queue = call.queueFromTenthSecond.sorted()
    if !queue.isEmpty {
      queue50 = queue[queue.count / 2].seconds * 1_000
      queue95 = queue[queue.count * 95 / 100].seconds * 1_000
      queueMost = (queue.last ?? .zero).seconds * 1_000
    }
    broken = call.broken + call.undecodable
  }

  /// The share of encoded frames that was shown.
  var shownShare: Double { encoded == 0 ? 0 : Double(shown) / Double(encoded) }

  static let header = """
    | network | frames shown | keyframes | freezes | longest | made-up sound a minute | longest | picture back | rate back | delay p50 | p95 | kb/s | queue p50 | p95 |
    |---|---|---|---|---|---|---|---|---|---|---|---|---|---|
    """

  var row: String {
    func milliseconds(_ value: Double) -> String { "\(Int(value.rounded())) ms" }
    func seconds(_ value: Double?) -> String { value.map { String(format: "%.1f s", $0) } ?? "–" }
    let queue = queueMost > 0 ? "\(milliseconds(queue50)) | \(milliseconds(queue95))" : "– | –"
    return "| \(name) | \(shown) of \(encoded) (\(String(format: "%.1f", shownShare * 100)) %) | \(keyframes) "
      + "| \(freezes), \(seconds(freezeTime)) | \(milliseconds(longestFreeze * 1_000)) | \(milliseconds(concealedPerMinute)) "
      + "| \(milliseconds(longestGap)) | \(seconds(pictureBack)) | \(seconds(rateBack)) | \(milliseconds(delay50)) "
      + "| \(milliseconds(delay95)) | \(Int(rate / 1_000)) | \(queue) |"
  }
}
