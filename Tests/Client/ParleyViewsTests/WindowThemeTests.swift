import Foundation
import Testing

@testable import ParleyViews

extension ScreenTests.WindowTests {
  /// The output of `headless-views` for each view with text, in a theme of the desktop.
  private func readings(_ theme: String, _ options: [String]) async throws -> [String] {
    let (window, _) = try await window()
    window.close()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("headless-views")
    process.arguments = ["--theme"] + options
    let display = ["DISPLAY": VirtualDisplay.number, "GTK_THEME": theme]
    process.environment = ProcessInfo.processInfo.environment.merging(display) { _, new in new }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    return try await Task.detached {
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }.value
  }

  private static let parts = [
    "label", "button", "field", "placeholder", "text", "list", "alert", "alert", "answer",
  ]

  @Test(arguments: ["Adwaita", "Adwaita:dark", "Default:hc", "Default:hc-dark"])
  func anAppWithALightGroundOfItsOwnIsReadInEveryThemeOfTheDesktop(theme: String) async throws {
    #expect(try await readings(theme, []) == ["light"] + Self.parts.map { $0 + " dark on light" })
  }

  @Test(arguments: [
    ("Adwaita", "light"), ("Adwaita:dark", "dark"), ("Default:hc", "light"), ("Default:hc-dark", "dark"),
  ])
  func anAppThatFollowsTheDesktopHasTheColoursOfItsTheme(theme: String, style: String) async throws {
    let look = style == "dark" ? " light on dark" : " dark on light"
    #expect(try await readings(theme, ["--follows"]) == [style] + Self.parts.map { $0 + look })
  }

  private final class Listener: UIView {
    var told: [UIUserInterfaceStyle?] = []
    override func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {
      told.append(previousTraitCollection?.userInterfaceStyle)
    }
  }

  @Test func aWindowThatIsToBeDarkBecomesSoAtOnceAndLightAgainWhenItIsClosed() async throws {
    let (window, view) = try await window()
    defer { window.close() }
    let own = UIColor { $0.userInterfaceStyle == .dark ? .blue : .green }
    view.backgroundColor = own
    let listener = Listener(frame: CGRect(x: 0, y: 200, width: 400, height: 100))
    listener.backgroundColor = .systemBackground
    view.addSubview(listener)
    func see(_ what: String, ground: UIColor, isDark: Bool) async throws {
      try await wait(what) {
        guard let picture = await window.screenshot(), picture.color(x: 20, y: 20) == ground else { return false }
        var red: CGFloat = 0
        picture.color(x: 20, y: 250)?.getRed(&red, green: nil, blue: nil, alpha: nil)
        return (red < 0.3) == isDark
      }
      // Without a desktop the colours are the same.
      #expect(try window.snapshot().color(x: 20, y: 20) == ground)
    }
    try await see("a light window", ground: .green, isDark: false)
    window.overrideUserInterfaceStyle = .dark
    #expect(view.traitCollection.userInterfaceStyle == .dark && listener.told == [.light])
    try await see("a dark window", ground: .blue, isDark: true)
    window.overrideUserInterfaceStyle = .unspecified
    #expect(listener.told == [.light, .dark])
    try await see("a light window again", ground: .green, isDark: false)
    window.rootViewController?.overrideUserInterfaceStyle = .dark
    try await see("a window that is dark by its screen", ground: .blue, isDark: true)
    window.close()
    #expect(UITraitCollection.current.userInterfaceStyle == .light)
  }
}
