import Parley
import Testing

@testable import ParleyViews

/// A display without a screen, and hands for it.
struct VirtualDisplay {
  static let number = ":\(50 + getpid() % 9_000)"

  /// The folder of its content, as a file in memory.
  static let folder = NSTemporaryDirectory() + "parley-display-\(getpid())"

  /// Starts it once; nil when Xvfb or xdotool are not installed.
  static let processID: Int32? = {
    let tools = ["Xvfb", "xdotool"].map { "/usr/bin/\($0)" }
    guard tools.allSatisfy(FileManager.default.isExecutableFile(atPath:)) else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tools[0])
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    process.arguments = [
      number, "-screen", "0", "1400x800x24", "-nolisten", "tcp", "-terminate", "-fbdir", folder,
    ]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return nil }
    atexit {
      if let id = VirtualDisplay.processID { kill(id, SIGTERM) }
      try? FileManager.default.removeItem(atPath: VirtualDisplay.folder)
    }
    setenv("DISPLAY", number, 1)
    setenv("GDK_BACKEND", "x11", 1)
    setenv("GSK_RENDERER", "cairo", 1)
    setenv("NO_AT_BRIDGE", "1", 1)
    // The reports to a screen reader are kept where tests see them.
    setenv("GTK_A11Y", "test", 1)
    return process.processIdentifier
  }()

  static var isThere: Bool {
    FileManager.default.fileExists(atPath: "/tmp/.X11-unix/X\(number.dropFirst())")
  }

  static func hands(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/xdotool")
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
  }
}

extension ScreenTests {
  @MainActor
  @Suite struct WindowTests {
    struct Missing: Error, CustomStringConvertible { let description: String }

    /// Waits until something is so; says what was missing when it never was.
    func wait(_ what: String, _ condition: @MainActor () async throws -> Bool) async throws {
      for _ in 0..<1_200 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(50))
      }
      throw Missing(description: "Waited for \(what) in vain.")
    }

    func window(_ size: CGSize = CGSize(width: 400, height: 500)) async throws -> (UIWindow, UIView) {
      _ = try #require(VirtualDisplay.processID, "Xvfb or xdotool is missing; run Scripts/setup test.")
      try await wait("the display") { VirtualDisplay.isThere }
      let window = UIWindow(frame: CGRect(origin: .zero, size: size))
      let controller = UIViewController()
      window.rootViewController = controller
      controller.view.backgroundColor = .white
      try window.present()
      // Without a window manager keys go where the pointer is.
      try VirtualDisplay.hands("mousemove", "\(Int(size.width) - 8)", "\(Int(size.height) - 8)")
      return (window, controller.view)
    }

    func click(_ view: UIView) throws {
      let point = view.convert(CGPoint(x: view.bounds.midX, y: view.bounds.midY), to: nil)
      try VirtualDisplay.hands("mousemove", "\(Int(point.x))", "\(Int(point.y))", "click", "1")
    }

    /// The same, and keeps what the window showed when it was in vain.
    func wait(_ what: String, in window: UIWindow, _ condition: @MainActor () async throws -> Bool) async throws {
      do {
        try await wait(what, condition)
      } catch {
        try await save(window, "failed")
        throw error
      }
    }

    func save(_ window: UIWindow, _ name: String) async throws {
      guard let folder = ProcessInfo.processInfo.environment["PARLEY_SCREENSHOTS"] else { return }
      try await window.screenshot()?.pngData()?.write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
      try window.snapshot().pngData()?.write(to: URL(fileURLWithPath: "\(folder)/\(name)-headless.png"))
    }

    @Test func aWindowShowsALabelAndATileInTheColoursOfItsFrame() async throws {
      let (window, view) = try await window()
      defer { window.close() }
      let label = UILabel(frame: CGRect(x: 20, y: 20, width: 300, height: 30))
      label.text = "Two people are here"
      label.textColor = .black
      view.addSubview(label)
      let tile = VideoView(frame: CGRect(x: 20, y: 100, width: 200, height: 100))
      view.addSubview(tile)
      tile.show(try redAndBlue())
      try await wait("the tile's colours") {
        let picture = await window.screenshot()
        return isMostly(picture?.color(x: 60, y: 150), red: true)
          && isMostly(picture?.color(x: 180, y: 150), blue: true)
      }
      try await wait("the label's letters") {
        guard let picture = await window.screenshot() else { return false }
        return (20..<320).contains { x in (20..<50).contains { y in isMostly(picture.color(x: x, y: y)) } }
      }
      tile.isMirrored = true
      try await wait("the mirrored tile") {
        isMostly(await window.screenshot()?.color(x: 60, y: 150), blue: true)
      }
      try await save(window, "tile")
    }

    @Test func aClickReachesTheClosureOnceAndATypedTextTheDelegate() async throws {
      final class Watcher: UITextFieldDelegate {
        var refusals = 0
        func textField(
          _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
        ) -> Bool {
          if string == "x" { refusals += 1 }
          return string != "x"
        }
      }
      let (window, view) = try await window()
      defer { window.close() }
      var presses = 0
      let button = UIButton(type: .system, primaryAction: UIAction(title: "Join") { _ in presses += 1 })
      button.frame = CGRect(x: 20, y: 20, width: 120, height: 40)
      view.addSubview(button)
      let field = UITextField(frame: CGRect(x: 20, y: 80, width: 200, height: 36))
      field.borderStyle = .roundedRect
      field.placeholder = "Your name"
      let watcher = Watcher()
      field.delegate = watcher
      view.addSubview(field)
      var taps = 0
      view.addGestureRecognizer(UITapGestureRecognizer { _ in taps += 1 })
      // A click before the button is drawn goes to nobody.
      try await wait("the click") {
        if presses == 0 { try click(button) }
        return presses > 0
      }
      #expect(taps == 0)
      try await wait("the focus") {
        try click(field)
        return field.isFirstResponder
      }
      try VirtualDisplay.hands("type", "Ann")
      try await wait("the typed text") { field.text == "Ann" }
      try VirtualDisplay.hands("type", "x")
      try await wait("the letter that the delegate refuses") { watcher.refusals > 0 }
      #expect(field.text == "Ann")
      try await wait("the tap beside them") {
        try VirtualDisplay.hands("mousemove", "300", "400", "click", "1")
        return taps > 0
      }
      try await save(window, "controls")
    }

    @Test func anAlertIsADialogThatIsAnsweredByAClick() async throws {
      let (window, _) = try await window()
      defer { window.close() }
      var answer = ""
      let alert = UIAlertController(title: "ERROR!", message: "Joining failed.", preferredStyle: .alert)
      alert.addAction(UIAlertAction(title: "Ok", style: .default) { answer = $0.title ?? "" })
      window.rootViewController?.present(alert, animated: true)
      try await wait("the answer of the return key") {
        if answer.isEmpty { try VirtualDisplay.hands("key", "Return") }
        return !answer.isEmpty
      }
      #expect(answer == "Ok")
      #expect(UIApplication.shared.alerts.isEmpty)
    }

    @Test func theAppIsActiveWithTheFocusAndInTheBackgroundWhileItsWindowIsHidden() async throws {
      final class Log: UIResponder, UIApplicationDelegate {
        var lines: [String] = []
        var posted: [Notification.Name] = []
        func note(_ word: String) { lines.append("\(word) \(UIApplication.shared.applicationState)") }
        func applicationWillResignActive(_ application: UIApplication) { note("willResign") }
        func applicationDidBecomeActive(_ application: UIApplication) { note("didBecome") }
        func applicationDidEnterBackground(_ application: UIApplication) { note("didEnterBackground") }
        func applicationWillEnterForeground(_ application: UIApplication) { note("willEnterForeground") }
      }
      let application = UIApplication.shared
      let (log, before) = (Log(), application.delegate)
      application.delegate = log
      defer { application.delegate = before }
      let names = [
        UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
        UIApplication.willEnterForegroundNotification, UIApplication.didBecomeActiveNotification,
      ]
      let observers = names.map { name in
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
          MainActor.assumeIsolated { log.posted.append(name) }
        }
      }
      defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
      let (window, _) = try await window()
      window.title = "in front"
      // Without a window manager nobody but these hands gives the focus, once it is away from the pointer.
      try VirtualDisplay.hands("mousemove", "1390", "790")
      func takeTheFocusAway() async throws {
        try await wait("no focus: \(log.lines)") {
          // It can be taken only after the desktop has seen it given.
          try VirtualDisplay.hands("search", "--name", "^in front$", "windowfocus")
          try VirtualDisplay.hands("search", "--maxdepth", "0", "--name", ".*", "windowfocus")
          try await Task.sleep(for: .milliseconds(100))
          return application.applicationState == .inactive
        }
      }
      try await takeTheFocusAway()
      #expect(log.lines.last == "willResign active" && log.posted.last == UIApplication.willResignActiveNotification)
      (log.lines, log.posted) = ([], [])
      try VirtualDisplay.hands("search", "--name", "^in front$", "windowunmap")
      try await wait("the background: \(log.lines)") { application.applicationState == .background }
      try await wait("the focus again: \(log.lines)") {
        try VirtualDisplay.hands("search", "--name", "^in front$", "windowmap", "windowfocus")
        return application.applicationState == .active
      }
      #expect(
        log.lines == ["didEnterBackground background", "willEnterForeground background", "didBecome active"])
      #expect(log.posted == Array(names.dropFirst()))
      // Without a window an app is headless, and that is in front.
      try await takeTheFocusAway()
      window.close()
      #expect(application.applicationState == .active)
    }

    @Test func viewsFollowTheSizeOfTheWindow() async throws {
      let (window, view) = try await window()
      defer { window.close() }
      let inner = UIView(frame: CGRect(x: 0, y: 460, width: 400, height: 40))
      inner.backgroundColor = .green
      inner.autoresizingMask = [.flexibleWidth, .flexibleTopMargin]
      view.addSubview(inner)
      try await wait("the bar") { isMostly(await window.screenshot()?.color(x: 200, y: 480), green: true) }
      window.title = "resized"
      try await wait("the new size") {
        try VirtualDisplay.hands("search", "--name", "^resized$", "windowsize", "600", "300")
        return window.bounds.size == CGSize(width: 600, height: 300)
      }
      #expect(inner.frame == CGRect(x: 0, y: 260, width: 600, height: 40))
      try await wait("the bar's new place") { isMostly(await window.screenshot()?.color(x: 590, y: 280), green: true) }
    }

    @Test func aListAndASwitchAreWidgetsOfTheDesktop() async throws {
      final class Rows: UITableViewDataSource, UITableViewDelegate {
        var chosen = -1
        func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 3 }
        func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
          let cell = UITableViewCell(style: .subtitle, reuseIdentifier: nil)
          cell.textLabel?.text = "Account \(indexPath.row)"
          cell.detailTextLabel?.text = "Savings"
          return cell
        }
        func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) { chosen = indexPath.row }
      }
      let (window, view) = try await window()
      defer { window.close() }
      let rows = Rows()
      let list = UITableView(frame: CGRect(x: 0, y: 0, width: 400, height: 200))
      list.dataSource = rows
      list.delegate = rows
      view.addSubview(list)
      let toggle = UISwitch(frame: CGRect(x: 20, y: 300, width: 60, height: 31))
      var changes = 0
      toggle.addAction(UIAction { _ in changes += 1 }, for: .valueChanged)
      view.addSubview(toggle)
      try await wait("the second row") {
        try VirtualDisplay.hands("mousemove", "100", "66", "click", "1")
        return rows.chosen == 1
      }
      try await wait("the switch") {
        if changes == 0 { try click(toggle) }
        return changes > 0
      }
      try await save(window, "list")
    }
  }
}
