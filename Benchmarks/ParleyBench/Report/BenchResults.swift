import Foundation

/// All that was measured, as it is kept in a file: reports can be made again, and runs added.
struct BenchResults: Codable {
  /// Processor, cores and kernel of the measured machine.
  var machine = ""
  var commit = ""
  var commands: [String] = []
  var date = ""
  /// Milliseconds from `exec` to ready, and MiB resident then.
  var startMilliseconds: Double?
  var idleMebibytes: Double?
  var records: [RunRecord] = []
  /// Whether the handshakes without a server were measured after the rest, which tables and plots say then.
  var bareJoinsAreApart: Bool?

  /// Reads the results in `file`; none when it doesn't exist.
  init(contentsOf file: String) {
    guard let data = FileManager.default.contents(atPath: file),
      let read = try? JSONDecoder().decode(BenchResults.self, from: data)
    else { return }
    self = read
  }

  /// Notes where and of what the measurements are.
  mutating func describe(command: String) {
    let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let model = cpu.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last ?? "?"
    let kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
    machine =
      "\(model.trimmingCharacters(in: .whitespaces)), \(ProcessInfo.processInfo.activeProcessorCount) cores, Linux "
      + kernel.prefix { $0 != "-" && $0 != "\n" }
    commit = ProcessInfo.processInfo.environment["BENCH_COMMIT"] ?? commit
    if !commands.contains(command) { commands.append(command) }
    date = String(ISO8601DateFormatter().string(from: Date()).prefix(10))
  }

  func write(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: file))
  }

  /// The turns of a server in a figure, put together.
  func summary(_ server: ServerKind, _ figure: String, gro: Bool) -> RunSummary? {
    RunSummary(records.filter { $0.server == server && $0.figure == figure && $0.gro == gro })
  }

  /// The figures in the order of measuring.
  func figures(gro: Bool) -> [String] {
    var seen: Set<String> = []
    return records.filter { $0.gro == gro }.map(\.figure).filter { seen.insert($0).inserted }
  }
}

/// Several turns of one server in one figure.
struct RunSummary {
  let turns: [RunRecord]

  /// Nil when there are none.
  init?(_ turns: [RunRecord]) {
    guard !turns.isEmpty else { return nil }
    self.turns = turns
  }

  var microseconds: Double { mean { $0.microsecondsPerPacket } }
  var packetsPerCPUSecond: Double { 1e6 / max(microseconds, 1e-9) }
  /// The cheapest and the dearest turn.
  var range: ClosedRange<Double> {
    let all = turns.map(\.microsecondsPerPacket)
    return (all.min() ?? 0)...(all.max() ?? 0)
  }
  var delayP50: Double { mean { $0.delayP50 ?? 0 } }
  var delayP99: Double { mean { $0.delayP99 ?? 0 } }
  /// Turns in which somebody joined: those of the bare loop were measured without until a bare handshake was added.
  private var joined: [RunRecord] { turns.filter { $0.joinP50 != nil } }
  var hasJoins: Bool { !joined.isEmpty }
  var joinP50: Double { joined.map { $0.joinP50 ?? 0 }.reduce(0, +) / Double(max(joined.count, 1)) }
  var residentEach: Double { joined.map(\.residentEach).reduce(0, +) / Double(max(joined.count, 1)) }
  var proportionalEach: Double { joined.map(\.proportionalEach).reduce(0, +) / Double(max(joined.count, 1)) }
  var burst: Double? { turns[0].burst == nil ? nil : mean { $0.burst ?? 0 } }
  var missing: Int { turns.reduce(0) { $0 + $1.missing } }
  var damaged: Int { turns.reduce(0) { $0 + $1.damaged } }
  var packets: Int { turns.reduce(0) { $0 + $1.packets } }
  var packetsPerSecond: Double { mean { Double($0.packets) / max($0.wallSeconds, 1e-3) } }
  var receivers: Int { turns[0].receivers }
  var otherCores: Double { mean { $0.otherCores } }

  private func mean(_ value: (RunRecord) -> Double) -> Double { turns.map(value).reduce(0, +) / Double(turns.count) }
}
