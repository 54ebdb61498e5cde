#if !canImport(UIKit) || os(Linux)
import Foundation

/// The drag that scrolls a view. At the end of the content it is left to the views around.
final class ScrollGestureRecognizer: UIPanGestureRecognizer {
  override func mayBegin(_ way: CGPoint) -> Bool {
    guard let scrolling = view as? UIScrollView, scrolling.isScrollEnabled, super.mayBegin(way) else { return false }
    // A widget of the desktop scrolls in its own ways.
    if scrolling.window?.presenter != nil, SceneBuilder.isNative(scrolling) { return false }
    let reach = scrolling.reach
    let isAcross = abs(way.x) > abs(way.y)
    return isAcross ? reach.width > 0 : reach.height > 0
  }
}

extension UIScrollView {
  /// How thick the bars are.
  static let barWidth: CGFloat = 6
  static let barColor = UIColor.label.withAlphaComponent(0.45)
  /// How long the bars are seen after the content has moved.
  static let barTime = Duration.milliseconds(1_200)

  /// How far the content goes beyond the view.
  var reach: CGSize {
    CGSize(
      width: max(contentInset.left + contentSize.width + contentInset.right - bounds.width, 0),
      height: max(contentInset.top + contentSize.height + contentInset.bottom - bounds.height, 0))
  }

  /// The bars at the right and below, from the view's corner; empty while they are not seen.
  var bars: [CGRect] {
    func bar(_ room: CGFloat, _ reach: CGFloat, _ offset: CGFloat) -> (start: CGFloat, length: CGFloat)? {
      guard areBarsSeen, reach > 0, room > 4 * Self.barWidth else { return nil }
      let length = max(room * room / (room + reach), 4 * Self.barWidth)
      return (min(max(offset / reach, 0), 1) * (room - length), length)
    }
    let (width, margin) = (Self.barWidth, CGFloat(2))
    let down =
      showsVerticalScrollIndicator
      ? bar(bounds.height - 2 * margin, reach.height, contentOffset.y + contentInset.top) : nil
    let across =
      showsHorizontalScrollIndicator
      ? bar(bounds.width - 2 * margin, reach.width, contentOffset.x + contentInset.left) : nil
    return [
      down.map {
        CGRect(x: bounds.width - width - margin, y: margin + $0.start, width: width, height: $0.length)
      } ?? .zero,
      across.map {
        CGRect(x: margin + $0.start, y: bounds.height - width - margin, width: $0.length, height: width)
      } ?? .zero,
    ]
  }

  /// Shows the bars for a moment, as scrolling does.
  public func flashScrollIndicators() {
    areBarsSeen = true
    contentChanged()
    hidingOfBars?.cancel()
    hidingOfBars = Task { [weak self] in
      repeat {
        do { try await Task.sleep(for: Self.barTime) } catch { return }
      } while self?.isDragging == true
      self?.areBarsSeen = false
      self?.contentChanged()
    }
  }

  func drag(_ pan: UIPanGestureRecognizer) {
    switch pan.state {
    case .began, .changed:
      isDragging = true
      let way = pan.translation(in: self)
      pan.setTranslation(.zero, in: self)
      _ = scroll(by: CGPoint(x: -way.x, y: -way.y))
    case .ended, .cancelled, .failed, .possible: isDragging = false
    }
  }
}
#endif
