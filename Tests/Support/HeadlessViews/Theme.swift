import Foundation
import ParleyViews

/// A screen with one of each thing that has text.
private final class Gallery: UIViewController, UITableViewDataSource {
  var parts: [(name: String, view: UIView)] = []
  private let label = UILabel()
  private let button = UIButton(type: .system)
  private let field = UITextField()
  private let empty = UITextField()
  private let text = UITextView()
  private let list = UITableView()

  override func viewDidLoad() {
    super.viewDidLoad()
    // As apps did when there was only one style; the others leave the ground to the system.
    if !CommandLine.arguments.contains("--follows") { view.backgroundColor = .white }
    label.text = "Hello"
    button.setTitle("Hello", for: .normal)
    field.text = "Hello"
    empty.placeholder = "Hello"
    for each in [field, empty] { each.borderStyle = .roundedRect }
    text.text = "Hello"
    list.dataSource = self
    parts = [
      ("label", label), ("button", button), ("field", field), ("placeholder", empty), ("text", text), ("list", list),
    ]
    for (place, part) in parts.enumerated() {
      part.view.frame = CGRect(x: 20, y: 10 + place * 54, width: 160, height: 44)
      view.addSubview(part.view)
    }
  }

  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 1 }
  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = UITableViewCell(style: .default, reuseIdentifier: nil)
    cell.textLabel?.text = "Hello"
    return cell
  }
}

/// How light a point is, 0 to 1.
private func light(_ picture: UIImage, _ x: Int, _ y: Int) -> CGFloat {
  var (r, g, b): (CGFloat, CGFloat, CGFloat) = (0, 0, 0)
  picture.color(x: x, y: y)?.getRed(&r, green: &g, blue: &b, alpha: nil)
  return 0.3 * r + 0.6 * g + 0.1 * b
}

/// The text and ground in a rectangle: most of it is ground, and the colour that differs most from that is text. Nil
/// when it cannot be read.
private func reading(_ picture: UIImage, _ rect: CGRect, least: CGFloat) -> String? {
  let points = (Int(rect.minX)..<Int(rect.maxX)).flatMap { x in
    (Int(rect.minY)..<Int(rect.maxY)).map { y in light(picture, x, y) }
  }.sorted()
  guard let first = points.first, let last = points.last else { return nil }
  let ground = points[points.count / 2]
  let text = ground - first > last - ground ? first : last
  guard abs(text - ground) > least else { return nil }
  return "\(text > ground ? "light" : "dark") on \(ground > 0.5 ? "light" : "dark")"
}

/// Opens a window and says of each thing that has text whether text and ground are light or dark.
@MainActor
func tellTheme() {
  let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 300, height: 350))
  let gallery = Gallery()
  window.rootViewController = gallery
  window.makeKeyAndVisible()
  func tell(_ name: String, _ view: UIView) async {
    // A field's text while it is empty is paler by intent.
    let least: CGFloat = name == "placeholder" ? 0.3 : 0.5
    for _ in 0..<500 {
      let rect = view.convert(view.bounds.insetBy(dx: 8, dy: 8), to: nil)
      if let picture = await window.screenshot(), let seen = reading(picture, rect, least: least) {
        return say("\(name) \(seen)")
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
    say("\(name) cannot be read")
  }
  Task { @MainActor in
    say(window.traitCollection.userInterfaceStyle == .dark ? "dark" : "light")
    for part in gallery.parts { await tell(part.name, part.view) }
    let alert = UIAlertController(title: "Hello", message: "Hello hello", preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "Hello", style: .default))
    gallery.present(alert, animated: true)
    var parts: [UIView] = []
    @MainActor func collect(_ view: UIView) {
      if view is UILabel || view is UIButton { parts.append(view) }
      for each in view.subviews { collect(each) }
    }
    window.layoutIfNeeded()
    if let front = window.subviews.last { collect(front) }
    for part in parts { await tell(part is UIButton ? "answer" : "alert", part) }
    exit(0)
  }
}
