import Foundation
import Parley

@main enum ClientBench {
  private static let usage = """
    Measures the client SDK against a server of its own: how long joining takes, phase by phase, and what a published and a received
    720p stream cost beside the codec alone. Prints Markdown.

    With --encrypted it measures each in clear and end-to-end encrypted, in turns: --rounds is how many, among which the joins are divided.
    --people is how many are in the meeting that is joined, and publish a tone each.

    usage: client-bench [--server .build/release/parley] [--joins 50] [--seconds 10] [--people 1] [--encrypted] [--rounds 1, or 5 with --encrypted]
    """

  @MainActor static func main() async throws {
    var server = ".build/release/parley"
    var joins = 50
    var seconds = 10.0
    var people = 1
    var isEncrypted = false
    var givenRounds: Int?
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
      case "--rounds": givenRounds = Int(value)
      default: return print("unknown option \(name)")
      }
    }
    let process = try BenchServer(program: server)
    defer { process.stop() }
    let rounds = max(givenRounds ?? (isEncrypted ? 5 : 1), 1)
    var modes = [Mode(title: "in clear", address: { "\(process.url)/\($0)" })]
    if isEncrypted {
      let secret = try LinkSecret()
      modes.append(Mode(title: "encrypted", address: { "\(process.url)/\($0)-encrypted#e2ee=\(secret.text)" }))
    }
    for _ in 0..<rounds {
      for index in modes.indices {
        let (timing, cost) = (modes[index].address("timing"), modes[index].address("cost"))
        modes[index].times += try await JoinTiming.measure(timing, people: people, joins: max(joins / rounds, 1))
        modes[index].costs.append(try await StreamCost.measure(cost, server: process, seconds: seconds))
      }
    }
    JoinTiming.print(modes, people: people)
    StreamCost.print(modes)
  }
}

/// One way of meeting, with what was measured of it.
struct Mode {
  let title: String
  /// The address of a room by its name.
  let address: (String) -> String
  var times: [JoinTimes] = []
  var costs: [StreamCost] = []
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
