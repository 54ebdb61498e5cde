// A screen of tiles whose places a layout of the app says.
import UIKit

class HalvesLayout: UICollectionViewLayout {
  private var places: [UICollectionViewLayoutAttributes] = []
  override func prepare() {
    let count = collectionView?.numberOfItems(inSection: 0) ?? 0
    let size = collectionView?.bounds.size ?? CGSize()
    places = (0..<count).map { index in
      let place = UICollectionViewLayoutAttributes(forCellWith: IndexPath(item: index, section: 0))
      let height = size.height / CGFloat(count)
      place.frame = CGRect(x: 0, y: CGFloat(index) * height, width: size.width, height: height)
      return place
    }
  }
  override var collectionViewContentSize: CGSize { collectionView?.bounds.size ?? CGSize() }
  override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? { places }
}

class TilesScreen: UICollectionViewController {
  var names: [String] = [] { didSet { collectionView?.reloadData() } }
  override func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
    names.count
  }
  override func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
    -> UICollectionViewCell
  {
    let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "tile", for: indexPath)
    cell.accessibilityLabel = names[indexPath.row]
    return cell
  }
}
