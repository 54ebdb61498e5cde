import Signaling
import Testing

@Suite("Messages from the client")
struct ClientMessageTests {
  private func decode(_ text: String) throws(SignalingError) -> ClientMessage {
    try SignalingDecoder().clientMessage(from: Array(text.utf8))
  }

  @Test("every message of docs/protocol.md is read with the keys written there")
  func everyMessage() throws {
    #expect(
      try decode(
        #"{"type":"join","token":"psat=x","name":"Ann","offer":"v=0","tracks":[{"mid":"0","source":"camera"}],"client":"web"}"#
      )
        == .join(
          .init(token: "psat=x", name: "Ann", offer: "v=0", tracks: [.init(mid: "0", source: .camera)], client: "web")))
    #expect(try decode(#"{"type":"resume","resumeToken":"r"}"#) == .resume(token: "r"))
    #expect(
      try decode(#"{"type":"offer","id":3,"offer":"v=0","tracks":[{"mid":"1","source":"screenAudio","muted":true}]}"#)
        == .offer(.init(id: 3, offer: "v=0", tracks: [.init(mid: "1", source: .screenAudio, muted: true)])))
    #expect(try decode(#"{"type":"mute","mid":"0","muted":true}"#) == .mute(mid: "0", muted: true))
    #expect(try decode(#"{"type":"rename","name":"Bo"}"#) == .rename(name: "Bo"))
    #expect(try decode(#"{"type":"chat","text":"hi"}"#) == .chat(text: "hi", to: nil))
    #expect(try decode(#"{"type":"chat","text":"hi","to":null}"#) == .chat(text: "hi", to: nil))
    #expect(try decode(#"{"type":"chat","text":"hi","to":"p_1"}"#) == .chat(text: "hi", to: "p_1"))
    #expect(try decode(#"{"type":"chat","text":"hi","id":7}"#) == .chat(text: "hi", to: nil, id: 7))
    #expect(try decode(#"{"type":"admit","ids":["p_1"]}"#) == .admit(.some(["p_1"])))
    #expect(try decode(#"{"type":"deny","all":true}"#) == .deny(.all))
    #expect(try decode(#"{"type":"lock","locked":true}"#) == .lock(true))
    #expect(try decode(#"{"type":"lock","locked":false,"id":7}"#) == .lock(false, id: 7))
    #expect(try decode(#"{"type":"admit","all":true,"id":8}"#) == .admit(.all, id: 8))
    #expect(try decode(#"{"type":"leave"}"#) == .leave)
    #expect(try decode(#"{"type":"ping","time":12.5}"#) == .ping(time: 12.5))
    #expect(try decode(#"{"type":"ping","unknownKey":[1]}"#) == .ping(time: nil))
  }

  @Test("an encoded message decodes to the same")
  func roundTrip() throws {
    let messages: [ClientMessage] = [
      .join(.init(token: "t", name: "\u{1F600}\"\\", offer: "v=0\r\n", tracks: [.init(mid: "0", source: .screen)])),
      .join(.init(token: "t", name: "n", offer: "", tracks: [], passcode: "1234")), .admit(.all), .admit(.some([])),
      .deny(.some(["p_1", "p_2"])), .lock(false), .admit(.all, id: 1), .deny(.all, id: 2), .lock(true, id: 3),
      .resume(token: "r"), .offer(.init(id: 1, offer: "", tracks: [])), .mute(mid: "a", muted: false),
      .mute(mid: "a", muted: false, id: 4),
      .rename(name: ""), .chat(text: "\u{0}x", to: "p"), .chat(text: "x", to: nil, id: -1), .leave, .ping(time: nil),
      .ping(time: 1), .renewToken("psat=t", id: 3), .renewToken("t", id: nil),
    ]
    for message in messages { #expect(try decode(try SignalingEncoder().encode(message)) == message) }
  }

  @Test("a view may say how many frames a second it uses: 1 to 240, or nothing")
  func frameRate() throws {
    func view(_ rate: String) throws -> ClientMessage {
      try decode(#"{"type":"view","slots":[{"mid":"4","width":640,"height":360\#(rate)}]}"#)
    }
    let plain = SlotView(mid: "4", width: 640, height: 360)
    #expect(try view("") == .view([plain]))
    #expect(try view(#","maxFrameRate":null"#) == .view([plain]))
    for rate in [1, 15, 240] {
      let limited = SlotView(mid: "4", width: 640, height: 360, pinned: true, maxFrameRate: rate)
      #expect(try view(#","pinned":true,"maxFrameRate":\#(rate)"#) == .view([limited]))
      #expect(try decode(try SignalingEncoder().encode(ClientMessage.view([limited]))) == .view([limited]))
    }
    for rate in ["0", "-1", "241", "1e9", "7.5", "\"15\"", "true", "[]", "9223372036854775808"] {
      #expect(throws: SignalingError.self, "\(rate)") { try view(#","maxFrameRate":\#(rate)"#) }
    }
    // Clients that know nothing of it send what they always have.
    let text = try SignalingEncoder().encode(ClientMessage.view([plain]))
    #expect(!text.contains("maxFrameRate"))
  }

  @Test("admit and deny name people in exactly one way, and the list is bounded")
  func selection() throws {
    for text in [
      #"{"type":"admit"}"#, #"{"type":"admit","all":false}"#, #"{"type":"deny","all":true,"ids":[]}"#,
      #"{"type":"admit","ids":"p_1"}"#, #"{"type":"admit","ids":[1]}"#, #"{"type":"admit","all":1}"#,
    ] {
      #expect(throws: SignalingError.self, "\(text)") { try decode(text) }
    }
    let ids = (0...LobbyInfo.maximumWaiting).map { "\"p_\($0)\"" }.joined(separator: ",")
    #expect(throws: SignalingError.self) { try decode(#"{"type":"admit","ids":[\#(ids)]}"#) }
  }

  @Test("an unknown type is told apart from a damaged message")
  func unknownType() {
    #expect(throws: SignalingError.unknownType("dance")) { try decode(#"{"type":"dance"}"#) }
    #expect(throws: SignalingError.badMessage("the key \"type\" is missing")) { try decode(#"{"a":1}"#) }
    #expect(throws: SignalingError.badMessage("the key \"mid\" is missing")) { try decode(#"{"type":"mute"}"#) }
    #expect(throws: SignalingError.badMessage("it is not a JSON object")) { try decode("[1]") }
    #expect(throws: SignalingError.self) { try decode(#"{"type":"offer","id":1e99,"offer":"","tracks":[]}"#) }
    #expect(throws: SignalingError.self) {
      try decode(#"{"type":"offer","id":1,"offer":"","tracks":[{"mid":"0","source":"nose"}]}"#)
    }
  }

  @Test("no prefix and no single changed byte of a message makes the reader crash")
  func damaged() throws {
    let text = Array(#"{"type":"chat","text":"a\u00e9\ud83d\ude00b","to":null,"x":[{"y":1e5},-0.5,true]}"#.utf8)
    for length in 0..<text.count { _ = try? SignalingDecoder().clientMessage(from: Array(text[..<length])) }
    for index in text.indices {
      for byte in [UInt8(0), 34, 92, 123, 125, 91, 93, 44, 58, 117, 255] {
        var copy = text
        copy[index] = byte
        _ = try? SignalingDecoder().clientMessage(from: copy)
      }
    }
  }
}
