import Parley
import Testing

@testable import ParleyViews

/// Sizes that change, as seen on the display itself.
extension ScreenTests.WindowTests {
  /// Lays its tile out by code: no mask says where it goes.
  private final class TileScreen: UIViewController {
    let tile = VideoView()
    let small = VideoView(frame: CGRect(x: 200, y: 510, width: 90, height: 80))

    override func viewDidLoad() {
      // Red and yellow stand for the forbidden: the frames are green, and next to them is blue.
      view.backgroundColor = .red
      for part in [tile, small] {
        part.backgroundColor = .blue
        view.addSubview(part)
      }
      small.autoresizingMask = [.flexibleLeftMargin, .flexibleTopMargin]
    }

    override func viewDidLayoutSubviews() { tile.frame = view.bounds }
  }

  @Test func nothingButPicturesAndTheColourBesideThemIsSeenWhileAWindowIsTurned() async throws {
    let (window, _) = try await window(CGSize(width: 300, height: 600))
    defer { window.close() }
    window.title = "turned"
    window.backgroundColor = .yellow
    let screen = TileScreen()
    screen.view.frame = window.bounds
    screen.small.frame = CGRect(x: 200, y: 510, width: 90, height: 80)
    window.rootViewController = screen
    screen.tile.show(try plain(green: true))
    screen.small.show(try plain(green: true))
    // The pointer is a part of the picture, too.
    try VirtualDisplay.hands("mousemove", "1390", "790")
    let display = "\(VirtualDisplay.folder)/Xvfb_screen0"
    /// Somebody turns it, while the main actor is free.
    func turn(_ size: CGSize) async throws {
      let (width, height) = ("\(Int(size.width))", "\(Int(size.height))")
      try await Task.detached {
        try VirtualDisplay.hands("search", "--name", "^turned$", "windowsize", width, height)
      }.value
    }
    func settled(_ size: CGSize) async throws {
      try await wait("\(size)") {
        let picture = await window.screenshot()
        return window.bounds.size == size && picture?.size == size
          && isMostly(picture?.color(x: Int(size.width) - 55, y: Int(size.height) - 50), green: true)
          && isMostly(picture?.color(x: Int(size.width / 2), y: Int(size.height / 2)), green: true)
      }
    }
    try await settled(CGSize(width: 300, height: 600))
    // The traces of the test's pointer and of the display's first picture are gone once the display shows blue and
    // green.
    try await wait("the display's own picture") {
      let watch = try ScreenWatch(display, width: 300, height: 600) { red, green, blue in
        red > 80 || green + blue < 100
      }
      try await Task.sleep(for: .milliseconds(20))
      let report = watch.end()
      return report.looks > 0 && report.wrong == 0
    }
    let watch = try ScreenWatch(display, width: 700, height: 600) { red, _, _ in red > 80 }
    // In what both sizes cover, there is never nothing either.
    let inner = try ScreenWatch(display, width: 300, height: 300) { red, green, blue in green + blue < 100 }
    for round in 0..<10 {
      let size = round % 2 == 0 ? CGSize(width: 600, height: 300) : CGSize(width: 300, height: 600)
      if round < 6 {
        try await turn(size)
      } else {
        // The app asks for it.
        window.frame.size = size
      }
      try await settled(size)
    }
    // Many sizes in one go, as when a person drags the edge.
    for step in 0..<60 { try await turn(CGSize(width: 300 + 5 * step, height: 600 - 4 * step)) }
    try await settled(CGSize(width: 595, height: 364))
    let (outside, inside) = (watch.end(), inner.end())
    #expect(outside.wrong == 0, "\(outside.wrong) points in \(outside.looks) looks: \(outside.examples)")
    #expect(inside.wrong == 0, "\(inside.wrong) points in \(inside.looks) looks: \(inside.examples)")
    #expect(outside.looks > 60 && outside.widths.count > 4, "\(outside.looks) looks at \(outside.widths)")
    try await save(window, "turned")
  }

  @Test func anAppThatIsTooBusyToAnswerIsSeenStretchedAndNotWithGaps() async throws {
    let (window, _) = try await window(CGSize(width: 300, height: 600))
    defer { window.close() }
    window.title = "busy"
    window.backgroundColor = .yellow
    let screen = TileScreen()
    screen.view.frame = window.bounds
    screen.small.frame = CGRect(x: 200, y: 510, width: 90, height: 80)
    window.rootViewController = screen
    for part in [screen.tile, screen.small] { part.show(try plain(green: true)) }
    try VirtualDisplay.hands("mousemove", "1390", "790")
    let display = "\(VirtualDisplay.folder)/Xvfb_screen0"
    func isGreen(_ picture: UIImage?, _ x: Int, _ y: Int) -> Bool { isMostly(picture?.color(x: x, y: y), green: true) }
    try await wait("the pictures") {
      let picture = await window.screenshot()
      return picture?.size == CGSize(width: 300, height: 600) && isGreen(picture, 150, 300)
        && isGreen(picture, 245, 550)
    }
    try await wait("the display's own picture") {
      let watch = try ScreenWatch(display, width: 300, height: 600) { red, green, blue in
        red > 80 || green + blue < 100
      }
      try await Task.sleep(for: .milliseconds(20))
      let report = watch.end()
      return report.looks > 0 && report.wrong == 0
    }
    let watch = try ScreenWatch(display, width: 700, height: 600) { red, _, _ in red > 80 }
    /// Keeps the main actor until the display shows the window in its new size.
    func beBusy() {
      Thread.detachNewThread { try? VirtualDisplay.hands("search", "--name", "^busy$", "windowsize", "600", "300") }
      let end = ContinuousClock.now + .seconds(20)
      while !watch.seen.widths.contains(598), ContinuousClock.now < end { usleep(5_000) }
      let looks = watch.seen.looks
      while watch.seen.looks < looks + 5, ContinuousClock.now < end { usleep(5_000) }
    }
    beBusy()
    #expect(watch.seen.widths.contains(598), "the window was not turned meanwhile")
    #expect(window.bounds.size == CGSize(width: 300, height: 600))
    // Then it does, and everything is where it belongs.
    try await wait("the layout of the new size") {
      let picture = await window.screenshot()
      return window.bounds.size == CGSize(width: 600, height: 300) && picture?.size == window.bounds.size
        && isGreen(picture, 545, 250) && !isGreen(picture, 590, 150)
    }
    let report = watch.end()
    #expect(report.wrong == 0, "\(report.wrong) points in \(report.looks) looks: \(report.examples)")
  }
}
