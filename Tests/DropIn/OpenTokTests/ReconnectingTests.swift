import Foundation
import NetworkGate
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import OpenTok

/// Sessions whose network is cut, with real media.
@MainActor @Suite(.serialized) struct ReconnectingTests {
  // sessionDidBeginReconnecting and subscriberDidDisconnect; later sessionDidReconnect, subscriberDidReconnect, the
  // video, and the signals of the time between.
  @Test("after a dropped network the session reconnects with its media")
  func droppedNetwork() async throws {
    try await LiveSession.runBehindAGate { live, gate in
      let ann = try await Guest(live)
      let ben = try await Guest(live, through: gate)
      try await ann.publish(try ann.publisher("Ann"))
      try await ben.publish(try ben.publisher("Ben"))
      let atBen = try await ben.subscribe(to: "Ann")
      let atAnn = try await ann.subscribe(to: "Ben")
      let id = ben.session.connection?.connectionId
      let streams = Set(ben.session.streams.keys)

      try await gate.cut()
      try await wait(for: "the loss: \(ben.book.lines)") {
        ben.book.saw("sessionDidBeginReconnecting reconnecting")
      }
      #expect(ben.session.sessionConnectionStatus == .reconnecting && ben.session.connection != nil)
      try await wait(for: "it at Ann's: \(ann.book.lines)") { ann.book.saw("subscriber didDisconnect") }
      try await wait(for: "the stream to be gone at Ben's: \(ben.book.lines)") {
        ben.book.saw("subscriber didDisconnect")
      }
      #expect(ben.code { ben.session.signal(withType: "kept", string: "1", connection: nil, error: $0) } == nil)
      let code = ben.code {
        ben.session.signal(
          withType: "dropped", string: "2", connection: nil, retryAfterReconnect: false, error: $0)
      }
      #expect(code == OTSessionErrorCode.OTSessionUnableToSendSignal.number)
      #expect(ben.code { ben.session.connect(withToken: "devtoken", error: $0) } == 1015)
      let frames = (atBen.picture.frameCount, atAnn.picture.frameCount)

      try await gate.restore()
      for guest in [ben, ann] {
        try await wait(for: "the stream again: \(guest.book.lines)") {
          guest.book.saw("subscriber didReconnect")
        }
      }
      do {
        try await wait(for: "pictures again") {
          atBen.picture.frameCount > frames.0 + 3 && atAnn.picture.frameCount > frames.1 + 3
        }
      } catch {
        for guest in [ann, ben] {
          Issue.record("\(String(describing: await guest.session.engine.meeting?.statistics()))")
        }
        throw error
      }
      try await wait(for: "what was said: \(ann.book.lines)") { ann.book.saw("signal kept 1 from other") }
      #expect(!ann.book.lines.contains { $0.hasPrefix("signal dropped") })
      let told = ben.book.lines.filter { $0.contains("econnect") || $0.contains("didDisconnect") }
      #expect(
        told == [
          "sessionDidBeginReconnecting reconnecting", "subscriber didDisconnect", "sessionDidReconnect connected",
          "subscriber didReconnect",
        ])
      #expect(ben.session.sessionConnectionStatus == .connected)
      #expect(ben.session.connection?.connectionId == id && Set(ben.session.streams.keys) == streams)
      for guest in [ann, ben] {
        #expect(!guest.book.lines.contains { $0.hasPrefix("streamDestroyed") }, "\(guest.book.lines)")
      }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // Their video continues.
  @Test("a loss of the signalling alone reports the session and not its streams")
  func signalingAlone() async throws {
    try await LiveSession.runBehindAGate { live, gate in
      let (ann, ben) = (try await Guest(live), try await Guest(live, through: gate))
      try await ann.publish(try ann.publisher("Ann"))
      let subscriber = try await ben.subscribe(to: "Ann")
      gate.dropConnections()
      try await wait(for: "the loss and the return: \(ben.book.lines)") {
        ben.book.saw("sessionDidReconnect connected")
      }
      #expect(ben.book.saw("sessionDidBeginReconnecting reconnecting"))
      let frames = subscriber.picture.frameCount
      try await wait(for: "the picture") { subscriber.picture.frameCount > frames + 3 }
      #expect(!ben.book.lines.contains { $0.hasPrefix("subscriber did") }, "\(ben.book.lines)")
      try await ben.disconnect()
      try await ann.disconnect()
    }
  }

  // streamDestroyed and streamCreated are reported for its own stream.
  @Test("after a loss beyond the server's wait, the app has a new connection")
  func anotherConnection() async throws {
    try await LiveSession.runBehindAGate(configure: { $0.resumeWindow = .seconds(1) }) { live, gate in
      let (ann, ben) = (try await Guest(live), try await Guest(live, through: gate))
      let publisher = try ben.publisher("Ben")
      try await ben.publish(publisher)
      _ = try await ann.subscribe(to: "Ben")
      let old = try #require(ben.session.connection?.connectionId)
      try await gate.cut()
      try await wait(for: "the server to give up: \(ann.book.lines)") {
        ann.book.saw("streamDestroyed Ben true") && ann.book.saw("connectionDestroyed")
      }
      try await gate.restore()
      try await wait(for: "the session: \(ben.book.lines)") {
        ben.book.saw("sessionDidReconnect connected")
      }
      let new = try #require(ben.session.connection?.connectionId)
      #expect(new != old)
      let (created, destroyed) = ("publisher streamCreated true", "publisher streamDestroyed true")
      try await wait(for: "the own stream: \(ben.book.lines)") { ben.book.times(created) == 2 }
      #expect(
        ben.book.lines.filter { $0.hasPrefix("publisher") || $0.hasPrefix("sessionDid") } == [
          created, "sessionDidBeginReconnecting reconnecting", "sessionDidReconnect connected", destroyed, created,
        ])
      #expect(publisher.session === ben.session)
      let stream = try #require(publisher.stream)
      #expect(stream.connection.connectionId == new && Array(ben.session.streams.keys) == [stream.streamId])
      #expect(try await ann.stream("Ben", count: 2).streamId == stream.streamId)
      _ = try await ann.subscribe(to: "Ben", count: 2)
      try await ben.disconnect()
      try await ann.disconnect()
    }
  }

  // An app that subscribes to itself subscribes again.
  @Test("version 1: after a long loss didDrop and didReceive of the own stream come")
  func anotherConnectionOfVersion1() async throws {
    try await LiveSession.runBehindAGate(configure: { $0.resumeWindow = .seconds(1) }) { live, gate in
      let ann = try await Guest(live)
      ParleyServer.url = gate.url
      let book = Notebook()
      let session = try #require(OTSession(sessionId: live.id, andDelegate: book))
      session.connect(withApiKey: "100", token: "devtoken")
      try await wait(for: "the connection: \(book.lines)") { book.saw("connected connected true 0") }
      let publisher = try #require(OTPublisher(delegate: book, name: "Ben", audioTrack: false, videoTrack: true))
      let root = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      root.addSubview(publisher.picture)
      session.publish(publisher)
      try await wait(for: "the own stream: \(book.lines)") { book.saw("didReceive own") }
      let mirror = try #require(OTSubscriber(stream: book.streams[0], delegate: book))
      try await wait(for: "the own picture: \(book.lines)") { book.saw("subscriber videoDataReceived") }
      root.addSubview(mirror.picture)

      try await gate.cut()
      try await wait(for: "the server to give up: \(ann.book.lines)") { ann.book.saw("connectionDestroyed") }
      try await gate.restore()
      try await wait(for: "the own stream again: \(book.lines)") {
        book.times("didReceive own") == 2
      }
      let end = ["publisher streamDestroyed true", "publisherDidStopStreaming", "didDrop"]
      let begin = ["publisher streamCreated true", "publisherDidStartStreaming", "didReceive own"]
      let told = book.lines.filter { !$0.hasPrefix("connection") && !$0.hasPrefix("subscriber") }
      #expect(Array(told.suffix(7)) == ["sessionDidReconnect connected"] + end + begin)
      #expect(!mirror.isSubscribed && mirror.picture.superview == nil && publisher.picture.superview === root)
      let stream = try #require(book.streams.last)
      #expect(session.streams.values.map(\.streamId) == [stream.streamId] && publisher.stream === stream)
      let again = try #require(OTSubscriber(stream: stream, delegate: book))
      try await wait(for: "the own picture again") { again.picture.frameCount > 2 }
      session.disconnect()
      try await wait(for: "the end: \(book.lines)") { book.saw("disconnected true") }
      try await ann.disconnect()
    }
  }

  // Everything has ended, and connecting again works.
  @Test("a network that doesn't come back gives 1022, then sessionDidDisconnect")
  func lostForGood() async throws {
    try await LiveSession.runBehindAGate { live, gate in
      let ben = try await Guest(live, through: gate) { $0.engine.reconnectTimeout = .seconds(2) }
      let publisher = try ben.publisher("Ben")
      try await ben.publish(publisher)
      let root = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      root.addSubview(publisher.picture)
      try await gate.cut()
      try await wait(for: "the end: \(ben.book.lines)") { ben.book.saw("disconnected true") }
      #expect(
        ben.book.lines.suffix(3) == [
          "publisher streamDestroyed true",
          "failed \(OTSessionErrorDomain) \(OTSessionErrorCode.OTConnectionDropped.number)",
          "disconnected true",
        ])
      #expect(ben.session.sessionConnectionStatus == .failed && ben.session.streams.isEmpty)
      #expect(publisher.session == nil && publisher.picture.superview == nil)
      #expect(ben.code { ben.session.publish(publisher, error: $0) } == 1010)
      try await gate.restore()
      ben.session.connect(withToken: "devtoken", error: nil)
      try await wait(for: "the second connection: \(ben.book.lines)") {
        ben.book.times("connected connected true 0") == 2
      }
      try await ben.publish(publisher)
      try await ben.disconnect()
    }
  }
}
