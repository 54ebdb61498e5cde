import OpenTok
import Parley
import Testing

/// Signals and moderation, over a live server.
@MainActor @Suite(.serialized) struct SignalsAndModerationTests {
  @Test("signals reach everybody or one; a moderator mutes and disconnects, and nobody else may")
  func signalsAndModeration() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let (ann, mod) = (Notebook(), Notebook())
      let first = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: ann))
      first.connect(withToken: "devtoken", error: nil)
      let second = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: mod))
      second.connect(withToken: "moderator_token", error: nil)
      try await wait(for: "both: \(ann.lines) \(mod.lines)") {
        ann.saw("connectionCreated") && mod.saw("connectionCreated")
      }
      #expect(first.capabilities?.canPublish == true && first.capabilities?.canForceMute == false)
      #expect(second.capabilities?.canForceMute == true && second.capabilities?.canForceDisconnect == true)

      var error: OTError?
      first.signal(withType: "chat", string: "Hello", connection: nil, error: &error)
      second.signal(withType: nil, string: "psst", connection: nil, retryAfterReconnect: false, error: &error)
      #expect(error == nil)
      for (book, lines) in [
        (ann, ["signal chat Hello from me", "signal nil psst from other"]),
        (mod, ["signal chat Hello from other", "signal nil psst from me"]),
      ] {
        try await wait(for: "two signals: \(book.lines)") { lines.allSatisfy(book.saw) }
      }
      first.signal(withType: "a b", string: "", connection: nil, error: &error)
      #expect(error?.code == 1461)
      first.signal(withType: "x", string: String(repeating: "x", count: 8_193), connection: nil, error: &error)
      #expect(error?.code == 1413)

      let publisher = try #require(OTPublisherKit(delegate: ann, name: "Ann", audioTrack: true, videoTrack: false))
      first.publish(publisher, error: nil)
      try await wait(for: "the stream: \(mod.lines)") { mod.streams.count == 1 }
      first.forceMuteAll(nil, error: &error)
      #expect(error?.code == 1540)
      second.forceMuteStream(mod.streams[0], error: nil)
      try await wait(for: "the mute: \(ann.lines)") { ann.saw("publisher muteForced false") }
      try await wait(for: "it to be seen") { !mod.streams[0].hasAudio }
      second.forceMuteAll([], error: nil)
      try await wait(for: "the mute of all: \(ann.lines)") { ann.saw("muteForced true") && mod.saw("muteForced true") }
      second.disableForceMute(nil)
      try await wait(for: "its end: \(ann.lines)") { ann.saw("muteForced false") }

      let connection = mod.streams[0].connection
      first.forceDisconnect(connection, error: &error)
      #expect(error?.code == 1520)
      second.forceDisconnect(connection, error: nil)
      try await wait(for: "Ann's end: \(ann.lines)") { ann.saw("disconnected true") }
      #expect(ann.lines.suffix(2) == ["publisher streamDestroyed true", "disconnected true"])
      try await wait(for: "it at the moderator's: \(mod.lines)") { mod.saw("connectionDestroyed") }
      #expect(mod.saw("streamDestroyed Ann true"))
      second.disconnect(nil)
      try await wait(for: "the end") { mod.saw("disconnected true") }
    }
  }
}
