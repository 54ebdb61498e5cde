import Foundation
import OpenTok
import Parley
import TestSupport
import Testing

/// Each fault is reported with the documented number, through the documented callback.
@MainActor @Suite(.serialized) struct BadInputTests {
  /// A token as OpenTok's first SDKs make it, signed with nothing of use.
  private static func foreignToken(key: String) -> String {
    "T1==" + Data("partner_id=\(key)&sig=\(String(repeating: "0", count: 40)):session_id=x".utf8).base64EncodedString()
  }

  /// The session id of a key.
  private static func sessionID(key: String) -> String {
    let text = Data("1~\(key)~~1700000000000~abc~".utf8).base64EncodedString()
    return "2_"
      + text.replacingOccurrences(of: "=", with: "").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "+", with: "-")
  }

  private func failure(_ key: String, _ id: String, _ token: String, apiURL: String? = nil) async throws -> String {
    let book = Notebook()
    let settings = OTSessionSettings()
    settings.apiURL = apiURL.flatMap { URL(string: $0) }
    let session = try #require(OTSession(apiKey: key, sessionId: id, delegate: book, settings: settings))
    session.connect(withToken: token, error: nil)
    try await wait(for: "a failure: \(book.lines)") { !book.lines.isEmpty }
    #expect(session.connection == nil && session.sessionConnectionStatus == .failed)
    return book.lines.joined(separator: ", ")
  }

  @Test("wrong keys, tokens, sessions and servers fail with 1004, 1005 and 1006")
  func connecting() async throws {
    try await LiveSession.run { live in
      let foreign = Self.foreignToken(key: "100")
      let (own, other) = (Self.sessionID(key: "100"), Self.sessionID(key: "101"))
      let cases: [(key: String, id: String, token: String, url: String?, code: Int)] = [
        ("101", live.id, foreign, nil, 1004), ("100", other, foreign, nil, 1005), ("100", own, foreign, nil, 1004),
        ("100", live.id, "nonsense", nil, 1004), ("100", live.id, "devtoken", "http://127.0.0.1:1", 1006),
        ("100", live.id, "devtoken", "no address", 1006), ("100", live.id, "devtoken", "http:", 1006),
        ("100", live.id, "devtoken", live.url + "/session", 1006), ("100", "discover", "devtoken", nil, 1005),
        ("", live.id, "devtoken", nil, 1004),
        ("100", "", "devtoken", nil, 1005), ("100", live.id, "", nil, 1004),
        // Impossible session ids, whatever a server would make of them.
        ("100", "a b", "devtoken", nil, 1005), ("100", " \(live.id)", "devtoken", nil, 1005),
        ("100", "a/b", "devtoken", nil, 1005), ("100", "..", "devtoken", nil, 1005),
        ("100", "a#b", "devtoken", nil, 1005), ("100", "100%", "devtoken", nil, 1005),
        ("100", "a\u{0}b", "devtoken", nil, 1005), ("100", "\u{1F600}", "devtoken", nil, 1005),
        ("100", String(repeating: "a", count: 200), "devtoken", nil, 1005),
        ("100", String(repeating: "a", count: 256), "devtoken", nil, 1005),
        ("100", String(repeating: "a", count: 20_000), "devtoken", nil, 1005),
        ("100", "daily", foreign, nil, 1005), ("100", own.lowercased(), foreign, nil, 1005),
        ("100", "1" + own, foreign, nil, 1005), ("100", own + "=", foreign, nil, 1005),
      ]
      for each in cases {
        let told = try await failure(each.key, each.id, each.token, apiURL: each.url)
        #expect(told == "failed \(OTSessionErrorDomain) \(each.code)", "\(each)")
      }
    }
  }

  // With a session and a token of that key; in version 1 with OTAuthorizationFailure. devtoken takes any key in
  // development.
  @Test("a key that the server doesn't know fails with 1004")
  func unknownKey() async throws {
    try await LiveSession.run { live in
      let unknown = try Project.unknown()
      let told = try await failure(unknown.key, unknown.session, unknown.token)
      #expect(told == "failed \(OTSessionErrorDomain) 1004")
      let book = Notebook()
      let session = try #require(OTSession(sessionId: unknown.session, andDelegate: book))
      session.connect(withApiKey: unknown.key, token: unknown.token)
      let code = OTLegacyErrorCode.Session.authorizationFailure.number
      try await wait(for: "the failure in version 1: \(book.lines)") { !book.lines.isEmpty }
      #expect(book.lines == ["failed \(OTSessionErrorDomain) \(code)"])
      let guest = try await Guest(live, id: unknown.session, key: unknown.key)
      try await guest.disconnect()
    }
  }

  // Also one with another capital, or a letter more; in version 1 OTInvalidSessionId.
  @Test("a token opens the session whose id it names; another id is 1005")
  func sessionsOfTokens() async throws {
    try await LiveSession.run { live in
      let project = try await Project(live)
      let id = project.session()
      let token = try project.token(id)
      let others = [
        try #require(Project.twin(of: id)), id + "QUFB", id.lowercased(), "daily", "2_", String(id.dropLast(30)),
      ]
      for other in others {
        #expect(try await failure(project.key, other, token) == "failed \(OTSessionErrorDomain) 1005", "\(other)")
        let book = Notebook()
        let session = try #require(OTSession(sessionId: other, andDelegate: book))
        session.connect(withApiKey: project.key, token: token)
        try await wait(for: "the failure in version 1: \(book.lines)") { !book.lines.isEmpty }
        #expect(
          book.lines == ["failed \(OTSessionErrorDomain) \(OTLegacyErrorCode.Session.invalidSessionId.number)"],
          "\(other)")
      }
    }
  }

  @Test("a session id that was never asked for works with the project's own token")
  func sessionOfTheProject() async throws {
    try await LiveSession.run { live in
      let project = try await Project(live)
      let id = Self.sessionID(key: project.key)
      let guest = try await Guest(live, id: id, key: project.key, token: project.token(id))
      try await guest.disconnect()
    }
  }

  // OTAuthorizationFailure for a key and a token, OTInvalidSessionId for an id.
  @Test("version 1: an empty key, token or id fails with its own number")
  func emptyInVersion1() async throws {
    let cases: [(key: String, id: String, token: String, code: OTLegacyErrorCode.Session)] = [
      ("", "x", "devtoken", .authorizationFailure), ("100", "", "devtoken", .invalidSessionId),
      ("100", "x", "", .authorizationFailure),
    ]
    for each in cases {
      let book = Notebook()
      let session = try #require(OTSession(sessionId: each.id, andDelegate: book))
      session.connect(withApiKey: each.key, token: each.token)
      try await wait(for: "the failure of \(each): \(book.lines)") {
        book.lines == ["failed \(OTSessionErrorDomain) \(each.code.rawValue)"]
      }
      #expect(session.sessionConnectionStatus == .failed)
    }
  }

  // 1010, 1011 and 1015; in version 1 those of its headers.
  @Test("calls without `error:` report the numbers of those with it")
  func withoutAPlace() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let ben = try await Meeting.join("\(live.url)/\(live.id)?jwt=devtoken", name: "Ben")
      try await ben.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120, framesPerSecond: 5)))
      let (publisherList, subscriberList, sessionList) = (
        OTPublisherErrorDomain, OTSubscriberErrorDomain, OTSessionErrorDomain
      )
      for isLegacy in [false, true] {
        let book = Notebook()
        let session = try #require(
          isLegacy
            ? OTSession(sessionId: live.id, andDelegate: book)
            : OTSession(apiKey: "100", sessionId: live.id, delegate: book))
        func publisher() throws -> OTPublisherKit {
          try #require(OTPublisherKit(delegate: book, name: "Ann", audioTrack: true, videoTrack: false))
        }
        func tells(_ line: String) async throws {
          try await wait(for: "\(line): \(book.lines)") { book.saw(line) }
        }
        session.publish(try publisher())
        try await tells("publisher failed \(publisherList) \(isLegacy ? 2 : 1010)")
        if isLegacy {
          session.connect(withApiKey: "100", token: "devtoken")
        } else {
          session.connect(withToken: "devtoken", error: nil)
        }
        try await wait(for: "Ben's stream: \(book.lines)") { session.streams.count == 1 }
        let stream = try #require(session.streams.values.first)
        session.publish(try publisher())
        session.publish(try publisher())
        try await tells(
          "publisher failed \(sessionList) \(isLegacy ? OTLegacyErrorCode.Session.sessionStateFailed.number : 1015)")
        if isLegacy {
          session.unpublish(try publisher())
          try await tells("failed \(sessionList) \(OTLegacyErrorCode.Session.unknownServerError.number)")
        }
        // A stream of another session.
        let other = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: nil))
        other.connect(withToken: "devtoken", error: nil)
        try await wait(for: "the other connection") { other.sessionConnectionStatus == .connected }
        if !isLegacy {
          let foreign = try #require(OTSubscriber(stream: stream, delegate: book))
          other.subscribe(foreign)
          try await tells("subscriber failed \(sessionList) 1011")
        }
        other.disconnect()
        session.disconnect()
        try await tells("disconnected true")
        // In version 1 making it is all it takes.
        let late = try #require(OTSubscriber(stream: stream, delegate: book))
        if !isLegacy { session.subscribe(late) }
        try await tells(
          "subscriber failed \(subscriberList) \(isLegacy ? OTLegacyErrorCode.Subscriber.failedToConnect.number : 1010)"
        )
      }
      // A stream that has ended.
      let book = Notebook()
      let session = try #require(OTSession(sessionId: live.id, andDelegate: book))
      session.connect(withApiKey: "100", token: "devtoken")
      try await wait(for: "Ben's stream: \(book.lines)") { session.streams.count == 1 }
      let stream = try #require(session.streams.values.first)
      await ben.leave()
      try await wait(for: "its end: \(book.lines)") { book.saw("didDrop") }
      let late = try #require(OTSubscriber(stream: stream, delegate: book))
      try await wait(for: "the gone stream: \(book.lines)") {
        book.saw("subscriber failed \(subscriberList) \(OTLegacyErrorCode.Subscriber.noStreamMedia.number)")
      }
      #expect(!late.isSubscribed)
      session.disconnect()
    }
  }

  // Also nil, a publisher that is published twice, streams that are gone, and too many streams.
  @Test("calls in a wrong state give their numbers, and nothing traps")
  func wrongStates() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let book = Notebook()
      let settings = OTSessionSettings()
      settings.streamLimit = .phone
      let session = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: book, settings: settings))
      let publisher = try #require(OTPublisherKit(delegate: book, name: "Ann", audioTrack: true, videoTrack: false))
      var error: OTError?
      func code(_ body: (UnsafeMutablePointer<OTError?>) -> Void) -> Int? {
        error = nil
        body(&error)
        return error?.code
      }
      #expect(code { session.publish(publisher, error: $0) } == 1010)
      #expect(code { session.disconnect($0) } == 1010)
      #expect(code { session.signal(withType: "a", string: "b", connection: nil, error: $0) } == 1010)
      #expect(code { session.forceMuteAll(nil, error: $0) } == 1010)
      #expect(code { session.publish(nil, error: $0) } == 1011)
      #expect(code { session.subscribe(nil, error: $0) } == 1011)
      #expect(code { session.unpublish(publisher, error: $0) } == 1113)
      session.publish(nil)
      #expect(OTSubscriber(stream: nil, delegate: book) == nil)

      session.connect(withToken: "devtoken", error: nil)
      try await wait(for: "the connection: \(book.lines)") { book.saw("connected connected true 0") }
      session.publish(publisher, error: nil)
      #expect(code { session.publish(publisher, error: $0) } == 1015)
      let another = try #require(OTPublisherKit(delegate: book, name: "Two", audioTrack: true, videoTrack: false))
      #expect(code { session.publish(another, error: $0) } == 1015)
      try await wait(for: "the own stream: \(book.lines)") { book.saw("publisher streamCreated true") }
      // Without a place for the error: the session's delegate gets it, and the publisher continues.
      session.publish(publisher)
      try await wait(for: "the error of the session: \(book.lines)") { book.saw("failed \(OTSessionErrorDomain) 1015") }
      #expect(publisher.session === session && publisher.stream != nil)
      #expect(!book.lines.contains { $0.hasPrefix("publisher failed") })

      // Two streams at a time: the publisher and one subscriber.
      let ben = try await Meeting.join("\(live.url)/\(live.id)?jwt=devtoken", name: "Ben")
      try await ben.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120, framesPerSecond: 5)))
      try await wait(for: "Ben's stream: \(book.lines)") { book.streams.count == 1 }
      let stream = book.streams[0]
      let first = try #require(OTSubscriberKit(stream: stream, delegate: book))
      let second = try #require(OTSubscriberKit(stream: stream, delegate: book))
      session.subscribe(first, error: nil)
      session.subscribe(second, error: nil)
      let limit = "subscriber failed \(OTSubscriberErrorDomain) 1605"
      try await wait(for: "the limit: \(book.lines)") { book.saw(limit) }
      #expect(code { session.unsubscribe(second, error: $0) } == 1112)
      session.unsubscribe(first, error: nil)
      await ben.leave()
      try await wait(for: "Ben's end: \(book.lines)") { book.saw("streamDestroyed Ben true") }
      session.subscribe(second, error: nil)
      try await wait(for: "the gone stream: \(book.lines)") {
        book.saw("subscriber failed \(OTSubscriberErrorDomain) 1604")
      }
      // The server goes away: the app is notified, and loses nothing else.
      session.disconnect(nil)
      try await wait(for: "the end: \(book.lines)") { book.saw("disconnected true") }
      session.connect(withToken: "devtoken", error: nil)
      try await wait(for: "a second connection: \(book.lines)") {
        book.lines.filter { $0.hasPrefix("connected") }.count == 2
      }
      session.disconnect(nil)
    }
  }

  @Test("incomplete frames are dropped, and too long metadata is refused with 1011")
  func frames() {
    let frame = OTVideoFrame(format: OTVideoFormat(i420WithWidth: 4_000_000, height: 2))
    // A missing plane reads as zeros, as many as a plane of a frame that can be sent has.
    for index in [Int32(0), -1, 7] { #expect(frame.getPlaneBinaryData(index)[16_384 * 2 - 1] == 0) }
    #expect(frame.getPlaneStride(7) == 0)
    frame.setPlanesWithPointers(nil, numPlanes: 3)
    #expect(frame.planes?.count == 0 && CMTime(value: 3, timescale: 0).seconds.isNaN && CMTime.zero.timescale == 1)
    let plane = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
    defer { plane.deallocate() }
    // Both kinds of pointers to pointers that the headers' Swift can be read as.
    var (planes, others) = ([plane], [Optional(plane), nil])
    frame.setPlanesWithPointers(&planes, numPlanes: 1)
    #expect(frame.getPlaneBinaryData(0) == plane && frame.planes?.count == 1)
    frame.setPlanesWithPointers(&others, numPlanes: 2)
    #expect(frame.getPlaneBinaryData(0) == plane && frame.getPlaneBinaryData(1) != plane && frame.planes?.count == 2)
    frame.clearPlanes()
    for orientation in [OTVideoOrientation.up, .down, .left, .right] {
      frame.orientation = orientation
      #expect(frame.orientation == orientation)
    }
    #expect([OTVideoOrientation.up, .down, .left, .right].map(\.rawValue) == [1, 2, 3, 4])
    var error: OTError?
    frame.setMetadata(Data(count: 33), error: &error)
    #expect(error?.code == 1011 && error?.domain == OTVideoKitErrorDomain)
    let settings = OTPublisherKitSettings()
    settings.audioBitrate = 1
    #expect(settings.audioBitrate == 40_000)
    #expect(OTVideoTransformer(name: "BackgroundBlur", properties: "{}") == nil)
  }
}
