public import Foundation
import Parley
public import ParleyViews

/// How frames fit a view.
public enum OTVideoViewScaleBehavior: Int, Sendable {
  /// Whole, with bars where the shapes differ.
  case fit = 0
  /// Filling the view, cut where the shapes differ.
  case fill = 1
}

/// The view of a publisher or subscriber: its video, and a toolbar that a tap shows and hides, or a button in the
/// corner that is visible while it has the keyboard's focus. It has the name of the stream, and in version 1 buttons
/// that mute and change the camera.
open class OTVideoView: VideoView {
  /// The name plate, and in version 1 its buttons.
  public let toolbarView = UIView(frame: .zero)
  private let plate = UILabel(frame: .zero)
  /// For who has no pointer: shows and hides the toolbar, behind which it lies.
  private let handle = UIButton(frame: .zero)
  private var tools: [Tool] = []

  /// A button of the toolbar.
  private struct Tool {
    let button: UIButton
    /// The present title; nil while there is nothing to do.
    let title: @MainActor () -> String?
  }

  /// A view; its size is that of version 1 unless the app gives another.
  public override init(frame: CGRect) {
    super.init(frame: frame)
    prepare()
  }

  /// A view from an archive.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    prepare()
  }

  /// The text of the name plate; without one a tap shows nothing.
  open var name: String? {
    didSet {
      plate.text = name
      accessibilityLabel = name
      refreshTools()
    }
  }

  /// Version 1: the view of the video alone. It is this view.
  open var videoView: UIView { self }

  /// Version 1: gives the present frame to `block`; nil when there is none yet.
  open func getImageWithBlock(_ block: (UIImage?) -> Void) {
    block(currentFrame.flatMap { try? ImageFile.pngBytes($0) }.flatMap { UIImage(data: Data($0)) })
  }

  private func prepare() {
    scaling = .fill
    toolbarView.isHidden = true
    toolbarView.backgroundColor = UIColor(white: 0, alpha: 0.6)
    toolbarView.addSubview(plate)
    plate.textColor = .white
    handle.isHidden = true
    handle.addAction(UIAction { [weak self] _ in self?.togglePlate() }, for: .touchUpInside)
    addSubview(handle)
    addSubview(toolbarView)
    addGestureRecognizer(UITapGestureRecognizer { [weak self] _ in self?.togglePlate() })
  }

  /// Puts a button into the toolbar, which is there while it has a title.
  func addTool(_ title: @escaping @MainActor () -> String?, _ act: @escaping @MainActor () -> Void) {
    let button = UIButton(frame: .zero)
    button.titleLabel?.font = .systemFont(ofSize: 14)
    button.setTitleColor(.white, for: .normal)
    button.addAction(
      UIAction { [weak self] _ in
        act()
        self?.refreshTools()
      }, for: .touchUpInside)
    toolbarView.addSubview(button)
    tools.append(Tool(button: button, title: title))
    refreshTools()
  }

  /// Updates the titles of the buttons.
  func refreshTools() {
    for tool in tools {
      let title = tool.title()
      tool.button.setTitle(title, for: .normal)
      tool.button.isHidden = title == nil
    }
    handle.isHidden = !hasPlate
    let whose = name.map { " of \($0)" } ?? ""
    handle.accessibilityLabel = "\(toolbarView.isHidden ? "Show" : "Hide") what belongs to the picture\(whose)"
    setNeedsLayout()
  }

  /// Whether there is anything to show.
  private var hasPlate: Bool { name?.isEmpty == false || tools.contains { !$0.button.isHidden } }

  private func togglePlate() {
    refreshTools()
    guard hasPlate else { return }
    toolbarView.isHidden.toggle()
    bringSubviewToFront(toolbarView)
    refreshTools()
  }

  /// Puts the toolbar along the lower edge: the name on the left, the buttons on the right.
  open override func layoutSubviews() {
    super.layoutSubviews()
    let height = min(CGFloat(32), bounds.height)
    toolbarView.frame = CGRect(x: 0, y: bounds.height - height, width: bounds.width, height: height)
    handle.frame = CGRect(x: 0, y: bounds.height - height, width: min(height, bounds.width), height: height)
    var right = bounds.width
    for tool in tools.reversed() where !tool.button.isHidden {
      let width = min(tool.button.sizeThatFits(bounds.size).width, right)
      right -= width
      tool.button.frame = CGRect(x: right, y: 0, width: width, height: height)
    }
    plate.frame = CGRect(x: 8, y: 0, width: max(right - 16, 0), height: height)
  }
}
