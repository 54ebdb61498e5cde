import Foundation
import Transport

/// A session of Janus' API over plain HTTP: requests are posted, and what Janus says later is asked for by a long poll.
actor JanusSession {
  /// Janus' reply to a request.
  struct Reply: Sendable {
    /// The description that came with it.
    var sdp: String?
    /// The message as it came.
    var text: String
  }

  struct Refused: Error, CustomStringConvertible {
    var description: String
  }

  private let url: String
  private var session = ""
  private var requests = 0
  private var last = "nothing"
  private var arrived: [String: Result<Reply, any Error>] = [:]
  private var waiting: [String: CheckedContinuation<Reply, any Error>] = [:]
  private var poll: Task<Void, Never>?

  init(url: String) { self.url = url }

  /// Creates the session and starts to listen.
  func open() async throws {
    session = "\(url)/\(try await identifier(of: post(url, ["janus": "create"])))"
    let address = session + "?maxev=20"
    poll = Task {
      while !Task.isCancelled {
        do {
          self.take(try await HTTPClient.request("GET", address, timeout: .seconds(40)).body)
        } catch {
          self.last = "\(error)"
          break
        }
      }
    }
  }

  /// Makes a handle of the VideoRoom plugin.
  func attach() async throws -> Int {
    try await identifier(of: post(session, ["janus": "attach", "plugin": "janus.plugin.videoroom"]))
  }

  /// Sends a message to a handle's plugin and returns the plugin's answer.
  func send(
    _ handle: Int, body: [String: any Sendable], jsep: (type: String, sdp: String)? = nil
  ) async throws -> Reply {
    var message: [String: any Sendable] = ["janus": "message", "body": body]
    if let jsep { message["jsep"] = ["type": jsep.type, "sdp": jsep.sdp] }
    let (transaction, reply) = try await post("\(session)/\(handle)", message)
    guard reply["janus"] as? String == "ack" else { return try Self.checked(reply) }
    if let early = arrived.removeValue(forKey: transaction) { return try early.get() }
    return try await withCheckedThrowingContinuation { continuation in
      waiting[transaction] = continuation
      Task {
        try await Task.sleep(for: .seconds(15))
        self.giveUp(transaction)
      }
    }
  }

  /// Ends the session, and with it all handles.
  func close() async {
    poll?.cancel()
    poll = nil
    _ = try? await post(session, ["janus": "destroy"])
  }

  private func giveUp(_ transaction: String) {
    waiting.removeValue(forKey: transaction)?.resume(
      throwing: Refused(description: "Janus did not answer within 15 s; the last it said was: \(last)"))
  }

  private func post(
    _ address: String, _ message: [String: any Sendable]
  ) async throws -> (transaction: String, reply: [String: Any]) {
    requests += 1
    let transaction = "t\(requests)"
    var message = message
    message["transaction"] = transaction
    let body = try JSONSerialization.data(withJSONObject: message)
    let answer = try await HTTPClient.request(
      "POST", address, headers: ["Content-Type": "application/json"], body: Array(body))
    guard let reply = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
      reply["janus"] as? String != "error"
    else { throw Refused(description: "Janus refused: \(answer.text)") }
    return (transaction, reply)
  }

  private func identifier(of answer: (transaction: String, reply: [String: Any])) throws -> Int {
    guard let id = (answer.reply["data"] as? [String: Any])?["id"] as? Int else {
      throw Refused(description: "Janus gave no id: \(answer.reply)")
    }
    return id
  }

  /// Handles the result of the long poll: answers of plugins, and notes that nobody waits for.
  private func take(_ body: [UInt8]) {
    last = String(decoding: body, as: UTF8.self)
    guard let events = try? JSONSerialization.jsonObject(with: Data(body)) as? [[String: Any]] else { return }
    for event in events where event["janus"] as? String == "event" {
      guard let transaction = event["transaction"] as? String else { continue }
      let result = Result { try Self.checked(event) }
      if let continuation = waiting.removeValue(forKey: transaction) {
        continuation.resume(with: result)
      } else {
        arrived[transaction] = result
      }
    }
  }

  private static func checked(_ message: [String: Any]) throws -> Reply {
    let data = (message["plugindata"] as? [String: Any])?["data"] as? [String: Any]
    if let error = data?["error"] { throw Refused(description: "Janus refused: \(error)") }
    return Reply(sdp: (message["jsep"] as? [String: Any])?["sdp"] as? String, text: "\(message)")
  }
}
