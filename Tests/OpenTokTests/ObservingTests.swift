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
