import Foundation
import OpenTok
import Parley
import TestSupport
import Testing

/// How a session connects, and how many streams it may have.
@MainActor @Suite(.serialized) struct SettingsTests {
  // Their streams and signals come all the same.
  @Test("connectionEventsSuppressed hides the connections of others alone")
  func suppressedEvents() async throws {
    try await LiveSession.run { live in
      let ann = try await Guest(live)
      try await ann.publish(try ann.publisher("Ann"))
      let settings = OTSessionSettings()
      #expect(!settings.connectionEventsSuppressed)
      settings.connectionEventsSuppressed = true
      let ben = try await Guest(live, settings: settings)
      _ = try await ben.subscribe(to: "Ann")
      ann.session.signal(withType: "hello", string: "Ben", connection: nil, error: nil)
      try await wait(for: "the signal: \(ben.book.lines)") { ben.book.saw("signal hello Ben from other") }
      try await wait(for: "Ben at Ann's: \(ann.book.lines)") { ann.book.saw("connectionCreated") }
      try await ann.disconnect()
      try await wait(for: "the stream's end: \(ben.book.lines)") { ben.book.saw("streamDestroyed Ann true") }
      #expect(ben.book.connections.isEmpty && !ben.book.saw("connectionDestroyed"), "\(ben.book.lines)")
      try await ben.disconnect()
    }
  }

  // Up to maxTURNServersLimit, with IncludeServers and TransportPolicy; a relay that isn't there gives 1006.
  @Test("iceConfig's servers, limit and policies are respected")
  func iceConfig() async throws {
    try await LiveSession.run { live in
      let config = OTSessionICEConfig()
      #expect(
        config.includeServers == .all && config.transportPolicy == .all && config.customIceServers?.isEmpty == true)
      var error: OTError?
      config.addICEServer(withURL: "http://127.0.0.1", userName: "", credential: "", error: &error)
      #expect(error?.code == Int(OTSessionErrorCode.OTNullOrInvalidParameter.rawValue))
      error = nil
      config.addICEServer(withURL: "stun:127.0.0.1:9", userName: "", credential: "", error: &error)
      config.addICEServer(withURL: "turn:127.0.0.1:9", userName: "ann", credential: "secret", error: &error)
      let servers = try #require(config.customIceServers as? [[String: String]])
      #expect(error == nil && servers.map { $0["turn_url"] } == ["stun:127.0.0.1:9", "turn:127.0.0.1:9"])
      #expect(servers.last?["username"] == "ann" && servers.last?["credential"] == "secret")
      let most: Int = OTSessionICEConfig.maxTURNServersLimit()
      for _ in 2..<most { config.addICEServer(withURL: "stun:127.0.0.1:9", userName: "", credential: "", error: nil) }
      config.addICEServer(withURL: "stun:127.0.0.1:9", userName: "", credential: "", error: &error)
      #expect(error?.code == 1011 && config.customIceServers?.count == most)
      var other = NSError(domain: "", code: 0)
      config.addICEServer(withURL: "stun:127.0.0.1:9", userName: "", credential: "", error: &other)
      #expect(other.code == 1011 && other.domain == OT_SESSION_ERROR_DOMAIN)
      config.filterOutLanCandidates = true
      #expect(config.filterOutLanCandidates)

      // With servers of its own alone, and every way allowed, real pictures come.
      config.includeServers = OTSessionICEIncludeServers.custom
      let settings = OTSessionSettings()
      #expect(settings.iceConfig == nil)
      settings.iceConfig = config
      let (ann, ben) = (try await Guest(live), try await Guest(live, settings: settings))
      try await ann.publish(try ann.publisher("Ann"))
      _ = try await ben.subscribe(to: "Ann")
      try await ann.disconnect()
      try await ben.disconnect()

      // Through relays alone, of which there is none: the session does not go another way.
      let relayed = OTSessionICEConfig()
      relayed.transportPolicy = OTSessionICETransportPolicy.relay
      settings.iceConfig = relayed
      let book = Notebook()
      let session = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: book, settings: settings))
      session.connect(withToken: "devtoken", error: nil)
      try await wait(for: "the failure: \(book.lines)") { !book.lines.isEmpty }
      #expect(book.lines == ["failed \(OTSessionErrorDomain) \(OTSessionErrorCode.OTConnectionFailed.rawValue)"])
    }
  }

  @Test(
    "settings without effect keep their values, and a session with all of them runs")
  func keptSettings() async throws {
    try await LiveSession.run { live in
      let settings = OTSessionSettings()
      #expect(!settings.ipWhitelist && settings.proxyURL == nil && !settings.singlePeerConnection)
      #expect(!settings.sessionMigration && settings.apiURL == nil && settings.streamLimit == nil)
      (settings.ipWhitelist, settings.singlePeerConnection, settings.sessionMigration) = (true, true, true)
      (settings.proxyURL, settings.apiURL) = ("http://127.0.0.1:9", URL(string: live.url))
      #expect(settings.ipWhitelist && settings.singlePeerConnection && settings.sessionMigration)
      #expect(settings.proxyURL == "http://127.0.0.1:9")
      // Another session's server, which is not there: that of the settings counts.
      ParleyServer.url = "http://127.0.0.1:1"
      defer { ParleyServer.url = live.url }
      let (ann, ben) = (try await Guest(live, settings: settings), try await Guest(live, settings: settings))

      let kit = OTPublisherSettings()
      #expect(kit.subscriberAudioFallbackEnabled && !kit.publisherAudioFallbackEnabled && !kit.senderStatsTrack)
      (kit.name, kit.audioTrack, kit.videoCapture) = ("Ann", false, ColourCapture())
      (kit.subscriberAudioFallbackEnabled, kit.publisherAudioFallbackEnabled) = (false, true)
      kit.senderStatsTrack = true
      let publisher = try #require(OTPublisher(delegate: ann.book, settings: kit))
      #expect(!publisher.publishCaptions && publisher.audioFallbackEnabled)
      (publisher.publishCaptions, publisher.audioFallbackEnabled) = (true, false)
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      subscriber.subscribeToCaptions = true
      subscriber.captionsDelegate = ben.book
      #expect(subscriber.subscribeToCaptions)
      #expect(subscriber.captionsDelegate === ben.book && subscriber.stream?.hasCaptions == false)
      let count = subscriber.picture.frameCount
      try await wait(for: "pictures") { subscriber.picture.frameCount > count + 20 }

      var issue: NSString?
      ann.session.reportIssue(&issue)
      #expect(UUID(uuidString: (issue as String?) ?? "") != nil)
      try await ann.disconnect()
      try await ben.disconnect()
      // Neither archiveStartedWithId and archiveStoppedWithId, nor a caption, nor a publisherVideoDisableWarning has
      // come.
      for line in ann.book.lines + ben.book.lines {
        #expect(!line.hasPrefix("archive") && !line.hasPrefix("caption") && !line.hasPrefix("publisherVideoDisable"))
      }
    }
  }

  // A publisher as well as a subscriber. Ending one makes room in the same turn.
  @Test("OTStreamLimit.tablet: a fifth stream fails with 1605")
  func tabletLimit() async throws {
    try await LiveSession.run { live in
      ParleyServer.streamLimit = .tablet
      defer { ParleyServer.streamLimit = .unlimited }
      #expect(
        OTStreamLimit.tablet.streams == 4 && OTStreamLimit.phone.streams == 2 && OTStreamLimit.unlimited.streams == nil)
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await ann.publish(try ann.publisher("Ann"))
      let stream = try await ben.stream("Ann")
      var subscribers: [OTSubscriber] = []
      func subscriber() throws -> OTSubscriber { try #require(OTSubscriber(stream: stream, delegate: ben.book)) }
      for _ in 1...3 { subscribers.append(try await ben.subscribe(to: "Ann")) }
      let (camera, screen) = (try ben.publisher("Ben"), try ben.publisher("Screen", type: .screen))
      try await ben.publish(camera)
      let full =
        "subscriber failed \(OTSubscriberErrorDomain) \(OTSubscriberErrorCode.OTSubscriberStreamLimitExceeded.rawValue)"
      let fifth = try subscriber()
      #expect(ben.code { ben.session.subscribe(fifth, error: $0) } == nil)
      try await wait(for: "the limit: \(ben.book.lines)") { ben.book.times(full) == 1 }
      #expect(!fifth.isSubscribed)
      ben.session.publish(screen, error: nil)
      let fullOfStreams = "publisher failed \(OTPublisherErrorDomain) 1605"
      try await wait(for: "the publisher's limit: \(ben.book.lines)") { ben.book.times(fullOfStreams) == 1 }
      #expect(screen.session == nil)

      // One ends, another begins, in one turn.
      ben.session.unsubscribe(subscribers[0], error: nil)
      ben.session.subscribe(fifth, error: nil)
      try await wait(for: "the one in its place: \(ben.book.lines)") {
        ben.book.times("subscriber connected") == 4 || ben.book.times(full) > 1
      }
      #expect(fifth.session === ben.session && ben.book.times(full) == 1)
      // A full session stays full: each stream was counted down once.
      ben.session.subscribe(try subscriber(), error: nil)
      try await wait(for: "the limit again: \(ben.book.lines)") { ben.book.times(full) == 2 }

      // Likewise with publishers: the camera gives way to a screen, and the screen to another camera.
      ben.session.unpublish(camera, error: nil)
      ben.session.publish(screen, error: nil)
      try await wait(for: "the screen: \(ben.book.lines)") { screen.stream != nil || ben.book.times(fullOfStreams) > 1 }
      #expect(ben.book.times(fullOfStreams) == 1)
      let second = try ben.publisher("Ben's second")
      ben.session.unpublish(screen, error: nil)
      #expect(ben.code { ben.session.publish(second, error: $0) } == nil)
      try await wait(for: "the second camera: \(ben.book.lines)") { second.stream != nil }
      let third = try ben.publisher("Ben's third")
      ben.session.unpublish(second, error: nil)
      #expect(ben.code { ben.session.publish(third, error: $0) } == nil, "a camera in the place of a camera")
      try await wait(for: "the third camera: \(ben.book.lines)") { third.stream != nil }
      _ = try await ann.subscribe(to: "Ben's third")
      #expect(ben.book.times(fullOfStreams) == 1)

      // A session that has ended owes nothing.
      try await ben.disconnect()
      ben.session.connect(withToken: "devtoken", error: nil)
      try await wait(for: "the second connection: \(ben.book.lines)") {
        ben.book.times("connected connected true 0") == 2
      }
      let before = ben.book.times("subscriber connected")
      let again = try await ben.stream("Ann", count: 2)
      for _ in 1...4 { ben.session.subscribe(OTSubscriber(stream: again, delegate: ben.book), error: nil) }
      try await wait(for: "four: \(ben.book.lines)") { ben.book.times("subscriber connected") == before + 4 }
      #expect(ben.book.times(full) == 2)
      ben.session.disconnect(nil)
      #expect(ben.session.sessionConnectionStatus == .disconnecting)
      try await wait(for: "the end") { ben.session.sessionConnectionStatus == .notConnected }
      try await ann.disconnect()
    }
  }
}
