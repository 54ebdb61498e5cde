import Foundation
import MessagingClient
import ParleyViews

@testable import BBMEnterprise

/// A core in memory: it has lists, which it gives when they are asked for, and otherwise says what a test lets it say.
@MainActor final class Feed: ServiceCore {
  var deliver: (([String: Any]) -> Void)?
  var connectivityChanged: ((_ connected: Bool, _ strict: Bool) -> Void)?
  var callChanged: ((CallEvent) -> Void)?
  var signaling: (any CallSignaling)?
  /// The messages of the app, without requests for lists.
  private(set) var sent: [(name: String, body: [String: Any])] = []
  private(set) var requests: [(name: String, body: [String: Any])] = []
  /// The elements of each list.
  var lists: [String: [[String: Any]]] = ["user": [["uri": "bbmpim://user/id/0", "regId": "7"]]]
  /// Answers to messages of a name.
  var answers: [String: ([String: Any]) -> [(String, [String: Any])]] = [:]
  var canStart = true
  private(set) var starts = 0
  private(set) var wipes = 0
  private var completion: (@MainActor (Bool) -> Void)?
  private var queue: [(String, [String: Any])] = []
  /// Holds the service as long as the feed.
  private var owner: BBMEnterpriseService?

  func start(domain: String, environment: BBMConfigEnvironment, completion: @escaping @MainActor (Bool) -> Void) {
    starts += 1
    self.completion = completion
  }

  /// Lets a start that was asked for end.
  func finishStart() {
    let completion = self.completion
    self.completion = nil
    completion?(canStart)
  }

  /// Whether the goodbye is said at once; ``finishStop()`` does it otherwise.
  var stopsAtOnce = true
  private var stopCompletion: (@MainActor () -> Void)?

  func stop(completion: @escaping @MainActor () -> Void) {
    stopCompletion = completion
    if stopsAtOnce { finishStop() }
  }

  func finishStop() {
    let completion = stopCompletion
    stopCompletion = nil
    completion?()
  }

  func wipe() {
    wipes += 1
    queue = []
  }

  func send(_ message: [String: Any]) {
    for (name, body) in message {
      let body = body as? [String: Any] ?? [:]
      if name.hasPrefix("requestList"), name != "requestListChange" {
        requests.append((name, body))
        answer(name, body)
      } else {
        sent.append((name, body))
        queue += answers[name]?(body) ?? []
      }
    }
  }

  private func answer(_ name: String, _ body: [String: Any]) {
    let type = body["type"] as? String ?? ""
    let all = lists[type] ?? []
    func holds(_ element: [String: Any], _ wanted: [String: Any]) -> Bool {
      wanted.allSatisfy { name, value in
        if let part = value as? [String: Any] {
          return (element[name] as? [[String: Any]] ?? []).contains { holds($0, part) }
        }
        return FieldValue.key(element[name]) == FieldValue.key(value)
      }
    }
    let cookie = body["cookie"] ?? ""
    if name == "requestListElements" {
      let keys = body["elements"] as? [[String: Any]] ?? []
      let found = all.filter { element in keys.contains { holds(element, $0) } }
      queue.append(("listElements", ["type": type, "elements": found, "cookie": cookie]))
    } else {
      let criteria = body["criteria"] as? [String: Any] ?? [:]
      queue.append(("listChunk", ["type": type, "elements": all.filter { holds($0, criteria) }]))
      queue.append(("listAll", ["type": type, "cookie": cookie]))
    }
  }

  /// Delivers what waits, and what that leads to.
  func pump() {
    while !queue.isEmpty {
      let (name, body) = queue.removeFirst()
      give(name, body)
    }
  }

  func give(_ name: String, _ body: [String: Any]) { deliver?([name: body]) }

  func setGlobal(_ name: String, _ value: Any) {
    give("listChange", ["type": "global", "elements": [["name": name, "value": value]]])
  }

  func setup(_ state: String) { setGlobal("setupState", ["state": state]) }

  /// The messages of a name that the app has sent.
  func sent(_ name: String) -> [[String: Any]] { sent.filter { $0.name == name }.map(\.body) }

  /// A service with a feed, started unless it is said otherwise.
  static func service(isStarted: Bool = true) -> (BBMEnterpriseService, Feed) {
    let feed = Feed()
    let service = BBMEnterpriseService(makeCore: { feed })
    feed.owner = service
    service.model().schedule = { $0() }
    if isStarted {
      service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
      feed.finishStart()
      feed.pump()
    }
    return (service, feed)
  }
}

/// The question that is asked now, and its answer.
@MainActor struct Question {
  let alert: UIAlertController

  /// Nil while nothing is asked.
  init?() {
    guard let alert = UIApplication.shared.alerts.last else { return nil }
    self.alert = alert
  }

  func answer(_ title: String, _ texts: String...) {
    for (field, text) in zip(alert.textFields ?? [], texts) { field.text = text }
    if let action = alert.actions.first(where: { $0.title == title }) { alert.choose(action) }
  }
}
