import Basics
import Foundation

/// A process that is measured from outside: CPU time, memory and how long it had to wait for a core are its alone.
final class MeasuredProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var text = ""

  struct Ended: Error, CustomStringConvertible {
    var description: String
  }

  /// Starts `binary`; what it writes to standard error is ours too.
  init(_ binary: String, _ arguments: [String], environment: [String: String] = [:], quiet: Bool = false) throws {
    process.executableURL = URL(fileURLWithPath: binary)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = quiet ? FileHandle.nullDevice : output
    if quiet { process.standardError = FileHandle.nullDevice }
    process.standardInput = input
    try process.run()
  }

  var identifier: Int32 { process.processIdentifier }

  /// Writes to its standard input.
  func write(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

  /// Reads its standard output up to the line that starts with `start`, and returns the rest of that line.
  func line(startingWith start: String) throws -> String {
    while true {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.first(where: { $0.hasPrefix(start) }) { return String(line.dropFirst(start.count)) }
      let chunk = output.fileHandleForReading.availableData
      guard !chunk.isEmpty else {
        throw Ended(
          description: "\(process.executableURL?.path ?? "") ended before it said '\(start)'; it printed: \(text)")
      }
      text += String(decoding: chunk, as: UTF8.self)
    }
  }

  /// User and system time that the process has used so far (`/proc/PID/stat`, fields 14 and 15).
  var cpuTime: TimeSpan {
    let fields = Self.statistics(file("stat"))
    guard fields.count > 12 else { return .zero }
    return TimeSpan(nanoseconds: (fields[11] + fields[12]) * 1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// How long threads of the process were ready to run while others had the cores.
  var waitingTime: TimeSpan {
    let folder = "/proc/\(identifier)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return TimeSpan(
      nanoseconds: threads.reduce(0) { sum, thread in
        let text = (try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)) ?? ""
        return sum + (text.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0)
      })
  }

  /// Resident memory in KiB.
  var residentKilobytes: Int { kilobytes("VmRSS:", of: "status") }

  /// The process's share of memory in KiB: its own pages, and its part of those it shares.
  var proportionalKilobytes: Int { kilobytes("Pss:", of: "smaps_rollup") }

  /// Ends it and waits until it is gone; one that does not go within three seconds is killed.
  func stop() {
    process.terminate()
    for _ in 0..<300 where process.isRunning { usleep(10_000) }
    if process.isRunning { kill(identifier, SIGKILL) }
    for _ in 0..<300 where process.isRunning { usleep(10_000) }
  }

  private func file(_ name: String) -> String {
    (try? String(contentsOfFile: "/proc/\(identifier)/\(name)", encoding: .utf8)) ?? ""
  }

  private func kilobytes(_ key: String, of name: String) -> Int {
    let line = file(name).split(separator: "\n").first { $0.hasPrefix(key) } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }

  /// The numbers after the process's name, which may hold spaces.
  private static func statistics(_ text: String) -> [Int64] {
    guard let end = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: end)...].split(separator: " ").map { Int64($0) ?? 0 }
  }
}
