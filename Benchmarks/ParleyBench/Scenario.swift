import Basics
import Foundation
import RTC

/// One figure: who publishes what to how many.
struct Scenario {
  var name: String
  var publishers: Int
  /// Participants that only receive.
  var listeners: Int
  var kind: MediaKind
  /// Media workers of the server. With more than one only Parley is measured.
  var workers = 1
  /// How many voices each participant receives where more talk; those are the loud ones.
  var loudest: Int?

  /// All who are there.
  var participants: Int { publishers + listeners }
  /// Streams that arrive somewhere.
  var streams: Int { (0..<participants).reduce(0) { $0 + slots(of: $1) } }

  /// Whether the participant of that number publishes; the first ones do.
  func publishes(_ number: Int) -> Bool { number < publishers }

  /// How many streams the participant of that number receives.
  func slots(of number: Int) -> Int { min(publishers - (publishes(number) ? 1 : 0), loudest ?? .max) }

  /// Level of the participant's voice in −dBov (RFC 6464): of more than are heard, the others only breathe.
  func level(of number: Int) -> UInt8 { loudest.map { number < $0 } ?? true ? 30 : 75 }

  /// The figures: video of one to ever more receivers, until packets wait for each other at Parley and Janus' loop is
  /// full; people who talk to each other; ten who talk to an audience; and one large meeting over two workers.
  static let all =
    [10, 50, 100, 200, 400, 800].map { Scenario(name: "video 1 → \($0)", publishers: 1, listeners: $0, kind: .video) }
    + [
      Scenario(name: "video 6 ↔ 6", publishers: 6, listeners: 0, kind: .video),
      Scenario(name: "audio 10 ↔ 10", publishers: 10, listeners: 0, kind: .audio),
      Scenario(name: "audio 20 ↔ 20", publishers: 20, listeners: 0, kind: .audio),
      Scenario(name: "audio 10 → 200", publishers: 10, listeners: 200, kind: .audio),
      Scenario(name: "video 1 → 500, two workers", publishers: 1, listeners: 500, kind: .video, workers: 2),
      Scenario(
        name: "audio 500 ↔ 500, two workers", publishers: 500, listeners: 0, kind: .audio, workers: 2, loudest: 3),
    ]

  struct Incomplete: Error, CustomStringConvertible {
    var description: String
  }

  /// Runs it against a server of its own.
  func run(_ server: ServerKind, _ options: BenchOptions, round: Int, burst: Double) async throws -> RunRecord {
    switch server {
    case .parley:
      let parley = try ParleyServer(
        at: options.address, workers: workers, audioLoudest: loudest, countsAllocations: options.countsAllocations)
      let allocations = { parley.mediaAllocations }
      return try await run(parley, server, options, round: round, allocations: allocations)
    case .janus:
      return try await run(JanusServer(at: options.address), server, options, round: round, allocations: { nil })
    case .bare: return try await runBare(options, round: round, burst: burst)
    }
  }

  private func run(
    _ server: any ServerUnderTest, _ kind: ServerKind, _ options: BenchOptions, round: Int,
    allocations: () -> UInt64?
  ) async throws -> RunRecord {
    defer { server.stop() }
    let engine = try LoadEngine(at: options.address, coalesces: options.coalesces)
    do {
      let record = try await run(server, kind, options, round: round, engine, allocations: allocations)
      await engine.stop()
      return record
    } catch {
      await engine.stop()
      throw error
    }
  }

  private func run(
    _ server: any ServerUnderTest, _ kind: ServerKind, _ options: BenchOptions, round: Int, _ engine: LoadEngine,
    allocations: () -> UInt64?
  ) async throws -> RunRecord {
    var record = RunRecord(kind, self, options, round: round)
    // A server's own start must not count as a subscriber's cost.
    try await Task.sleep(for: .milliseconds(300))
    record.residentBefore = server.process.residentKilobytes
    record.proportionalBefore = server.process.proportionalKilobytes
    try await server.join(self, trace: .of(self.kind), engine: engine)
    let count = await engine.count
    try await wait("all \(count) clients to connect", seconds: 60) { await engine.connected == count }
    record.joinTimes(await engine.joinTimes)
    await engine.publish()
    do {
      try await wait("all \(streams) streams to flow", seconds: 20) { await engine.receiving >= streams }
    } catch let error as Incomplete where self.kind == .audio {
      // A server may forward the loudest only.
      guard await engine.receiving > 0 else { throw error }
    }
    record.streams = await engine.receiving
    try await Task.sleep(for: .seconds(2))
    let began = await server.sending()
    let allocated = allocations()
    await engine.resetMeasurement()
    let gauge = ProcessGauge(server.process)
    try await Task.sleep(for: .seconds(options.seconds))
    record.take(await engine.measurement(), gauge)
    if let began, let ended = await server.sending(), ended.calls > began.calls {
      record.burst = Double(ended.datagrams - began.datagrams) / Double(ended.calls - began.calls)
    }
    if let allocated, let now = allocations() { record.allocations = Int(now &- allocated) }
    record.residentAfter = server.process.residentKilobytes
    record.proportionalAfter = server.process.proportionalKilobytes
    await server.leave()
    return record
  }

  private func runBare(_ options: BenchOptions, round: Int, burst: Double) async throws -> RunRecord {
    let load = try BareLoad(coalesces: options.coalesces)
    let count = streams
    let joins = try BareHandshakes.measure(count, at: options.address)
    let ports = try await load.open(count, kind, at: options.address, coalesces: options.coalesces)
    let sender = try MeasuredProcess(
      CommandLine.arguments[0], ["--bare-sender", kind.rawValue, options.address.text, "\(burst)"])
    defer { sender.stop() }
    sender.write(ports.map { "\($0)\n" }.joined() + "\n")
    try await Task.sleep(for: .seconds(2))
    var record = RunRecord(.bare, self, options, round: round)
    record.streams = count
    record.burst = burst
    record.take(joins)
    await load.reset()
    let gauge = ProcessGauge(sender)
    try await Task.sleep(for: .seconds(options.seconds))
    record.take(await load.measurement(), gauge)
    await load.stop()
    return record
  }

  private func wait(_ what: String, seconds: Int, _ condition: () async -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while await !condition() {
      guard ContinuousClock.now < end else { throw Incomplete(description: "waited \(seconds) s for \(what)") }
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}

extension PacketTrace {
  /// The recorded trace of a kind, from `Benchmarks/Traces`.
  static func of(_ kind: MediaKind) throws -> PacketTrace {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appendingPathComponent("Traces/\(kind == .audio ? "opus" : "vp8").csv")
    return try PacketTrace(contentsOf: file, clockRate: kind == .audio ? 48_000 : 90_000)
  }
}
