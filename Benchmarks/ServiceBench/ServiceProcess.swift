import Foundation

/// A server process on free ports, ended with the benchmark.
final class ServiceProcess {
  let port = Int.random(in: 20_000..<25_000)
  var admin: Int { port + 5_000 }
  private let process = Process()

  init(program: String, folder: String) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "serve", "--host", "127.0.0.1", "--port", "\(port)", "--admin-port", "\(port + 5_000)", "--media-port", "0",
      "--data", folder, "--log-level", "error",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // The first line says that it accepts joins.
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.contains("Parley is ready") else {
      process.terminate()
      throw BenchFailure("\(program) did not start: \(line)")
    }
  }

  /// Memory that the server's process has in use, in megabytes of 1,000,000 bytes.
  var residentMegabytes: Int {
    let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    return (kilobytes * 1_024 + 500_000) / 1_000_000
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}
