import Foundation
import OpenTok
import Parley
import ParleyViews
import TestSupport
import Testing

/// Whole visits to a session, over a live server with real media.
@MainActor @Suite(.serialized) struct JourneyTests {
  // Connect, publish, receive one's own stream and a foreign one, drop, disconnect.
  @Test("version 1: a whole session goes in the order of the reference")
  func legacyJourney() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let book = Notebook()
      let session = try #require(OTSession(sessionId: live.id, andDelegate: book))
      #expect(session.connection == nil && session.sessionConnectionStatus == .notConnected)
      session.connect(withApiKey: "100", token: "devtoken")
      #expect(session.sessionConnectionStatus == .connecting)
      try await wait(for: "the connection: \(book.lines)") { book.saw("connected connected true 0") }

      let publisher = try #require(OTPublisher(delegate: book, name: "Ann"))
      session.publish(publisher)
      let root = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      root.addSubview(publisher.picture)
      try await wait(for: "the own stream: \(book.lines)") { book.saw("didReceive own") }
      #expect(
        book.lines == [
          "connected connected true 0", "publisher streamCreated true", "publisherDidStartStreaming", "didReceive own",
        ])

      // subscribeToSelf: creating the subscriber is all it takes.
      var mine = OTSubscriber(stream: book.streams[0], delegate: book)
      let mirror = try #require(mine?.picture)
      root.addSubview(mirror)
      try await wait(for: "the own picture: \(book.lines)") { book.saw("subscriber videoDataReceived") }
      #expect(book.lines.suffix(2) == ["subscriber connected", "subscriber videoDataReceived"])
      #expect(mirror.currentFrame != nil && publisher.picture.currentFrame != nil)
      #expect(!publisher.picture.isMirrored, "the clock of the test picture is to be read")
      mine?.audioLevelDelegate = book
      try await wait(for: "the level of the own sound: \(book.level)") { book.level > 0.05 }
      mine?.subscribeToAudio = false
      book.forgetLevel()
      mine?.close()
      #expect(mine?.session != nil)
      try await wait(for: "the view to be gone") { mirror.superview == nil }
      mine = nil

      let ben = try await Meeting.join("\(live.url)/\(live.id)?jwt=devtoken", name: "Ben")
      try await ben.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180, framesPerSecond: 10)))
      try await wait(for: "Ben's stream: \(book.lines)") { book.saw("didReceive other") }
      #expect(session.connectionCount == 2 && session.streams.count == 2)
      let theirs = try #require(session.streams.values.first { $0.name == "Ben" })
      #expect(theirs.type == "basic" && theirs.hasVideo && !theirs.hasAudio)
      let subscriber = try #require(OTSubscriber(stream: theirs, delegate: book))
      root.addSubview(subscriber.picture)
      try await wait(for: "Ben's picture") { subscriber.picture.frameCount > 3 }
      let frame = try #require(subscriber.picture.currentFrame)
      #expect(TestPictureMarker.read(from: frame) != nil)
      // A busy machine sends a smaller picture of the same shape.
      #expect(abs(theirs.videoDimensions.width / theirs.videoDimensions.height - 16.0 / 9.0) < 0.1)

      await ben.leave()
      try await wait(for: "the drop: \(book.lines)") { book.saw("didDrop") }
      #expect(subscriber.picture.superview == nil, "the view is to leave by itself")
      #expect(session.streams.count == 1)
      session.disconnect()
      try await wait(for: "the end: \(book.lines)") { book.saw("disconnected true") }
      #expect(
        book.lines.suffix(4) == [
          "publisher streamDestroyed true", "publisherDidStopStreaming", "didDrop", "disconnected true",
        ])
      #expect(publisher.picture.superview == nil)
      #expect(book.strays.isEmpty, "callbacks that were not on the main queue")
    }
  }

  // Mutes, statistics, levels and both ends come on the app's queue.
  @Test("version 2: two apps see and hear each other, in the reference's order")
  func modernJourney() async throws {
    try await LiveSession.run { live in
      let device = ToneDevice(frequency: 600)
      OTAudioDeviceManager.setAudioDevice(device)
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let (ann, ben) = (Notebook(), Notebook())
      let queue = DispatchQueue(label: "app")
      let key = DispatchSpecificKey<Bool>()
      queue.setSpecific(key: key, value: true)
      ben.isOnQueue = { DispatchQueue.getSpecific(key: key) == true }

      let first = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: ann))
      var error: OTError?
      first.connect(withToken: "devtoken", error: &error)
      #expect(error == nil)
      first.connect(withToken: "devtoken", error: &error)
      #expect(error?.code == 1015)
      #expect(error.map { $0.description == "OTSessionErrorDomain 1015: \($0.localizedDescription)" } == true)
      try await wait(for: "Ann's connection: \(ann.lines)") { ann.saw("connected connected true 0") }
      let settings = OTPublisherSettings()
      settings.name = "Ann"
      let colour = ColourCapture()
      settings.videoCapture = colour
      let publisher = try #require(OTPublisher(delegate: ann, settings: settings))
      publisher.networkStatsDelegate = ann
      first.publish(publisher, error: nil)
      try await wait(for: "Ann's stream: \(ann.lines)") { ann.saw("publisher streamCreated true") }
      #expect(colour.calls == ["initCapture", "captureSettings", "start"])
      #expect(!ann.lines.contains { $0.hasPrefix("streamCreated") }, "own streams are not told in version 2")

      let second = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: ben))
      second.apiQueue = queue
      second.connect(withToken: "devtoken", error: nil)
      try await wait(for: "Ann's stream at Ben's: \(ben.lines)") { ben.streams.count == 1 }
      #expect(ben.lines == ["connected connected true 0", "connectionCreated", "streamCreated Ann true"])
      #expect(ann.saw("connectionCreated"))
      let subscriber = try #require(OTSubscriber(stream: ben.streams[0], delegate: ben))
      subscriber.audioLevelDelegate = ben
      subscriber.networkStatsDelegate = ben
      try await wait(for: "nothing yet: \(ben.lines)") { ben.lines.count == 3 }
      second.subscribe(subscriber, error: &error)
      try await wait(for: "Ann's picture: \(ben.lines)") { ben.saw("subscriber videoDataReceived") }
      #expect(ben.lines.suffix(2) == ["subscriber connected", "subscriber videoDataReceived"])
      second.subscribe(subscriber, error: &error)
      #expect(error?.code == 1015)

      try await wait(for: "a red picture") { subscriber.picture.frameCount > 2 }
      let frame = try #require(subscriber.picture.currentFrame)
      let redness = frame.withPlanes { _, _, v in Int(v[frame.uvHeight / 2 * frame.uvStride + frame.uvWidth / 2]) }
      #expect(redness > 200, "the middle is not red: \(redness)")
      try await wait(for: "the tone, which was heard at \(device.heardShare)") { device.heardShare > 0.8 }
      try await wait(for: "a level: \(ben.level)") { ben.level > 0.02 }
      try await wait(for: "statistics of both ends") {
        ann.count("videoBytesSent") > 0 && ben.count("videoBytesReceived") > 0
      }

      publisher.publishVideo = false
      try await wait(for: "the picture to go: \(ben.lines)") {
        ben.saw("subscriber videoDisabled publisherPropertyChanged")
      }
      #expect(!ben.streams[0].hasVideo && ben.streams[0].hasAudio)
      publisher.publishVideo = true
      try await wait(for: "the picture to return: \(ben.lines)") {
        ben.saw("subscriber videoEnabled publisherPropertyChanged")
      }

      var nothing: OTError?
      first.unpublish(publisher, error: &nothing)
      try await wait(for: "Ann's stream to end: \(ben.lines)") { ben.saw("streamDestroyed Ann true") }
      #expect(nothing == nil && ann.saw("publisher streamDestroyed true") && !subscriber.isSubscribed)
      second.disconnect(nil)
      try await wait(for: "Ben to be gone: \(ann.lines)") {
        ann.saw("connectionDestroyed") && ben.saw("disconnected true")
      }
      first.disconnect(nil)
      try await wait(for: "Ann's end: \(ann.lines)") { ann.saw("disconnected true") }
      #expect(ann.strays.isEmpty && ben.strays.isEmpty, "\(ann.strays) \(ben.strays)")
    }
  }

  // A participant who leaves gives streamDestroyed, then connectionDestroyed.
  @Test("levels, statistics, reports and sizes come on the app's queue")
  func queueAndEnd() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let queue = DispatchQueue(label: "app")
      let key = DispatchSpecificKey<Bool>()
      queue.setSpecific(key: key, value: true)
      func guest() async throws -> Guest {
        try await Guest(live) { session in
          session.apiQueue = queue
          (session.delegate as? Notebook)?.isOnQueue = { DispatchQueue.getSpecific(key: key) == true }
        }
      }
      let (ann, ben) = (try await guest(), try await guest())
      let publisher = try ann.publisher("Ann", audio: true)
      (publisher.audioLevelDelegate, publisher.networkStatsDelegate) = (ann.book, ann.book)
      publisher.rtcStatsReportDelegate = ann.book
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      (subscriber.audioLevelDelegate, subscriber.networkStatsDelegate) = (ben.book, ben.book)
      subscriber.rtcStatsReportDelegate = ben.book
      publisher.getRtcStatsReport()
      subscriber.getRtcStatsReport()
      let often = ["audioLevelUpdated", "videoNetworkStatsUpdated", "audioNetworkStatsUpdated", "rtcStatsReport"]
      for name in often {
        try await wait(for: name) {
          ann.book.marks("publisher " + name) > 0 && ben.book.marks("subscriber " + name) > 0
        }
      }
      try await wait(for: "the size") { ben.book.marks("didChangeVideoDimensions") > 0 }
      ben.session.unsubscribe(subscriber, error: nil)
      try await ann.disconnect()
      try await wait(for: "the end of Ann: \(ben.book.lines)") { ben.book.saw("connectionDestroyed") }
      #expect(ben.book.lines.suffix(2) == ["streamDestroyed Ann true", "connectionDestroyed"], "\(ben.book.lines)")

      // A removal does not undo what the participant sent.
      let cem = try await guest()
      try await cem.publish(try cem.publisher("Cem"))
      _ = try await ben.stream("Cem")
      let host = try await Meeting.join("\(live.url)/\(live.id)?jwt=moderator_token", name: "Host")
      try await host.participants.first { $0.id == cem.session.connection?.connectionId }?.remove()
      try await wait(for: "the end of Cem: \(ben.book.lines)") { ben.book.times("connectionDestroyed") == 2 }
      #expect(ben.book.lines.suffix(2) == ["streamDestroyed Cem true", "connectionDestroyed"], "\(ben.book.lines)")
      await host.leave()
      try await ben.disconnect()
    }
  }
}
