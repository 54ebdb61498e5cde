import Parley
import Testing

@testable import ParleyViews

/// A person's actions in a window with wheel, pointer and keys.
extension ScreenTests.WindowTests {
  /// A picture of one colour.
  private func picture(_ color: UIColor, _ width: CGFloat, _ height: CGFloat) throws -> UIImage {
    let view = UIView(frame: CGRect(x: 0, y: 0, width: width, height: height))
    view.backgroundColor = color
    return try view.snapshot()
  }

  @Test func aButtonShowsItsPictureBesideItsTitleAndNoLargerThanItself() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    var presses = 0
    let both = UIButton(type: .system, primaryAction: UIAction(title: "Camera") { _ in presses += 1 })
    both.frame = CGRect(x: 20, y: 20, width: 160, height: 44)
    both.setImage(try picture(.red, 20, 20), for: .normal)
    let large = UIButton(type: .custom)
    large.frame = CGRect(x: 220, y: 20, width: 60, height: 44)
    large.setImage(try picture(.blue, 400, 400), for: .normal)
    view.addSubview(both)
    view.addSubview(large)
    try await wait("the picture at the left of the title", in: window) {
      guard let picture = await window.screenshot() else { return false }
      let red = (20..<180).filter { isMostly(picture.color(x: $0, y: 42), red: true) }
      return (16...22).contains(red.count) && red.allSatisfy { $0 < 100 }
    }
    try await wait("the large picture inside its button") {
      guard let picture = await window.screenshot() else { return false }
      let across = (200..<400).filter { isMostly(picture.color(x: $0, y: 42), blue: true) }
      let down = (0..<200).filter { isMostly(picture.color(x: 250, y: $0), blue: true) }
      return (30...50).contains(across.count) && (30...44).contains(down.count)
        && across.allSatisfy { (220..<280).contains($0) } && down.allSatisfy { (20..<64).contains($0) }
    }
    try await save(window, "buttons")
    try await wait("the click") {
      if presses == 0 { try click(both) }
      return presses > 0
    }
    both.setImage(nil, for: .normal)
    try await wait("the title alone") {
      guard let picture = await window.screenshot() else { return false }
      return !(20..<180).contains { isMostly(picture.color(x: $0, y: 42), red: true) }
    }
  }

  /// As where an app is busy between the clicks, and its screen still shows the button that the first one took away.
  @Test func theSecondClickOfTwoDoesNotPressWhatTheFirstOneTookAway() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    var presses = 0
    let button = UIButton(frame: CGRect(x: 20, y: 20, width: 100, height: 44))
    button.setTitle("Accept", for: .normal)
    button.backgroundColor = .red
    button.addAction(
      UIAction { [weak button] _ in
        presses += 1
        if presses == 2 { button?.removeFromSuperview() }
      }, for: .touchUpInside)
    view.addSubview(button)
    try await wait("the button", in: window) { isMostly(await window.screenshot()?.color(x: 30, y: 24), red: true) }
    // Three clicks, of which the second takes the button away.
    for _ in 0..<3 {
      GTKPresenter.receive(GTKEvent(id: SceneBuilder.id(button), code: 1, text: "", x: 0, y: 0, edits: 0))
    }
    #expect(presses == 2)
  }

  @Test func theWheelScrollsAPlainScrollViewToItsEnds() async throws {
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
    try await wait("the beginning") { isMostly(await window.screenshot()?.color(x: 200, y: 150), red: true) }
    try await wait("the end") {
      try VirtualDisplay.hands("mousemove", "200", "150", "click", "5", "click", "5")
      return scroll.contentOffset.y == 600
    }
    try await wait("the end's colour") { isMostly(await window.screenshot()?.color(x: 200, y: 150), blue: true) }
    try await wait("the beginning again") {
      try VirtualDisplay.hands("click", "4", "click", "4")
      return scroll.contentOffset.y == 0
    }
    scroll.isScrollEnabled = false
    try VirtualDisplay.hands("click", "5", "click", "5")
    var taps = 0
    view.addGestureRecognizer(UITapGestureRecognizer { _ in taps += 1 })
    try await wait("what comes after the wheel") {
      try VirtualDisplay.hands("mousemove", "200", "400", "click", "1")
      return taps > 0
    }
    #expect(scroll.contentOffset.y == 0)
  }

  @Test func aDragMovesASmallPictureThatLiesOverATile() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let tile = VideoView(frame: CGRect(x: 0, y: 0, width: 400, height: 200))
    tile.scaling = .fill
    let small = VideoView(frame: CGRect(x: 290, y: 130, width: 100, height: 60))
    small.layer.cornerRadius = 8
    view.addSubview(small)
    view.addSubview(tile)
    view.bringSubviewToFront(small)
    tile.show(try redAndBlue())
    small.show(try plain(green: true))
    var states: [UIGestureRecognizer.State] = []
    small.addGestureRecognizer(
      UIPanGestureRecognizer { [weak small, weak view] recognizer in
        guard let pan = recognizer as? UIPanGestureRecognizer, let small else { return }
        states.append(pan.state)
        let way = pan.translation(in: view)
        small.center = CGPoint(x: small.center.x + way.x, y: small.center.y + way.y)
        pan.setTranslation(.zero, in: view)
      })
    try await wait("the small picture over the large one") {
      let picture = await window.screenshot()
      return isMostly(picture?.color(x: 340, y: 160), green: true) && isMostly(picture?.color(x: 60, y: 60), red: true)
        && isMostly(picture?.color(x: 280, y: 160), blue: true)
    }
    try await save(window, "small")
    try VirtualDisplay.hands("mousemove", "340", "160", "mousedown", "1", "mousemove", "300", "120")
    try await wait("the drag to begin") { states == [.began] }
    try VirtualDisplay.hands("mousemove", "200", "80", "mousemove", "60", "60")
    try await wait("the drag to go on") { states.last == .changed && small.center == CGPoint(x: 60, y: 60) }
    try VirtualDisplay.hands("mouseup", "1")
    try await wait("the drag to end") { states.last == .ended }
    #expect(small.center == CGPoint(x: 60, y: 60))
    try await wait("the small picture at its new place") {
      let picture = await window.screenshot()
      return isMostly(picture?.color(x: 60, y: 60), green: true) && isMostly(picture?.color(x: 340, y: 160), blue: true)
    }
  }

  @Test func keysEditAFieldAndGoFromOneToTheNext() async throws {
    final class Watcher: UITextFieldDelegate {
      var returns: [String] = []
      func textFieldShouldReturn(_ textField: UITextField) -> Bool {
        returns.append(textField.text ?? "")
        return true
      }
    }
    let (window, view) = try await window()
    defer { window.close() }
    // The order is that of their places, not of their making.
    let last = UIButton(type: .system)
    var presses = 0
    last.setTitle("Join", for: .normal)
    last.addAction(UIAction { _ in presses += 1 }, for: .touchUpInside)
    last.frame = CGRect(x: 20, y: 140, width: 120, height: 40)
    view.addSubview(last)
    var fields: [UITextField] = []
    let watcher = Watcher()
    for place in [80, 20] {
      let field = UITextField(frame: CGRect(x: 20, y: place, width: 200, height: 36))
      field.borderStyle = .roundedRect
      field.delegate = watcher
      view.addSubview(field)
      fields.insert(field, at: 0)
    }
    let (first, second) = (fields[0], fields[1])
    try await wait("the focus") {
      try click(first)
      return first.isFirstResponder
    }
    try VirtualDisplay.hands("type", "Anne")
    try await wait("the typed text") { first.text == "Anne" }
    try VirtualDisplay.hands("key", "BackSpace", "Home", "Delete", "a", "Return")
    try await wait("the return key") { watcher.returns == ["ann"] }
    #expect(first.text == "ann")
    try VirtualDisplay.hands("key", "Tab")
    try await wait("the second field") { second.isFirstResponder && !first.isFirstResponder }
    try VirtualDisplay.hands("key", "B", "shift+Tab")
    try await wait("the first field again") { first.isFirstResponder && second.text == "B" }
    try VirtualDisplay.hands("key", "Tab", "Tab", "space")
    try await wait("the button") { presses == 1 }
    #expect(!second.isFirstResponder)
    second.becomeFirstResponder()
    try await wait("what is typed where the app says") {
      if second.text == "B" { try VirtualDisplay.hands("key", "End", "C") }
      return second.text == "BC"
    }
  }

  @Test func escapeCancelsAnAlertAndNeverTakesAwayOneThatMustBeAnswered() async throws {
    let (window, _) = try await window()
    defer { window.close() }
    let root = try #require(window.rootViewController)
    var answers: [String] = []
    func ask(_ titles: [(String, UIAlertAction.Style)]) -> UIAlertController {
      let alert = UIAlertController(title: "Leave?", message: nil, preferredStyle: .alert)
      for (title, style) in titles {
        alert.addAction(UIAlertAction(title: title, style: style) { answers.append($0.title ?? "") })
      }
      root.present(alert, animated: true)
      return alert
    }
    _ = ask([("Leave", .destructive), ("Stay", .cancel)])
    try await wait("the answer that cancels") {
      if answers.isEmpty { try VirtualDisplay.hands("key", "Escape") }
      return !answers.isEmpty
    }
    _ = ask([("Ok", .default)])
    try await wait("the only answer") {
      if answers.count == 1 { try VirtualDisplay.hands("key", "Escape") }
      return answers.count == 2
    }
    let last = ask([("Leave", .default), ("Stay", .default)])
    for _ in 0..<3 { try VirtualDisplay.hands("key", "Escape") }
    try await wait("the return key") {
      if answers.count == 2 { try VirtualDisplay.hands("key", "Return") }
      return answers.count == 3
    }
    #expect(answers == ["Stay", "Ok", "Leave"])
    #expect(UIApplication.shared.alerts.isEmpty && last.presentingViewController == nil)
  }

  @Test func keysGoToTheScreenInFrontAndNotToAFieldBehindIt() async throws {
    final class Front: UIViewController {
      var keys = ""
      override func pressesBegan(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        for press in presses { keys += press.key?.characters ?? "" }
      }
    }
    let (window, view) = try await window()
    defer { window.close() }
    let field = UITextField(frame: CGRect(x: 20, y: 20, width: 200, height: 40))
    view.addSubview(field)
    try await wait("the field to be typed into") {
      if !field.isFirstResponder { try click(field) }
      try VirtualDisplay.hands("mousemove", "392", "492", "type", "a")
      return field.text?.isEmpty == false
    }
    let typed = field.text
    for style in [UIModalPresentationStyle.fullScreen, .formSheet] {
      let front = Front()
      front.modalPresentationStyle = style
      front.view.backgroundColor = .white
      window.rootViewController?.present(front, animated: true)
      #expect(!field.isFirstResponder)
      try await wait("a key in front") {
        try VirtualDisplay.hands("type", "b")
        return front.keys.contains("b")
      }
      // Keys arrive in their order: after this one no other is on its way to the field.
      try VirtualDisplay.hands("type", "c")
      try await wait("the last key in front") { front.keys.contains("c") }
      front.dismiss(animated: true)
    }
    #expect(field.text?.contains("b") == false && field.text?.hasPrefix(typed ?? "a") == true, "\(field.text ?? "")")
  }
}
