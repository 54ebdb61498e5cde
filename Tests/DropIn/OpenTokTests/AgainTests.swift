import Foundation
import OpenTok
import ParleyViews
import TestSupport
import Testing

/// Publishers and subscribers that are ended and started again in one turn.
@MainActor @Suite(.serialized) struct AgainTests {
  /// A book's lines about streams, in order.
  private func streams(_ book: Notebook) -> [String] {
    book.lines.filter { $0.contains("stream") || $0.contains("Streaming") || $0.hasPrefix("did") }
  }

  // At both ends. The video is received again, and the preview stays.
  @Test("unpublish and publish in a turn: streamDestroyed before streamCreated")
  func publisher() async throws {
    try await LiveSession.run { live in
      let settings = OTSessionSettings()
      settings.streamLimit = OTStreamLimit(streams: 1)
      let (ann, ben) = (try await Guest(live, settings: settings), try await Guest(live))
      let publisher = try ann.publisher("Ann")
      let root = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      root.addSubview(publisher.picture)
      try await ann.publish(publisher)
      _ = try await ben.subscribe(to: "Ann")

      #expect(ann.code { ann.session.unpublish(publisher, error: $0) } == nil)
      #expect(ann.code { ann.session.publish(publisher, error: $0) } == nil)
      #expect(ann.code { ann.session.publish(publisher, error: $0) } == 1015)
      let (created, destroyed) = ("publisher streamCreated true", "publisher streamDestroyed true")
      try await wait(for: "the second stream: \(ann.book.lines)") { ann.book.times(created) == 2 }
      #expect(streams(ann.book) == [created, destroyed, created])
      #expect(publisher.session === ann.session && publisher.stream != nil)
      #expect(publisher.picture.superview === root)
      _ = try await ben.subscribe(to: "Ann", count: 2)
      #expect(streams(ben.book) == ["streamCreated Ann true", "streamDestroyed Ann true", "streamCreated Ann true"])

      // The publication in the middle never begins, and nothing reports it.
      for _ in 0..<2 {
        ann.session.unpublish(publisher, error: nil)
        ann.session.publish(publisher, error: nil)
      }
      try await wait(for: "the third stream: \(ann.book.lines)") { ann.book.times(created) == 3 }
      #expect(streams(ann.book) == [created, destroyed, created, destroyed, created])
      _ = try await ben.subscribe(to: "Ann", count: 3)

      // The end of an earlier one has not ended the latest, and its place is taken once.
      #expect(ann.code { ann.session.publish(try? ann.publisher("Two", type: .screen), error: $0) } == nil)
      try await wait(for: "the limit: \(ann.book.lines)") {
        ann.book.saw("publisher failed \(OTPublisherErrorDomain) 1605")
      }
      ann.session.unpublish(publisher, error: nil)
      try await wait(for: "the end: \(ann.book.lines)") { publisher.session == nil }
      #expect(ann.book.times(destroyed) == 3)
      #expect(
        ann.code { ann.session.unpublish(publisher, error: $0) } == OTSessionErrorCode.OTSessionPublisherNotFound.number
      )
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // The preview stays.
  @Test("version 1, unpublish and publish in a turn: didDrop before didReceive")
  func publisherOfVersion1() async throws {
    try await LiveSession.run { live in
      let book = Notebook()
      let session = try #require(OTSession(sessionId: live.id, andDelegate: book))
      session.connect(withApiKey: "100", token: "devtoken")
      try await wait(for: "the connection: \(book.lines)") { book.saw("connected connected true 0") }
      let publisher = try #require(OTPublisher(delegate: book, name: "Ann", audioTrack: false, videoTrack: true))
      let root = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      root.addSubview(publisher.picture)
      session.publish(publisher)
      try await wait(for: "the own stream: \(book.lines)") { book.saw("didReceive own") }
      session.unpublish(publisher)
      session.publish(publisher)
      try await wait(for: "the second stream: \(book.lines)") { book.times("didReceive own") == 2 }
      let begins = ["publisher streamCreated true", "publisherDidStartStreaming", "didReceive own"]
      #expect(
        streams(book) == begins + ["publisher streamDestroyed true", "publisherDidStopStreaming", "didDrop"] + begins)
      #expect(session.streams.count == 1 && publisher.picture.superview === root)
      #expect(!book.lines.contains { $0.contains("failed") }, "\(book.lines)")
      session.unpublish(publisher)
      try await wait(for: "the end: \(book.lines)") { publisher.session == nil }
      #expect(publisher.picture.superview == nil)
      session.disconnect()
      try await wait(for: "the disconnection: \(book.lines)") { book.saw("disconnected true") }
    }
  }

  // subscriberDidConnect and the first frame come again, the view stays, and it counts once.
  @Test("unsubscribe and subscribe in a turn connect one subscriber again")
  func subscriber() async throws {
    try await LiveSession.run { live in
      let settings = OTSessionSettings()
      settings.streamLimit = OTStreamLimit(streams: 1)
      let (ann, ben) = (try await Guest(live), try await Guest(live, settings: settings))
      try await ann.publish(try ann.publisher("Ann"))
      let subscriber = try await ben.subscribe(to: "Ann")
      let root = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      root.addSubview(subscriber.picture)
      for round in 2...3 {
        #expect(ben.code { ben.session.unsubscribe(subscriber, error: $0) } == nil)
        #expect(ben.code { ben.session.subscribe(subscriber, error: $0) } == nil)
        #expect(ben.code { ben.session.subscribe(subscriber, error: $0) } == 1015)
        try await wait(for: "the picture once more: \(ben.book.lines)") {
          ben.book.times("subscriber videoDataReceived") == round
        }
        #expect(ben.book.times("subscriber connected") == round)
      }
      let count = subscriber.picture.frameCount
      try await wait(for: "pictures to go on") { subscriber.picture.frameCount > count + 3 }
      #expect(subscriber.session === ben.session && subscriber.picture.superview === root)

      // It takes the only place, and leaves it.
      let other = try #require(OTSubscriber(stream: subscriber.stream, delegate: ben.book))
      ben.session.subscribe(other, error: nil)
      let limit = "subscriber failed \(OTSubscriberErrorDomain) 1605"
      try await wait(for: "the limit: \(ben.book.lines)") { ben.book.saw(limit) }
      ben.session.unsubscribe(subscriber, error: nil)
      ben.session.subscribe(other, error: nil)
      try await wait(for: "the other's picture: \(ben.book.lines)") { other.picture.frameCount > 1 }
      try await wait(for: "the view to be gone") { subscriber.picture.superview == nil }
      #expect(!subscriber.isSubscribed && ben.book.times(limit) == 1)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test("version 1: close or unsubscribe, and subscribe in a turn, start it again")
  func subscriberOfVersion1() async throws {
    try await LiveSession.run { live in
      let ann = try await Guest(live)
      try await ann.publish(try ann.publisher("Ann"))
      let book = Notebook()
      let session = try #require(OTSession(sessionId: live.id, andDelegate: book))
      session.connect(withApiKey: "100", token: "devtoken")
      try await wait(for: "Ann's stream: \(book.lines)") { session.streams.count == 1 }
      let subscriber = try #require(OTSubscriber(stream: session.streams.values.first, delegate: book))
      try await wait(for: "her picture: \(book.lines)") { book.saw("subscriber videoDataReceived") }
      subscriber.close()
      session.subscribe(subscriber)
      try await wait(for: "it again: \(book.lines)") { book.times("subscriber videoDataReceived") == 2 }
      session.unsubscribe(subscriber)
      session.subscribe(subscriber)
      try await wait(for: "it at last: \(book.lines)") { book.times("subscriber videoDataReceived") == 3 }
      #expect(book.times("subscriber connected") == 3 && !book.lines.contains { $0.contains("failed") })
      session.disconnect()
      try await wait(for: "the disconnection: \(book.lines)") { book.saw("disconnected true") }
      try await ann.disconnect()
    }
  }
}
