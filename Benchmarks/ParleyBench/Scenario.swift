import Basics
import Foundation

/// One figure: who publishes what to how many.
struct Scenario {
  var name: String
  var publishers: Int
  /// Participants that only receive.
  var listeners: Int
  var kind: Kind

  enum Kind { case audio, video }

  struct Outcome {
    var scenario: Scenario
    var measurement: Measurement
    var cpu: TimeSpan
    var wall: TimeSpan
    var residentBefore: Int
    var residentAfter: Int
    var clients: Int
    /// Of the media threads while measuring; nil without the counter.
    var allocations: UInt64?

    var microsecondsPerPacket: Double { cpu.seconds * 1e6 / Double(max(measurement.received, 1)) }
    var packetsPerCPUSecond: Double { Double(measurement.received) / max(cpu.seconds, 1e-9) }
  }

  struct Incomplete: Error, CustomStringConvertible {
    var description: String
  }

  /// Runs it against a server of its own with one media worker.
  func run(seconds: Int) async throws -> Outcome {
    let server = try ServerProcess(workers: 1)
    defer { server.stop() }
    let engine = try LoadEngine()
    let trace = try PacketTrace.of(kind)
    let before = server.residentKilobytes
    var sessions: [LoadSession] = []
    let count = publishers + listeners
    for number in 0..<count {
      let publishes = number < publishers
      var plan = LoadClient.Plan(name: "load \(number)")
      let slots = publishers - (publishes ? 1 : 0)
      if kind == .audio {
        plan.audio = publishes ? trace : nil
        plan.audioSlots = slots
      } else {
        plan.video = publishes ? trace : nil
        plan.videoSlots = slots
      }
      let (index, offer, tracks) = try await engine.add(plan)
      sessions.append(
        try await LoadSession(
          url: server.url, room: "bench", name: plan.name, engine: engine, index: index, offer: offer, tracks: tracks))
    }
    try await wait("all \(count) clients to connect", seconds: 20) { await engine.connected == count }
    await engine.publish()
    let streams = publishers * listeners + publishers * (publishers - 1)
    try await wait("all \(streams) streams to flow", seconds: 20) { await engine.receiving == streams }
    try await Task.sleep(for: .seconds(2))
    await engine.resetMeasurement()
    let allocations = server.mediaAllocations
    let cpu = server.cpuTime
    let began = ContinuousClock.now
    try await Task.sleep(for: .seconds(seconds))
    let measurement = await engine.measurement()
    let wall = ContinuousClock.now - began
    let outcome = Outcome(
      scenario: self, measurement: measurement, cpu: server.cpuTime - cpu,
      wall: .milliseconds(wall.components.seconds * 1_000 + wall.components.attoseconds / 1_000_000_000_000_000),
      residentBefore: before, residentAfter: server.residentKilobytes, clients: count,
      allocations: allocations.flatMap { start in server.mediaAllocations.map { $0 &- start } })
    for session in sessions { await session.leave() }
    await engine.stop()
    return outcome
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
  static func of(_ kind: Scenario.Kind) throws -> PacketTrace {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appendingPathComponent("Traces/\(kind == .audio ? "opus" : "vp8").csv")
    return try PacketTrace(contentsOf: file, clockRate: kind == .audio ? 48_000 : 90_000)
  }
}
