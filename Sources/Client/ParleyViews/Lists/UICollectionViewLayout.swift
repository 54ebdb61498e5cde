#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Says where the cells of a collection lie. A subclass overrides ``prepare()``, ``collectionViewContentSize`` and
/// ``layoutAttributesForElements(in:)``.
@preconcurrency @MainActor
open class UICollectionViewLayout {
  /// The collection that it is of.
  open internal(set) weak var collectionView: UICollectionView?

  /// The class of the attributes that it makes.
  open class var layoutAttributesClass: AnyClass { UICollectionViewLayoutAttributes.self }

  /// A layout that shows nothing.
  public init() {}

  /// A layout from an archive.
  public required init?(coder: NSCoder) {}

  /// Works out where everything lies; called before it is asked.
  open func prepare() {}

  /// How large the content is.
  open var collectionViewContentSize: CGSize { .zero }

  /// The cells that a rectangle of the content touches; nil for none.
  open func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? { nil }

  /// The position of a cell; nil when there is none.
  open func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    layoutAttributesForElements(in: CGRect(origin: .zero, size: collectionViewContentSize))?.first {
      $0.indexPath == indexPath
    }
  }

  /// Whether it has to work everything out again when the collection gets other bounds.
  open func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool { false }

  /// Works everything out again before the collection is seen next.
  open func invalidateLayout() { collectionView?.setNeedsLayout() }
}
#endif
