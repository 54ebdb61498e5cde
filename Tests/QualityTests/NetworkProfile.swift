import Basics
import NetworkEmulator
import Testing

@testable import SFU

/// A network between the server and its receivers, and what is true of it.
struct NetworkProfile: Sendable, CustomTestStringConvertible {
  var name: String
  var forward: LinkConditions
  var back: LinkConditions
  /// Changes of the way to the receivers, in seconds.
  var changes: [(at: Double, conditions: LinkConditions)] = []
  /// How many receivers share the way.
  var receivers = 1
  var seconds = 40.0
  /// When what was bad is over; nil when nothing changes.
  var recoversAt: Double?
  /// Whether the path is what limits the pictures; otherwise it is not tried how much it takes.
  var isBottleneck = true
  /// The layer that fits the path.
  var layer = 2

  var testDescription: String { name }

  /// The capacity at a moment in kb/s; nil for none that could matter.
  func capacity(at second: Double) -> Double? {
    let now = changes.last { $0.at <= second }?.conditions ?? forward
    return now.capacity.map { Double($0.bitsPerSecond) / 1_000 }
  }

  private static func way(
    _ kilobits: Int64? = nil, delay: Int64 = 25, jitter: Int64 = 0, loss: LossModel = .none, queue: Int64 = 400
  ) -> LinkConditions {
    LinkConditions(
      loss: loss, delay: .milliseconds(delay), jitter: .milliseconds(jitter),
      capacity: kilobits.map { .kilobits($0) }, queue: .time(.milliseconds(queue)))
  }

  private static func lossy(_ percent: Int) -> NetworkProfile {
    let loss = LossModel.random(Double(percent) / 100)
    return NetworkProfile(name: "\(percent) % loss", forward: way(loss: loss), back: way(loss: loss))
  }

  /// The twelve.
  static let all: [NetworkProfile] = [
    NetworkProfile(name: "clean", forward: way(), back: way()),
    NetworkProfile(
      name: "3G", forward: way(900, delay: 80, jitter: 15, loss: .random(0.005), queue: 600),
      back: way(delay: 80, jitter: 15), layer: 1),
    NetworkProfile(
      name: "LTE", forward: way(6_000, delay: 35, jitter: 8, loss: .random(0.002)), back: way(delay: 35, jitter: 8),
      isBottleneck: false),
    NetworkProfile(
      name: "hotel Wi-Fi", forward: way(3_000, delay: 15, jitter: 30, loss: .bursty(0.02, length: 4)),
      back: way(delay: 15, jitter: 30, loss: .bursty(0.02, length: 4)), isBottleneck: false),
    lossy(1), lossy(5), lossy(10), lossy(20),
    NetworkProfile(name: "300 kb/s", forward: way(300), back: way(), layer: 0),
    NetworkProfile(name: "1 Mb/s shared by three", forward: way(1_000), back: way(), receivers: 3, layer: 0),
    NetworkProfile(
      name: "2 s outage", forward: way(4_000), back: way(),
      changes: [(18, way(4_000, loss: .random(1))), (20, way(4_000))], recoversAt: 20, isBottleneck: false),
    NetworkProfile(
      name: "halves and returns", forward: way(2_400), back: way(), changes: [(15, way(1_200)), (30, way(2_400))],
      seconds: 50, recoversAt: 30),
  ]
}

/// What one run over a profile came to.
struct QualityFigures {
  /// The share of time in which the picture stood, from second 2 on.
  var frozen = 0.0
  /// The mean layer shown, 0 to 2.
  var layer = 0.0
  var concealed = 0.0
  /// The estimate's share of the truth in each second from 10 s on; empty where the path has no limit.
  var estimates: [Double] = []
  /// The longest time in a row that the estimate lay above the truth, from second 2 on; nil where the path has no limit.
  var above: Double?
  /// From the end of what was bad to the best layer.
  var recovery: Double?
  /// Packets sent, and of them padding and retransmissions.
  var counters = RouterCounters()
  /// The estimate and what was sent in each second, in kb/s.
  var trace: [(estimate: Int, sent: Int)] = []
  /// Of each receiver the estimate and what is forwarded, in kb/s, twice a second.
  var receivers: [[(estimate: Int, allocated: Int)]] = []
  /// Of each receiver when its picture stood, and for how long, in seconds.
  var freezes: [[(at: Double, length: Double)]] = []
  /// Where several share the path, what each was estimated to have as a share of what the others left it, in each second from 10 s on.
  var shares: [Double] = []
  /// What waited in front of the bottleneck twice a second, in milliseconds.
  var queue: [Int] = []

  var meanEstimate: Double? { estimates.isEmpty ? nil : estimates.reduce(0, +) / Double(estimates.count) }
}

extension NetworkProfile {
  /// Lets a call happen: one publisher with three layers and sound, and the receivers behind this network. `load`: how long packets wait in the
  /// server; nil for not at all.
  func run(seed: UInt64, load: TimeSpan? = nil) throws -> QualityFigures {
    let meeting = QualityMeeting(seed: seed, load: load)
    _ = try meeting.addPublisher()
    let link = meeting.addLink(forward)
    for change in changes {
      meeting.links[link].schedule(change.conditions, at: meeting.start + TimeSpan(nanoseconds: Int64(change.at * 1e9)))
    }
    for _ in 0..<receivers { _ = try meeting.addReceiver(link: link, back: back) }
    var figures = QualityFigures()
    var aboveSince: Double?
    var samples: [Double] = []
    var lastSent = 0
    var lastBits = [Double](repeating: 0, count: receivers)
    var sums = [Double](repeating: 0, count: receivers)
    var tick = 0
    meeting.onSample = {
      let second = meeting.seconds
      let estimate =
        meeting.receivers.map { Double(meeting.router.bandwidth(of: $0.member).estimate?.bitsPerSecond ?? 0) / 1_000 }
        .reduce(0, +)
      tick += 1
      if tick % 5 == 0 {
        let waiting = Double(meeting.links[link].queueLength) * 8
        figures.queue.append(capacity(at: second).map { Int(waiting / $0) } ?? 0)
        for (index, receiver) in meeting.receivers.enumerated() {
          if figures.receivers.count <= index { figures.receivers.append([]) }
          let snapshot = meeting.router.bandwidth(of: receiver.member)
          figures.receivers[index].append(
            (Int((snapshot.estimate?.bitsPerSecond ?? 0) / 1_000), Int(snapshot.allocated.bitsPerSecond / 1_000)))
        }
      }
      for (index, receiver) in meeting.receivers.enumerated() {
        sums[index] += Double(meeting.router.bandwidth(of: receiver.member).estimate?.bitsPerSecond ?? 0) / 10_000
      }
      if tick % 10 == 0, receivers > 1, let truth = capacity(at: second) {
        // With what IP and UDP add, as the estimate counts.
        let bits = meeting.receivers.map { Double($0.bytes + 28 * $0.packets) * 8 / 1_000 }
        let rates = zip(bits, lastBits).map { $0 - $1 }
        lastBits = bits
        if second >= 11 {
          for index in rates.indices {
            figures.shares.append(sums[index] / (truth - rates.reduce(0, +) + rates[index]))
          }
        }
        sums = sums.map { _ in 0 }
      }
      if tick % 10 == 0 {
        let sent = meeting.links[link].statistics.sentBytes
        figures.trace.append((Int(estimate), (sent - lastSent) * 8 / 1_000))
        lastSent = sent
      }
      guard let truth = capacity(at: second) else { return }
      if figures.above == nil { figures.above = 0 }
      if estimate > truth, second >= 2 {
        aboveSince = aboveSince ?? second
        figures.above = max(figures.above ?? 0, second - (aboveSince ?? second))
      } else {
        aboveSince = nil
      }
      if isBottleneck, second >= 10 { samples.append(estimate / truth) }
      if samples.count == 10 {
        figures.estimates.append(samples.reduce(0, +) / 10)
        samples.removeAll()
      }
    }
    meeting.run(for: TimeSpan(nanoseconds: Int64(seconds * 1e9)))
    let count = Double(receivers)
    for receiver in meeting.receivers {
      figures.freezes.append(receiver.video()?.freezes(from: 2, to: seconds) ?? [])
      figures.frozen += (receiver.video()?.frozen(from: 2, to: seconds) ?? 1) / count
      figures.layer += (receiver.video()?.layer(from: 2, to: seconds) ?? 0) / count
      figures.concealed += (receiver.sound()?.concealed(from: 2, to: seconds - 1) ?? 1) / count
      if let recoversAt { figures.recovery = receiver.video()?.recovery(of: layer, from: recoversAt) }
    }
    figures.counters = meeting.router.counters
    return figures
  }
}
