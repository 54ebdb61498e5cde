import Foundation
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import OpenTok

/// A host's actions on published streams.
@MainActor @Suite(.serialized) struct ForcedStopTests {
  // muteForced without audio. publishAudio turns it on once the permission is back; likewise video. Without both the
  // stream ends.
  @Test("a withdrawn permission ends only the audio or only the video")
  func oneAfterTheOther() async throws {
    try await LiveSession.run { live in
      let device = ToneDevice(frequency: 600)
      OTAudioDeviceManager.setAudioDevice(device)
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let host = try await Meeting.join("\(live.url)/\(live.id)?jwt=moderator_token", name: "Host")
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann", audio: true)
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      let (mine, theirs) = (try #require(publisher.stream), try #require(subscriber.stream))
      try await wait(for: "the tone: \(device.loudness)") { device.loudness > 3_500 }
      let guest = try #require(host.participants.first { $0.id == ann.session.connection?.connectionId })
      let rights = guest.permissions
      @MainActor func give(_ permissions: Set<ParticipantPermission>) async throws {
        try await guest.setPermissions(permissions)
        try await wait(for: "\(permissions) at Ann's") {
          ann.session.engine.meeting?.local.permissions == permissions
        }
      }

      try await give(rights.subtracting([.publishAudio]))
      try await wait(for: "the mute: \(ann.book.lines)") { ann.book.saw("publisher muteForced false") }
      try await wait(for: "silence at both ends") { !theirs.hasAudio && !mine.hasAudio }
      #expect(publisher.publishVideo && theirs.hasVideo && mine.hasVideo && publisher.stream === mine)
      let count = subscriber.picture.frameCount
      try await wait(for: "pictures to go on") { subscriber.picture.frameCount > count + 5 }
      // Without the right it cannot be turned on.
      publisher.publishAudio = true
      try await wait(for: "the second mute: \(ann.book.lines)") { ann.book.times("publisher muteForced false") == 2 }
      #expect(!publisher.publishAudio)

      try await give(rights)
      publisher.publishAudio = true
      try await wait(for: "the sound's return") { theirs.hasAudio && mine.hasAudio }
      try await wait(for: "the tone's return: \(device.loudness)") { device.loudness > 3_500 }
      #expect(publisher.publishAudio && ann.book.times("publisher muteForced false") == 2)

      try await give(rights.subtracting([.publishVideo]))
      try await wait(for: "the picture to go: \(ann.book.lines)") {
        ann.book.saw("publisher videoDisabled publisherPropertyChanged")
      }
      try await wait(for: "it at Ben's") { !theirs.hasVideo }
      #expect(!publisher.publishVideo && publisher.publishAudio && theirs.hasAudio)
      try await give(rights)
      publisher.publishVideo = true
      try await wait(for: "the picture's return: \(ann.book.lines)") {
        theirs.hasVideo && ann.book.saw("publisher videoEnabled publisherPropertyChanged")
      }
      let before = subscriber.picture.frameCount
      try await wait(for: "pictures") { subscriber.picture.frameCount > before + 5 }
      #expect(subscriber.session === ben.session && ben.book.streams.count == 1)
      #expect(!ann.book.lines.contains { $0.contains("streamDestroyed") }, "\(ann.book.lines)")

      // Everything at once is one end, and no mute.
      try await give([.subscribe, .chat])
      try await wait(for: "the end: \(ann.book.lines)") { ann.book.saw("publisher streamDestroyed true") }
      #expect(publisher.session == nil && ann.book.times("publisher muteForced false") == 2)
      try await wait(for: "it at Ben's: \(ben.book.lines)") { ben.book.saw("streamDestroyed Ann true") }
      #expect(ann.session.capabilities?.canPublish == false)
      #expect(ann.code { ann.session.publish(publisher, error: $0) } == 1004)
      try await ann.disconnect()
      try await ben.disconnect()
      await host.leave()
    }
  }

  // A host's mute of the camera is reported.
  @Test("an audio-only publisher ends when the permission for audio is withdrawn")
  func ofOneTrack() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let host = try await Meeting.join("\(live.url)/\(live.id)?jwt=moderator_token", name: "Host")
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await ann.publish(try ann.publisher("Ann", audio: true, capture: nil))
      let publisher = try ben.publisher("Ben")
      try await ben.publish(publisher)
      @MainActor func participant(_ guest: Guest) -> RemoteParticipant? {
        host.participants.first { $0.id == guest.session.connection?.connectionId }
      }
      let (first, second) = (try #require(participant(ann)), try #require(participant(ben)))
      try await first.setPermissions(first.permissions.subtracting([.publishAudio]))
      try await wait(for: "the end: \(ann.book.lines)") { ann.book.saw("publisher streamDestroyed true") }
      #expect(!ann.book.lines.contains { $0.contains("muteForced") }, "\(ann.book.lines)")
      try await second.mute([.camera])
      try await wait(for: "the picture to go: \(ben.book.lines)") {
        ben.book.saw("publisher videoDisabled publisherPropertyChanged")
      }
      #expect(!publisher.publishVideo && publisher.session === ben.session)
      publisher.publishVideo = true
      try await wait(for: "its return: \(ben.book.lines)") {
        ben.book.saw("publisher videoEnabled publisherPropertyChanged")
      }
      try await ann.disconnect()
      try await ben.disconnect()
      await host.leave()
    }
  }
}
