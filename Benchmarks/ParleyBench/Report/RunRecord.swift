import Basics
import Foundation

/// One server's result in one turn of one figure.
struct RunRecord: Codable {
  var server: ServerKind
  var figure: String
  var kind: String
  var publishers: Int
  var participants: Int
  /// Whether receivers used GRO.
  var gro: Bool
  var round: Int

  /// Streams that arrived somewhere.
  var streams = 0
  /// Packets that arrived, checked.
  var packets = 0
  var missing = 0
  var damaged = 0
  var cpuSeconds = 0.0
  var wallSeconds = 0.0
  /// Seconds that the server's threads were ready but had no core.
  var waitingSeconds = 0.0
  /// Cores that the load and all others but load and server used.
  var loadCores = 0.0
  var otherCores = 0.0
  /// Datagrams a sending system call; nil where unknown.
  var burst: Double?
  var delayP50: Double?
  var delayP99: Double?
  var joinP50: Double?
  var joinP99: Double?
  var residentBefore = 0
  var residentAfter = 0
  var proportionalBefore = 0
  var proportionalAfter = 0
  /// Heap allocations of Parley's media threads; nil without the counter.
  var allocations: Int?

  init(_ server: ServerKind, _ scenario: Scenario, _ options: BenchOptions, round: Int) {
    self.server = server
    figure = scenario.name
    kind = scenario.kind.rawValue
    publishers = scenario.publishers
    participants = scenario.participants
    gro = options.coalesces
    self.round = round
  }

  /// Receivers of a publisher.
  var receivers: Int { participants - 1 }
  var microsecondsPerPacket: Double { cpuSeconds * 1e6 / Double(max(packets, 1)) }
  /// Those whose memory is counted: participants, or of the bare loop, who has none, the streams that it sends.
  private var counted: Double { Double(max(server == .bare ? streams : participants, 1)) }
  /// Resident and proportional KiB that each of them added.
  var residentEach: Double { Double(residentAfter - residentBefore) / counted }
  var proportionalEach: Double { Double(proportionalAfter - proportionalBefore) / counted }

  mutating func take(_ measurement: Measurement, _ gauge: ProcessGauge) {
    let reading = gauge.read()
    packets = measurement.received
    missing = measurement.missing
    damaged = measurement.damaged
    cpuSeconds = reading.cpu
    wallSeconds = reading.wall
    waitingSeconds = reading.waiting
    loadCores = reading.load
    otherCores = reading.others
    delayP50 = measurement.delays.milliseconds(atShare: 0.5)
    delayP99 = measurement.delays.milliseconds(atShare: 0.99)
  }

  /// Takes over what a subscriber takes of the bare loop.
  mutating func take(_ costs: BareHandshakes.Costs) {
    joinTimes(costs.times)
    residentBefore = costs.residentBefore
    residentAfter = costs.residentAfter
    proportionalBefore = costs.proportionalBefore
    proportionalAfter = costs.proportionalAfter
  }

  mutating func joinTimes(_ times: [TimeSpan]) {
    let sorted = times.map { $0.seconds * 1_000 }.sorted()
    guard !sorted.isEmpty else { return }
    joinP50 = sorted[sorted.count / 2]
    joinP99 = sorted[min(sorted.count * 99 / 100, sorted.count - 1)]
  }

  /// One line for whoever watches.
  var line: String {
    String(
      format:
        "%@, %@%@, turn %d: %.2f µs a packet, %d packets, delay %.2f / %.2f ms, missing %d, damaged %d, "
        + "%.0f KiB each (PSS %.0f), join %.0f ms; cores: server %.2f, load %.2f, others %.2f; waited %.2f s; burst %.1f%@",
      server.name, figure, gro ? ", GRO" : "", round, microsecondsPerPacket, packets, delayP50 ?? 0, delayP99 ?? 0,
      missing, damaged, residentEach, proportionalEach, joinP50 ?? 0, cpuSeconds / max(wallSeconds, 1e-3), loadCores,
      otherCores, waitingSeconds, burst ?? 0,
      allocations.map { String(format: "; %.4f allocations a packet", Double($0) / Double(max(packets, 1))) } ?? "")
  }
}
