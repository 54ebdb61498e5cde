public import Foundation
import Parley
public import ParleyViews

/// How pictures lie in a view.
public enum OTVideoViewScaleBehavior: Int32, Sendable {
  /// Whole, with bars where the shapes differ.
  case fit = 0
  /// Filling the view, cut where the shapes differ.
  case fill = 1
}

/// The view of a publisher or subscriber: its picture, and a name plate that a tap shows and hides.
open class OTVideoView: VideoView {
  /// The name plate.
  public let toolbarView = UIView(frame: .zero)
  private let plate = UILabel(frame: .zero)

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

  /// What is shown in the name plate; without one a tap shows nothing.
  open var name: String? {
    didSet {
      plate.text = name
      accessibilityLabel = name
    }
  }

  /// Version 1: the view of the picture alone. It is this view.
  open var videoView: UIView { self }

  /// Version 1: gives the picture of now to `block`, as PNG; nil when there is none yet.
  open func getImageWithBlock(_ block: (Data?) -> Void) {
    block(currentFrame.flatMap { try? ImageFile.pngBytes($0) }.map { Data($0) })
  }

  private func prepare() {
    scaling = .fill
    toolbarView.isHidden = true
    toolbarView.backgroundColor = UIColor(white: 0, alpha: 0.6)
    toolbarView.addSubview(plate)
    plate.textColor = .white
    addSubview(toolbarView)
    addGestureRecognizer(UITapGestureRecognizer { [weak self] _ in self?.togglePlate() })
  }

  private func togglePlate() {
    guard name?.isEmpty == false else { return }
    toolbarView.isHidden.toggle()
    bringSubviewToFront(toolbarView)
  }

  /// Puts the plate along the lower edge.
  open override func layoutSubviews() {
    super.layoutSubviews()
    let height = min(CGFloat(32), bounds.height)
    toolbarView.frame = CGRect(x: 0, y: bounds.height - height, width: bounds.width, height: height)
    plate.frame = toolbarView.bounds.insetBy(dx: 8, dy: 0)
  }
}
