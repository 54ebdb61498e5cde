import Basics
import Foundation
import Signaling
import Transport

/// The signalling side of one load client at Parley: discover, join, and then keep reading until the socket closes.
final class ParleySession: Sendable {
  /// The server's answer to the offer.
  let answer: String
  private let socket: WebSocketConnection
  private let reader: Task<Void, Never>

  struct Refused: Error, CustomStringConvertible {
    var description: String
  }

  /// Joins the room `bench` on the server at `url`.
  init(url: String, name: String, offer: String, tracks: [LoadClient.Track]) async throws {
    let found = try await HTTPClient.request("GET", "\(url)/discover/bench")
    guard found.status == 200 else { throw Refused(description: "discover: \(found.status) \(found.text)") }
    guard let document = try JSONSerialization.jsonObject(with: Data(found.body)) as? [String: Any],
      let signaling = document["signaling"] as? String, let token = document["token"] as? String
    else { throw Refused(description: "the discover document lacks 'signaling' or 'token': \(found.text)") }
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
    answer = sdp ?? ""
    reader = Task { while await socket.receive() != nil {} }
  }

  func leave() async {
    socket.send(text: #"{"type":"leave"}"#)
    _ = await reader.value
  }
}
