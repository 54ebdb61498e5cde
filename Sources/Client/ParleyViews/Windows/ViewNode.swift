#if !canImport(UIKit) || os(Linux)
import Foundation

/// The look of one view on the screen, as a value: comparing two shows the changes.
struct ViewNode: Sendable, Equatable {
  enum Kind: Int32, Sendable {
    case plain = 0
    case label, button, field, text, toggle, spinner, picture, list, secret
  }

  var id: UInt64
  var parent: UInt64
  var kind: Kind
  var frame: CGRect
  var isHidden = false
  var opacity: CGFloat = 1
  var clips = false
  var isEnabled = true
  /// Whether the focus can go there.
  var isReachable = true
  /// CSS declarations of the view and of its content.
  var style = ""
  var contentStyle = ""
  var text = ""
  /// How many changes by the person this text takes account of: a newer one on the screen stays.
  var edits = 0
  var placeholder = ""
  var accessibilityLabel: String?
  var details = Details()
  var scroll: CGFloat = 0
  var fit: Int32 = 0
  var isMirrored = false
  var image: UIImage?
  /// Whether any of it is visible, and not all under one view that hides it: frames are only prepared for visible
  /// tiles.
  var isSeen = true
  /// Its role for a screen reader, as GTK numbers roles; nil as the widget has it.
  var role: Int32?
  /// Whether nothing else can be used while it is there.
  var isModal = false
  var row = Row.plain

  /// A list row's behaviour under the pointer.
  enum Row: Sendable {
    /// It can be chosen, and is seen to be.
    case normal
    /// It can be chosen, and looks as before.
    case quiet
    /// It cannot be chosen, or isn't a row.
    case plain
  }

  struct Details: Sendable, Equatable {
    var alignment: Int32 = 0
    var lines: Int32 = 1
    var isEditable = true
    var isFramed = true
    var isActive = false
    var showsEnd = false
  }

  static func == (one: ViewNode, other: ViewNode) -> Bool {
    one.image === other.image && one.hasSameLook(as: other)
  }

  private func hasSameLook(as other: ViewNode) -> Bool {
    id == other.id && parent == other.parent && kind == other.kind && frame == other.frame
      && isHidden == other.isHidden && opacity == other.opacity && clips == other.clips && isEnabled == other.isEnabled
      && isReachable == other.isReachable
      && style == other.style && contentStyle == other.contentStyle && text == other.text
      && placeholder == other.placeholder && accessibilityLabel == other.accessibilityLabel
      && details == other.details && isSeen == other.isSeen && row == other.row && scroll == other.scroll
      && fit == other.fit && isMirrored == other.isMirrored
  }
}

/// A window's views as values, the view behind first and each before those in it; and the destinations of their video.
struct Scene: Sendable {
  var nodes: [ViewNode] = []
  var surfaces: [UInt64: VideoSurface] = [:]
  /// The window's size that the views were laid out for.
  var size = CGSize.zero
  /// The background where no view lies, as while the window grows: CSS declarations.
  var style = ""
}
#endif
