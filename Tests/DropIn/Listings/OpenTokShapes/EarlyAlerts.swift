// An alert that is presented before its screen has a parent, and dismissed later.
import OpenTok

class JoiningScreen: UIViewController {
  private(set) var answers: [String] = []

  override func viewDidLoad() {
    super.viewDidLoad()
    let alert = UIAlertController(title: "Error", message: "No token", preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "Ok", style: .default) { _ in self.answers.append("ok") })
    present(alert, animated: true, completion: nil)
  }
}
