import ParleyViews
import Testing

/// Screens as the seed systems' listings write them, in today's Swift: nothing here may need another spelling.
@MainActor
final class HelloController: UIViewController, UITextFieldDelegate, UITableViewDataSource, UITableViewDelegate,
  UIAlertViewDelegate
{
  let field = UITextField(frame: CGRect(x: 0, y: 500, width: 200, height: 34))
  var button = UIButton(type: .system)
  var list: UITableView!
  var log: [String] = []
  var rows = ["one", "two"]

  override func viewDidLoad() {
    super.viewDidLoad()
    log.append("loaded")
    let label = UILabel(frame: CGRect(x: 0, y: 0, width: 100, height: 20))
    label.text = UIDevice.current.name
    label.textAlignment = .center
    self.view.addSubview(label)
    view.addSubview(field)
    field.delegate = self
    button.setTitle("Join", for: .normal)
    button.frame = CGRect(x: 0, y: 540, width: 100, height: 44)
    button.addTarget(self, action: HelloController.join, for: .touchUpInside)
    button.addTarget(self, action: HelloController.pressed, for: .touchUpInside)
    view.addSubview(button)
    list = UITableView(frame: CGRect(x: 0, y: 100, width: view.bounds.width, height: 300), style: .plain)
    list.dataSource = self
    list.delegate = self
    list.register(UITableViewCell.self, forCellReuseIdentifier: "row")
    view.addSubview(list)
    let tap = UITapGestureRecognizer(target: self, action: HelloController.tapped)
    view.addGestureRecognizer(tap)
  }

  override func viewWillAppear(_ animated: Bool) {
    super.viewWillAppear(animated)
    log.append("will appear")
  }
  override func viewDidAppear(_ animated: Bool) { log.append("did appear") }
  override func viewWillDisappear(_ animated: Bool) { log.append("will disappear") }
  override func viewDidDisappear(_ animated: Bool) { log.append("did disappear") }

  func join() { log.append("join") }
  func pressed(_ sender: UIButton) { log.append("pressed \(sender.currentTitle ?? "")") }
  func tapped(_ recognizer: UITapGestureRecognizer) { log.append("tapped \(recognizer.location(in: view))") }

  func showAlert(_ string: String) {
    let alert = UIAlertView(title: "Message from video session", message: string, delegate: self, cancelButtonTitle: "OK")
    alert.show()
  }
  func alertView(_ alertView: UIAlertView, clickedButtonAt buttonIndex: Int) { log.append("alert \(buttonIndex)") }

  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { rows.count }
  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = tableView.dequeueReusableCell(withIdentifier: "row", for: indexPath)
    cell.textLabel?.text = rows[indexPath.row]
    return cell
  }
  func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
    log.append("row \(indexPath.row)")
    tableView.deselectRow(at: indexPath, animated: true)
  }

  func textFieldShouldReturn(_ textField: UITextField) -> Bool {
    log.append("return \(textField.text!)")
    textField.resignFirstResponder()
    return true
  }
  func textField(_ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String)
    -> Bool
  { string != "x" }

  override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
    if segue.identifier == "next", let next = segue.destination as? NextController { next.text = sender as? String }
  }
}

@MainActor
final class NextController: UIViewController {
  var text: String?
}

/// A view of an app with initialisers of its own.
@MainActor
final class PlateView: UIView {
  let name: String
  init(name: String) {
    self.name = name
    super.init(frame: .zero)
  }
  required init?(coder aDecoder: NSCoder) { fatalError("init(coder:) has not been implemented") }
}

@MainActor
final class TargetView: UIView {
  override class var layerClass: AnyClass { return CAEAGLLayer.self }
}

@MainActor
@Suite(.serialized) struct ListingTests {
  func shown() -> (UIWindow, HelloController) {
    let window = UIWindow(frame: UIScreen.main.bounds)
    let controller = HelloController()
    window.rootViewController = controller
    window.makeKeyAndVisible()
    return (window, controller)
  }

  @Test func aScreenLoadsAndAppearsInOrder() {
    let (window, controller) = shown()
    #expect(controller.log == ["loaded", "will appear", "did appear"])
    window.close()
    #expect(controller.log.suffix(2) == ["will disappear", "did disappear"])
  }
}
