import Basics
import Foundation
import Transport

/// `parley serve`, with one media worker by default.
final class ParleyServer: ServerUnderTest {
  let process: MeasuredProcess
  let url: String
  /// From `exec` to the ready line.
  let start: TimeSpan
  private let data: URL
  private let admin: Int
  private let allocationFile: URL
  private var sessions: [ParleySession] = []
  /// `make bench` builds it from `Benchmarks/AllocationCounter`.
  private static let allocationCounter = FileManager.default.currentDirectoryPath + "/.build/allocation-counter.so"

  /// Starts `.build/release/parley` (or `$PARLEY`) at `address` and waits for its ready line.
  /// - Parameters:
  ///   - audioLoudest: Voices that it forwards where more talk; nil for its own default.
  ///   - countsAllocations: Whether to load the allocation counter into it, which costs some time for each allocation.
  init(at address: IPAddress, workers: Int, audioLoudest: Int? = nil, countsAllocations: Bool = false) throws {
    let binary = ProcessInfo.processInfo.environment["PARLEY"] ?? ".build/release/parley"
    data = FileManager.default.temporaryDirectory.appendingPathComponent("parley-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    let port = Int.random(in: 20_000..<25_000)
    admin = port + 5_000
    allocationFile = data.appendingPathComponent("allocations")
    let counts = countsAllocations && FileManager.default.fileExists(atPath: Self.allocationCounter)
    let began = ContinuousClock.now
    process = try MeasuredProcess(
      binary,
      [
        "serve", "--host", address.text, "--port", "\(port)", "--data", data.path, "--workers", "\(workers)",
        "--media-port", "0", "--admin-port", "\(admin)", "--log-level", "warning", "--max-participants", "1000",
        // All come from one address that is not loopback.
        "--address-rate", "0",
      ] + (audioLoudest.map { ["--audio-loudest", "\($0)"] } ?? []),
      environment: counts
        ? ["LD_PRELOAD": Self.allocationCounter, "ALLOCATION_COUNTER": allocationFile.path] : [:])
    url = try process.line(startingWith: "Parley is ready: ").trimmingCharacters(in: ["/", " "])
    start = TimeSpan(nanoseconds: Int64((ContinuousClock.now - began) / .nanoseconds(1)))
  }

  func join(_ scenario: Scenario, trace: PacketTrace, engine: LoadEngine) async throws {
    for number in 0..<scenario.participants {
      var plan = LoadClient.Plan(kind: scenario.kind)
      plan.trace = scenario.publishes(number) ? trace : nil
      plan.level = scenario.level(of: number)
      plan.slots = scenario.slots(of: number)
      let client = try await engine.add(plan)
      let offer = try await engine.offer(client)
      let session = try await ParleySession(
        url: url, name: "load \(number)", offer: offer.sdp, tracks: offer.tracks)
      try await engine.answer(client, session.answer)
      sessions.append(session)
    }
  }

  func leave() async {
    for session in sessions { await session.leave() }
    sessions = []
  }

  func sending() async -> (datagrams: Int, calls: Int)? {
    guard let answer = try? await HTTPClient.request("GET", "http://127.0.0.1:\(admin)/metrics") else { return nil }
    func sum(_ name: String) -> Int {
      answer.text.split(separator: "\n").filter { $0.hasPrefix("parley_media_\(name){") }
        .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }
    return (sum("datagrams_sent_total"), sum("send_calls_total"))
  }

  /// Heap allocations of the media threads so far; nil without the counter.
  var mediaAllocations: UInt64? {
    guard let bytes = try? Data(contentsOf: allocationFile), bytes.count >= 24 else { return nil }
    return bytes[16..<24].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func stop() {
    process.stop()
    try? FileManager.default.removeItem(at: data)
  }
}
