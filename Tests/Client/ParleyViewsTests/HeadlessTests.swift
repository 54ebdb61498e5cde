import Foundation
import Testing

/// Views without a display, in a process of their own: what it loads, and what it says when it is asked for a window.
@Suite struct HeadlessTests {
  /// `headless-views` without a display, and with `environment` on top.
  private func app(_ arguments: [String], _ environment: [String: String] = [:]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("headless-views")
    process.arguments = arguments
    var all = ProcessInfo.processInfo.environment
    all["DISPLAY"] = nil
    all["WAYLAND_DISPLAY"] = nil
    process.environment = all.merging(environment) { _, new in new }
    return process
  }

  /// Runs `headless-views` without a display, and with `environment` on top.
  private func run(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, error: String) {
    let process = app(arguments, environment)
    let (output, error) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = error
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = error.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: text, as: UTF8.self), String(decoding: complaint, as: UTF8.self)
    )
  }

  /// Runs `body` with a folder that stands before the system's libraries and holds a libgtk that is none.
  private func withoutGTK(_ body: ([String: String]) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "parley-no-gtk-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try "none".write(toFile: folder + "/libgtk-4.so.1", atomically: true, encoding: .utf8)
    let others = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
    try body(["LD_LIBRARY_PATH": folder + others, "DISPLAY": ":0"])
  }

  private let noDisplay = """
    There is no display for a window. Neither DISPLAY nor WAYLAND_DISPLAY is set. Start the app in a desktop session, or \
    headless: views work without a window, too.
    """
  private let install = "Install it with: apt-get install libgtk-4-1 libpangocairo-1.0-0 fonts-dejavu-core"

  @Test func headlessViewsWorkAndNeverLoadGTK() throws {
    let result = try run(["--headless"])
    #expect(result.status == 0, "\(result.error)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "presses 1, alerts 1, picture true", "cairo true, gtk false", "window: \(noDisplay)",
        "gtk false, presented false",
      ])
  }

  @Test func headlessViewsNeedNoGTK() throws {
    try withoutGTK { environment in
      let result = try run(["--headless"], environment)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.output.hasPrefix("presses 1, alerts 1, picture true\ncairo true, gtk false\n"))
      #expect(result.output.contains("window: A library for windows is missing. The library libgtk-4.so.1 could not"))
      #expect(result.output.contains(install))
      #expect(result.output.hasSuffix("gtk false, presented false\n"))
    }
  }

  /// Sends `headless-views --headless` a signal twice, and returns its output and how it ended.
  private func stopped(by signal: Int32, _ arguments: String...) throws -> (said: String, process: Process) {
    // These tests may have been started with SIGHUP ignored (nohup), and an app that is started so goes on then.
    let process = app(["--default-signal=HUP", app([]).executableURL?.path ?? "", "--headless"] + arguments)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // A program that never ends would hold up all tests.
    let (id, ended) = (process.processIdentifier, DispatchSemaphore(value: 0))
    Thread.detachNewThread { if ended.wait(timeout: .now() + 30) == .timedOut { kill(id, SIGKILL) } }
    defer { ended.signal() }
    var text = output.fileHandleForReading.availableData
    #expect(String(decoding: text, as: UTF8.self) == "ready\n")
    // Two at once are one wish, as `timeout` sends them.
    for _ in 1...2 { kill(id, signal) }
    text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: text, as: UTF8.self), process)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func anAppThatIsAskedToEndTellsItsDelegateFirst(signal: Int32) throws {
    let (said, process) = try stopped(by: signal, "--stay")
    #expect(said == "about to end, active\ntold of the end\n")
    #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
  }

  @Test func anAppWhoseMainQueueIsAlwaysBusyEndsWhenItIsAskedTo() throws {
    let (said, process) = try stopped(by: SIGTERM, "--stay", "--busy")
    #expect(said.isEmpty && process.terminationStatus == 0 && process.terminationReason == .exit)
  }

  @Test func anAppWithoutADisplaySaysSoAndEnds() throws {
    for environment in [[:], ["DISPLAY": ""], ["DISPLAY": "", "WAYLAND_DISPLAY": ""]] {
      let none = try run([], environment)
      #expect(none.status == 1 && none.output.isEmpty)
      #expect(none.error == noDisplay + "\n")
    }
    let wrong = try run([], ["DISPLAY": ":64999"])
    #expect(wrong.status == 1 && wrong.output.isEmpty)
    #expect(wrong.error.contains("The display ':64999' could not be opened."), "\(wrong.error)")
    #expect(wrong.error.contains("headless"))
  }

  @Test func anAppWithoutGTKSaysWhatToInstallAndEnds() throws {
    try withoutGTK { environment in
      let result = try run([], environment)
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(result.error.contains("The library libgtk-4.so.1 could not be loaded."))
      #expect(result.error.contains(install))
    }
  }
}
