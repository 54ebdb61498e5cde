// A colour that Xcode shows as a square in the source.
import UIKit

class TintedScreen: UIViewController {
  let ground = #colorLiteral(red: 1, green: 0.5, blue: 0, alpha: 1)
  override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = ground
    view.tintColor = #colorLiteral(red: 0, green: 0, blue: 0, alpha: 1)
  }
}
