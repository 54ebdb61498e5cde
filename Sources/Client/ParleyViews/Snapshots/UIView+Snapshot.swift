#if !canImport(UIKit) || os(Linux)
import Foundation
import Parley

extension UIView {
  /// An image of the view and everything in it, drawn without a display: light or dark as the app is, with plain shapes
  /// for the desktop's own widgets.
  ///
  /// - Throws: ``ViewError`` when Cairo is not installed, or the view has no size.
  public func snapshot() throws(ViewError) -> UIImage {
    layoutIfNeeded()
    let canvas = try Canvas(bounds.size)
    drawAll(in: canvas, at: .zero)
    return canvas.image
  }

  private func drawAll(in canvas: Canvas, at position: CGPoint) {
    guard alpha > 0, bounds.width > 0, bounds.height > 0 || !subviews.isEmpty else { return }
    let inner = CGRect(origin: .zero, size: bounds.size)
    let radius = layer.cornerRadius
    canvas.part(at: position, opacity: alpha, clip: clipsToBounds ? bounds.size : nil, radius: radius) {
      if let backgroundColor { canvas.rectangle(inner, radius: radius, backgroundColor) }
      drawContent(in: canvas, inner)
      for view in subviews where !view.isHidden {
        view.drawAll(
          in: canvas, at: CGPoint(x: view.frame.minX - bounds.minX, y: view.frame.minY - bounds.minY))
      }
      for bar in (self as? UIScrollView)?.bars ?? [] where !bar.isEmpty {
        canvas.rectangle(bar, radius: UIScrollView.barWidth / 2, UIScrollView.barColor)
      }
      if layer.borderWidth > 0 {
        canvas.rectangle(inner, radius: radius, line: layer.borderWidth, layer.borderColor ?? .black)
      }
    }
  }

  private func drawContent(in canvas: Canvas, _ inner: CGRect) {
    switch self {
    case let label as UILabel:
      canvas.text(
        label.text ?? "", font: label.font, color: label.textColor, alignment: label.textAlignment,
        lines: label.numberOfLines, in: inner)
    case let button as UIButton: draw(button, in: canvas, inner)
    case let field as UITextField: draw(field, in: canvas, inner)
    case let text as UITextView:
      canvas.text(
        text.text ?? "", font: text.font, color: text.textColor, alignment: text.textAlignment, lines: 0, isAtTop: true,
        in: inner.insetBy(dx: 5, dy: 8))
    case let toggle as UISwitch:
      canvas.rectangle(inner, radius: inner.height / 2, toggle.isOn ? .systemGreen : .lightGray)
      let side = inner.height - 4
      let x = toggle.isOn ? inner.maxX - side - 2 : 2
      canvas.rectangle(CGRect(x: x, y: 2, width: side, height: side), radius: side / 2, .white)
    case let spinner as UIActivityIndicatorView:
      if spinner.isAnimating || !spinner.hidesWhenStopped {
        canvas.rectangle(inner.insetBy(dx: 3, dy: 3), radius: inner.width, line: 3, spinner.color ?? .systemGray)
      }
    case let picture as UIImageView:
      guard let image = picture.image else { return }
      let scaling: VideoSurface.Scaling? =
        switch picture.contentMode {
        case .scaleAspectFit, .center: .fit
        case .scaleAspectFill: .fill
        case .scaleToFill, .redraw: nil
        }
      canvas.picture(
        image.pixels, width: image.width, height: image.height, isOpaque: false,
        in: Self.place(image.size, scaling, inner))
    case let list as UITableView:
      guard list.separatorStyle == .singleLine else { return }
      for cell in list.visibleCells {
        let y = cell.frame.maxY - list.bounds.minY
        canvas.rectangle(CGRect(x: 16, y: y - 1, width: max(inner.width - 16, 0), height: 1), .separator)
      }
    default:
      guard let surface = videoSurface, let frame = surface.frame else { return }
      let size = CGSize(width: frame.width, height: frame.height)
      canvas.part(at: .zero, opacity: 1, clip: inner.size, radius: 0) {
        canvas.picture(
          frame.bytes(as: .bgra), width: frame.width, height: frame.height, isOpaque: true,
          isMirrored: surface.isMirrored, in: Self.place(size, surface.scaling, inner))
      }
    }
  }

  private func draw(_ button: UIButton, in canvas: Canvas, _ inner: CGRect) {
    let title = button.currentTitle ?? ""
    var room = inner
    if let image = button.currentImage {
      // In its own size, or smaller where the button is; the title at its right.
      let most = CGSize(width: max(inner.width - 10, 0), height: max(inner.height - 6, 0))
      let scale = min(1, most.width / image.size.width, most.height / image.size.height)
      let size = CGSize(width: image.size.width * scale, height: image.size.height * scale)
      let font = button.titleLabel?.font ?? .systemFont(ofSize: UIFont.buttonFontSize)
      let text = TextMetrics.size(of: title, font: font, width: .greatestFiniteMagnitude, lines: 1).width
      let left = max((inner.width - size.width - (title.isEmpty ? 0 : text + 6)) / 2, 5)
      canvas.picture(
        image.pixels, width: image.width, height: image.height, isOpaque: false,
        in: CGRect(x: left, y: (inner.height - size.height) / 2, width: size.width, height: size.height))
      room.origin.x = left + size.width + 6
      room.size.width = max(inner.width - room.minX, 0)
    }
    let usual: UIColor = button.buttonType == .custom ? .label : button.tintColor ?? .systemBlue
    let color = button.currentTitleColor ?? usual
    canvas.text(
      title, font: button.titleLabel?.font, color: button.isEnabled ? color : .systemGray,
      alignment: button.currentImage == nil ? .center : .left, in: room)
  }

  private func draw(_ field: UITextField, in canvas: Canvas, _ inner: CGRect) {
    if field.borderStyle != .none {
      canvas.rectangle(inner, radius: field.borderStyle == .roundedRect ? 6 : 0, line: 1, .separator)
    }
    let text = field.text ?? ""
    let shown = field.isSecureTextEntry ? String(repeating: "•", count: text.count) : text
    canvas.text(
      text.isEmpty ? field.placeholder ?? "" : shown, font: field.font,
      color: text.isEmpty ? .lightGray : field.textColor, alignment: field.textAlignment,
      in: inner.insetBy(dx: field.borderStyle == .none ? 0 : 8, dy: 0))
  }

  /// The place of content of `size` in a rectangle; nil stretches it.
  private static func place(_ size: CGSize, _ scaling: VideoSurface.Scaling?, _ rect: CGRect) -> CGRect {
    guard let scaling, size.width > 0, size.height > 0 else { return rect }
    let (across, down) = (rect.width / size.width, rect.height / size.height)
    let factor = scaling == .fit ? min(across, down) : max(across, down)
    let (width, height) = (size.width * factor, size.height * factor)
    return CGRect(x: rect.midX - width / 2, y: rect.midY - height / 2, width: width, height: height)
  }
}

extension UIWindow {
  /// An image of the window as the desktop's toolkit draws it; nil while it is headless or nothing is drawn yet.
  public func screenshot() async -> UIImage? {
    guard let presenter = presenter as? GTKPresenter else { return nil }
    update()
    return await withCheckedContinuation { continuation in
      presenter.picture { continuation.resume(returning: $0) }
    }
  }
}
#endif
