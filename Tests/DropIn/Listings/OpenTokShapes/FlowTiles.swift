// A collection in rows, whose cells have the size that its screen says, with cells of the app's own class.
import OpenTok

class PersonCell: UICollectionViewCell {
  var name = ""
}

class PeopleScreen: UIViewController, UICollectionViewDataSource, UICollectionViewDelegateFlowLayout {
  let names = ["Ann", "Ben", "Cy"]
  let layout = UICollectionViewFlowLayout()
  private(set) var people: UICollectionView?

  override func loadView() {
    super.loadView()
    layout.minimumLineSpacing = 0
    layout.minimumInteritemSpacing = 0
    let people = UICollectionView(frame: CGRect(x: 0, y: 0, width: 200, height: 200), collectionViewLayout: layout)
    people.register(PersonCell.self, forCellWithReuseIdentifier: "person")
    people.dataSource = self
    people.delegate = self
    view.addSubview(people)
    self.people = people
  }
  func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { names.count }
  func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell {
    let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "person", for: indexPath)
    (cell as? PersonCell)?.name = names[indexPath.item]
    return cell
  }
  func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout,
    sizeForItemAt indexPath: IndexPath
  ) -> CGSize { CGSize(width: collectionView.bounds.width / 2, height: 80) }
}
