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
  /// The rate of the best video and the audio with IP and UDP headers, in kb/s. A path with a higher rate is not tried.
  static let demand = 1_600.0
  /// The layer that fits the path.
  var layer = 2

  var testDescription: String { name }

  /// The capacity at a moment in kb/s; nil for none that could matter.
  func capacity(at second: Double) -> Double? {
    let now = changes.last { $0.at <= second }?.conditions ?? forward
    return now.capacity.map { Double($0.bitsPerSecond) / 1_000 }
  }

  /// Whether the path has been what limits the pictures, and the same, for ten seconds.
  func isSteadyBottleneck(at second: Double) -> Bool {
    let since = changes.last { $0.at <= second }?.at ?? 0
    return second >= since + 10 && capacity(at: second).map { $0 < Self.demand } == true
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

  /// The twelve profiles, in the order of the table.
  static let all: [NetworkProfile] = [
    NetworkProfile(name: "clean", forward: way(), back: way()),
    NetworkProfile(
      name: "3G", forward: way(900, delay: 80, jitter: 15, loss: .random(0.005), queue: 600),
      back: way(delay: 80, jitter: 15), layer: 1),
    NetworkProfile(
      name: "LTE", forward: way(6_000, delay: 35, jitter: 8, loss: .random(0.002)), back: way(delay: 35, jitter: 8)),
    NetworkProfile(
      name: "hotel Wi-Fi", forward: way(3_000, delay: 15, jitter: 30, loss: .bursty(0.02, length: 4)),
      back: way(delay: 15, jitter: 30, loss: .bursty(0.02, length: 4))),
    lossy(1), lossy(5), lossy(10), lossy(20),
    NetworkProfile(name: "300 kb/s", forward: way(300), back: way(), layer: 0),
    NetworkProfile(name: "1 Mb/s shared by three", forward: way(1_000), back: way(), receivers: 3, layer: 0),
    NetworkProfile(
      name: "2 s outage", forward: way(4_000), back: way(),
      changes: [(18, way(4_000, loss: .random(1))), (20, way(4_000))], recoversAt: 20),
    NetworkProfile(
      name: "halves and returns", forward: way(2_400), back: way(), changes: [(15, way(1_200)), (30, way(2_400))],
      seconds: 50, recoversAt: 30),
  ]
}

/// The figures of one run over a profile.
struct QualityFigures {
  /// The share of time in which the picture stood, from second 2 on.
  var frozen = 0.0
  /// The mean layer shown, 0 to 2.
  var layer = 0.0
  var concealed = 0.0
  /// The estimate's share of the truth in each second in which the path was a steady bottleneck, of all receivers; see
  /// ``EstimateJudge``.
  var estimates: [Double] = []
  /// The longest time in a row that an estimate lay above the truth, from second 2 on; nil where the path has no limit.
  var above: Double?
  /// The most that an estimate was of what the path takes in all, from second 2 on.
  var highest = 0.0
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
  /// The queue in front of the bottleneck twice a second, in milliseconds.
  var queue: [Int] = []

  var meanEstimate: Double? { estimates.isEmpty ? nil : estimates.reduce(0, +) / Double(estimates.count) }
}

extension NetworkProfile {
  /// Lets a call happen: one publisher with three layers and sound, and the receivers behind this network. `load`: how
  /// long packets wait in the server; nil for not at all.
  func run(seed: UInt64, load: TimeSpan? = nil) throws -> QualityFigures {
    let meeting = QualityMeeting(seed: seed, load: load)
    _ = try meeting.addPublisher()
    let link = meeting.addLink(forward)
    for change in changes {
      meeting.links[link].schedule(change.conditions, at: meeting.start + TimeSpan(nanoseconds: Int64(change.at * 1e9)))
    }
    for _ in 0..<receivers { _ = try meeting.addReceiver(link: link, back: back) }
    var figures = QualityFigures()
    var judges = [EstimateJudge](repeating: EstimateJudge(), count: receivers)
    var rates = RecentRates()
    var lastSent = 0
    var tick = 0
    meeting.onSample = {
      let second = meeting.seconds
      let estimates = meeting.receivers.map {
        Double(meeting.router.bandwidth(of: $0.member).estimate?.bitsPerSecond ?? 0) / 1_000
      }
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
      if tick % 10 == 0 {
        let sent = meeting.links[link].statistics.sentBytes
        figures.trace.append((Int(estimates.reduce(0, +)), (sent - lastSent) * 8 / 1_000))
        lastSent = sent
      }
      rates.add(meeting.receivers)
      guard let capacity = capacity(at: second) else { return }
      for (index, estimate) in estimates.enumerated() {
        let truth = max(capacity - rates.others(than: index), capacity / Double(receivers))
        judges[index].add(
          estimate: estimate, truth: truth, second: second, isSteady: isSteadyBottleneck(at: second))
        if second >= 2 { figures.highest = max(figures.highest, estimate / capacity) }
      }
    }
    meeting.run(for: TimeSpan(nanoseconds: Int64(seconds * 1e9)))
    figures.estimates = judges.flatMap(\.shares)
    if forward.capacity != nil { figures.above = judges.map(\.above).max() }
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
