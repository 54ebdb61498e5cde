import Basics
import Crypto
import Encryption
import Foundation
import Signaling
import Testing

@testable import Parley

/// Chat messages, signals and data of an encrypted meeting, without a server (threat 30).
@Suite struct MessageSealingTests {
  /// Ann and Ben, who have each other's keys.
  private struct Pair {
    let ann = KeyRing()
    let ben = KeyRing()
    let now = Instant.milliseconds(5_000)

    init() throws {
      let secret = try LinkSecret()
      for (id, ring) in [("ann", ann), ("ben", ben)] {
        ring.setTrack(KeyRing.messageTrack, .chat, now: now)
        #expect(
          try ring.begin(
            meeting: "daily", participant: id, name: id, identity: Ed25519.PrivateKey(), secret: secret,
            announcements: [], roster: ["ann", "ben"], now: now))
      }
      for _ in 0..<4 {
        pass(from: ("ann", ann), to: ben)
        pass(from: ("ben", ben), to: ann)
      }
    }

    private func pass(from sender: (id: String, ring: KeyRing), to recipient: KeyRing) {
      for output in sender.ring.takeOutputs() {
        switch output {
        case .send(.announce(let text)):
          recipient.receive([ParticipantAnnouncement(participant: sender.id, announcement: text)], now: now)
        case .send(.keyEnvelopes(let envelopes)):
          recipient.receive(envelopes.map { ReceivedEnvelope(from: sender.id, envelope: $0.envelope) }, now: now)
        case .send, .changed, .keyframesWanted, .ownKeyframesWanted, .named, .problem, .wrongSecret: break
        }
      }
    }
  }

  private func entry(_ id: Int, _ text: String, from: String = "ann") -> ChatEntry {
    ChatEntry(id: id, from: from, name: "Ann", text: text, time: Date(timeIntervalSince1970: 1))
  }

  @Test("a chat message opens at others and its sender, and again as the same message")
  func chat() throws {
    let pair = try Pair()
    var (ann, ben) = (MessageSealing(), MessageSealing())
    let sealed = try ann.seal(chat: "Hello, Ben 👋", of: "ann", with: pair.ann, now: pair.now)
    #expect(!sealed.contains("Hello"))
    for _ in 0..<2 {
      #expect(try ben.open(entry(1, sealed), with: pair.ben, now: pair.now) == .text("Hello, Ben 👋"))
      #expect(try ann.open(entry(1, sealed), with: pair.ann, now: pair.now) == .text("Hello, Ben 👋"))
    }
  }

  @Test("the server can't show a message twice, as another's, or as a signal or data")
  func passedOff() throws {
    let pair = try Pair()
    var (ann, ben) = (MessageSealing(), MessageSealing())
    let first = try ann.seal(chat: "yes", of: "ann", with: pair.ann, now: pair.now)
    _ = try ben.open(entry(1, first), with: pair.ben, now: pair.now)
    #expect(throws: FrameDrop.self) { try ben.open(entry(2, first), with: pair.ben, now: pair.now) }
    #expect(throws: FrameDrop.self) { try ben.open(entry(1, first, from: "ben"), with: pair.ben, now: pair.now) }
    let second = try ann.seal(chat: "no", of: "ann", with: pair.ann, now: pair.now)
    #expect(throws: FrameDrop.malformed) {
      try ben.open(Signal(type: "t", data: second), from: "ann", own: "ben", with: pair.ben, now: pair.now)
    }
    let third = try #require(Base64URL.decode(ann.seal(chat: "maybe", of: "ann", with: pair.ann, now: pair.now)))
    #expect(throws: FrameDrop.malformed) { try ben.open(third, from: "ann", with: pair.ben, now: pair.now) }
    for plain in ["yes", "", "eyJ0IjoieWVzIn0"] {
      #expect(throws: FrameDrop.self) { try ben.open(entry(9, plain), with: pair.ben, now: pair.now) }
    }
  }

  @Test("a signal keeps its type and opens once, at its sender too; data is as it was")
  func signalsAndData() throws {
    let pair = try Pair()
    var (ann, ben) = (MessageSealing(), MessageSealing())
    let sealed = try ann.seal(Signal(type: "move", data: "e2e4"), with: pair.ann, now: pair.now)
    #expect(sealed.type == "move" && !sealed.data.contains("e2e4"))
    #expect(
      try ben.open(sealed, from: "ann", own: "ben", with: pair.ben, now: pair.now) == Signal(type: "move", data: "e2e4")
    )
    #expect(
      try ann.open(sealed, from: "ann", own: "ann", with: pair.ann, now: pair.now) == Signal(type: "move", data: "e2e4")
    )
    #expect(throws: FrameDrop.self) { try ben.open(sealed, from: "ann", own: "ben", with: pair.ben, now: pair.now) }
    #expect(throws: FrameDrop.self) { try ann.open(sealed, from: "ann", own: "ann", with: pair.ann, now: pair.now) }
    let renamed = try ann.seal(Signal(type: "move", data: "e7e5"), with: pair.ann, now: pair.now)
    #expect(throws: FrameDrop.malformed) {
      try ben.open(
        Signal(type: "resign", data: renamed.data), from: "ann", own: "ben", with: pair.ben, now: pair.now)
    }
    for bytes in [[], [0], [UInt8](repeating: 7, count: 1_000)] as [[UInt8]] {
      let payload = try ann.seal(bytes, with: pair.ann, now: pair.now)
      #expect(payload.count <= bytes.count + MessageSealing.overhead)
      #expect(try ben.open(payload, from: "ann", with: pair.ben, now: pair.now) == bytes)
    }
  }

  @Test("a sealed message stays within what the server takes")
  func sizes() throws {
    let pair = try Pair()
    var ann = MessageSealing()
    let longest = String(repeating: "😀", count: SignalingLimits.chatCharacters)
    let sealed = try ann.seal(chat: longest, of: "ann", with: pair.ann, now: pair.now)
    #expect(sealed.utf8.count <= SignalingLimits.sealedChatBytes && MessageSealing.fits(chat: longest))
    #expect(!MessageSealing.fits(chat: String(repeating: "\u{1}", count: SignalingLimits.chatCharacters)))
    let full = Signal(type: "", data: String(repeating: "x", count: Signal.maximumData - 20))
    let signal = try ann.seal(full, with: pair.ann, now: pair.now)
    #expect(signal.data.utf8.count <= Signal.maximumSealedData && MessageSealing.fits(full))
    let quoted = Signal(type: "", data: String(repeating: "\"", count: Signal.maximumData))
    #expect(!MessageSealing.fits(quoted))
  }
}
