import Parley
import Testing

@testable import ParleyViews

/// A picture of one colour.
func plain(red: Bool = false, green: Bool = false) throws -> VideoFrame {
  let pixels = (0..<(32 * 32)).flatMap { _ in [0, green ? 255 : 0, red ? 255 : 0, 255] as [UInt8] }
  return try VideoFrame(converting: pixels, format: .bgra, width: 32, height: 32, time: MonotonicClock.now)
}

/// Screens that come and go, sizes that change, and the reports to a screen reader.
extension ScreenTests.WindowTests {
  @Test func aSheetComesOverTheScreenTakesTheFocusAndGoes() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    view.backgroundColor = .green
    var presses = 0
    let behind = UIButton(type: .system)
    behind.setTitle("Behind", for: .normal)
    behind.frame = CGRect(x: 20, y: 4, width: 120, height: 36)
    behind.addAction(UIAction { _ in presses += 1 }, for: .touchUpInside)
    view.addSubview(behind)
    view.addSubview(UITextField(frame: CGRect(x: 20, y: 80, width: 200, height: 36)))
    try await wait("the button") {
      if presses == 0 { try click(behind) }
      return presses > 0
    }
    let sheet = UIViewController()
    sheet.modalPresentationStyle = .pageSheet
    sheet.view.backgroundColor = .blue
    let fields = [100, 160].map { UITextField(frame: CGRect(x: 20, y: $0, width: 200, height: 36)) }
    for field in fields {
      field.borderStyle = .roundedRect
      field.placeholder = "Your name"
      sheet.view.addSubview(field)
    }
    window.rootViewController?.present(sheet, animated: true)
    try await wait("the sheet, and the screen behind it in the dark") {
      guard let picture = await window.screenshot() else { return false }
      var green: CGFloat = 0
      picture.color(x: 300, y: 20)?.getRed(nil, green: &green, blue: nil, alpha: nil)
      return isMostly(picture.color(x: 300, y: 300), blue: true) && (0.5..<0.7).contains(green)
    }
    try await save(window, "sheet")
    try await wait("the sheet's field") {
      try click(fields[0])
      return fields[0].isFirstResponder
    }
    let before = presses
    try click(behind)
    // The tab key goes round in the sheet.
    for round in 0..<4 {
      try VirtualDisplay.hands("key", "Tab")
      try await wait("the field after \(round) others") { fields[(round + 1) % 2].isFirstResponder }
    }
    #expect(presses == before)
    sheet.dismiss(animated: true)
    try await wait("the screen as it was") {
      guard let picture = await window.screenshot() else { return false }
      return isMostly(picture.color(x: 300, y: 300), green: true) && isMostly(picture.color(x: 300, y: 20), green: true)
    }
    try await wait("the button behind") {
      try click(behind)
      return presses > before
    }
    #expect(window.subviews.count == 1)
  }

  @Test func aScreenReaderIsToldTheNamesOfLabelsAndButtons() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let label = UILabel(frame: CGRect(x: 20, y: 20, width: 200, height: 30))
    label.text = "Two people"
    let button = UIButton(type: .system)
    button.setTitle("Join", for: .normal)
    let image = UIButton(type: .custom)
    image.setImage(try view.snapshot(), for: .normal)
    image.accessibilityLabel = "Hang up"
    let field = UITextField()
    field.accessibilityLabel = "Your name"
    let tile = VideoView()
    tile.accessibilityLabel = "Ann's picture"
    let secret = UITextField()
    secret.accessibilityLabel = "Password"
    secret.isSecureTextEntry = true
    for (place, part) in ([label, button, image, field, tile, secret] as [UIView]).enumerated() {
      part.frame = CGRect(x: 20, y: 20 + place * 60, width: 200, height: 40)
      view.addSubview(part)
    }
    let presenter = try #require(window.presenter as? GTKPresenter)
    func expect(_ part: UIView, _ name: String) async throws {
      try await wait(name) { await presenter.isNamed(part, name) }
    }
    try await expect(label, "Two people")
    try await expect(button, "Join")
    try await expect(image, "Hang up")
    try await expect(field, "Your name")
    try await expect(tile, "Ann's picture")
    try await expect(secret, "Password")
    secret.isSecureTextEntry = false
    try await expect(secret, "Password")
    label.text = "Three people"
    button.setTitle("Leave", for: .normal)
    try await expect(label, "Three people")
    try await expect(button, "Leave")
    button.accessibilityLabel = "Leave the meeting"
    label.accessibilityLabel = "In the meeting: three"
    label.text = "3"
    try await expect(button, "Leave the meeting")
    try await expect(label, "In the meeting: three")
    button.accessibilityLabel = nil
    label.accessibilityLabel = nil
    try await expect(button, "Leave")
    try await expect(label, "3")
  }

  /// A screen with something of everything, under a navigation bar.
  private final class Gallery: UIViewController, UITableViewDataSource {
    var texts: [UIView] = []
    private let width: CGFloat

    init(width: CGFloat) {
      self.width = width
      super.init(nibName: nil, bundle: nil)
    }
    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
      title = "Meeting"
      navigationItem.rightBarButtonItem = UIBarButtonItem(title: "Leave", primaryAction: UIAction { _ in })
      let width = width - 32
      func add<Part: UIView>(_ part: Part, _ y: CGFloat, _ height: CGFloat, x: CGFloat = 16, width: CGFloat) -> Part {
        part.frame = CGRect(x: x, y: y, width: width, height: height)
        view.addSubview(part)
        return part
      }
      let head = add(UILabel(), 12, 24, width: width)
      head.text = "Two people are here, and a third waits to be let in by somebody"
      head.font = .boldSystemFont(ofSize: 17)
      let small = add(UILabel(), 38, 34, width: width)
      small.text = "Your microphone is off. The others see your picture."
      small.font = .systemFont(ofSize: 13)
      small.textColor = .secondaryLabel
      small.numberOfLines = 0
      let third = (width - 16) / 3
      let plain = add(UIButton(type: .system), 80, 40, width: third)
      plain.setTitle("Mute", for: .normal)
      let filled = add(UIButton(type: .custom), 80, 40, x: 24 + third, width: third)
      filled.setTitle("End", for: .normal)
      filled.setTitleColor(.white, for: .normal)
      filled.backgroundColor = .systemRed
      filled.layer.cornerRadius = 10
      let off = add(UIButton(type: .system), 80, 40, x: 32 + 2 * third, width: third)
      off.setTitle("Send", for: .normal)
      off.isEnabled = false
      let field = add(UITextField(), 130, 36, width: width - 70)
      field.borderStyle = .roundedRect
      field.text = "Jake"
      let empty = add(UITextField(), 174, 36, width: width - 70)
      empty.borderStyle = .roundedRect
      empty.placeholder = "Meeting URL"
      let toggle = add(UISwitch(), 132, 31, x: width - 40, width: 51)
      toggle.isOn = true
      let spinner = add(UIActivityIndicatorView(style: .medium), 180, 24, x: width - 26, width: 24)
      spinner.startAnimating()
      let text = add(UITextView(), 220, 60, width: width)
      text.text = "Waiting for token and discovery URI!"
      let list = add(UITableView(), 290, 100, x: 0, width: width + 32)
      list.dataSource = self
      let tile = add(VideoView(), 400, 120, width: width)
      tile.scaling = .fill
      if let frame = try? redAndBlue() { tile.show(frame) }
      texts = [head, small, plain, filled, field, text]
    }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 2 }
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      let cell = UITableViewCell(style: .subtitle, reuseIdentifier: nil)
      cell.textLabel?.text = indexPath.row == 0 ? "Checking" : "Savings"
      cell.detailTextLabel?.text = "$ 1,234.56"
      cell.accessoryType = .disclosureIndicator
      return cell
    }
  }

  /// How far the lightest and the darkest point of a rectangle are apart, 0 to 1.
  private func contrast(_ picture: UIImage, _ rect: CGRect) -> CGFloat {
    var (least, most): (CGFloat, CGFloat) = (1, 0)
    for y in Int(rect.minY)..<Int(rect.maxY) {
      for x in Int(rect.minX)..<Int(rect.maxX) {
        var (r, g, b): (CGFloat, CGFloat, CGFloat) = (0, 0, 0)
        picture.color(x: x, y: y)?.getRed(&r, green: &g, blue: &b, alpha: nil)
        let light = 0.3 * r + 0.6 * g + 0.1 * b
        (least, most) = (min(least, light), max(most, light))
      }
    }
    return most - least
  }

  @Test func everyTextStandsOutFromItsBackgroundInAWideAndInANarrowWindow() async throws {
    for (name, width) in [("wide", 520), ("narrow", 260)] {
      let (window, _) = try await window(CGSize(width: width, height: 600))
      defer { window.close() }
      let gallery = Gallery(width: CGFloat(width))
      window.rootViewController = UINavigationController(rootViewController: gallery)
      for part in gallery.texts {
        var seen: CGFloat = 0
        try await wait("\(part) to be read in a \(name) window: \(seen)") {
          guard let picture = await window.screenshot() else { return false }
          seen = contrast(picture, part.convert(part.bounds.insetBy(dx: 8, dy: 4), to: nil))
          return seen > 0.4
        }
        // Without a desktop colours are those of the light theme.
        #expect(contrast(try window.snapshot(), part.convert(part.bounds.insetBy(dx: 8, dy: 4), to: nil)) > 0.4)
      }
      try await save(window, "gallery-\(name)")
    }
  }
}
