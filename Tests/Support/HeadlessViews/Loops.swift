import Foundation
import ParleyViews

// The loops that run while a window is open, in a process whose main thread runs `RunLoop.main`, as an app's does.

/// Notes that a drag has begun.
@MainActor
private final class DragView: UIView {
  var isDragged = false
  override func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) { isDragged = true }
}

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Counts turns of everything that an app may wait for on its main thread.
@MainActor
private final class Turns {
  private static let enough = 5
  private var (timer, task, queue) = (0, 0, 0)

  private func goOnWithTimers() { timer += 1 }

  private func goOnWithTasks() {
    task += 1
    if task < Self.enough { Task { @MainActor in self.goOnWithTasks() } }
  }

  private func goOnWithQueue() {
    queue += 1
    if queue < Self.enough { DispatchQueue.main.async { MainActor.assumeIsolated { self.goOnWithQueue() } } }
  }

  /// Waits until all have had their turns, and says which had not.
  static func count(_ state: String) async {
    let turns = Turns()
    let timer = Timer.scheduledTimer(
      timeInterval: 0.01, target: turns, selector: Turns.goOnWithTimers, userInfo: nil, repeats: true)
    turns.goOnWithTasks()
    turns.goOnWithQueue()
    for _ in 0..<500 where min(turns.timer, turns.task, turns.queue) < enough {
      try? await Task.sleep(for: .milliseconds(20))
    }
    timer.invalidate()
    func word(_ count: Int) -> String { count >= enough ? "go on" : "stopped at \(count)" }
    say("\(state): timers \(word(turns.timer)), tasks \(word(turns.task)), queue \(word(turns.queue))")
  }
}

/// Opens a window and says, for each thing that may be over it, whether the main thread goes on.
@MainActor
func watchLoops() {
  let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 300, height: 300))
  let screen = UIViewController()
  let pad = DragView(frame: CGRect(x: 0, y: 0, width: 300, height: 300))
  screen.view.addSubview(pad)
  window.rootViewController = screen
  window.makeKeyAndVisible()
  Task { @MainActor in
    while await window.screenshot() == nil { try? await Task.sleep(for: .milliseconds(20)) }
    await Turns.count("window")
    for (name, style) in [("alert", UIAlertController.Style.alert), ("sheet", .actionSheet)] {
      let alert = UIAlertController(title: "Leave?", message: nil, preferredStyle: style)
      alert.addAction(UIAlertAction(title: "Leave", style: .default))
      screen.present(alert, animated: true)
      await Turns.count(name)
      alert.choose(alert.actions[0])
    }
    UIAlertView(title: "Hello", message: nil, delegate: nil, cancelButtonTitle: "OK").show()
    await Turns.count("alert view")
    screen.dismiss(animated: true)
    let next = UIViewController()
    next.modalPresentationStyle = .pageSheet
    screen.present(next, animated: true)
    await Turns.count("screen")
    next.dismiss(animated: true)
    say("drag me")
    while !pad.isDragged { try? await Task.sleep(for: .milliseconds(20)) }
    await Turns.count("drag")
    exit(0)
  }
}
