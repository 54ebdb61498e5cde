import Foundation
import Observation
import OpenTok
import ParleyViews
import TestSupport
import Testing

/// The properties that an app on Apple systems observes by key.
@MainActor @Suite(.serialized) struct ObservingTests {
  /// The values of a property: the first, and that after every change.
  // unchecked: `noted` is used under the lock only, the rest does not change.
  private final class Values<Value: Sendable>: @unchecked Sendable {
    private let read: @Sendable () -> Value
    private let lock = NSLock()
    private var noted: [Value] = []

    var all: [Value] { lock.withLock { noted } }

    init(_ read: @escaping @Sendable () -> Value) {
      self.read = read
      follow()
    }

    private func follow() {
      let value = withObservationTracking(read) { [weak self] in self?.follow() }
      lock.withLock { noted.append(value) }
    }
  }

  // With their first value; hasVideo on the app's queue, before its callback.
  @Test("streams and sessions are observed by key path until it is released")
  func byKeyPath() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann", audio: true)
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      let stream = try #require(subscriber.stream)
      let told = Told()
      var observations = [
        stream.observe(\.hasVideo, options: [.initial, .new, .old]) { [book = ben.book] stream, change in
          told.add("\(change.kind) \(String(describing: change.oldValue)) \(String(describing: change.newValue))")
          told.add(
            "\(stream.hasVideo) \(book.isOnQueue()) \(book.lines.contains { $0.hasPrefix("subscriber videoDisabled") })"
          )
        }
      ]
      observations.append(stream.observe(\.hasAudio) { _, change in told.add("sound \(change.newValue == nil)") })
      observations.append(
        ben.session.observe(\.connection, options: [.old]) { session, change in
          told.add("connection \(session.connection == nil) \(change.oldValue??.connectionId != nil)")
        })
      publisher.publishVideo = false
      try await wait(for: "the picture to be off: \(told.lines)") { told.lines.count == 4 }
      #expect(
        told.lines == [
          "setting nil Optional(true)", "true true false", "setting Optional(true) Optional(false)", "false true false",
        ])
      publisher.publishAudio = false
      try await wait(for: "the sound to be off: \(told.lines)") { told.lines.last == "sound true" }
      // Over: one is ended, one let go of.
      observations[0].invalidate()
      observations.remove(at: 1)
      publisher.publishVideo = true
      publisher.publishAudio = true
      try await wait(for: "both to be on") { stream.hasVideo && stream.hasAudio }
      try await ben.disconnect()
      #expect(told.lines.suffix(from: 5) == ["connection true true"])
      try await ann.disconnect()
    }
  }

  /// A screen, which has the method to override.
  private final class Screen: UIViewController {
    let told = Told()
    override func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      let values = [change?[.oldKey], change?[.newKey]].map {
        ($0 as? NSNumber)?.stringValue ?? ($0 == nil ? "-" : "nil")
      }
      told.add("\(keyPath ?? "") \(values[0]) \(values[1]) \(object is OTStream) \(context == nil)")
    }
  }

  /// Another class says that it observes, and hears of one change only.
  private final class Once: OTKeyValueObserver {
    let told = Told()
    func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      told.add("\(keyPath ?? "") \(change?[.newKey] as? String ?? "no text") \(change?[.kindKey] as? UInt ?? 0)")
      (object as? OTStream)?.removeObserver(self, forKeyPath: keyPath ?? "", context: context)
    }
  }

  // Or gone. On the main queue and before the callback; a name that doesn't exist ends nothing.
  @Test("streams and sessions are observed by name until the observer is removed")
  func byName() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann", audio: true)
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      let stream = try #require(subscriber.stream)
      let (screen, once) = (Screen(), Once())
      var gone: Screen? = Screen()
      let mark = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
      defer { mark.deallocate() }
      stream.addObserver(screen, forKeyPath: "hasVideo", options: [.initial, .new, .old])
      stream.addObserver(screen, forKeyPath: "hasAudio", options: [.new], context: mark)
      stream.addObserver(try #require(gone), forKeyPath: "hasVideo", options: [.new])
      stream.addObserver(once, forKeyPath: "name", options: [.initial, .new])
      for nothing in ["loudness", "hasVideo.x", ""] {
        stream.addObserver(screen, forKeyPath: nothing, options: .initial)
      }
      stream.removeObserver(screen, forKeyPath: "loudness")
      #expect(screen.told.lines == ["hasVideo - 1 true true"])
      #expect(once.told.lines == ["name Ann 1"])
      weak let leftover: Screen? = gone
      gone = nil
      #expect(leftover == nil, "an observer is not held")

      publisher.publishVideo = false
      try await wait(for: "no picture: \(screen.told.lines)") { screen.told.lines.last == "hasVideo 1 0 true true" }
      publisher.publishAudio = false
      try await wait(for: "no sound: \(screen.told.lines)") { screen.told.lines.last == "hasAudio - 0 true false" }
      stream.removeObserver(screen, forKeyPath: "hasAudio", context: nil)
      stream.removeObserver(screen, forKeyPath: "hasVideo")
      publisher.publishAudio = true
      try await wait(for: "sound: \(screen.told.lines)") { screen.told.lines.last == "hasAudio - 1 true false" }
      publisher.publishVideo = true
      try await wait(for: "the picture") { stream.hasVideo }
      #expect(screen.told.lines.count == 4 && once.told.lines.count == 1)

      // The session's own properties: the status as a number, and an absent value as NSNull.
      ben.session.addObserver(screen, forKeyPath: "sessionConnectionStatus", options: [.new, .old])
      ben.session.addObserver(screen, forKeyPath: "connection", options: [.new])
      ben.session.addObserver(screen, forKeyPath: "streams")
      try await ben.disconnect()
      #expect(
        screen.told.lines.suffix(from: 4) == [
          "sessionConnectionStatus 1 4 false true", "sessionConnectionStatus 4 0 false true",
          "connection - nil false true", "streams - - false true",
        ])
      ben.session.removeObserver(screen, forKeyPath: "streams")
      try await ann.disconnect()
    }
  }

  /// The observers' reports, on any thread.
  private final class Told: @unchecked Sendable {
    // unchecked: `written` is used under the lock only.
    private let lock = NSLock()
    private var written: [String] = []
    var lines: [String] { lock.withLock { written } }
    func add(_ line: String) { lock.withLock { written.append(line) } }
  }

  // sessionConnectionStatus, connection, capabilities, streams and connectionCount.
  @Test("the changing properties of a session can be observed")
  func session() async throws {
    try await LiveSession.run { live in
      var status: Values<OTSessionConnectionStatus>?
      var connection: Values<Bool>?
      var rights: Values<Bool?>?
      var streams: Values<Int>?
      var count: Values<Int>?
      let ben = try await Guest(live) { session in
        status = Values { session.sessionConnectionStatus }
        connection = Values { session.connection != nil }
        rights = Values { session.capabilities?.canPublish }
        streams = Values { session.streams.count }
        count = Values { session.connectionCount }
      }
      let ann = try await Guest(live)
      try await ann.publish(try ann.publisher("Ann"))
      _ = try await ben.stream("Ann")
      try await ann.disconnect()
      try await wait(for: "Ann to be gone: \(ben.book.lines)") { ben.book.saw("connectionDestroyed") }
      try await ben.disconnect()
      #expect(status?.all == [.notConnected, .connecting, .connected, .disconnecting, .notConnected])
      #expect(connection?.all == [false, true, false] && rights?.all == [nil, true, nil])
      #expect(
        streams?.all == [0, 1, 0] && count?.all == [0, 1, 2, 1, 0], "\(streams?.all ?? []), \(count?.all ?? [])")
    }
  }
}
