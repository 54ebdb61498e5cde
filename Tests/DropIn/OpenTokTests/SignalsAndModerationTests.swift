import Foundation
import Parley
import TestSupport
import Testing

@testable import OpenTok

/// Signals and moderation, over a live server.
@MainActor @Suite(.serialized) struct SignalsAndModerationTests {
  @Test("signals reach all or one; only a moderator mutes and disconnects")
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
      #expect(error?.code == OTSessionErrorCode.OTSessionInvalidSignalType.number)
      first.signal(withType: "x", string: String(repeating: "x", count: 8_193), connection: nil, error: &error)
      #expect(error?.code == OTSessionErrorCode.OTSessionSignalDataTooLong.number)

      let publisher = try #require(OTPublisherKit(delegate: ann, name: "Ann", audioTrack: true, videoTrack: false))
      first.publish(publisher, error: nil)
      try await wait(for: "the stream: \(mod.lines)") { mod.streams.count == 1 }
      first.forceMuteAll(nil, error: &error)
      #expect(error?.code == OTSessionErrorCode.OTSessionUnableToForceMute.number)
      second.forceMuteStream(mod.streams[0], error: nil)
      try await wait(for: "the mute: \(ann.lines)") { ann.saw("publisher muteForced false") }
      try await wait(for: "it to be seen") { !mod.streams[0].hasAudio }
      second.forceMuteAll([], error: nil)
      try await wait(for: "the mute of all: \(ann.lines)") { ann.saw("muteForced true") && mod.saw("muteForced true") }
      second.disableForceMute(nil)
      try await wait(for: "its end: \(ann.lines)") { ann.saw("muteForced false") }

      let connection = mod.streams[0].connection
      first.forceDisconnect(connection, error: &error)
      #expect(error?.code == OTSessionErrorCode.OTSessionUnableToForceDisconnect.number)
      second.forceDisconnect(connection, error: nil)
      try await wait(for: "Ann's end: \(ann.lines)") { ann.saw("disconnected true") }
      #expect(ann.lines.suffix(2) == ["publisher streamDestroyed true", "disconnected true"])
      try await wait(for: "it at the moderator's: \(mod.lines)") { mod.saw("connectionDestroyed") }
      #expect(mod.saw("streamDestroyed Ann true"))
      second.disconnect(nil)
      try await wait(for: "the end: \(mod.lines)") { mod.saw("disconnected true") }
    }
  }

  // So does one without the permission to signal.
  @Test("a burst of signals arrives in order; the 1,001st under way gives 1550")
  func burst() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await wait(for: "Ben at Ann's: \(ann.book.lines)") { ann.book.saw("connectionCreated") }
      // The engine's turn comes when this is over.
      let codes = (0...1_000).map { number in
        ann.code { ann.session.signal(withType: "n", string: "\(number)", connection: nil, error: $0) }
      }
      #expect(codes == [Int?](repeating: nil, count: 1_000) + [1550])
      let told: @MainActor () -> [String] = { ben.book.lines.filter { $0.hasPrefix("signal") } }
      try await wait(for: "400 at Ben's: \(told().count)") { told().count >= 400 }
      #expect(told().prefix(400) == (0..<400).map { "signal n \($0) from other" }[...])
      #expect(!ann.book.lines.contains { $0.hasPrefix("sessionDidBeginReconnecting") })
      try await ann.disconnect()
      try await wait(for: "room for others") { ann.session.engine.signalsUnderWay.read { $0 } == 0 }

      let host = try await Meeting.join("\(live.url)/\(live.id)?jwt=moderator_token", name: "Host")
      let id = try #require(ben.session.connection?.connectionId)
      try await wait(for: "Ben at the host's") { host.participants.contains { $0.id == id } }
      let guest = try #require(host.participants.first { $0.id == id })
      #expect(ben.code { ben.session.signal(withType: "a", string: "", connection: nil, error: $0) } == nil)
      try await guest.setPermissions(guest.permissions.subtracting([.data]))
      try await wait(for: "it to be known") {
        ben.code { ben.session.signal(withType: "a", string: "", connection: nil, error: $0) } == 1550
      }
      try await ben.disconnect()
      await host.leave()
    }
  }

  // The moderator's too. An excluded stream is the screen's audio, not the camera's. forceMuteStream of an own stream
  // notifies the publisher.
  @Test("forceMuteAll mutes every stream except the excluded ones")
  func mutingAll() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let (ann, mod) = (try await Guest(live), try await Guest(live, token: "moderator_token"))
      let camera = try ann.publisher("Ann", audio: true, capture: nil)
      let screen = try ann.publisher("Slides", audio: true, type: .screen)
      let own = try mod.publisher("Mod", audio: true, capture: nil)
      try await ann.publish(camera)
      try await ann.publish(screen)
      try await mod.publish(own)
      let publishers = [camera, screen, own]
      let streams = [try await mod.stream("Ann"), try await mod.stream("Slides"), try #require(own.stream)]
      /// Mutes all but some, waits for what is heard then, and turns everything on again.
      @MainActor func muteAll(except excluded: [OTStream]?, leaves spared: [Bool]) async throws {
        let told = (ann.book.times("publisher muteForced false"), mod.book.times("publisher muteForced false"))
        try await wait(for: "sound of all") { streams.allSatisfy(\.hasAudio) }
        #expect(mod.code { mod.session.forceMuteAll(excluded, error: $0) } == nil)
        let isMuted = spared.map { !$0 }
        try await wait(for: "\(spared): \(streams.map(\.hasAudio)) \(ann.book.lines) \(mod.book.lines)") {
          streams.map(\.hasAudio) == spared && publishers.map(\.publishAudio) == spared
            && ann.book.times("publisher muteForced false") == told.0 + isMuted[..<2].count { $0 }
            && mod.book.times("publisher muteForced false") == told.1 + (isMuted[2] ? 1 : 0)
        }
        for publisher in publishers { publisher.publishAudio = true }
      }
      try await muteAll(except: nil, leaves: [false, false, false])
      try await muteAll(except: [streams[1]], leaves: [false, true, false])
      try await muteAll(except: [streams[0], streams[2]], leaves: [true, false, true])
      #expect(ann.book.saw("muteForced true") && mod.book.saw("muteForced true"))
      // Streams that are published later start muted, unless they were excluded.
      for (publisher, isSpared) in [(camera, true), (screen, false)] {
        ann.session.unpublish(publisher, error: nil)
        try await wait(for: "the end") { publisher.session == nil }
        publisher.publishAudio = true
        try await ann.publish(publisher)
        try await wait(for: "\(isSpared): \(ann.book.lines)") {
          publisher.stream?.hasAudio == isSpared && publisher.publishAudio == isSpared
        }
      }
      #expect(mod.code { mod.session.disableForceMute($0) } == nil)
      try await wait(for: "its end: \(ann.book.lines)") { ann.book.saw("muteForced false") }

      // One's own stream is muted as anybody's: with the callback, once.
      own.publishAudio = true
      try await wait(for: "the own sound") { streams[2].hasAudio }
      let told = mod.book.times("publisher muteForced false")
      for _ in 0..<2 { #expect(mod.code { mod.session.forceMuteStream(streams[2], error: $0) } == nil) }
      try await wait(for: "the own mute: \(mod.book.lines)") { !streams[2].hasAudio && !own.publishAudio }
      let seen = try await ann.stream("Mod")
      try await wait(for: "it at Ann's") { !seen.hasAudio }
      #expect(mod.book.times("publisher muteForced false") == told + 1, "\(mod.book.lines)")
      try await ann.disconnect()
      try await mod.disconnect()
    }
  }

  // 1520, 1540 and 1550; didFailWithError stays silent.
  @Test("known faults fill error: at once; the server's refusals are dropped")
  func refusals() async throws {
    try await LiveSession.run { live in
      let host = try await Meeting.join("\(live.url)/\(live.id)?jwt=moderator_token", name: "Host")
      let (mod, ben) = (try await Guest(live, token: "moderator_token"), try await Guest(live))
      try await ben.publish(try ben.publisher("Ben"))
      let stream = try await mod.stream("Ben")
      let own = try #require(mod.session.connection)
      #expect(mod.code { mod.session.forceDisconnect(own, error: $0) } == 1520)

      // Ben goes and the right to moderate is taken, of which the app has not heard when it calls.
      let held = DispatchQueue(label: "held")
      held.suspend()
      mod.book.isOnQueue = { true }
      mod.session.apiQueue = held
      let rights: Set<ParticipantPermission>
      do {
        defer { held.resume() }
        try await ben.disconnect()
        let moderator = try #require(host.participants.first { $0.id == own.connectionId })
        rights = moderator.permissions
        try await moderator.setPermissions(rights.subtracting([.moderate]))
        try await wait(for: "both in the engine") {
          mod.session.engine.connections.count == 2
            && mod.session.engine.meeting?.local.permissions.contains(.moderate) == false
        }
        #expect(mod.code { mod.session.forceMuteStream(stream, error: $0) } == nil)
        #expect(mod.code { mod.session.forceMuteAll(nil, error: $0) } == nil)
        #expect(mod.code { mod.session.disableForceMute($0) } == nil)
        #expect(mod.code { mod.session.forceDisconnect(stream.connection, error: $0) } == nil)
        #expect(
          mod.code { mod.session.signal(withType: "a", string: "b", connection: stream.connection, error: $0) } == nil)
        // The server answers in order: this comes after what it refuses.
        mod.session.signal(withType: "last", string: "", connection: nil, error: nil)
      }
      try await wait(for: "the last signal: \(mod.book.lines)") { mod.book.saw("signal last nil from me") }
      #expect(mod.book.saw("streamDestroyed Ben true") && mod.session.capabilities?.canForceMute == false)

      // Now all of it is known.
      let moderator = try #require(host.participants.first { $0.id == own.connectionId })
      try await moderator.setPermissions(rights)
      try await wait(for: "the right to moderate") { mod.session.capabilities?.canForceMute == true }
      #expect(mod.code { mod.session.forceMuteStream(stream, error: $0) } == 1540)
      #expect(mod.code { mod.session.forceDisconnect(stream.connection, error: $0) } == 1520)
      let unsent = mod.code {
        mod.session.signal(withType: "a", string: "b", connection: stream.connection, error: $0)
      }
      #expect(unsent == OTSessionErrorCode.OTSessionUnableToSendSignal.number)
      #expect(!mod.book.lines.contains { $0.hasPrefix("failed") }, "\(mod.book.lines)")
      #expect(mod.session.sessionConnectionStatus == .connected)
      try await mod.disconnect()
      await host.leave()
    }
  }
}
