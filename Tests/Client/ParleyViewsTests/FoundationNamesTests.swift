import ParleyViews
import Testing

/// Names that apps use besides views, as their listings spell them.
@MainActor
@Suite struct FoundationNamesTests {
  @MainActor private final class Renderer {
    var frames = 0
    var last: TimeInterval = 0
    var log: [String] = []
    func draw(_ link: CADisplayLink) {
      frames += 1
      last = link.timestamp
    }
    func pause() { log.append("pause") }
    func end(_ notification: Notification) { log.append(notification.name.rawValue) }
    func tick(_ timer: Timer) {
      log.append("tick")
      if log.count == 2 { timer.invalidate() }
    }
  }

  private func wait(_ what: String, _ condition: () -> Bool) async throws {
    for _ in 0..<1_000 {
      if condition() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("Waited for \(what) in vain.")
  }

  @Test func aDisplayLinkCallsItsTargetWhileItIsAddedAndNotPausedAndNeverAfterItsEnd() async throws {
    let renderer = Renderer()
    let link = CADisplayLink(target: renderer, selector: Renderer.draw)
    let clock = Renderer()
    let other = CADisplayLink(target: clock, selector: Renderer.draw)
    other.add(to: .main, forMode: .common)
    /// Waits until another link has called three times, in which this one would have, too.
    func pass() async throws {
      let end = clock.frames + 3
      try await wait("refreshes of the other link") { clock.frames >= end }
    }
    try await pass()
    #expect(renderer.frames == 0)
    let start = CACurrentMediaTime()
    link.add(to: RunLoop.main, forMode: RunLoop.Mode.common)
    try await wait("two refreshes") { renderer.frames >= 2 }
    #expect(renderer.last > start && link.targetTimestamp > link.timestamp && link.duration == 1.0 / 60)
    for stop in [{ link.isPaused = true }, { link.remove(from: .main, forMode: .common) }] {
      stop()
      let before = renderer.frames
      try await pass()
      #expect(renderer.frames == before)
      link.isPaused = false
      link.add(to: .main, forMode: .common)
      try await wait("one more") { renderer.frames > before }
    }
    link.preferredFramesPerSecond = 20
    #expect(link.duration == 0.05)
    link.invalidate()
    let after = renderer.frames
    link.add(to: .main, forMode: .common)
    try await pass()
    #expect(renderer.frames == after)
    other.invalidate()
  }

  @Test func aDisplayLinkKeepsItsTargetUntilItsEnd() {
    weak var target: Renderer?
    var link: CADisplayLink?
    do {
      let renderer = Renderer()
      target = renderer
      link = CADisplayLink(target: renderer, selector: Renderer.pause)
    }
    #expect(target != nil)
    link?.invalidate()
    #expect(target == nil)
  }

  @Test func notificationsCallMethodsOfTheirObserversUntilTheseAreRemovedOrGone() {
    let center = NotificationCenter()
    var renderer: Renderer? = Renderer()
    let log = { renderer?.log ?? [] }
    guard let observer = renderer else { return }
    center.addObserver(
      observer, selector: Renderer.pause, name: UIApplication.willResignActiveNotification, object: nil)
    center.addObserver(observer, selector: Renderer.end, name: UIApplication.willTerminateNotification, object: nil)
    center.post(name: UIApplication.willResignActiveNotification, object: nil)
    center.post(name: UIApplication.willTerminateNotification, object: nil)
    #expect(log() == ["pause", "UIApplicationWillTerminate"])
    center.removeObserver(observer, name: UIApplication.willResignActiveNotification, object: nil)
    center.post(name: UIApplication.willResignActiveNotification, object: nil)
    center.post(name: UIApplication.willTerminateNotification, object: nil)
    #expect(log().count == 3)
    center.removeObserver(observer)
    center.post(name: UIApplication.willTerminateNotification, object: nil)
    #expect(log().count == 3)
    // Those by closure are removed as before.
    var posts = 0
    let token = center.addObserver(forName: .init("x"), object: nil, queue: nil) { _ in
      MainActor.assumeIsolated { posts += 1 }
    }
    center.post(name: .init("x"), object: nil)
    center.removeObserver(token)
    center.post(name: .init("x"), object: nil)
    #expect(posts == 1)
    renderer = nil
  }

  private final class History: UITableViewController {
    var chosen: [Int] = []
    override func viewDidLoad() {
      super.viewDidLoad()
      tableView.register(UITableViewCell.self, forCellReuseIdentifier: "row")
      tableView.rowHeight = 50
      navigationItem.setHidesBackButton(true, animated: false)
    }
    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 3 }
    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      let cell = tableView.dequeueReusableCell(withIdentifier: "row", for: indexPath)
      cell.textLabel?.text = "\(indexPath.row)"
      return cell
    }
    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
      chosen.append(indexPath.row)
    }
  }

  @Test func aScreenThatIsAListShowsAndTellsItsRows() {
    let history = History()
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 400))
    defer { window.close() }
    window.rootViewController = UINavigationController(rootViewController: history)
    window.makeKeyAndVisible()
    window.layoutIfNeeded()
    #expect(history.tableView.visibleCells.map { $0.textLabel?.text } == ["0", "1", "2"])
    #expect(history.tableView.visibleCells.map(\.frame.height) == [50, 50, 50])
    #expect(history.view === history.tableView && history.tableView.frame.minY == 44)
    let point = history.tableView.visibleCells[1].convert(CGPoint(x: 20, y: 20), to: nil)
    window.sendTouch(.began, at: point, time: 1)
    window.sendTouch(.ended, at: point, time: 1.1)
    #expect(history.chosen == [1] && history.isKind(of: UITableViewController.self))
  }

  @Test func aKindIsAClassOrWhatIsMadeFromIt() {
    let label: UIView = UILabel()
    #expect(label.isKind(of: UILabel.self) && label.isKind(of: UIView.self) && label.isKind(of: UIResponder.self))
    #expect(!label.isKind(of: UIButton.self) && label.isMember(of: UILabel.self) && !label.isMember(of: UIView.self))
    #expect(Unit(symbol: "m").isKind(of: NSObject.self) && !NSObject().isKind(of: Unit.self))
    #expect(NSError(domain: "x", code: 1).isKind(of: NSError.self))
  }

  @Test func anAudioSessionKeepsWhatAnAppSets() async throws {
    let session = AVAudioSession.sharedInstance()
    try session.setCategory(.playAndRecord, mode: .voiceChat, options: [.allowBluetooth, .mixWithOthers, .duckOthers])
    try session.setPreferredSampleRate(16_000)
    try session.setPreferredIOBufferDuration(0.02)
    try session.setActive(true)
    try session.overrideOutputAudioPort(.speaker)
    #expect(session.category == .playAndRecord && session.mode == .voiceChat && session.sampleRate == 48_000)
    #expect(session.categoryOptions == [.allowBluetooth, .mixWithOthers, .duckOthers])
    #expect(session.preferredSampleRate == 16_000 && session.preferredIOBufferDuration == 0.02)
    try session.setCategory(.ambient)
    try session.setMode(AVAudioSession.Mode.default)
    try session.setActive(false, options: .notifyOthersOnDeactivation)
    #expect(session.category == .ambient && session.categoryOptions == [])
    let isAllowed = await withCheckedContinuation { answer in
      session.requestRecordPermission { answer.resume(returning: $0) }
    }
    #expect(isAllowed)
  }
}
