import Foundation
import OpenTok
import TestSupport
import Testing

/// The permissions of tokens that a project's own server has signed.
@MainActor @Suite(.serialized) struct RightsTests {
  // canPublish is false, and subscribing works.
  @Test("a subscriber's token can't publish (1004) or signal (1550)")
  func subscriber() async throws {
    try await LiveSession.run { live in
      let project = try await Project(live)
      let id = project.session()
      let ann = try await Guest(live, id: id, key: project.key, token: try project.token(id, data: "name=Ann"))
      try await ann.publish(try ann.publisher("Ann"))
      let ben = try await Guest(
        live, id: id, key: project.key, token: try project.token(id, role: "subscriber", data: "name=Ben"))
      let may = try #require(ben.session.capabilities)
      #expect(!may.canPublish && may.canSubscribe && !may.canForceMute && !may.canForceDisconnect)
      let publisher = try ben.publisher("Ben")
      #expect(ben.code { ben.session.publish(publisher, error: $0) } == 1004)
      #expect(publisher.session == nil)
      // The call without a place for an error reports it to the publisher's delegate.
      ben.session.publish(publisher)
      try await wait(for: "the failure: \(ben.book.lines)") {
        ben.book.saw("publisher failed \(OTSessionErrorDomain) 1004")
      }
      #expect(ben.code { ben.session.signal(withType: "a", string: "b", connection: nil, error: $0) } == 1550)
      _ = try await ben.subscribe(to: "Ann")
      #expect(ben.code { ben.session.forceMuteStream(ben.book.streams[0], error: $0) } == 1540)
      #expect(ben.code { ben.session.forceMuteAll(nil, error: $0) } == 1540)
      #expect(ben.code { ben.session.disableForceMute($0) } == 1540)
      #expect(ben.code { ben.session.forceDisconnect(ben.book.streams[0].connection, error: $0) } == 1520)

      // The tokens' data about their holders.
      #expect(ben.session.connection?.data == "name=Ben" && ben.book.streams[0].connection.data == "name=Ann")
      try await wait(for: "Ben at Ann's") { ann.book.connections.first?.data == "name=Ben" }
      let age = Date().timeIntervalSince(try #require(ann.session.connection?.creationTime))
      #expect(abs(age) < 60)
      try await ben.disconnect()
      #expect(ben.session.capabilities == nil)

      // Version 1 has a number of its own for it: 0 is OTAuthorizationFailure, of a session.
      let book = Notebook()
      let session = try #require(OTSession(sessionId: id, andDelegate: book))
      session.connect(withApiKey: project.key, token: try project.token(id, role: "subscriber"))
      try await wait(for: "the connection of version 1") { session.sessionConnectionStatus == .connected }
      session.publish(OTPublisher(delegate: book, name: "Old"))
      try await wait(for: "the failure of version 1: \(book.lines)") {
        book.saw("publisher failed \(OTSessionErrorDomain) 0")
      }
      session.disconnect()
      try await ann.disconnect()
    }
  }

  // canSubscribe is false.
  @Test("a publisher-only token can't subscribe (1004); a moderator's can do all")
  func otherRoles() async throws {
    try await LiveSession.run { live in
      let project = try await Project(live)
      let id = project.session()
      let ann = try await Guest(live, id: id, key: project.key, token: try project.token(id, role: "moderator"))
      let may = try #require(ann.session.capabilities)
      #expect(may.canPublish && may.canSubscribe && may.canForceMute && may.canForceDisconnect)
      try await ann.publish(try ann.publisher("Ann"))
      let ben = try await Guest(live, id: id, key: project.key, token: try project.token(id, role: "publisheronly"))
      #expect(ben.session.capabilities?.canPublish == true && ben.session.capabilities?.canSubscribe == false)
      let stream = try await ben.stream("Ann")
      let subscriber = try #require(OTSubscriber(stream: stream, delegate: ben.book))
      #expect(ben.code { ben.session.subscribe(subscriber, error: $0) } == 1004)
      try await ben.publish(try ben.publisher("Ben"))
      _ = try await ann.subscribe(to: "Ben")
      try await ben.disconnect()
      try await ann.disconnect()
    }
  }

  @Test("expired and foreign tokens are refused with 1004 and 1005")
  func refused() async throws {
    try await LiveSession.run { live in
      let project = try await Project(live)
      let (id, other) = (project.session(), project.session())
      let cases: [(String, token: String, code: Int)] = [
        ("expired", try project.token(id, seconds: -3_600), 1004),
        ("of another secret", try project.token(id, secret: String(repeating: "5", count: 40)), 1004),
        ("of an unknown role", try project.token(id, role: "king"), 1004),
        ("of another session", try project.token(other), OTSessionErrorCode.OTErrorInvalidSession.number),
      ]
      for (name, token, code) in cases {
        let book = Notebook()
        let session = try #require(OTSession(apiKey: project.key, sessionId: id, delegate: book))
        session.connect(withToken: token, error: nil)
        try await wait(for: "the refusal: \(name)") { !book.lines.isEmpty }
        #expect(book.lines == ["failed \(OTSessionErrorDomain) \(code)"], "\(name)")
        #expect(session.sessionConnectionStatus == .failed && session.connection == nil && session.capabilities == nil)
      }
      // Version 1 has its own numbers.
      for (token, code) in [
        (cases[0].token, OTLegacyErrorCode.Session.authorizationFailure), (cases[3].token, .invalidSessionId),
      ] {
        let book = Notebook()
        let session = try #require(OTSession(sessionId: id, andDelegate: book))
        session.connect(withApiKey: project.key, token: token)
        try await wait(for: "the refusal of version 1: \(book.lines)") { !book.lines.isEmpty }
        #expect(book.lines == ["failed \(OTSessionErrorDomain) \(code.number)"])
      }
    }
  }
}
