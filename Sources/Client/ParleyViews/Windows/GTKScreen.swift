#if !canImport(UIKit) || os(Linux)
import CGTK
import Foundation

/// A window on GTK's thread: its widgets, and what they show. Everything here is called on that thread.
final class GTKScreen: @unchecked Sendable {
  // Unchecked because: `GTKThread` makes it, calls it and lets it go on that thread only.

  private struct Shown {
    let node: OpaquePointer
    var value: ViewNode
    var feed: VideoFeed?
  }

  private let id: UInt64
  let window: OpaquePointer
  private var shown: [UInt64: Shown] = [:]
  private var order: [UInt64] = []
  private var style = ""
  private var edits: [UInt64: Int] = [:]
  /// Views laid out for a size that the window does not have yet.
  private var early: Scene?

  init(id: UInt64, title: String, width: Int, height: Int) {
    self.id = id
    window = parley_window_create(id, title, Int32(clamping: width), Int32(clamping: height))
  }

  private var size: CGSize {
    var (width, height): (Int32, Int32) = (0, 0)
    parley_window_get_size(window, &width, &height)
    return CGSize(width: CGFloat(width), height: CGFloat(height))
  }

  /// Updates the widgets to `scene`, all between two frames of the window. A scene that is laid out for another size
  /// than the window has waits until it has that size: it would be seen with gaps.
  func show(_ scene: Scene) {
    early = nil
    guard scene.size != size else { return apply(scene) }
    early = scene
    let id = id
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.25) {
      GTKThread.with(id) { $0.giveUp(scene.size) }
    }
  }

  /// The desktop did not give the window that size.
  private func giveUp(_ asked: CGSize) {
    guard let early, early.size == asked else { return }
    self.early = nil
    GTKThread.tellSize(id, size)
  }

  /// The window is about to be drawn in another size: the views take the places that `answer` brings, or had been laid
  /// out before.
  func resize(_ answer: ResizeAnswer) {
    let size = size
    let scene = early.flatMap { $0.size == size ? $0 : nil } ?? answer.wait()
    guard let scene, scene.size == size else { return }
    parley_window_set_layout_size(window, scene.size.width, scene.size.height)
    for value in scene.nodes {
      guard let present = shown[value.id], present.value.frame != value.frame else { continue }
      let frame = value.frame
      parley_node_set_frame(present.node, frame.minX, frame.minY, frame.width, frame.height)
      shown[value.id]?.value.frame = frame
    }
    // Changes other than of places must wait until GTK has laid them out.
    let id = id
    if early != nil { GTKThread.with(id) { $0.show(scene) } }
  }

  /// A tile's window is about to be drawn.
  func draw(_ id: UInt64) { shown[id]?.feed?.draw() }

  private func apply(_ scene: Scene) {
    parley_window_set_layout_size(window, scene.size.width, scene.size.height)
    var last: [UInt64: OpaquePointer] = [:]
    var kept: Set<UInt64> = []
    for value in scene.nodes {
      guard let parent = value.parent == 0 ? parley_window_root(window) : shown[value.parent]?.node else { continue }
      kept.insert(value.id)
      let node: OpaquePointer
      if let present = shown[value.id] {
        node = present.node
      } else {
        node = parley_node_create(value.id, value.kind.rawValue)
        shown[value.id] = Shown(node: node, value: ViewNode(id: 0, parent: 0, kind: .plain, frame: .null))
      }
      parley_node_place(node, parent, last[value.parent])
      last[value.parent] = node
      update(value)
      follow(scene.surfaces[value.id], value)
    }
    // The innermost first: a node must be empty when it goes.
    for id in order.reversed() where !kept.contains(id) { remove(id) }
    if scene.style != style {
      style = scene.style
      parley_node_set_style(parley_window_root(window), style, "")
    }
    order = scene.nodes.map(\.id).filter { kept.contains($0) }
  }

  private func remove(_ id: UInt64) {
    guard let old = shown.removeValue(forKey: id) else { return }
    old.feed?.stop()
    edits[id] = nil
    parley_node_destroy(old.node)
  }

  private func update(_ new: ViewNode) {
    guard let present = shown[new.id], present.value != new else { return }
    let (node, old) = (present.node, present.value)
    let isNew = old.id == 0
    var value = new
    if isNew, let role = new.role { parley_node_set_role(node, role, new.isModal ? 1 : 0) }
    if isNew || old.row != new.row {
      parley_node_set_row(node, new.row == .plain ? 0 : 1, new.row == .normal ? 1 : 0)
    }
    if isNew || old.frame != new.frame {
      parley_node_set_frame(node, new.frame.minX, new.frame.minY, new.frame.width, new.frame.height)
    }
    if isNew || old.style != new.style || old.contentStyle != new.contentStyle {
      parley_node_set_style(node, new.style, new.contentStyle)
    }
    if isNew || old.details != new.details {
      let details = new.details
      parley_node_set_details(
        node, details.alignment, details.lines, details.isEditable ? 1 : 0,
        details.isFramed ? 1 : 0, details.isActive ? 1 : 0, details.showsEnd ? 1 : 0)
    }
    if new.edits < edits[new.id] ?? 0 {
      // The person has typed on since: that text is on its way to the view.
      value.text = old.text
    } else if isNew || old.text != new.text {
      parley_node_set_text(node, new.text)
    }
    if isNew || old.placeholder != new.placeholder { parley_node_set_placeholder(node, new.placeholder) }
    if isNew || old.isHidden != new.isHidden || old.opacity != new.opacity || old.clips != new.clips
      || old.isEnabled != new.isEnabled
    {
      parley_node_set_look(
        node, new.isHidden ? 0 : 1, new.opacity, new.clips ? 1 : 0, new.isEnabled ? 1 : 0)
    }
    // A widget that is shown again would be read aloud again.
    if old.isReachable != new.isReachable || !new.isReachable && old.isHidden != new.isHidden {
      parley_node_set_reachable(node, new.isReachable ? 1 : 0)
    }
    if old.scroll != new.scroll { parley_node_scroll(node, new.scroll) }
    if isNew || old.fit != new.fit || old.isMirrored != new.isMirrored {
      parley_node_set_fit(node, new.fit, new.isMirrored ? 1 : 0)
    }
    if old.image !== new.image { show(new.image, on: node) }
    if new.accessibilityLabel != old.accessibilityLabel || new.accessibilityLabel != nil && old.text != new.text
      || old.image !== new.image
    {
      parley_node_set_accessible(node, new.accessibilityLabel)
    }
    shown[new.id]?.value = value
  }

  private func show(_ image: UIImage?, on node: OpaquePointer) {
    guard let image else { return parley_node_set_pixels(node, nil, 0, 0, 0, nil, nil) }
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: image.pixels.count)
    bytes.initialize(from: image.pixels, count: image.pixels.count)
    parley_node_set_pixels(node, bytes, Int32(image.width), Int32(image.height), 0, { free($0) }, bytes)
  }

  private func follow(_ surface: VideoSurface?, _ value: ViewNode) {
    guard let present = shown[value.id], present.feed?.surface !== surface else {
      shown[value.id]?.feed?.setSeen(value.isSeen)
      return
    }
    present.feed?.stop()
    shown[value.id]?.feed = surface.map { VideoFeed($0, to: present.node, isSeen: value.isSeen) }
  }

  /// The person has changed a text or a switch: the widget shows that already. Returns how many changes there were.
  func noteChange(_ id: UInt64, text: String?, isActive: Bool?) -> Int? {
    guard shown[id] != nil else { return nil }
    if let text {
      shown[id]?.value.text = text
      edits[id, default: 0] += 1
    }
    if let isActive { shown[id]?.value.details.isActive = isActive }
    return edits[id] ?? 0
  }

  /// Whether a screen reader calls a widget so, for tests.
  func isNamed(_ id: UInt64, _ name: String) -> Bool {
    shown[id].map { parley_node_is_named($0.node, name) != 0 } ?? false
  }

  /// A widget's role for a screen reader, as GTK numbers roles; for tests.
  func role(_ id: UInt64) -> Int32? { shown[id].map { parley_node_role($0.node) } }

  func focus(_ id: UInt64?) {
    if let id, let present = shown[id] { parley_node_focus(present.node) } else { parley_window_unfocus(window) }
  }

  func close() {
    early = nil
    apply(Scene())
    parley_window_destroy(window)
  }
}
#endif
