#if !canImport(UIKit) || os(Linux)
public import Foundation

extension UICollectionView {
  /// Makes cells of a class when one of this kind is asked for: by its `init(coder:)`, as from a storyboard, since
  /// Linux cannot call another initialiser of a class that it only knows at run time. For cells that need one, use
  /// ``register(forCellWithReuseIdentifier:_:)``.
  public func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {
    guard let cellClass = cellClass as? UICollectionViewCell.Type else {
      makers[identifier] = nil
      return
    }
    makers[identifier] = { cellClass.init(coder: NSKeyedArchiver(requiringSecureCoding: false)) }
  }

  /// Makes cells by a closure when one of this kind is asked for.
  public func register(
    forCellWithReuseIdentifier identifier: String, _ make: @escaping @MainActor () -> UICollectionViewCell
  ) {
    makers[identifier] = make
  }

  /// A cell of a kind that is not in use any more, or a new one; a plain one when nobody registered the kind.
  public func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath)
    -> UICollectionViewCell
  {
    if let cell = pool[identifier]?.popLast() {
      cell.prepareForReuse()
      return cell
    }
    let cell = makers[identifier]?() ?? UICollectionViewCell(frame: .zero)
    cell.reuseIdentifier = identifier
    cell.frame = collectionViewLayout.layoutAttributesForItem(at: indexPath)?.frame ?? cell.frame
    return cell
  }

  /// The cell at a place; nil when it is not in sight.
  public func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? {
    layoutIfNeeded()
    return shown[indexPath]
  }

  /// The index path of a cell; nil when it isn't in sight.
  public func indexPath(for cell: UICollectionViewCell) -> IndexPath? { shown.first { $0.value === cell }?.key }

  /// The item at a point of the content.
  public func indexPathForItem(at point: CGPoint) -> IndexPath? {
    layoutIfNeeded()
    return shown.first { !$0.value.isHidden && $0.value.frame.contains(point) }?.key
  }

  /// The cells in sight.
  public var visibleCells: [UICollectionViewCell] {
    layoutIfNeeded()
    return shown.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The index paths of the cells in sight.
  public var indexPathsForVisibleItems: [IndexPath] {
    layoutIfNeeded()
    return shown.keys.sorted()
  }

  /// The items that are selected.
  public var indexPathsForSelectedItems: [IndexPath]? { selected }

  /// The position that the layout gives an item.
  public func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    layoutIfNeeded()
    return collectionViewLayout.layoutAttributesForItem(at: indexPath)
  }

  /// Selects an item without notifying the delegate; nil selects none.
  public func selectItem(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
    if !allowsMultipleSelection || indexPath == nil {
      for path in selected { deselectItem(at: path, animated: animated) }
    }
    guard let indexPath, !selected.contains(indexPath) else { return }
    selected.append(indexPath)
    shown[indexPath]?.isSelected = true
    if !scrollPosition.isEmpty { scrollToItem(at: indexPath, at: scrollPosition, animated: animated) }
  }

  /// Selects an item no more.
  public func deselectItem(at indexPath: IndexPath, animated: Bool) {
    selected.removeAll { $0 == indexPath }
    shown[indexPath]?.isSelected = false
  }

  /// Scrolls to an item.
  public func scrollToItem(at indexPath: IndexPath, at scrollPosition: ScrollPosition, animated: Bool) {
    layoutIfNeeded()
    guard let frame = collectionViewLayout.layoutAttributesForItem(at: indexPath)?.frame else { return }
    var offset = contentOffset
    if scrollPosition.contains(.top) { offset.y = frame.minY }
    if scrollPosition.contains(.centeredVertically) { offset.y = frame.midY - bounds.height / 2 }
    if scrollPosition.contains(.bottom) { offset.y = frame.maxY - bounds.height }
    if scrollPosition.contains(.left) { offset.x = frame.minX }
    if scrollPosition.contains(.centeredHorizontally) { offset.x = frame.midX - bounds.width / 2 }
    if scrollPosition.contains(.right) { offset.x = frame.maxX - bounds.width }
    contentOffset = CGPoint(
      x: min(max(offset.x, 0), max(contentSize.width - bounds.width, 0)),
      y: min(max(offset.y, 0), max(contentSize.height - bounds.height, 0)))
  }

  /// A person has chosen an item.
  func choose(_ indexPath: IndexPath) {
    guard allowsSelection, delegate?.collectionView(self, shouldSelectItemAt: indexPath) ?? true else { return }
    if allowsMultipleSelection, selected.contains(indexPath) {
      deselectItem(at: indexPath, animated: false)
      delegate?.collectionView(self, didDeselectItemAt: indexPath)
      return
    }
    if !allowsMultipleSelection {
      for old in selected where old != indexPath {
        deselectItem(at: old, animated: false)
        delegate?.collectionView(self, didDeselectItemAt: old)
      }
    }
    selectItem(at: indexPath, animated: false, scrollPosition: [])
    delegate?.collectionView(self, didSelectItemAt: indexPath)
  }
}
#endif
