#if !canImport(UIKit) || os(Linux)
import CGTK
import Foundation
import Synchronization

/// The thread on which GTK lives. Closures go there, events come from there to the main actor, both in order.
enum GTKThread {
  private final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  // Unsafe because: read and changed on GTK's thread only.
  nonisolated(unsafe) private static var screens: [UInt64: GTKScreen] = [:]

  /// Whether the display is open.
  @MainActor private(set) static var isRunning = false

  /// Loads GTK and opens the display, the first time.
  @MainActor static func start() throws(ViewError) {
    guard !isRunning else { return }
    try load()
    isRunning = true
    UIApplication.shared.desktopIsDark = parley_gtk_is_dark() != 0
    UIApplication.shared.refreshStyle()
  }

  private static func load() throws(ViewError) {
    var sentence = [CChar](repeating: 0, count: 300)
    let result = parley_gtk_start(&sentence, Int32(sentence.count))
    let problem = sentence.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    guard result == 0 else { throw result > 0 ? .missingLibrary(problem) : .noDisplay(problem) }
    parley_gtk_set_handler { id, event, text, x, y in
      GTKThread.tell(id, event, text.map { String(cString: $0) }, x, y)
    }
  }

  /// Whether the theme of the windows is light or dark, or as the desktop has it.
  static func setStyle(_ style: UIUserInterfaceStyle) { post { parley_gtk_set_style(Int32(style.rawValue)) } }

  /// Runs a closure on GTK's thread, after those posted before.
  static func post(_ run: @escaping @Sendable () -> Void) {
    parley_gtk_post(
      { context in
        guard let context else { return }
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
      }, Unmanaged.passRetained(Work(run)).toOpaque())
  }

  static func open(_ id: UInt64, title: String, width: Int, height: Int) {
    post { screens[id] = GTKScreen(id: id, title: title, width: width, height: height) }
  }

  /// Runs a closure with a window, unless it was closed.
  static func with(_ id: UInt64, _ body: @escaping @Sendable (GTKScreen) -> Void) {
    post { if let screen = screens[id] { body(screen) } }
  }

  static func close(_ id: UInt64) { post { screens.removeValue(forKey: id)?.close() } }

  /// An event: what the widget shows by itself is noted here, then the main actor hears of it.
  private static func tell(_ id: UInt64, _ code: Int32, _ text: String?, _ x: Double, _ y: Double) {
    if code == Int32(PARLEY_DRAWING.rawValue) {
      for screen in screens.values { screen.draw(id) }
      return
    }
    if code == Int32(PARLEY_RESIZED.rawValue) { return resize(id, CGSize(width: x, height: y)) }
    var count = 0
    for screen in screens.values {
      let isActive: Bool? = code == Int32(PARLEY_SWITCHED.rawValue) ? x != 0 : nil
      let edited = code == Int32(PARLEY_EDITED.rawValue) ? text ?? "" : nil
      if let changes = screen.noteChange(id, text: edited, isActive: isActive) { count = changes }
    }
    let event = GTKEvent(id: id, code: UInt32(code), text: text ?? "", x: x, y: y, edits: count)
    DispatchQueue.main.async { MainActor.assumeIsolated { GTKPresenter.receive(event) } }
  }

  /// The window is about to be drawn in another size: the views are laid out for it first.
  private static func resize(_ id: UInt64, _ size: CGSize) {
    let answer = ResizeAnswer()
    tellSize(id, size, answer)
    screens[id]?.resize(answer)
  }

  static func tellSize(_ id: UInt64, _ size: CGSize, _ answer: ResizeAnswer? = nil) {
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        let scene = GTKPresenter.resize(id, size)
        answer?.give(scene)
      }
    }
  }
}

/// The layout of a new size, on its way from the main actor to GTK's thread, which waits for it before it draws.
final class ResizeAnswer: Sendable {
  /// How long GTK waits: an app that is busy for longer is seen with its old layout, stretched, but its windows move.
  private static let patience = DispatchTimeInterval.milliseconds(250)
  private let scene = Mutex<Scene?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func give(_ scene: Scene?) {
    self.scene.withLock { $0 = scene }
    isThere.signal()
  }

  func wait() -> Scene? { isThere.wait(timeout: .now() + Self.patience) == .success ? scene.withLock { $0 } : nil }
}

/// Something the person did.
struct GTKEvent: Sendable {
  var id: UInt64
  var code: UInt32
  var text: String
  var x: Double
  var y: Double
  var edits: Int
}

/// Why there is no window, or no image of one.
public enum ViewError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no display to open a window on.
  case noDisplay(String)
  /// A library is not installed.
  case missingLibrary(String)
  /// An image would be too large, or of no size.
  case noPicture(String)

  /// The error, and what to do about it.
  public var description: String {
    switch self {
    case .noDisplay(let why):
      "There is no display for a window. \(why) Start the app in a desktop session, or headless: views work without a window, too."
    case .missingLibrary(let why):
      "A library for windows is missing. \(why) Install it with: apt-get install libgtk-4-1 libpangocairo-1.0-0 fonts-dejavu-core"
    case .noPicture(let why): "There is no picture of the view. \(why)"
    }
  }
}
#endif
