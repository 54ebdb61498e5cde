#if !canImport(UIKit) || os(Linux)
import CGTK
import Foundation

/// Shows a window of views as a window of GTK's, and brings what the person does there to the views.
@MainActor
final class GTKPresenter: WindowPresenter {
  private static var presenters: [UInt64: GTKPresenter] = [:]

  private let id: UInt64
  private weak var window: UIWindow?
  private var views: [UInt64: SceneBuilder.WeakView] = [:]
  private var edits: [UInt64: Int] = [:]
  private var title = ""
  private var size = CGSize.zero
  /// The last scene that was shown.
  private var scene = Scene()
  /// The pointer's place when the wheel was last turned.
  private var pointer = CGPoint.zero
  /// How far a click of the wheel goes.
  private static let wheelStep: CGFloat = 50
  /// Whether the focus is where it is because the person put it there.
  private var isFocusTold = false

  init(_ window: UIWindow) throws(ViewError) {
    try GTKThread.start()
    self.window = window
    id = window.serial << 4
    title = Self.title(of: window)
    size = window.bounds.size
    GTKThread.open(id, title: title, width: Int(size.width), height: Int(size.height))
    Self.presenters[id] = self
  }

  private static func title(of window: UIWindow) -> String {
    var controller = window.rootViewController
    while let next = controller?.presentedViewController, !(next is UIAlertController) { controller = next }
    return window.title ?? controller?.navigationTitle ?? ProcessInfo.processInfo.processName
  }

  // MARK: to the screen

  func update(_ window: UIWindow) {
    let builder = SceneBuilder(window, edits: edits)
    views = builder.views
    edits = edits.filter { builder.views[$0.key] != nil }
    let scene = builder.scene
    self.scene = scene
    GTKThread.with(id) { $0.show(scene) }
    let title = Self.title(of: window)
    if title != self.title {
      self.title = title
      GTKThread.with(id) { parley_window_set_title($0.window, title) }
    }
    if window.bounds.size != size {
      size = window.bounds.size
      let (width, height) = (Int32(clamping: Int(size.width)), Int32(clamping: Int(size.height)))
      GTKThread.with(id) { parley_window_set_size($0.window, width, height) }
    }
  }

  func focus(_ view: UIView?, in window: UIWindow) {
    guard !isFocusTold else { return }
    // The widget may not be there yet.
    window.update()
    let target = view.map { SceneBuilder.id($0) }
    GTKThread.with(id) { $0.focus(target) }
  }

  func close(_ window: UIWindow) {
    Self.presenters[id] = nil
    GTKThread.close(id)
  }

  /// GTK's drawing of the window, handed to `receive` on GTK's thread; nil while nothing is drawn.
  func picture(_ receive: @escaping @Sendable (UIImage?) -> Void) {
    GTKThread.with(id) { screen in
      var width: Int32 = 0
      var height: Int32 = 0
      guard let pixels = parley_window_pixels(screen.window, &width, &height) else { return receive(nil) }
      defer { free(pixels) }
      let count = Int(width) * Int(height) * 4
      receive(
        UIImage(
          pixels: Array(UnsafeBufferPointer(start: pixels, count: count)), width: Int(width), height: Int(height)))
    }
  }

  // MARK: from the screen

  static func receive(_ event: GTKEvent) {
    if event.code == PARLEY_THEME.rawValue {
      UIApplication.shared.desktopIsDark = event.x != 0
      return
    }
    if let presenter = presenters[event.id] { return presenter.receiveWindow(event) }
    for presenter in presenters.values {
      guard let view = presenter.views[event.id]?.view else { continue }
      // The second click of two may come before the screen shows what the first one has done: what is gone is not
      // pressed.
      guard let window = presenter.window, view.window === window else { return }
      return presenter.receive(event, view)
    }
  }

  /// The window has another size. Returns the views laid out for it.
  static func resize(_ id: UInt64, _ size: CGSize) -> Scene? {
    guard let presenter = presenters[id], let window = presenter.window else { return nil }
    presenter.size = size
    window.resize(to: size)
    return presenter.scene
  }

  private func receiveWindow(_ event: GTKEvent) {
    guard let window else { return }
    let point = CGPoint(x: event.x, y: event.y)
    let now = ProcessInfo.processInfo.systemUptime
    switch event.code {
    case PARLEY_CLOSED.rawValue: window.close()
    case PARLEY_ACTIVE.rawValue: window.desktopChanged(hasFocus: event.x != 0)
    case PARLEY_MINIMIZED.rawValue: window.desktopChanged(isMinimized: event.x != 0)
    case PARLEY_TOUCH_BEGAN.rawValue: window.sendTouch(.began, at: point, time: now)
    case PARLEY_TOUCH_MOVED.rawValue: window.sendTouch(.moved, at: point, time: now)
    case PARLEY_TOUCH_ENDED.rawValue: window.sendTouch(.ended, at: point, time: now)
    case PARLEY_TOUCH_CANCELLED.rawValue: window.sendTouch(.cancelled, at: point, time: now)
    case PARLEY_POINTED.rawValue: pointer = point
    case PARLEY_SCROLLED.rawValue:
      window.sendScroll(by: CGPoint(x: event.x * Self.wheelStep, y: event.y * Self.wheelStep), at: pointer)
    case PARLEY_KEY_DOWN.rawValue, PARLEY_KEY_UP.rawValue:
      window.sendKey(
        UIKey(characters: event.text, modifierFlags: Self.modifiers(Int(event.x))),
        isDown: event.code == PARLEY_KEY_DOWN.rawValue)
    default: break
    }
  }

  private func receive(_ event: GTKEvent, _ view: UIView) {
    switch event.code {
    case PARLEY_CLICKED.rawValue: (view as? UIControl)?.press()
    case PARLEY_SWITCHED.rawValue:
      guard let toggle = view as? UISwitch, toggle.isOn != (event.x != 0) else { return }
      toggle.press()
    case PARLEY_EDITED.rawValue:
      edits[event.id] = event.edits
      Self.type(event.text, into: view)
      // Also when the text was refused, so that the widget shows what the view holds.
      view.contentChanged()
    case PARLEY_RETURNED.rawValue: (view as? UITextField)?.pressReturn()
    case PARLEY_FOCUSED.rawValue, PARLEY_UNFOCUSED.rawValue:
      isFocusTold = true
      if event.code == PARLEY_UNFOCUSED.rawValue {
        view.resignFirstResponder()
      } else if !view.becomeFirstResponder(), (view as? UITextView)?.isEditable != false {
        // Refused: what is typed would go there all the same. Nothing is typed into a text to be read: the tab key
        // leads on from there.
        GTKThread.with(id) { $0.focus(nil) }
      }
      isFocusTold = false
    case PARLEY_ROW.rawValue:
      guard let list = view as? UITableView else { return }
      let rows = SceneBuilder.rows(list)
      let place = Int(event.x)
      guard rows.indices.contains(place), let cell = rows[place] as? UITableViewCell,
        let path = list.indexPath(for: cell)
      else { return }
      list.choose(path)
    default: break
    }
  }

  /// Turns a whole new text into the replacement of the part that differs, which delegates are asked about.
  private static func type(_ new: String, into view: UIView) {
    let old = ((view as? UITextField)?.text ?? (view as? UITextView)?.text) ?? ""
    guard old != new else { return }
    let start = zip(old, new).prefix { $0 == $1 }.count
    let most = min(old.count, new.count) - start
    let end = min(zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count, most)
    let part = old.dropFirst(start).dropLast(end)
    let range = NSRange(
      location: old.prefix(start).utf16.count, length: part.utf16.count)
    let string = String(new.dropFirst(start).dropLast(end))
    if let field = view as? UITextField { field.replace(range, with: string) }
    if let text = view as? UITextView { text.replace(range, with: string) }
  }

  private static func modifiers(_ mask: Int) -> UIKeyModifierFlags {
    var flags: UIKeyModifierFlags = []
    if mask & 1 != 0 { flags.insert(.shift) }
    if mask & 2 != 0 { flags.insert(.alphaShift) }
    if mask & 4 != 0 { flags.insert(.control) }
    if mask & 8 != 0 { flags.insert(.alternate) }
    if mask & (1 << 26) != 0 { flags.insert(.command) }
    return flags
  }
}

extension GTKPresenter {
  /// A view's role for a screen reader, as GTK numbers roles; for tests.
  func role(_ view: UIView) async -> Int32? {
    let target = SceneBuilder.id(view)
    return await withCheckedContinuation { continuation in
      GTKThread.with(id) { continuation.resume(returning: $0.role(target)) }
    }
  }

  /// Whether a screen reader calls a view so, for tests.
  func isNamed(_ view: UIView, _ name: String) async -> Bool {
    let target = SceneBuilder.id(view)
    return await withCheckedContinuation { continuation in
      GTKThread.with(id) { continuation.resume(returning: $0.isNamed(target, name)) }
    }
  }
}

extension UIViewController {
  /// Its title, or that of the screen in front of a navigation controller.
  var navigationTitle: String? {
    title ?? (self as? UINavigationController)?.topViewController?.navigationItem.title
  }
}
#endif
