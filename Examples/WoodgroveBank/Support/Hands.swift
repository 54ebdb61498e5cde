import Foundation
import UIKit

/// Acts like a person, step by step, and reports the screen's content whenever that changes. A step waits until it can
/// be done.
@MainActor final class Hands {
  private let window: UIWindow
  private var told: Data?
  /// How long a step waits for what it needs.
  private let patience = 30.0

  init(_ window: UIWindow) {
    self.window = window
    Journal.isKept = true
  }

  /// Begins with the steps of a file, or with `-` of standard input.
  func begin(_ path: String) {
    let lines = AsyncStream<String> { continuation in
      Thread.detachNewThread {
        if path == "-" {
          while let line = readLine() { continuation.yield(line) }
        } else if let text = try? String(contentsOfFile: path, encoding: .utf8) {
          for line in text.split(separator: "\n") { continuation.yield(String(line)) }
        } else {
          continuation.yield("cannot read \(path)")
        }
        continuation.finish()
      }
    }
    Task {
      for await line in lines { await self.take(line) }
    }
    Task {
      while true {
        self.look()
        try? await Task.sleep(nanoseconds: 40_000_000)
      }
    }
  }

  private func look() {
    let description = Screen(window).description
    guard let data = try? JSONSerialization.data(withJSONObject: description, options: .sortedKeys), data != told else {
      return
    }
    told = data
    Journal.note("screen", description)
  }

  private func take(_ line: String) async {
    let line = line.trimmingCharacters(in: .whitespaces)
    guard !line.isEmpty, !line.hasPrefix("#") else { return }
    let word = String(line.prefix { $0 != " " })
    let rest = line.dropFirst(word.count).trimmingCharacters(in: .whitespaces)
    let end = Date() + patience
    while Date() < end {
      if await step(word, rest) {
        // The result of a step is reported before the step is done.
        look()
        return Journal.note("done", ["step": line])
      }
      try? await Task.sleep(nanoseconds: 40_000_000)
    }
    Journal.note("problem", ["step": line])
  }

  /// Does a step; false when it cannot be done now.
  private func step(_ word: String, _ rest: String) async -> Bool {
    let screen = Screen(window)
    switch word {
    case "see": return screen.texts.contains { $0.contains(rest) } || screen.alert?.message?.contains(rest) == true
    case "answer": return answer(rest, screen.alert)
    case "save": return await save(rest)
    case "size": return resize(rest)
    case "quit": return await quit()
    default: return screen.alert == nil && use(word, rest, screen)
    }
  }

  private func use(_ word: String, _ rest: String, _ screen: Screen) -> Bool {
    let (name, value) = Self.parts(rest)
    switch word {
    case "press":
      guard let button = screen.buttons.first(where: { $0.currentTitle == rest && isReachable($0) }) else {
        return false
      }
      button.sendActions(for: .touchUpInside)
    case "fill":
      guard let field = screen.fields.first(where: { $0.placeholder == name }) else { return false }
      field.text = ""
      field.insertText(value ?? "")
    case "turn":
      guard let toggle = screen.switches.first(where: { $0.accessibilityLabel == name }) else { return false }
      toggle.setOn(value == "on", animated: true)
      toggle.sendActions(for: .valueChanged)
    case "row": return choose(rest, screen)
    default: return false
    }
    return true
  }

  /// The two sides of `NAME = VALUE`.
  private static func parts(_ text: String) -> (name: String, value: String?) {
    guard let sign = text.range(of: " =") else { return (text, nil) }
    return (String(text[..<sign.lowerBound]), text[sign.upperBound...].trimmingCharacters(in: .whitespaces))
  }

  private func isReachable(_ control: UIControl) -> Bool {
    let middle = control.convert(CGPoint(x: control.bounds.midX, y: control.bounds.midY), to: nil)
    return control.isEnabled && window.hitTest(middle, with: nil) === control
  }

  private func choose(_ text: String, _ screen: Screen) -> Bool {
    for table in screen.tables {
      for cell in table.visibleCells where cell.textLabel?.text == text {
        guard let path = table.indexPath(for: cell) else { continue }
        table.delegate?.tableView(table, didSelectRowAt: path)
        return true
      }
    }
    return false
  }

  private func answer(_ title: String, _ alert: UIAlertController?) -> Bool {
    guard let alert, let action = alert.actions.first(where: { $0.title == title }) else { return false }
    alert.choose(action)
    return true
  }

  /// Keeps a picture of the window, or with `save FILE = NAME` of the view of that name.
  private func save(_ rest: String) async -> Bool {
    let (file, name) = Self.parts(rest)
    var image: UIImage?
    if let name {
      let view = Screen(window).views.first { $0.accessibilityLabel == name }
      image = try? view?.snapshot()
    } else if window.isPresented {
      image = await window.screenshot()
    } else {
      image = try? window.snapshot()
    }
    guard let data = image?.pngData() else { return false }
    return (try? data.write(to: URL(fileURLWithPath: file), options: .atomic)) != nil
  }

  private func resize(_ text: String) -> Bool {
    guard let size = try? Options.size(text) else { return false }
    window.frame.size = CGSize(width: size.width, height: size.height)
    return true
  }

  /// Closes the window, which ends the app. Without one it ends as it does then: the goodbye to the meeting has a
  /// moment.
  private func quit() async -> Bool {
    if window.isPresented {
      window.close()
      return true
    }
    UIApplication.shared.delegate?.applicationWillTerminate(UIApplication.shared)
    try? await Task.sleep(nanoseconds: 1_000_000_000)
    exit(0)
  }
}
