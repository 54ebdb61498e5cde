import Parley
import Testing

@testable import ParleyViews

/// How often pictures are converted for a window.
extension ScreenTests.WindowTests {
  @Test func aPictureIsConvertedOnceAndThoseThatNobodySeesNever() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let scroll = UIScrollView(frame: CGRect(x: 0, y: 100, width: 400, height: 100))
    scroll.contentSize = CGSize(width: 400, height: 1_000)
    let folder = UIView(frame: CGRect(x: 0, y: 200, width: 400, height: 100))
    let tile = VideoView(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let witness = VideoView(frame: CGRect(x: 200, y: 0, width: 100, height: 100))
    for part in [tile, witness, scroll, folder] { view.addSubview(part) }
    /// Waits until everything that was under way before is done: a picture given later is on the screen.
    func after(_ what: String) async throws {
      let before = witness.surface.conversionCount
      witness.show(try plain(red: true))
      try await wait(what) { witness.surface.conversionCount == before + 1 }
    }

    tile.show(try plain(green: true))
    try await wait("the first picture") { tile.surface.conversionCount == 1 }
    // Nothing new came: it moves, goes away and comes back, is mirrored, and the window is drawn again.
    tile.frame.origin.x = 20
    tile.isMirrored = true
    tile.scaling = .fill
    _ = await window.screenshot()
    try await after("the window to be drawn again")
    tile.isHidden = true
    try await after("the tile to be hidden")
    tile.isHidden = false
    try await after("the tile to be seen again")
    #expect(tile.surface.conversionCount == 1)

    // Frames faster than the window's 60 drawings a second are not converted.
    let start = ContinuousClock.now
    let burst = tile.frameCount
    for _ in 0..<400 {
      tile.show(try plain(green: true))
      try await Task.sleep(for: .milliseconds(1))
    }
    try await after("the last of many pictures")
    let drawings = Int((ContinuousClock.now - start) / .milliseconds(1)) * 60 / 1_000 + 3
    let conversions = tile.surface.conversionCount - 1
    #expect(tile.frameCount - burst == 400)
    #expect((1...drawings).contains(conversions), "\(conversions) conversions in time for \(drawings) pictures")

    let cover = UIView(frame: CGRect(x: 0, y: 0, width: 150, height: 100))
    cover.backgroundColor = .white
    // Nobody sees it, for each reason there is; once it is seen again, the newest picture is converted and no other.
    let reasons: [(String, @MainActor () -> Void, @MainActor () -> Void)] = [
      ("hidden", { tile.isHidden = true }, { tile.isHidden = false }),
      ("without opacity", { tile.alpha = 0 }, { tile.alpha = 1 }),
      ("outside the window", { tile.frame.origin.x = 500 }, { tile.frame.origin.x = 20 }),
      ("under an opaque view", { view.addSubview(cover) }, { cover.removeFromSuperview() }),
      (
        "in a hidden view",
        {
          folder.addSubview(tile)
          folder.isHidden = true
        }, { folder.isHidden = false }
      ),
      (
        "scrolled out of sight",
        {
          scroll.addSubview(tile)
          scroll.contentOffset.y = 500
        }, { scroll.contentOffset.y = 0 }
      ),
    ]
    for (reason, hide, show) in reasons {
      hide()
      try await after("the tile to be \(reason)")
      let before = tile.surface.conversionCount
      for green in [true, true, false] {
        tile.show(try plain(red: !green, green: green))
        try await after("the pictures of a tile that is \(reason)")
      }
      #expect(tile.surface.conversionCount == before, "a tile that is \(reason)")
      show()
      try await wait("a picture after it was \(reason)") { tile.surface.conversionCount > before }
      try await after("more pictures after it was \(reason)")
      try await wait("the newest picture after it was \(reason)") {
        let place = tile.convert(CGPoint(x: 50, y: 50), to: nil)
        return isMostly(await window.screenshot()?.color(x: Int(place.x), y: Int(place.y)), red: true)
      }
      #expect(tile.surface.conversionCount == before + 1, "a tile that was \(reason)")
    }

    // Out of the window altogether; and gone, it shows nothing and converts nothing.
    tile.removeFromSuperview()
    try await after("the tile to be taken out")
    let before = tile.surface.conversionCount
    tile.show(try plain(green: true))
    try await after("a picture of a tile without a window")
    #expect(tile.surface.conversionCount == before)
  }

  @Test func aTileIsConvertedUnlessAViewInFrontHidesAllOfIt() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let tile = VideoView(frame: CGRect(x: 20, y: 20, width: 100, height: 100))
    let witness = VideoView(frame: CGRect(x: 200, y: 200, width: 100, height: 100))
    let cover = UIView()
    let folder = UIView(frame: CGRect(x: 0, y: 0, width: 200, height: 200))
    for part in [tile, witness, folder] { view.addSubview(part) }
    folder.addSubview(cover)
    /// Waits until everything that was under way before is done.
    func after(_ what: String) async throws {
      let before = witness.surface.conversionCount
      witness.show(try plain(red: true))
      try await wait(what) { witness.surface.conversionCount == before + 1 }
    }
    /// Gives the tile a frame, and returns whether it is converted.
    func isConverted(_ what: String) async throws -> Bool {
      try await after(what)
      let before = tile.surface.conversionCount
      tile.show(try plain(green: true))
      for part in ["a picture", "another one"] { try await after("\(part) with \(what)") }
      return tile.surface.conversionCount > before
    }
    func reset() {
      view.insertSubview(folder, aboveSubview: witness)
      (folder.alpha, folder.clipsToBounds, folder.layer.cornerRadius) = (1, false, 0)
      folder.frame.size.width = 200
      (cover.alpha, cover.isHidden, cover.layer.cornerRadius) = (1, false, 0)
      cover.frame = tile.frame
      cover.backgroundColor = .white
    }

    reset()
    #expect(try await isConverted("all of it to be hidden") == false)
    let reasons: [(String, @MainActor () -> Void)] = [
      ("one point less", { cover.frame.size.width -= 1 }), ("beside it", { cover.frame.origin.x = 130 }),
      ("behind it", { view.sendSubviewToBack(folder) }), ("hidden", { cover.isHidden = true }),
      ("without a colour", { cover.backgroundColor = nil }),
      ("a colour that shines through", { cover.backgroundColor = UIColor(white: 1, alpha: 0.9) }),
      ("itself translucent", { cover.alpha = 0.9 }), ("in what is translucent", { folder.alpha = 0.9 }),
      ("with round corners", { cover.layer.cornerRadius = 8 }),
      (
        "cut by what it lies in",
        {
          folder.clipsToBounds = true
          folder.frame.size.width = 60
        }
      ),
      (
        "in what has round corners",
        {
          (folder.clipsToBounds, folder.layer.cornerRadius) = (true, 8)
        }
      ),
    ]
    for (reason, change) in reasons {
      reset()
      change()
      #expect(try await isConverted("a cover that is \(reason)"), "a cover that is \(reason)")
    }
    reset()
    #expect(try await isConverted("all of it to be hidden again") == false)
  }

  @Test func aScreenThatIsPresentedStopsTheTilesBehindIt() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let tile = VideoView(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    view.addSubview(tile)
    tile.show(try plain(green: true))
    try await wait("the first picture") { tile.surface.conversionCount == 1 }
    let screen = UIViewController()
    screen.modalPresentationStyle = .fullScreen
    screen.view.backgroundColor = .white
    let front = VideoView(frame: CGRect(x: 0, y: 200, width: 100, height: 100))
    screen.view.addSubview(front)
    let presenter = try #require(window.rootViewController)
    presenter.present(screen, animated: true)
    front.show(try plain(green: true))
    try await wait("the picture of the screen in front") { front.surface.conversionCount == 1 }
    for number in 2...4 {
      tile.show(try plain(red: true))
      front.show(try plain(green: true))
      try await wait("picture \(number) in front") { front.surface.conversionCount == number }
    }
    #expect(tile.surface.conversionCount == 1)
    screen.dismiss(animated: true)
    try await wait("the newest picture behind it") { tile.surface.conversionCount == 2 }
    try await wait("its colour") { isMostly(await window.screenshot()?.color(x: 50, y: 50), red: true) }
  }

  @Test func anInactiveAppGoesOnDrawingAndAMinimisedWindowConvertsNothing() async throws {
    let (window, view) = try await window(CGSize(width: 200, height: 200))
    defer { window.close() }
    window.title = "minimised"
    let tile = VideoView(frame: CGRect(x: 20, y: 20, width: 100, height: 100))
    view.addSubview(tile)
    let front = UIWindow(frame: CGRect(x: 0, y: 0, width: 200, height: 200))
    defer { front.close() }
    front.title = "witness"
    let screen = UIViewController()
    let witness = VideoView(frame: CGRect(x: 20, y: 20, width: 100, height: 100))
    screen.view.addSubview(witness)
    front.rootViewController = screen
    try front.present()
    try VirtualDisplay.hands("mousemove", "1390", "790")
    let application = UIApplication.shared
    try await wait("no focus") {
      // It can be taken only after the desktop has seen it given.
      try VirtualDisplay.hands("search", "--name", "^witness$", "windowmove", "600", "0", "windowfocus")
      try VirtualDisplay.hands("search", "--maxdepth", "0", "--name", ".*", "windowfocus")
      try await Task.sleep(for: .milliseconds(100))
      return application.applicationState == .inactive
    }
    func after(_ what: String) async throws {
      let before = witness.surface.conversionCount
      witness.show(try plain(red: true))
      try await wait(what) { witness.surface.conversionCount == before + 1 }
    }
    try await after("a picture without the focus")
    for count in 1...3 {
      tile.show(try plain(green: true))
      try await wait("picture \(count) without the focus") { tile.surface.conversionCount == count }
    }
    #expect(application.applicationState == .inactive)

    // A desktop that minimises a window unmaps it.
    try VirtualDisplay.hands("search", "--name", "^minimised$", "windowunmap")
    try await wait("the window to be minimised") { window.isMinimized }
    let before = tile.surface.conversionCount
    for green in [true, true, false] {
      tile.show(try plain(red: !green, green: green))
      try await after("the pictures of a minimised window")
    }
    #expect(tile.surface.conversionCount == before && application.applicationState == .inactive)
    try VirtualDisplay.hands("search", "--name", "^minimised$", "windowmap")
    try await wait("the newest picture, and no other") { tile.surface.conversionCount == before + 1 }
    try await wait("its colour") { isMostly(await window.screenshot()?.color(x: 60, y: 60), red: true) }
  }
}
