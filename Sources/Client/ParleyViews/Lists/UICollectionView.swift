#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Cells that a layout places. Those that lie in sight are made, others are when they come there.
open class UICollectionView: UIScrollView {
  /// The direction in which the content goes on.
  public enum ScrollDirection: Int, Hashable, Sendable {
    case vertical = 0
    case horizontal = 1
  }

  /// The position of an item after the collection has scrolled to it.
  public struct ScrollPosition: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Positions of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The item lies at the upper edge.
    public static let top = ScrollPosition(rawValue: 1)
    /// Between above and below.
    public static let centeredVertically = ScrollPosition(rawValue: 2)
    /// The item lies at the lower edge.
    public static let bottom = ScrollPosition(rawValue: 4)
    /// The item lies at the left edge.
    public static let left = ScrollPosition(rawValue: 8)
    /// Between left and right.
    public static let centeredHorizontally = ScrollPosition(rawValue: 16)
    /// The item lies at the right edge.
    public static let right = ScrollPosition(rawValue: 32)
  }

  /// Says where the cells lie.
  open var collectionViewLayout: UICollectionViewLayout {
    didSet {
      if oldValue !== collectionViewLayout { oldValue.collectionView = nil }
      collectionViewLayout.collectionView = self
      setNeedsLayout()
    }
  }
  open weak var dataSource: (any UICollectionViewDataSource)? { didSet { reloadData() } }
  /// Is notified of chosen cells.
  open weak var delegate: (any UICollectionViewDelegate)? { didSet { setNeedsLayout() } }
  /// Whether cells can be chosen.
  open var allowsSelection = true
  /// Whether several can be.
  open var allowsMultipleSelection = false

  var shown: [IndexPath: UICollectionViewCell] = [:]
  var selected: [IndexPath] = []
  var makers: [String: @MainActor () -> UICollectionViewCell?] = [:]
  var pool: [String: [UICollectionViewCell]] = [:]
  private var updates = 0
  private var isPlacing = false

  /// A collection with a layout.
  public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
    collectionViewLayout = layout
    super.init(frame: frame)
    layout.collectionView = self
  }

  /// A collection with a flow layout.
  public convenience override init(frame: CGRect) {
    self.init(frame: frame, collectionViewLayout: UICollectionViewFlowLayout())
  }

  /// A collection from an archive, with a flow layout.
  public required init?(coder: NSCoder) {
    collectionViewLayout = UICollectionViewFlowLayout()
    super.init(coder: coder)
    collectionViewLayout.collectionView = self
  }

  /// Asks for all cells again.
  open func reloadData() {
    selected = []
    for path in Array(shown.keys) { takeAway(path) }
    setNeedsLayout()
  }

  open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
    self.updates += 1
    updates?()
    self.updates -= 1
    reloadData()
    completion?(true)
  }

  /// The data source has new items there.
  open func insertItems(at indexPaths: [IndexPath]) { changed() }
  /// The data source has these items no more.
  open func deleteItems(at indexPaths: [IndexPath]) { changed() }
  /// These items have changed.
  open func reloadItems(at indexPaths: [IndexPath]) { changed() }
  /// An item lies at another path.
  open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) { changed() }
  /// The data source has new sections there.
  open func insertSections(_ sections: IndexSet) { changed() }
  /// The data source has these sections no more.
  open func deleteSections(_ sections: IndexSet) { changed() }
  /// These sections have changed.
  open func reloadSections(_ sections: IndexSet) { changed() }

  private func changed() { if updates == 0 { reloadData() } }

  open func setCollectionViewLayout(_ layout: UICollectionViewLayout, animated: Bool) { collectionViewLayout = layout }

  /// How many sections there are.
  open var numberOfSections: Int { max(dataSource?.numberOfSections(in: self) ?? 0, 0) }

  /// How many items a section has.
  open func numberOfItems(inSection section: Int) -> Int {
    max(dataSource?.collectionView(self, numberOfItemsInSection: section) ?? 0, 0)
  }

  /// Asks the layout where the cells lie, makes those in sight, and takes the others away.
  open override func layoutSubviews() {
    super.layoutSubviews()
    // Making a cell may ask for its layout.
    guard updates == 0, !isPlacing else { return }
    isPlacing = true
    defer { isPlacing = false }
    collectionViewLayout.prepare()
    contentSize = collectionViewLayout.collectionViewContentSize
    let all = (collectionViewLayout.layoutAttributesForElements(in: bounds) ?? []).filter {
      $0.frame.overlaps(bounds) && isThere($0.indexPath)
    }
    let wanted = Set(all.map(\.indexPath))
    for path in shown.keys where !wanted.contains(path) { takeAway(path) }
    for attributes in all.sorted(by: { $0.zIndex < $1.zIndex }) { place(attributes) }
  }

  private func isThere(_ path: IndexPath) -> Bool {
    (0..<numberOfSections).contains(path.section) && (0..<numberOfItems(inSection: path.section)).contains(path.item)
  }

  private func place(_ attributes: UICollectionViewLayoutAttributes) {
    let path = attributes.indexPath
    let known = shown[path]
    guard let cell = known ?? dataSource?.collectionView(self, cellForItemAt: path) else { return }
    shown[path] = cell
    cell.frame = attributes.frame
    cell.alpha = attributes.alpha
    cell.isHidden = attributes.isHidden
    cell.isSelected = selected.contains(path)
    cell.apply(attributes)
    if known == nil {
      delegate?.collectionView(self, willDisplay: cell, forItemAt: path)
      addSubview(cell)
    } else if attributes.zIndex != 0 {
      bringSubviewToFront(cell)
    }
    cell.setNeedsLayout()
  }

  private func takeAway(_ path: IndexPath) {
    guard let cell = shown.removeValue(forKey: path) else { return }
    cell.removeFromSuperview()
    if let identifier = cell.reuseIdentifier { pool[identifier, default: []].append(cell) }
    delegate?.collectionView(self, didEndDisplaying: cell, forItemAt: path)
  }

  /// Cells that scroll into sight are made.
  open override var contentOffset: CGPoint { didSet { if contentOffset != oldValue { setNeedsLayout() } } }

  /// A touch that ends on a cell chooses it.
  open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
    guard let touch = touches.first, let path = indexPathForItem(at: touch.location(in: self)) else { return }
    choose(path)
  }
}
#endif
