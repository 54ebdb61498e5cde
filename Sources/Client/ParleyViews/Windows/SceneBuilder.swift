#if !canImport(UIKit) || os(Linux)
import Foundation

/// Reads a tree of views into values.
@MainActor
struct SceneBuilder {
  /// How many changes by the person each view has heard of.
  let edits: [UInt64: Int]
  private(set) var scene = Scene()
  /// The views by the ids of their nodes.
  private(set) var views: [UInt64: WeakView] = [:]

  struct WeakView {
    weak var view: UIView?
  }

  init(_ window: UIWindow, edits: [UInt64: Int]) {
    self.edits = edits
    // Windows have whole points.
    let size = window.bounds.size
    scene.size = CGSize(width: size.width.rounded(.down), height: size.height.rounded(.down))
    // Behind what is presented the focus goes nowhere.
    let front = window.subviews.firstIndex { $0 === window.rootViewController?.frontmost.viewIfLoaded } ?? 0
    let room = Room(origin: window.bounds.origin, sight: CGRect(origin: .zero, size: size))
    for (place, view) in window.subviews.enumerated() { add(view, to: 0, room, isReachable: place >= front) }
    hideCovered()
    if let color = window.backgroundColor ?? window.rootViewController?.viewIfLoaded?.backgroundColor {
      scene.style = "background-color: \(CSS.color(color));"
    }
  }

  /// A view of another kind is another node, so that no widget changes what it is.
  static func id(_ view: UIView) -> UInt64 { view.serial << 4 | UInt64(kind(view).rawValue) }

  static func kind(_ view: UIView) -> ViewNode.Kind {
    switch view {
    case is UILabel: .label
    case is UIButton: .button
    case let field as UITextField: field.isSecureTextEntry ? .secret : .field
    case is UITextView: .text
    case is UISwitch: .toggle
    case is UIActivityIndicatorView: .spinner
    case is UITableView: .list
    case is UIImageView: .picture
    default: view.videoSurface == nil ? .plain : .picture
    }
  }

  /// Whether a widget of the desktop takes the view's input.
  static func isNative(_ view: UIView) -> Bool {
    switch kind(view) {
    case .button, .field, .secret, .text, .toggle, .list: true
    case .plain, .label, .spinner, .picture: false
    }
  }

  /// The views of a list in the order of its rows.
  static func rows(_ list: UITableView) -> [UIView] {
    list.subviews.enumerated().sorted { ($0.element.frame.minY, $0.offset) < ($1.element.frame.minY, $1.offset) }
      .map(\.element)
  }

  /// The space that views lie in.
  private struct Room {
    /// The point of the outer view's coordinates at its corner.
    var origin: CGPoint
    /// That corner's place in the window.
    var place = CGPoint.zero
    /// Its visible part, in the window's coordinates; nil is none of it, infinite an unknown one.
    var sight: CGRect?
    /// Whether it is known where it lies.
    var isPlaced = true
    /// Whether what is filled in it hides what is behind: nothing shines through, and no corner is cut.
    var isSolid = true
  }

  /// A view's part of the window.
  private struct Patch {
    /// Its node's place among the nodes: later ones are in front.
    let node: Int
    let rect: CGRect
  }

  /// The visible parts of the tiles, and of the views that hide everything behind them.
  private var tiles: [Patch] = []
  private var covers: [Patch] = []

  private mutating func add(_ view: UIView, to parent: UInt64, _ room: Room, isReachable: Bool = true) {
    let origin = room.origin
    let kind = Self.kind(view)
    let id = Self.id(view)
    var node = ViewNode(id: id, parent: parent, kind: kind, frame: view.frame.offsetBy(dx: -origin.x, dy: -origin.y))
    node.isHidden = view.isHidden
    node.opacity = view.alpha
    node.clips = view.clipsToBounds
    node.isReachable = isReachable
    node.edits = edits[id] ?? 0
    node.style = CSS.box(view, isContentFilled: kind == .button || view is UITextField)
    describe(view, &node)
    // A label without text isn't a stop for a screen reader.
    if kind == .label, node.text.isEmpty, view.accessibilityLabel == nil, view.subviews.isEmpty {
      node.isReachable = false
    }
    if view is UITableViewCell, (view.superview as? UITableView)?.separatorStyle == .singleLine {
      node.style += " box-shadow: inset 0 -1px @borders;"
    }
    // Text names what shows it.
    let isNamedByText = kind == .label || (kind == .button && !node.text.isEmpty)
    node.accessibilityLabel = view.accessibilityLabel ?? (isNamedByText ? node.text : nil)
    if view is AlertView { (node.role, node.isModal) = (Self.alertDialog, true) }
    switch view {
    case is UITableViewCell:
      node.accessibilityLabel = view.accessibilityLabel ?? Self.words(view).joined(separator: ", ")
    // GTK reads out what kind of a widget it is where there is no name at all.
    case is UITableView: node.accessibilityLabel = view.accessibilityLabel ?? ""
    default: break
    }
    if let list = view.superview as? UITableView { node.row = Self.row(view, in: list) }
    let place = CGPoint(x: room.place.x + node.frame.minX, y: room.place.y + node.frame.minY)
    let rect = CGRect(origin: place, size: view.bounds.size)
    var sight = view.isHidden || view.alpha <= 0 ? nil : room.sight
    if let whole = sight, view.clipsToBounds { sight = whole.intersects(rect) ? whole.intersection(rect) : nil }
    node.isSeen = sight?.intersects(rect) ?? false
    let isSolid = room.isSolid && view.alpha >= 1
    if let patch = sight?.intersection(rect), !patch.isEmpty, room.isPlaced {
      let isFilled = (kind == .plain || kind == .picture) && view.layer.cornerRadius == 0
      if kind == .picture { tiles.append(Patch(node: scene.nodes.count, rect: patch)) }
      if isSolid, isFilled, view.backgroundColor?.shown.opacity == 1 {
        covers.append(Patch(node: scene.nodes.count, rect: patch))
      }
    }
    scene.nodes.append(node)
    views[id] = WeakView(view: view)
    if let surface = view.videoSurface, kind == .picture { scene.surfaces[id] = surface }
    // Rows lie where the list puts them, and it scrolls by itself.
    let isList = kind == .list
    let children = (view as? UITableView).map(Self.rows) ?? view.subviews
    // The list's own scrolling is left to it.
    let inner = Room(
      origin: isList ? .zero : view.bounds.origin, place: place, sight: isList && sight != nil ? .infinite : sight,
      isPlaced: room.isPlaced && !isList, isSolid: isSolid && !(view.clipsToBounds && view.layer.cornerRadius > 0))
    for child in children { add(child, to: id, inner) }
    if let scrolling = view as? UIScrollView, !Self.isNative(view) { addBars(of: scrolling, to: id) }
  }

  /// Nobody sees a tile that one view in front hides as a whole.
  private mutating func hideCovered() {
    for tile in tiles where covers.contains(where: { $0.node > tile.node && $0.rect.contains(tile.rect) }) {
      scene.nodes[tile.node].isSeen = false
    }
  }

  /// The texts in a view and in those in it.
  private static func words(_ view: UIView) -> [String] {
    guard !view.isHidden else { return [] }
    let own = (view as? UILabel)?.text ?? ""
    return (own.isEmpty ? [] : [own]) + view.subviews.flatMap(words)
  }

  /// The number of the role that GTK calls "alert-dialog".
  private static let alertDialog: Int32 = 1

  /// The bars of a view that scrolls are views on the screen only.
  private mutating func addBars(of view: UIScrollView, to parent: UInt64) {
    for (index, rect) in view.bars.enumerated() {
      var bar = ViewNode(id: view.serial << 4 | UInt64(14 + index), parent: parent, kind: .plain, frame: rect)
      bar.isHidden = rect.isEmpty
      let color = CSS.color(UIScrollView.barColor)
      bar.style = "background-color: \(color); border-radius: \(Int(UIScrollView.barWidth / 2))px;"
      scene.nodes.append(bar)
    }
  }

  private static func row(_ view: UIView, in list: UITableView) -> ViewNode.Row {
    guard let cell = view as? UITableViewCell, list.allowsSelection else { return .plain }
    return cell.selectionStyle == .none ? .quiet : .normal
  }

  private func describe(_ view: UIView, _ node: inout ViewNode) {
    switch view {
    case let label as UILabel:
      node.text = label.text ?? ""
      node.isEnabled = label.isEnabled
      node.contentStyle = CSS.text(label.font, label.textColor)
      node.details.alignment = Self.place(label.textAlignment)
      node.details.lines = Int32(clamping: label.numberOfLines)
    case let button as UIButton:
      node.text = button.currentTitle ?? ""
      node.image = button.currentImage
      node.isEnabled = button.isEnabled
      node.contentStyle = CSS.button(button)
      node.details.isFramed = button.buttonType != .custom || button.backgroundColor != nil
    case let field as UITextField:
      node.text = field.text ?? ""
      node.placeholder = field.placeholder ?? ""
      node.isEnabled = field.isEnabled
      node.contentStyle = CSS.text(field.font, field.textColor) + CSS.fill(field) + " min-height: 0;"
      node.details.alignment = Self.place(field.textAlignment)
      node.details.isFramed = field.borderStyle != .none
    case let text as UITextView:
      node.text = text.text ?? ""
      node.contentStyle = CSS.text(text.font, text.textColor) + CSS.fill(text) + " padding: 8px 5px;"
      node.details.alignment = Self.place(text.textAlignment)
      node.details.isEditable = text.isEditable
      node.details.showsEnd = text.showsEnd
    case let toggle as UISwitch:
      node.isEnabled = toggle.isEnabled
      node.details.isActive = toggle.isOn
    case let spinner as UIActivityIndicatorView:
      node.details.isActive = spinner.isAnimating
      node.isHidden = node.isHidden || (spinner.hidesWhenStopped && !spinner.isAnimating)
    case let list as UITableView:
      node.scroll = list.contentOffset.y
      node.contentStyle = CSS.fill(list)
    case let picture as UIImageView:
      node.image = picture.image
      node.fit = Self.fit(picture.contentMode)
    default:
      guard let surface = view.videoSurface else { return }
      node.fit = surface.scaling == .fit ? 1 : 2
      node.isMirrored = surface.isMirrored
    }
  }

  private static func place(_ alignment: NSTextAlignment) -> Int32 {
    switch alignment {
    case .center: 1
    case .right: 2
    case .left, .natural, .justified: 0
    }
  }

  private static func fit(_ mode: UIView.ContentMode) -> Int32 {
    switch mode {
    case .scaleToFill, .redraw: 0
    case .scaleAspectFit, .center: 1
    case .scaleAspectFill: 2
    }
  }
}
#endif
