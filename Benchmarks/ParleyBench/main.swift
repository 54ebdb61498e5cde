import Basics
import Foundation

/// Prints at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// From `exec` to ready (median of five), and what is resident then.
func measureStart(_ options: BenchOptions, into results: inout BenchResults) async throws {
  let cores = ProcessInfo.processInfo.activeProcessorCount
  var starts: [Double] = []
  for turn in 0..<5 {
    let server = try ParleyServer(at: options.address, workers: cores)
    starts.append(server.start.seconds * 1_000)
    if turn == 0 {
      try await Task.sleep(for: .seconds(1))
      results.idleMebibytes = Double(server.process.residentKilobytes) / 1_024
    }
    server.stop()
  }
  results.startMilliseconds = starts.sorted()[starts.count / 2]
}

do {
  let arguments = Array(CommandLine.arguments.dropFirst())
  if arguments.contains("--help") || arguments.contains("-h") {
    say(BenchOptions.usage)
    exit(0)
  }
  if arguments.first == "--bare-sender" {
    try BareSender.main(Array(arguments.dropFirst()))
    exit(0)
  }
  if arguments.first == "--bare-handshakes" {
    try BareHandshakes.main(Array(arguments.dropFirst()))
    exit(0)
  }
  let options = try BenchOptions(arguments)
  var results = BenchResults(contentsOf: options.results)
  if !options.servers.isEmpty {
    results.describe(command: "parley-bench " + arguments.joined(separator: " "))
    if options.servers.contains(.parley), options.wanted == nil { try await measureStart(options, into: &results) }
    for scenario in Scenario.all where options.wanted.map(scenario.name.contains) ?? true {
      // Turn and turn about, so that a machine that becomes slower does so for all.
      for round in 1...options.rounds {
        for server in options.servers where server == .parley || scenario.workers == 1 {
          let burst = options.burst ?? results.summary(.parley, scenario.name, gro: options.coalesces)?.burst ?? 1
          do {
            let record = try await scenario.run(server, options, round: round, burst: burst)
            say(record.line)
            results.records.append(record)
          } catch {
            say("\(server.name), \(scenario.name), turn \(round): \(error)")
          }
        }
      }
      try results.write(to: options.results)
    }
  }
  if options.addsBareJoins {
    for index in results.records.indices where results.records[index].server == .bare {
      let streams = results.records[index].streams
      results.records[index].take(try BareHandshakes.measure(streams, at: options.address))
      say(results.records[index].line)
    }
    results.bareJoinsAreApart = true
    try results.write(to: options.results)
  }
  let report = BenchReport(results)
  say(report.markdown)
  if let folder = options.report { try report.write(to: folder) }
} catch {
  FileHandle.standardError.write(Data("parley-bench: \(error)\n".utf8))
  exit(1)
}
