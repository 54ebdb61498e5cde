import Basics
import Foundation
import Signaling
import Transport

/// The signalling side of one load client: discover, join, and then keep reading until the socket closes.
final class LoadSession: Sendable {
  private let socket: WebSocketConnection
  private let reader: Task<Void, Never>

  struct Refused: Error, CustomStringConvertible {
    var description: String
  }

  /// Joins `room` on the server at `url` with client `index` of `engine`.
  init(
    url: String, room: String, name: String, engine: LoadEngine, index: Int, offer: String, tracks: [LoadClient.Track]
  ) async throws {
    let answer = try await HTTPClient.request("GET", "\(url)/discover/\(room)")
    guard answer.status == 200 else { throw Refused(description: "discover: \(answer.status) \(answer.text)") }
    guard let document = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
      let signaling = document["signaling"] as? String, let token = document["token"] as? String
    else { throw Refused(description: "the discover document lacks 'signaling' or 'token': \(answer.text)") }
    let socket = try await WebSocketClient.connect(signaling)
    self.socket = socket
    let join: [String: Any] = [
      "type": "join", "token": token, "name": name, "offer": offer, "client": "parley-bench",
      "tracks": tracks.map { ["mid": $0.mid, "source": $0.source, "muted": false] as [String: Any] },
    ]
    socket.send(text: String(decoding: try JSONSerialization.data(withJSONObject: join), as: UTF8.self))
    var sdp: String?
    while sdp == nil {
      guard case .text(let text) = await socket.receive() else {
        throw Refused(description: "the socket closed before 'welcome'")
      }
      guard let message = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else { continue }
      if message["type"] as? String == "error" { throw Refused(description: text) }
      if message["type"] as? String == "welcome" { sdp = message["answer"] as? String }
    }
    try await engine.answer(index, sdp ?? "")
    reader = Task { while await socket.receive() != nil {} }
  }

  func leave() async {
    socket.send(text: #"{"type":"leave"}"#)
    _ = await reader.value
  }
}
