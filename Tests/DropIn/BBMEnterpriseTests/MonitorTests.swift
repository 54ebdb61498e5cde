import Foundation
import ParleyViews
import Synchronization
import TestSupport
import Testing

@testable import BBMEnterprise

/// An object of an app with properties that monitors may depend on.
private final class Counter {
  private var values = [0, 0]
  var first: Int {
    get { get(0, "first") }
    set { set(0, "first", newValue) }
  }
  var second: Int {
    get { get(1, "second") }
    set { set(1, "second", newValue) }
  }

  private func get(_ index: Int, _ name: String) -> Int {
    ObservableTracker.getterCalled(for: self, propertyName: name)
    return values[index]
  }

  private func set(_ index: Int, _ name: String, _ value: Int) {
    values[index] = value
    ObservableTracker.setterCalled(for: self, propertyName: name)
  }
}

@MainActor @Suite(.serialized) struct MonitorTests {
  @Test("an activated monitor runs at once and depends on what its last run has read")
  func dependencies() {
    let counter = Counter()
    var seen: [String] = []
    let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "branches") { () -> Void in
      seen.append(counter.first > 0 ? "first \(counter.first)" : "second \(counter.second)")
    }
    #expect(seen == ["second 0"])
    counter.second = 5
    counter.first = 1
    // The branch with the second isn't taken any more.
    counter.second = 6
    #expect(seen == ["second 0", "second 5", "first 1"])
    monitor.deActivate()
    counter.first = 2
    #expect(seen.count == 3)
    monitor.activate()
    #expect(seen.last == "first 2")
    // An active one runs again.
    monitor.activate()
    #expect(seen.count == 5)
    counter.first = 3
    #expect(seen.last == "first 3" && seen.count == 6)
  }

  @Test("the closure's type chooses a monitor that ends itself; a released one ends")
  func selfTerminating() {
    let counter = Counter()
    var runs = 0
    let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "until two") { () -> Bool in
      runs += 1
      return counter.first >= 2
    }
    for value in 1...4 { counter.first = value }
    #expect(runs == 3)
    withExtendedLifetime(monitor) {}

    var others = 0
    var inactive: ObservableMonitor? = ObservableMonitor(name: "later") { () -> Void in others += counter.second + 1 }
    counter.second = 1
    #expect(others == 0)
    inactive?.activate()
    inactive = nil
    counter.second = 2
    #expect(others == 2)
  }

  @Test("monitors made in a block keep dependencies apart, and a set ends them together")
  func nestingAndSets() {
    let counter = Counter()
    var outer = 0
    var inner = 0
    let set = ObservableMonitorSet()
    let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "outer") { () -> Void in
      outer += 1
      _ = counter.first
      set.add(ObservableMonitor(activatedWithName: "inner") { () -> Void in inner += counter.second + 1 })
    }
    counter.second = 1
    #expect(outer == 1 && inner == 3 && set.count == 1)
    // The inner one of the earlier run has ended.
    counter.first = 1
    #expect(outer == 2 && inner == 5)
    set.deActivate()
    counter.second = 2
    #expect(inner == 5)
    set.removeAll()
    monitor.deActivate()
  }

  @Test("reads count for nobody while tracking is disabled")
  func disabling() {
    let counter = Counter()
    var runs = 0
    ObservableTracker.setTrackingDisable(true)
    let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "blind") { () -> Void in
      runs += counter.first + 1
    }
    ObservableTracker.setTrackingDisable(false)
    counter.first = 1
    #expect(runs == 1)
    monitor.activate()
    counter.first = 2
    #expect(runs == 6)
  }

  @Test("a read on another thread is a misuse, unless it holds the lock")
  func misuse() async {
    let texts = Mutex<[String]>([])
    let earlier = ObservableTracker.misuseHandler.withLock { $0 }
    ObservableTracker.misuseHandler.withLock { $0 = { text in texts.withLock { $0.append(text) } } }
    defer { ObservableTracker.misuseHandler.withLock { $0 = earlier } }
    let lock = BBMEnterpriseService.shared().readWriteLock
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let counter = Counter()
        _ = counter.first
        lock.lock()
        _ = counter.second
        lock.unlock()
        continuation.resume()
      }
    }
    let found = texts.withLock { $0 }
    #expect(found.count == 1 && found.first?.hasPrefix("ObservableTracker Misuse: Counter.first") == true)
  }

  @Test("a message that changes several properties runs a monitor once, at its frequency")
  func batches() async throws {
    let (service, feed) = Feed.service()
    feed.lists["chat"] = [["chatId": "1", "subject": "Lunch", "numMessages": "1", "lastMessage": "1"]]
    let chats: BBMLiveList = service.model().chat
    feed.pump()
    guard let chat = chats["1"] as? BBMChat else {
      Issue.record("no chat")
      return
    }
    var seen: [String] = []
    let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "chat") { () -> Void in
      seen.append("\(chat.subject ?? "") \(chat.lastMessage)")
    }
    var rare = 0
    let limited: ObservableMonitor = ObservableMonitor(name: "limited") { () -> Void in
      rare += chat.subject == nil ? 0 : 1
    }
    limited.limitFrequency = true
    limited.activate()
    let change: [String: Any] = ["chatId": "1", "subject": "Dinner", "numMessages": "2", "lastMessage": "2"]
    feed.give("listChange", ["type": "chat", "elements": [change]])
    feed.give("listChange", ["type": "chat", "elements": [["chatId": "1", "subject": "Breakfast"]]])
    #expect(seen == ["Lunch 1", "Dinner 2", "Breakfast 2"])
    #expect(rare == 1)
    try await wait(for: "the limited run") { rare == 2 }
    monitor.deActivate()
  }
}
