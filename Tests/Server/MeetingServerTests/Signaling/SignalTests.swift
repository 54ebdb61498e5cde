import Foundation
import Meetings
import Signaling
import Testing

@testable import MeetingServer

@Suite("Signals between clients", .serialized)
struct SignalTests {
  private func signals(_ client: TestClient) async throws -> [ServerMessage] {
    try await client.drain().filter { if case .signal = $0 { true } else { false } }
  }

  @Test(
    "threat 29: a signal reaches all or one, with its sender by the server, unkept")
  func passing() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (bob, welcome) = try await server.join("daily", "Bob")
      let (cem, _) = try await server.join("daily", "Cem")
      let all = Signal(type: "wave", data: "both hands ✓")
      try ann.send(.signal(all, to: nil))
      try ann.send(.signal(Signal(type: "wink"), to: welcome.participant))
      ann.send(text: #"{"type":"signal","signal":"forged","data":"x","from":"\#(welcome.participant)"}"#)
      let from = hello.participant
      let everybody: [ServerMessage] = [
        .signal(all, from: from), .signal(Signal(type: "forged", data: "x"), from: from),
      ]
      #expect(try await signals(ann) == everybody)
      #expect(try await signals(cem) == everybody)
      #expect(try await signals(bob) == [everybody[0], .signal(Signal(type: "wink"), from: from), everybody[1]])
      let (dan, _) = try await server.join("daily", "Dan")
      #expect(try await signals(dan).isEmpty)
      for client in [ann, bob, cem, dan] { await client.close() }
    }
  }

  @Test("a numbered signal is answered after it was passed on, one without isn't answered")
  func answered() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (bob, welcome) = try await server.join("daily", "Bob")
      try ann.send(.signal(Signal(type: "quiet"), to: nil))
      try ann.send(.signal(Signal(type: "all"), to: nil, id: 8))
      try ann.send(.signal(Signal(type: "one"), to: welcome.participant, id: 9))
      let from = hello.participant
      let told = try await ann.drain().filter {
        switch $0 {
        case .signal, .room(.done): true
        default: false
        }
      }
      #expect(
        told == [
          .signal(Signal(type: "quiet"), from: from), .signal(Signal(type: "all"), from: from), .room(.done(id: 8)),
          .room(.done(id: 9)),
        ])
      #expect(try await signals(bob).count == 3)
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("threat 33: a signal needs the data right to be sent, and subscribe to arrive")
  func permissions() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let (bob, welcome) = try await server.join(
        "daily", "Bob", token: try await server.token("daily", #","role":"publisher-only""#))
      let (eve, unseen) = try await server.join(
        "daily", "Eve", token: try await server.token("daily", #","role":"hidden""#))
      func refusal(_ client: TestClient, _ to: String?, _ id: Int) async throws -> SignalingErrorCode {
        try client.send(.signal(Signal(type: "a"), to: to, id: id))
        return try await client.first { if case .error(let code, _, false, id) = $0 { code } else { nil } }
      }
      #expect(try await refusal(bob, nil, 1) == .notAllowed)
      #expect(try await refusal(eve, nil, 2) == .notAllowed)
      #expect(try await refusal(ann, welcome.participant, 3) == .notAllowed)
      #expect(try await refusal(ann, unseen.participant, 4) == .badMessage, "as for somebody who is not there")
      #expect(try await refusal(ann, "p_nobody", 5) == .badMessage)
      try ann.send(.signal(Signal(type: "a"), to: nil, id: 6))
      // Each socket is read for itself: what Ann says has come to the others once she is answered.
      _ = try await ann.first { if case .room(.done(id: 6)) = $0 { true } else { nil } }
      #expect(try await signals(bob).isEmpty)
      #expect(try await signals(eve).count == 1)
      for client in [ann, bob, eve] { await client.close() }
    }
  }

  @Test(
    "threat 27: a signal over 128 bytes of type or 8 KiB is refused by its number"
  )
  func limits() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let largest = Signal(type: String(repeating: "x", count: 128), data: String(repeating: "ö", count: 4_096))
      try ann.send(.signal(largest, to: nil))
      #expect(try await signals(ann) == [.signal(largest, from: hello.participant)])
      for (signal, code) in [
        (Signal(type: String(repeating: "x", count: 129)), SignalingErrorCode.tooLarge),
        (Signal(data: String(repeating: "ö", count: 4_096) + "x"), .tooLarge), (Signal(type: "a b"), .badMessage),
        (Signal(type: "ä"), .badMessage),
      ] {
        try ann.send(.signal(signal, to: nil, id: 7))
        let told = try await ann.first { if case .error(let code, _, false, let id) = $0 { (code, id) } else { nil } }
        #expect(told == (code, 7))
      }
      for text in [#"{"type":"signal","signal":1}"#, #"{"type":"signal","data":[]}"#] {
        ann.send(text: text)
        #expect(try await ann.error() == (.badMessage, false))
      }
      ann.send(text: #"{"type":"signal"}"#)
      #expect(try await signals(ann) == [.signal(Signal(), from: hello.participant)])
      await ann.close()
    }
  }
}
