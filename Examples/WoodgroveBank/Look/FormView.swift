import Foundation
import UIKit

/// Views in a column: as wide as the window lets them be, up to what is still easy to read. In a low window they move
/// closer together.
final class FormView: UIView {
  private struct Row {
    let view: UIView
    /// Nil is as high as the view wants to be.
    let height: CGFloat?
    let gap: CGFloat
    let inset: CGFloat
    /// Whether it takes the room that the others leave.
    let isFlexible: Bool
  }

  private var rows: [Row] = []
  private static let widest: CGFloat = 480

  /// The distance from the upper edge.
  var margin: CGFloat = 12

  /// Adds a view below the others, `gap` away from the one before.
  func add(_ view: UIView, height: CGFloat? = nil, gap: CGFloat = 12, inset: CGFloat = 20) {
    rows.append(Row(view: view, height: height, gap: gap, inset: inset, isFlexible: false))
    addSubview(view)
  }

  /// Adds a view that takes the room that the others leave.
  func addFlexible(_ view: UIView, gap: CGFloat = 12, inset: CGFloat = 0) {
    rows.append(Row(view: view, height: nil, gap: gap, inset: inset, isFlexible: true))
    addSubview(view)
  }

  func fill(_ view: UIView) {
    frame = view.bounds
    autoresizingMask = [.flexibleWidth, .flexibleHeight]
    view.addSubview(self)
  }

  override func layoutSubviews() {
    let shown = rows.filter { !$0.view.isHidden && ($0.view as? UIActivityIndicatorView)?.isAnimating != false }
    let heights = shown.map { $0.isFlexible ? 0 : $0.height ?? natural($0) }
    let gaps = shown.map(\.gap).reduce(margin + 12, +)
    let rest = bounds.height - heights.reduce(0, +) - gaps
    let squeeze = rest < 0 && gaps > 0 ? max((gaps + rest) / gaps, 0.2) : 1
    var y = margin * squeeze
    for (row, height) in zip(shown, heights) {
      y += row.gap * squeeze
      let width = self.width(row)
      let tall = row.isFlexible ? max(rest, 0) : height
      if row.view is UIActivityIndicatorView {
        row.view.frame = CGRect(x: (bounds.width - tall) / 2, y: y, width: tall, height: tall)
      } else {
        row.view.frame = CGRect(x: (bounds.width - width) / 2, y: y, width: width, height: tall)
      }
      y += tall
    }
  }

  private func width(_ row: Row) -> CGFloat {
    let room = max(bounds.width - 2 * row.inset, 0)
    return row.inset == 0 ? room : min(room, Self.widest)
  }

  private func natural(_ row: Row) -> CGFloat {
    switch row.view {
    case is UIButton: 44
    case is UITextField: 38
    default: row.view.sizeThatFits(CGSize(width: width(row), height: 0)).height
    }
  }
}
