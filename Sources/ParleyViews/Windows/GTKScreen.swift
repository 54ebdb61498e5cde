#if !canImport(UIKit)
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

  let window: OpaquePointer
  private var shown: [UInt64: Shown] = [:]
  private var order: [UInt64] = []
  private var style = ""
  private var edits: [UInt64: Int] = [:]
  private var dialogs: [UInt64: OpaquePointer] = [:]

  init(id: UInt64, title: String, width: Int, height: Int) {
    window = parley_window_create(id, title, Int32(clamping: width), Int32(clamping: height))
  }

  /// Brings the widgets to what `scene` says, all between two pictures of the window.
  func apply(_ scene: Scene) {
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
      follow(scene.surfaces[value.id], value.id)
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
    if isNew || old.frame != new.frame {
      parley_node_set_frame(node, new.frame.minX, new.frame.minY, new.frame.width, new.frame.height)
    }
    if isNew || old.style != new.style || old.contentStyle != new.contentStyle {
      parley_node_set_style(node, new.style, new.contentStyle)
    }
    if isNew || old.details != new.details {
      let details = new.details
      parley_node_set_details(
        node, details.alignment, details.lines, details.isSecret ? 1 : 0, details.isEditable ? 1 : 0,
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
    if old.isReachable != new.isReachable { parley_node_set_reachable(node, new.isReachable ? 1 : 0) }
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

  private func follow(_ surface: VideoSurface?, _ id: UInt64) {
    guard let present = shown[id], present.feed?.surface !== surface else { return }
    present.feed?.stop()
    shown[id]?.feed = surface.map { VideoFeed($0, to: present.node) }
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

  func focus(_ id: UInt64?) {
    if let id, let present = shown[id] { parley_node_focus(present.node) } else { parley_window_unfocus(window) }
  }

  // MARK: dialogs

  func show(_ dialog: DialogDescription) {
    let pointer: OpaquePointer = parley_dialog_create(
      dialog.id, window, dialog.title, dialog.message, dialog.isSheet ? 1 : 0)
    for field in dialog.fields {
      parley_dialog_add_field(pointer, field.id, field.text, field.placeholder, field.isSecret ? 1 : 0)
    }
    for (place, answer) in dialog.answers.enumerated() {
      parley_dialog_add_answer(
        pointer, Int32(place), answer.title, answer.isEnabled ? 1 : 0, answer.isDestructive ? 1 : 0,
        answer.isDefault ? 1 : 0)
    }
    dialogs[dialog.id] = pointer
    parley_dialog_show(pointer)
  }

  func hideDialog(_ id: UInt64) {
    if let dialog = dialogs.removeValue(forKey: id) { parley_dialog_destroy(dialog) }
  }

  func close() {
    for dialog in dialogs.values { parley_dialog_destroy(dialog) }
    dialogs = [:]
    apply(Scene())
    parley_window_destroy(window)
  }
}

/// An alert as a value.
struct DialogDescription: Sendable {
  struct Field: Sendable {
    var id: UInt64
    var text: String
    var placeholder: String
    var isSecret: Bool
  }
  struct Answer: Sendable {
    var title: String
    var isEnabled: Bool
    var isDestructive: Bool
    var isDefault: Bool
  }

  var id: UInt64
  var title: String
  var message: String
  var isSheet: Bool
  var fields: [Field]
  var answers: [Answer]
}
#endif
