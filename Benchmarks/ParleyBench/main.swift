import Basics
import Foundation

// parley-bench [seconds per figure] [part of a figure's name]

let arguments = CommandLine.arguments.dropFirst()
let seconds = arguments.first.flatMap { Int($0) } ?? 10
let wanted = arguments.dropFirst().first

/// Prints at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let scenarios = [
  Scenario(name: "video 1 → 50", publishers: 1, listeners: 50, kind: .video),
  Scenario(name: "video 1 → 200", publishers: 1, listeners: 200, kind: .video),
  Scenario(name: "video 6 ↔ 6", publishers: 6, listeners: 0, kind: .video),
  Scenario(name: "audio 10 → 10", publishers: 10, listeners: 0, kind: .audio),
].filter { wanted.map($0.name.contains) ?? true }

do {
  let idle = try ServerProcess(workers: ProcessInfo.processInfo.activeProcessorCount)
  try await Task.sleep(for: .seconds(1))
  let resident = idle.residentKilobytes
  idle.stop()
  var starts: [Double] = []
  for _ in 0..<5 {
    let server = try ServerProcess(workers: ProcessInfo.processInfo.activeProcessorCount)
    starts.append(Double(server.start.microseconds) / 1_000)
    server.stop()
  }
  let start = starts.sorted()[starts.count / 2]
  say(
    String(
      format: "start to ready: %.0f ms (median of 5); resident memory idle: %.1f MiB", start, Double(resident) / 1_024))

  say(
    "| figure | packets/s out | packets per CPU second | µs CPU a packet | delay p50 | delay p99 | missing | KiB a client "
      + "| allocations a packet |")
  say("|---|---|---|---|---|---|---|---|---|")
  for scenario in scenarios {
    let outcome = try await scenario.run(seconds: seconds)
    let m = outcome.measurement
    say(
      String(
        format: "| %@ | %.0f | %.0f | %.2f | %.2f ms | %.2f ms | %d of %d | %.0f | %@ |", scenario.name,
        Double(m.received) / outcome.wall.seconds, outcome.packetsPerCPUSecond, outcome.microsecondsPerPacket,
        m.delays.milliseconds(atShare: 0.5) ?? 0, m.delays.milliseconds(atShare: 0.99) ?? 0, m.missing,
        m.received + m.missing, Double(outcome.residentAfter - outcome.residentBefore) / Double(outcome.clients),
        outcome.allocations.map { String(format: "%.4f", Double($0) / Double(max(m.received, 1))) } ?? "not counted"))
    if m.damaged > 0 { say("damaged packets: \(m.damaged)") }
  }
} catch {
  FileHandle.standardError.write(Data("parley-bench: \(error)\n".utf8))
  exit(1)
}
