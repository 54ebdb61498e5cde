import Basics

/// A request for the elements of a list: those that match, or single ones.
struct ListRequest {
  let type: String
  let cookie: String
  let criteria: [String: Any]
  /// The keys of single elements; nil for those that match.
  let keys: [[String: Any]]?

  init(_ name: String, _ body: [String: Any]) {
    type = body["type"] as? String ?? ""
    cookie = body["cookie"] as? String ?? ""
    criteria = body["criteria"] as? [String: Any] ?? [:]
    keys = name == "requestListElements" ? body["elements"] as? [[String: Any]] ?? [] : nil
  }
}

/// Requests that the service could not be asked for. Their elements stay pending, since unanswered isn't missing.
@MainActor final class UnansweredRequests {
  private static let pause = TimeSpan.seconds(3)
  private var requests: [ListRequest] = []
  private var timer: Task<Void, Never>?

  func add(_ request: ListRequest) { requests.append(request) }

  /// Calls `body` after a pause, once for all that is added until then.
  func later(_ body: @escaping @MainActor () -> Void) {
    guard timer == nil else { return }
    timer = Task {
      guard (try? await Task.sleep(nanoseconds: UInt64(Self.pause.nanoseconds))) != nil else { return }
      body()
    }
  }

  /// Gives the requests up to the caller, who answers or forgets them.
  @discardableResult func removeAll() -> [ListRequest] {
    defer { (requests, timer) = ([], nil) }
    timer?.cancel()
    return requests
  }
}
