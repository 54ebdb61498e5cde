// A button whose title says what it does next.
import OpenTok

class CallButtons: UIViewController {
  private(set) var isCalling = false
  let button = UIButton(frame: CGRect(x: 0, y: 0, width: 100, height: 30))

  override func viewDidLoad() {
    super.viewDidLoad()
    button.setTitle("Make a call", for: .normal)
    button.addTarget(self, action: CallButtons.pressed(_:), for: .touchUpInside)
    view.addSubview(button)
  }
  func pressed(_ sender: UIButton) {
    isCalling = sender.titleLabel?.text == "Make a call"
    sender.setTitle(isCalling ? "End call" : "Make a call", for: .normal)
  }
}
