// `import OpenTok` alone brings UIKit's and Foundation's names.
import OpenTok

class PlainScreen: UIViewController {
  let made = Date()
  override func viewDidLoad() {
    super.viewDidLoad()
    let label = UILabel(frame: CGRect(x: 0, y: 0, width: 100, height: 20))
    label.text = UUID().uuidString
    view.addSubview(label)
    DispatchQueue.main.async { label.text = nil }
  }
}
