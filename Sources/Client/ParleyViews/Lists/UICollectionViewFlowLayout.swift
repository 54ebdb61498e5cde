#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Puts cells one after the other into lines, as words are.
open class UICollectionViewFlowLayout: UICollectionViewLayout {
  /// The direction in which lines follow each other: down, or to the right.
  open var scrollDirection = UICollectionView.ScrollDirection.vertical { didSet { invalidateLayout() } }
  /// The size of each cell, unless the collection's delegate says another.
  open var itemSize = CGSize(width: 50, height: 50) { didSet { invalidateLayout() } }
  /// A guess of it; kept for apps that set it.
  open var estimatedItemSize = CGSize.zero
  /// The least room between lines.
  open var minimumLineSpacing: CGFloat = 10 { didSet { invalidateLayout() } }
  /// The least room between the cells of a line.
  open var minimumInteritemSpacing: CGFloat = 10 { didSet { invalidateLayout() } }
  /// The room around a section.
  open var sectionInset = UIEdgeInsets.zero { didSet { invalidateLayout() } }

  private var attributes: [UICollectionViewLayoutAttributes] = []
  private var contentSize = CGSize.zero

  /// Puts the cells into lines.
  open override func prepare() {
    attributes = []
    contentSize = .zero
    guard let collectionView else { return }
    let isDown = scrollDirection == .vertical
    let breadth = isDown ? collectionView.bounds.width : collectionView.bounds.height
    var position: CGFloat = 0
    for section in 0..<collectionView.numberOfSections {
      position = place(section, from: position, breadth, isDown, in: collectionView)
    }
    contentSize = isDown ? CGSize(width: breadth, height: position) : CGSize(width: position, height: breadth)
  }

  /// Puts the cells of a section into lines; where the next begins.
  private func place(
    _ section: Int, from start: CGFloat, _ breadth: CGFloat, _ isDown: Bool, in collectionView: UICollectionView
  ) -> CGFloat {
    let flow = collectionView.delegate as? any UICollectionViewDelegateFlowLayout
    let inset = flow?.collectionView(collectionView, layout: self, insetForSectionAt: section) ?? sectionInset
    let lineGap =
      flow?.collectionView(collectionView, layout: self, minimumLineSpacingForSectionAt: section) ?? minimumLineSpacing
    let gap =
      flow?.collectionView(collectionView, layout: self, minimumInteritemSpacingForSectionAt: section)
      ?? minimumInteritemSpacing
    let (before, after) = isDown ? (inset.left, inset.right) : (inset.top, inset.bottom)
    var position = start + (isDown ? inset.top : inset.left)
    var (across, line, isFirst) = (before, CGFloat(0), true)
    for item in 0..<collectionView.numberOfItems(inSection: section) {
      let path = IndexPath(item: item, section: section)
      let size = flow?.collectionView(collectionView, layout: self, sizeForItemAt: path) ?? itemSize
      let (width, height) = isDown ? (size.width, size.height) : (size.height, size.width)
      // Half a point more than there is room for is a matter of rounding.
      if !isFirst, across + gap + width > breadth - after + 0.5 {
        position += line + lineGap
        (across, line, isFirst) = (before, 0, true)
      }
      if !isFirst { across += gap }
      let each = UICollectionViewLayoutAttributes(forCellWith: path)
      each.frame = CGRect(
        x: isDown ? across : position, y: isDown ? position : across, width: size.width, height: size.height)
      attributes.append(each)
      across += width
      (line, isFirst) = (max(line, height), false)
    }
    return position + line + (isDown ? inset.bottom : inset.right)
  }

  /// How large the content is.
  open override var collectionViewContentSize: CGSize { contentSize }

  /// The cells that a rectangle of the content touches.
  open override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? {
    attributes.filter { $0.frame.overlaps(rect) }
  }

  open override func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    attributes.first { $0.indexPath == indexPath }
  }

  /// Lines are broken again.
  open override func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool { true }
}

/// Says the sizes that a flow layout uses, cell by cell and section by section.
@preconcurrency @MainActor
public protocol UICollectionViewDelegateFlowLayout: UICollectionViewDelegate {
  /// The size of a cell.
  func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
    sizeForItemAt indexPath: IndexPath
  ) -> CGSize
  /// The room around a section.
  func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
    insetForSectionAt section: Int
  ) -> UIEdgeInsets
  /// The least room between the lines of a section.
  func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
    minimumLineSpacingForSectionAt section: Int
  ) -> CGFloat
  /// The least room between the cells of a line.
  func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
    minimumInteritemSpacingForSectionAt section: Int
  ) -> CGFloat
}

extension UICollectionViewDelegateFlowLayout {
  private func flow(_ layout: UICollectionViewLayout) -> UICollectionViewFlowLayout? {
    layout as? UICollectionViewFlowLayout
  }
  /// As the layout has it.
  public func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
    sizeForItemAt indexPath: IndexPath
  ) -> CGSize { flow(collectionViewLayout)?.itemSize ?? .zero }
  /// As the layout has it.
  public func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
    insetForSectionAt section: Int
  ) -> UIEdgeInsets { flow(collectionViewLayout)?.sectionInset ?? .zero }
  /// As the layout has it.
  public func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
    minimumLineSpacingForSectionAt section: Int
  ) -> CGFloat { flow(collectionViewLayout)?.minimumLineSpacing ?? 0 }
  /// As the layout has it.
  public func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
    minimumInteritemSpacingForSectionAt section: Int
  ) -> CGFloat { flow(collectionViewLayout)?.minimumInteritemSpacing ?? 0 }
}
#endif
