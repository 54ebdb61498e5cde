import Basics
import Foundation

/// The release server as a process of its own, so that its CPU time and memory are its alone.
final class ServerProcess {
  let url: String
  let port: Int
  /// From `exec` to the ready line.
  let start: TimeSpan
  private let process: Process
  private let data: URL
  private let allocationFile: URL
  /// What `make bench` builds from `Benchmarks/AllocationCounter`; without it allocations are not counted.
  private static let allocationCounter = FileManager.default.currentDirectoryPath + "/.build/allocation-counter.so"

  struct DidNotStart: Error, CustomStringConvertible {
    var description: String
  }

  /// Starts `.build/release/parley` (or `$PARLEY`) on a free port and waits for its ready line.
  init(workers: Int) throws {
    let binary = ProcessInfo.processInfo.environment["PARLEY"] ?? ".build/release/parley"
    data = FileManager.default.temporaryDirectory.appendingPathComponent("parley-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    process = Process()
    process.executableURL = URL(fileURLWithPath: binary)
    port = Int.random(in: 20_000..<30_000)
    process.arguments = [
      "serve", "--host", "127.0.0.1", "--port", "\(port)", "--data", data.path, "--workers", "\(workers)",
      "--log-level", "warning",
    ]
    allocationFile = data.appendingPathComponent("allocations")
    if FileManager.default.fileExists(atPath: Self.allocationCounter) {
      var environment = ProcessInfo.processInfo.environment
      environment["LD_PRELOAD"] = Self.allocationCounter
      environment["ALLOCATION_COUNTER"] = allocationFile.path
      process.environment = environment
    }
    let output = Pipe()
    process.standardOutput = output
    let began = ContinuousClock.now
    try process.run()
    var text = ""
    while !text.contains("Parley is ready: ") || !text.hasSuffix("\n") {
      let chunk = output.fileHandleForReading.availableData
      guard !chunk.isEmpty else {
        throw DidNotStart(description: "\(binary) ended before it was ready; it printed: \(text)")
      }
      text += String(decoding: chunk, as: UTF8.self)
    }
    let took = ContinuousClock.now - began
    start = TimeSpan(nanoseconds: took.components.seconds * 1_000_000_000 + took.components.attoseconds / 1_000_000_000)
    let line = text.split(separator: "\n").first { $0.hasPrefix("Parley is ready: ") } ?? ""
    url = String(line.dropFirst("Parley is ready: ".count)).trimmingCharacters(in: ["/", " "])
  }

  /// User and system time that the process has used so far.
  var cpuTime: TimeSpan {
    guard let stat = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8),
      let afterName = stat.lastIndex(of: ")")
    else { return .zero }
    let fields = stat[stat.index(after: afterName)...].split(separator: " ")
    guard fields.count > 12, let user = Int64(fields[11]), let system = Int64(fields[12]) else { return .zero }
    return TimeSpan(nanoseconds: (user + system) * 1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// Resident memory in KiB.
  var residentKilobytes: Int {
    guard let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
    else { return 0 }
    return Int(line.filter(\.isNumber)) ?? 0
  }

  /// Heap allocations of the media threads so far; nil without the counter.
  var mediaAllocations: UInt64? {
    guard let bytes = try? Data(contentsOf: allocationFile), bytes.count >= 24 else { return nil }
    return bytes[16..<24].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  var processIdentifier: Int32 { process.processIdentifier }

  /// Stops the server and removes its data.
  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: data)
  }
}
