import Foundation
import ParleyViews
import Testing

/// Collections, as multiparty samples use them.
@MainActor @Suite struct CollectionTests {
  private final class Source: UICollectionViewDataSource, UICollectionViewDelegateFlowLayout {
    var count = 0
    var made: [IndexPath] = []
    var chosen: [IndexPath] = []
    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { count }
    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell
    {
      made.append(indexPath)
      return collectionView.dequeueReusableCell(withReuseIdentifier: "tile", for: indexPath)
    }
    func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
      chosen.append(indexPath)
    }
  }

  private func collection(_ source: Source, _ size: CGSize) -> UICollectionView {
    let layout = UICollectionViewFlowLayout()
    (layout.itemSize, layout.minimumLineSpacing, layout.minimumInteritemSpacing) = (CGSize(width: 50, height: 40), 0, 0)
    let collection = UICollectionView(frame: CGRect(origin: .zero, size: size), collectionViewLayout: layout)
    (collection.dataSource, collection.delegate) = (source, source)
    return collection
  }

  @Test("a flow layout breaks lines where the next cell has no room")
  func lines() {
    let source = Source()
    source.count = 5
    let collection = collection(source, CGSize(width: 100, height: 200))
    #expect(
      collection.visibleCells.map(\.frame.origin) == [
        CGPoint(x: 0, y: 0), CGPoint(x: 50, y: 0), CGPoint(x: 0, y: 40), CGPoint(x: 50, y: 40), CGPoint(x: 0, y: 80),
      ])
    #expect(collection.contentSize == CGSize(width: 100, height: 120))
    // A wider collection has fewer lines.
    collection.frame.size.width = 150
    collection.layoutIfNeeded()
    #expect(collection.contentSize.height == 80)
  }

  @Test("only cells in sight are made, and those that scroll out of it are used again")
  func sight() {
    let source = Source()
    source.count = 100
    let collection = collection(source, CGSize(width: 100, height: 80))
    #expect(collection.visibleCells.count == 4 && source.made.count == 4)
    let first = Set(collection.visibleCells.map { ObjectIdentifier($0) })
    collection.contentOffset.y = 80
    #expect(collection.indexPathsForVisibleItems.map(\.item) == [4, 5, 6, 7])
    #expect(Set(collection.visibleCells.map { ObjectIdentifier($0) }) == first)
    collection.scrollToItem(at: IndexPath(item: 99, section: 0), at: .bottom, animated: false)
    #expect(collection.indexPathsForVisibleItems.last?.item == 99)
  }

  @Test("a tap chooses the cell under it, and reloading shows what the data source has")
  func choosing() {
    let source = Source()
    source.count = 3
    let collection = collection(source, CGSize(width: 100, height: 200))
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 100, height: 200))
    window.makeKeyAndVisible()
    defer { window.close() }
    window.addSubview(collection)
    collection.layoutIfNeeded()
    window.sendTouch(.began, at: CGPoint(x: 75, y: 20), time: 1)
    window.sendTouch(.ended, at: CGPoint(x: 75, y: 20), time: 1.1)
    #expect(source.chosen.map(\.item) == [1] && collection.indexPathsForSelectedItems?.map(\.item) == [1])
    source.count = 1
    collection.reloadData()
    #expect(collection.visibleCells.count == 1 && collection.indexPathsForSelectedItems?.isEmpty == true)
  }
}
