import Foundation
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("The number of what is refused", .serialized)
struct RefusalIDTests {
  /// A message of each type that clients send, as it may be, without its `id`; and a value that spoils it, where there
  /// is one.
  private static let messages: [(type: String, keys: String, spoilt: String?)] = [
    ("join", #""token":"psat=x","name":"Ann","offer":"","tracks":[]"#, #""token":1"#),
    ("resume", #""resumeToken":"r""#, #""resumeToken":[]"#),
    ("offer", #""offer":"bad","tracks":[]"#, #""offer":"","tracks":[{"mid":"0","source":"nose"}]"#),
    ("mute", #""mid":"9","muted":true"#, #""mid":"9","muted":"yes""#),
    ("rename", #""name":"\n""#, #""name":null"#),
    (
      "view", #""slots":[{"mid":"v","width":1,"height":1}]"#,
      #""slots":[{"mid":"v","width":1,"height":1,"maxFrameRate":0}]"#
    ),
    ("chat", #""text":"x","to":"p_nobody""#, #""text":7"#),
    ("admit", #""all":true"#, #""all":false"#),
    ("deny", #""ids":[]"#, #""ids":"p_1""#),
    ("lock", #""locked":true"#, #""locked":"yes""#),
    ("signal", #""signal":"x","to":"p_nobody""#, #""signal":{}"#),
    ("editChat", #""message":1,"text":"x""#, #""message":"1","text":"x""#),
    ("deleteChat", #""message":1"#, #""message":"1""#),
    ("typing", #""active":true"#, #""active":1"#),
    ("renewToken", #""token":"psat=x""#, #""token":1"#),
    ("announce", #""announcement":"AAAA""#, #""announcement":"A""#),
    ("keyEnvelopes", #""envelopes":[{"to":"p_1","envelope":"AAAA"}]"#, #""envelopes":"all""#),
    ("leave", "", nil),
    ("ping", #""time":1"#, #""time":"now""#),
    ("muteParticipant", #""participant":"p_1","sources":["camera"]"#, #""participant":"p_1","sources":[]"#),
    ("stopTracks", #""participant":"p_1","sources":["camera"]"#, #""participant":"p_1","sources":"camera""#),
    ("muteAll", #""sources":["camera"]"#, #""sources":["nose"]"#),
    ("liftMuteAll", "", nil),
    ("askToUnmute", #""participant":"p_1","sources":["camera"]"#, #""sources":["camera"]"#),
    ("removeParticipant", #""participant":"p_1""#, #""participant":"p_1","ban":"yes""#),
    ("setRole", #""participant":"p_1","role":"guest""#, #""participant":"p_1""#),
    ("setPermissions", #""participant":"p_1","permissions":[]"#, #""participant":"p_1","permissions":"all""#),
    ("changePermissions", #""participant":"p_1","add":["chat"]"#, #""participant":"p_1","add":"all""#),
    ("spotlight", #""participant":"p_1""#, #""participant":1"#),
    ("endMeeting", "", nil),
    ("raiseHand", #""raised":true,"participant":"p_nobody""#, #""raised":"yes""#),
    ("lowerHands", "", nil),
    ("react", #""reaction":"heart""#, #""reaction":"x""#),
    ("createPoll", #""poll":{"question":"?","options":["a","b"],"multiple":false,"results":"always"}"#, #""poll":"?""#),
    ("setPoll", #""poll":1,"open":false"#, #""poll":1,"open":"no""#),
    ("removePoll", #""poll":1"#, #""poll":"1""#),
    ("vote", #""poll":1,"options":[0]"#, #""poll":"1","options":[0]"#),
  ]

  private static func text(_ type: String, _ keys: String, id: String) -> String {
    "{\"type\":\"\(type)\",\"id\":\(id)" + (keys.isEmpty ? "}" : ",\(keys)}")
  }

  /// The types in the first column of the tables of clients' messages, in docs/protocol.md and the pages below it.
  private static func documented() throws -> Set<String> {
    let text = try ["protocol.md", "protocol/chat.md", "protocol/hosts.md"].map {
      try Repository.text(of: "docs/\($0)")
    }.joined(separator: "\n")
    var types: Set<String> = []
    var (section, isClients) = ("", false)
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#") { section = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces) }
      if line.hasPrefix("From the server") { section = "From the server" }
      if line.hasPrefix("| type") {
        isClients =
          line.hasPrefix("| type from the client")
          || line.hasPrefix("| type |") && ["From the client", "Hosts, hands, reactions and polls"].contains(section)
      } else if isClients, line.hasPrefix("| `"), let cell = line.split(separator: "|").first {
        types.formUnion(cell.matches(of: /`(\w+)`/).map { String($0.output.1) })
      } else if !line.hasPrefix("|") {
        isClients = false
      }
    }
    return types
  }

  @Test("every type of message from clients is tried here")
  func everyType() throws {
    #expect(try Self.documented() == Set(Self.messages.map(\.type)))
  }

  @Test("an empty frame is passed over, before the join and after it")
  func empty() async throws {
    try await TestServer.run { server in
      let stranger = TestClient(try await WebSocketClient.connect(server.signal))
      stranger.send(text: "")
      try stranger.send(.join(.init(token: "none", name: "Eve", offer: "", tracks: [])))
      #expect(try await stranger.error().code == .badToken)
      await stranger.close()
      let (ann, _) = try await server.join("daily", "Ann")
      for _ in 0..<3 { ann.send(text: "") }
      ann.send(text: #"{"type":"zork","id":-8}"#)
      let (code, _, id) = try await ann.refusal()
      #expect(code == .unknownType && id == -8)
      await ann.close()
    }
  }

  @Test("a refusal has the id of what it refuses, also for a message that can't be read")
  func unreadable() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      func refusal(_ text: String) async throws -> (code: SignalingErrorCode, id: Int?) {
        ann.send(text: text)
        let (code, _, id) = try await ann.refusal()
        return (code, id)
      }
      for (number, message) in Self.messages.enumerated() {
        guard let spoilt = message.spoilt else { continue }
        #expect(
          try await refusal(Self.text(message.type, spoilt, id: "\(number)")) == (.badMessage, number), "\(message)")
      }
      #expect(try await refusal(#"{"type":"zork","id":-7}"#) == (.unknownType, -7))
      #expect(try await refusal(#"{"id":7}"#) == (.badMessage, 7))
      for id in ["\"7\"", "7.5", "null", "[7]", "1e99", "true"] {
        #expect(try await refusal(Self.text("zork", "", id: id)) == (.unknownType, nil), "\(id) is no number")
      }
      for text in ["[7]", "7", #"{"type":"chat","id":7"#, #"{"type":"chat","id":7,"id":8}"#] {
        #expect(try await refusal(text) == (.badMessage, nil), "\(text)")
      }
      await ann.close()
    }
  }

  @Test("a refusal to somebody who waits in the lobby carries the id of what it refuses")
  func waiting() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked)
      let (ann, _) = try await server.lobbyHost("board", "Ann")
      let (eve, answer) = try await server.knock("board", "Eve")
      guard case .waiting = answer else { throw Unexpected(answer) }
      for (number, message) in Self.messages.enumerated() where !["leave", "ping"].contains(message.type) {
        eve.send(text: Self.text(message.type, message.keys, id: "\(number)"))
        let refusal = try await eve.refusal()
        #expect(refusal.id == number, "\(message)")
        if message.type != "renewToken" { #expect(refusal.code == .notAllowed, "\(message)") }
        guard let spoilt = message.spoilt else { continue }
        eve.send(text: Self.text(message.type, spoilt, id: "\(number + 100)"))
        #expect(try await eve.refusal().id == number + 100, "\(message)")
      }
      eve.send(text: #"{"type":"zork","id":7}"#)
      #expect(try await eve.refusal().id == 7)
      for client in [ann, eve] { await client.close() }
    }
  }

  @Test("a refusal in the meeting carries the id of what it refuses")
  func inside() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", token: try await server.token("daily", #","role":"hidden""#))
      // These are done or not answered, and not refused.
      let done: Set = ["leave", "ping", "typing", "view"]
      for (number, message) in Self.messages.enumerated() where !done.contains(message.type) {
        ann.send(text: Self.text(message.type, message.keys, id: "\(number)"))
        let refusal = try await ann.refusal()
        #expect(refusal.id == number, "\(message): \(refusal)")
      }
      await ann.close()
    }
  }

  @Test("a refusal of a join carries the id of what it refuses")
  func door() async throws {
    try await TestServer.run { server in
      for (number, message) in Self.messages.enumerated() {
        for keys in [message.keys, message.spoilt].compactMap(\.self) {
          let eve = try await server.connect()
          eve.send(text: Self.text(message.type, keys, id: "\(number)"))
          let refusal = try await eve.first {
            if case .error(_, _, let fatal, let id) = $0 { [fatal ? 1 : 0, id] } else { nil }
          }
          #expect(refusal == [1, number], "\(message)")
          await eve.close()
        }
      }
      let token = try await server.discover("daily").token ?? ""
      let eve = try await server.connect()
      eve.send(text: #"{"type":"zork","id":7}"#)
      #expect(try await eve.refusal().id == 7)
      // The number does not matter where nothing is refused.
      eve.send(text: Self.text("join", #""token":"\#(token)","name":"Eve","offer":"","tracks":[]"#, id: "8"))
      _ = try await eve.welcome()
      await eve.close()
    }
  }
}
