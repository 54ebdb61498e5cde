import Foundation
import Testing

/// The work of an app's main thread while a window is open.
extension ScreenTests.WindowTests {
  /// Reads lines of a program until one comes after which somebody has to act.
  private final class Lines: @unchecked Sendable {
    // Unchecked because: one thread reads, and only that one.
    private let handle: FileHandle
    private var rest = Data()
    init(_ handle: FileHandle) { self.handle = handle }

    func next() -> String? {
      while true {
        if let end = rest.firstIndex(of: 10) {
          defer { rest = rest[(end + 1)...] }
          return String(decoding: rest[..<end], as: UTF8.self)
        }
        let more = handle.availableData
        guard !more.isEmpty else { return nil }
        rest += more
      }
    }
  }

  @Test func theMainRunLoopAndTheMainActorGoOnWhateverIsOverAWindow() async throws {
    let (window, _) = try await window()
    window.close()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("headless-views")
    process.arguments = ["--loops"]
    var environment = ProcessInfo.processInfo.environment
    environment["DISPLAY"] = VirtualDisplay.number
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // A program that never ends would hold up all tests.
    let id = process.processIdentifier
    let guardian = Task {
      try await Task.sleep(for: .seconds(60))
      kill(id, SIGKILL)
    }
    defer { guardian.cancel() }
    let seen = try await Task.detached {
      let lines = Lines(output.fileHandleForReading)
      var seen: [String] = []
      while let line = lines.next() {
        if line == "drag me" {
          try VirtualDisplay.hands(
            "mousemove", "100", "100", "mousedown", "1", "mousemove", "130", "130", "mousemove", "160", "160")
        } else {
          seen.append(line)
        }
      }
      return seen
    }.value
    try VirtualDisplay.hands("mouseup", "1")
    let states = ["window", "alert", "sheet", "alert view", "screen", "drag"]
    #expect(seen == states.map { "\($0): timers go on, tasks go on, queue go on" })
  }
}
