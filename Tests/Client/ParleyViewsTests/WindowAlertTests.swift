import Testing

@testable import ParleyViews

/// Alerts and sheets in windows of many widths.
extension ScreenTests.WindowTests {
  private func inWindow(_ view: UIView) -> CGRect { view.convert(view.bounds, to: nil) }

  private func parts(_ view: UIView) -> [UIView] { view.subviews + view.subviews.flatMap { parts($0) } }

  @Test func anAlertLiesInTheMiddleOfAWideAndANarrowWindowWithAllItsWords() async throws {
    for size in [CGSize(width: 320, height: 480), CGSize(width: 390, height: 700), CGSize(width: 1_280, height: 720)] {
      for style in [UIAlertController.Style.alert, .actionSheet] {
        let (window, view) = try await window(size)
        defer { window.close() }
        view.backgroundColor = .systemBackground
        let alert = UIAlertController(
          title: "Getting the meeting's address failed",
          message:
            "The server at http://localhost:4321/GetAdhocMeetingJob cannot be reached. Look whether it runs, and whether the address in "
            + "the settings is its own.", preferredStyle: style)
        if style == .alert { alert.addTextField { $0.placeholder = "Another address" } }
        for title in ["Ask using Text Chat", "Ask using Video Chat"] {
          alert.addAction(UIAlertAction(title: title, style: .default))
        }
        alert.addAction(UIAlertAction(title: "Cancel", style: .cancel))
        window.rootViewController?.present(alert, animated: true)
        let box = try #require((alert.view as? AlertView)?.box)
        window.layoutIfNeeded()
        let frame = inWindow(box)
        #expect(abs(frame.midX - size.width / 2) <= 1, "\(frame) in \(size)")
        #expect(frame.minX >= 16 && frame.minY >= 16 && frame.maxY <= size.height - 16, "\(frame) in \(size)")
        if style == .alert { #expect(abs(frame.midY - size.height / 2) <= 1, "\(frame) in \(size)") }
        #expect(frame.width <= 400 && box.contentSize.height == frame.height)
        for part in parts(box) {
          #expect(frame.contains(inWindow(part)), "\(part) at \(inWindow(part)) in \(frame)")
          guard let label = part as? UILabel else { continue }
          #expect(label.sizeThatFits(CGSize(width: label.bounds.width, height: 0)).height <= label.bounds.height)
        }
        // GTK draws it there: the box is lighter than the veil around it in the light theme, darker or lighter in
        // others.
        try await wait("the alert on the screen", in: window) {
          guard let picture = await window.screenshot() else { return false }
          let (x, y) = (Int(frame.midX), Int(frame.minY))
          return picture.color(x: x, y: y + 8) != picture.color(x: x, y: y - 6)
            && picture.color(x: x, y: y - 6) == picture.color(x: 4, y: 4)
        }
        try await save(window, "\(style == .alert ? "alert" : "sheet")-\(Int(size.width))")
        // In a window too small for it, it scrolls.
        window.resize(to: CGSize(width: size.width, height: 160))
        #expect(inWindow(box).maxY <= 160 - 16 && box.contentSize.height > box.bounds.height)
        alert.choose(alert.actions[0])
        #expect(window.subviews.count == 1)
      }
    }
  }

  @Test func aLongWordIsNotBrokenInATitleAndElsewhereWithoutAHyphen() async throws {
    let (window, view) = try await window(CGSize(width: 360, height: 580))
    defer { window.close() }
    let alert = UIAlertController(
      title: "Error: ConferenceUnexpectedDisconnect",
      message: "A host of the meeting did not let you in. E_ConferencingAnonymousJoinClientForbidden (E3-9-47)",
      preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "Ok", style: .default))
    window.rootViewController?.present(alert, animated: true)
    window.layoutIfNeeded()
    let title = try #require(parts(alert.view).compactMap { $0 as? UILabel }.first)
    let word = UILabel(frame: .zero)
    (word.font, word.text) = (title.font, "ConferenceUnexpectedDisconnect")
    #expect(word.sizeThatFits(.zero).width <= title.bounds.width && title.font.pointSize < 16)
    try await save(window, "alert-long-words")
    alert.choose(alert.actions[0])

    // Letters without a stroke across, in a label and in a text.
    let words = String(repeating: "l", count: 40)
    let label = UILabel(frame: CGRect(x: 20, y: 20, width: 100, height: 200))
    let text = UITextView(frame: CGRect(x: 140, y: 20, width: 100, height: 200))
    label.numberOfLines = 0
    (label.font, text.font) = (.systemFont(ofSize: 30), .systemFont(ofSize: 30))
    (label.textColor, text.textColor) = (.black, .black)
    (text.isEditable, text.backgroundColor) = (false, .white)
    (label.text, text.text) = (words, words)
    for part in [label, text] { view.addSubview(part) }
    func dark(_ picture: UIImage, _ frame: CGRect) -> Bool {
      (Int(frame.minX)..<Int(frame.maxX)).contains { x in
        (Int(frame.minY) + 90..<Int(frame.maxY)).contains { y in isMostly(picture.color(x: x, y: y)) }
      }
    }
    try await wait("both texts on the screen, and no hyphen", in: window) {
      guard let shown = await window.screenshot() else { return false }
      return dark(shown, label.frame) && dark(shown, text.frame) && !hasDash(shown)
    }
  }

  @Test func keysStayInAnAlertAndGoBackWhereTheyWere() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let field = UITextField(frame: CGRect(x: 20, y: 20, width: 200, height: 36))
    view.addSubview(field)
    var presses = 0
    let behind = UIButton(type: .system, primaryAction: UIAction(title: "Behind") { _ in presses += 1 })
    behind.frame = CGRect(x: 20, y: 80, width: 120, height: 40)
    view.addSubview(behind)
    try await wait("the focus") {
      try click(field)
      return field.isFirstResponder
    }
    var answers: [String] = []
    let alert = UIAlertController(title: "Passcode", message: nil, preferredStyle: .alert)
    alert.addTextField { $0.isSecureTextEntry = true }
    let enter = UIAlertAction(title: "Enter", style: .default) { _ in answers.append("Enter") }
    enter.isEnabled = false
    alert.addAction(enter)
    alert.addAction(UIAlertAction(title: "Cancel", style: .cancel) { _ in answers.append("Cancel") })
    let code = try #require(alert.textFields?.first)
    code.addAction(UIAction { _ in enter.isEnabled = code.hasText }, for: .editingChanged)
    window.rootViewController?.present(alert, animated: true)
    #expect(code.isFirstResponder && !field.isFirstResponder)
    let presenter = try #require(window.presenter as? GTKPresenter)
    try await wait("the alert's name and role") {
      let role = await presenter.role(alert.view)
      return await presenter.isNamed(alert.view, "Passcode") && role == 1
    }
    try await wait("the code") {
      if !code.hasText { try VirtualDisplay.hands("key", "4") }
      return code.text == "4"
    }
    try await wait("the answer that is not grey any more") { enter.isEnabled }
    // Round and round, and never behind it.
    for _ in 0..<3 {
      try VirtualDisplay.hands("key", "Tab")
      try await wait("another stop than the field") { !code.isFirstResponder }
      try VirtualDisplay.hands("key", "Tab", "Tab")
      try await wait("the field again") { code.isFirstResponder }
    }
    try click(behind)
    try VirtualDisplay.hands("key", "Return")
    try await wait("the answer of the return key") { !answers.isEmpty }
    #expect(answers == ["Enter"] && presses == 0 && alert.presentingViewController == nil)
    try await wait("the field behind") { field.isFirstResponder }
    try VirtualDisplay.hands("type", "Ann")
    try await wait("what is typed there") { field.text == "Ann" }
  }
}
