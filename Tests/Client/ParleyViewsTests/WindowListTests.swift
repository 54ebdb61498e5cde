import Testing

@testable import ParleyViews

/// Rows under the pointer, views that scroll, and what the keyboard and a screen reader find.
extension ScreenTests.WindowTests {
  private final class Rows: UITableViewDataSource, UITableViewDelegate {
    var chosen: [Int] = []
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 3 }
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      let cell = UITableViewCell(style: .default, reuseIdentifier: nil)
      cell.textLabel?.text = "Row \(indexPath.row)"
      if indexPath.row == 1 { cell.selectionStyle = .none }
      return cell
    }
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) { chosen.append(indexPath.row) }
  }

  @Test func onlyRowsThatLookSelectedLightUpUnderThePointer() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let rows = Rows()
    let lists = (0..<2).map { UITableView(frame: CGRect(x: 0, y: $0 * 160, width: 400, height: 132)) }
    for list in lists {
      list.dataSource = rows
      list.delegate = rows
      view.addSubview(list)
    }
    lists[1].allowsSelection = false
    func color(_ list: Int, _ row: Int) async -> UIColor? {
      await window.screenshot()?.color(x: 300, y: list * 160 + row * 44 + 22)
    }
    func point(_ list: Int, _ row: Int) throws {
      try VirtualDisplay.hands("mousemove", "300", "\(list * 160 + row * 44 + 12)")
    }
    try VirtualDisplay.hands("mousemove", "300", "480")
    var plain: UIColor?
    try await wait("rows without the pointer") {
      plain = await color(0, 0)
      let others = [await color(0, 1), await color(0, 2), await color(1, 0)]
      return plain != nil && others.allSatisfy { $0 == plain }
    }
    for (list, row) in [(0, 1), (1, 0), (1, 1)] {
      try point(0, 0)
      try await wait("the row under the pointer to light up") { await color(0, 0) != plain }
      try point(list, row)
      try await wait("the row to be as before") { await color(0, 0) == plain }
      #expect(await color(list, row) == plain, "row \(row) of list \(list)")
    }
    // Chosen is what can be, by a click and by the keyboard.
    try VirtualDisplay.hands("mousemove", "300", "182", "click", "1", "mousemove", "300", "66", "click", "1")
    try await wait("the quiet row") { rows.chosen == [1] }
    try VirtualDisplay.hands("mousemove", "300", "480")
  }

  @Test func aDragScrollsAPlainScrollViewAndItsBarIsSeenMeanwhile() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let scroll = UIScrollView(frame: CGRect(x: 0, y: 0, width: 400, height: 300))
    scroll.contentSize = CGSize(width: 400, height: 900)
    for (place, color) in [UIColor.red, .green, .blue].enumerated() {
      let part = UIView(frame: CGRect(x: 0, y: place * 300, width: 400, height: 300))
      part.backgroundColor = color
      scroll.addSubview(part)
    }
    view.addSubview(scroll)
    try await wait("the beginning") { isMostly(await window.screenshot()?.color(x: 395, y: 40), red: true) }
    try await wait("the drag") {
      try VirtualDisplay.hands(
        "mousemove", "200", "250", "mousedown", "1", "mousemove", "200", "200", "mousemove", "200", "100")
      return scroll.contentOffset.y > 0
    }
    try await wait("the drag's end") { scroll.contentOffset.y == 150 && scroll.isDragging }
    let bar = try #require(scroll.bars.first)
    try await wait("the bar") {
      guard let picture = await window.screenshot() else { return false }
      let inside = picture.color(x: Int(bar.midX), y: Int(bar.midY))
      let beside = picture.color(x: Int(bar.minX) - 4, y: Int(bar.midY))
      return inside != beside && isMostly(beside, red: true)
    }
    try await save(window, "bar")
    try VirtualDisplay.hands("mouseup", "1")
    try await wait("the bar to go") {
      let place = await window.screenshot()?.color(x: Int(bar.midX), y: Int(bar.midY))
      return !scroll.isDragging && scroll.bars == [.zero, .zero] && isMostly(place, red: true)
    }
  }

  @Test func everyWidgetHasItsRoleForAScreenReader() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    // The numbers are GTK's: button 3, picture 20, label 22, list 26, progress bar 44, switch 63, text box 68.
    let parts: [(UIView, Int32)] = [
      (UIButton(type: .system), 3), (VideoView(), 20), (UIImageView(), 20), (UILabel(), 22), (UITableView(), 26),
      (UIActivityIndicatorView(style: .medium), 44), (UISwitch(), 63), (UITextField(), 68), (UITextView(), 68),
    ]
    let presenter = try #require(window.presenter as? GTKPresenter)
    for (place, (part, _)) in parts.enumerated() {
      part.frame = CGRect(x: 20, y: 10 + place * 50, width: 200, height: 40)
      part.accessibilityLabel = "Part \(place)"
      view.addSubview(part)
    }
    for (place, (part, role)) in parts.enumerated() {
      try await wait("the name of \(part)") { await presenter.isNamed(part, "Part \(place)") }
      let seen = await presenter.role(part)
      #expect(seen == role, "\(part): \(String(describing: seen))")
    }
  }

  @Test func aScreenReaderIsToldWhatIsWrittenInARow() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let rows = Rows()
    let list = UITableView(frame: CGRect(x: 0, y: 0, width: 400, height: 200))
    list.dataSource = rows
    view.addSubview(list)
    let presenter = try #require(window.presenter as? GTKPresenter)
    for (place, cell) in list.visibleCells.enumerated() {
      try await wait("the name of row \(place)") { await presenter.isNamed(cell, "Row \(place)") }
    }
    let first = try #require(list.visibleCells.first)
    first.textLabel?.text = "The first row"
    try await wait("the other text") { await presenter.isNamed(first, "The first row") }
    first.accessibilityLabel = "Number one"
    try await wait("the name that the app gave") { await presenter.isNamed(first, "Number one") }
  }

  @Test func theTabKeyShowsWhereTheFocusIs() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let parts: [UIView] = [UIButton(type: .system), UITextField(), UISwitch()]
    for (place, part) in parts.enumerated() {
      part.frame = CGRect(x: 40, y: 40 + place * 80, width: 140, height: 40)
      (part as? UIButton)?.setTitle("Join", for: .normal)
      (part as? UITextField)?.borderStyle = .roundedRect
      view.addSubview(part)
    }
    func ring(_ part: UIView) async -> [UIColor?] {
      let picture = await window.screenshot()
      let frame = part.frame.insetBy(dx: -6, dy: -6)
      return (Int(frame.minY)..<Int(frame.maxY)).flatMap { y in
        [-6, -4, -3, -2, -1, 0, 1, 2, 3].map { picture?.color(x: Int(part.frame.minX) + $0, y: y) }
      }
    }
    try VirtualDisplay.hands("mousemove", "300", "400", "click", "1")
    var looks: [[UIColor?]] = []
    try await wait("the widgets at rest") {
      let before = looks
      looks = []
      for part in parts { looks.append(await ring(part)) }
      return looks == before && Set(looks.joined()).count > 2
    }
    for (place, part) in parts.enumerated() {
      try VirtualDisplay.hands("key", "Tab")
      try await wait("the focus to be seen at \(part)") { await ring(part) != looks[place] }
    }
    try await save(window, "focus")
  }
}
