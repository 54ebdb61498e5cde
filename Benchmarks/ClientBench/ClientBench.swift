import Foundation
import Parley

@main enum ClientBench {
  private static let usage = """
    Measures the client SDK against a server of its own: how long joining takes, phase by phase, and what a published and a received
    720p stream cost beside the codec alone. Prints Markdown.

    With --encrypted it measures each twice, the second time end-to-end encrypted. --people is how many are in the meeting that is joined, and
    publish a tone each.

    usage: client-bench [--server .build/release/parley] [--joins 50] [--seconds 10] [--people 1] [--encrypted]
    """

  @MainActor static func main() async throws {
    var server = ".build/release/parley"
    var joins = 50
    var seconds = 10.0
    var people = 1
    var isEncrypted = false
    var arguments = CommandLine.arguments.dropFirst()
    if arguments.contains("--help") || arguments.contains("-h") { return print(usage) }
    while let name = arguments.popFirst() {
      if name == "--encrypted" {
        isEncrypted = true
        continue
      }
      guard let value = arguments.popFirst() else { return print("\(name) needs a value") }
      switch name {
      case "--server": server = value
      case "--joins": joins = Int(value) ?? joins
      case "--seconds": seconds = Double(value) ?? seconds
      case "--people": people = Int(value) ?? people
      default: return print("unknown option \(name)")
      }
    }
    let process = try BenchServer(program: server)
    defer { process.stop() }
    var secrets: [LinkSecret?] = [nil]
    if isEncrypted { secrets.append(try LinkSecret()) }
    for secret in secrets {
      if isEncrypted { print(secret == nil ? "Without end-to-end encryption:\n" : "End-to-end encrypted:\n") }
      let (suffix, fragment) = secret.map { ("-encrypted", "#e2ee=\($0.text)") } ?? ("", "")
      try await JoinTiming.run("\(process.url)/timing\(suffix)\(fragment)", people: people, joins: joins)
      try await StreamCost.run("\(process.url)/cost\(suffix)\(fragment)", server: process, seconds: seconds)
    }
  }
}

/// A server process on a free port, ended with the benchmark.
final class BenchServer {
  let url: String
  private let process = Process()
  private let program: String
  private let folder = NSTemporaryDirectory() + "parley-bench-" + UUID().uuidString

  init(program: String) throws {
    let port = UInt16.random(in: 20_000..<30_000)
    url = "http://127.0.0.1:\(port)"
    self.program = program
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["serve", "--port", "\(port)", "--data", folder, "--host", "127.0.0.1", "--log-level", "error"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // The first line says that it accepts joins.
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.contains("Parley is ready") else {
      process.terminate()
      throw MediaError.cannotOpen(program, reason: "it did not start: \(line)")
    }
  }

  /// Lets a process of its own receive what is published in a meeting: what nobody watches is not sent.
  func watch(_ address: String) throws -> Process {
    let viewer = Process()
    viewer.executableURL = URL(fileURLWithPath: program)
    viewer.arguments = ["join", address, "--json", "--name", "Viewer"]
    viewer.standardInput = Pipe()
    viewer.standardOutput = FileHandle.nullDevice
    try viewer.run()
    return viewer
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
