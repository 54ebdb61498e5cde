import Foundation
import Observation
import OpenTok
import Testing

/// What an app on Apple systems observed by key.
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

  @Test(
    "streams and sessions are observed by key path, with their first value, until the observation is let go of: hasVideo on the app's queue, before its callback"
  )
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

  /// What observers were told, on any thread.
  private final class Told: @unchecked Sendable {
    // unchecked: `written` is used under the lock only.
    private let lock = NSLock()
    private var written: [String] = []
    var lines: [String] { lock.withLock { written } }
    func add(_ line: String) { lock.withLock { written.append(line) } }
  }

  @Test("sessionConnectionStatus, connection, capabilities, streams and connectionCount of a session can be observed")
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
