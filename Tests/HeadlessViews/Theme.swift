import Foundation
import ParleyViews

/// Opens a window with a word in it, and says whether ground and word are light or dark.
@MainActor
func tellTheme() {
  let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 300, height: 120))
  let screen = UIViewController()
  screen.view.backgroundColor = .systemBackground
  let label = UILabel(frame: CGRect(x: 20, y: 20, width: 260, height: 60))
  label.font = .boldSystemFont(ofSize: 40)
  label.text = "Hello"
  screen.view.addSubview(label)
  window.rootViewController = screen
  window.makeKeyAndVisible()
  func light(_ picture: UIImage, _ x: Int, _ y: Int) -> CGFloat {
    var (r, g, b): (CGFloat, CGFloat, CGFloat) = (0, 0, 0)
    picture.color(x: x, y: y)?.getRed(&r, green: &g, blue: &b, alpha: nil)
    return 0.3 * r + 0.6 * g + 0.1 * b
  }
  Task { @MainActor in
    for _ in 0..<500 {
      if let picture = await window.screenshot() {
        let ground = light(picture, 4, 4)
        let others = (20..<200).flatMap { x in (20..<80).map { y in light(picture, x, y) } }
        if let text = others.first(where: { abs($0 - ground) > 0.5 }) {
          say("ground \(ground > 0.5 ? "light" : "dark"), text \(text > 0.5 ? "light" : "dark")")
          exit(0)
        }
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
    say("nothing was drawn")
    exit(1)
  }
}
