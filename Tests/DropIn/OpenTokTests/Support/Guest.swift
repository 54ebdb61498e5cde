import Foundation
import NetworkGate
import OpenTok
import TestSupport
import Testing

extension RawRepresentable where RawValue == Int32 {
  /// As `NSError` has it.
  var number: Int { Int(rawValue) }
}

/// An app that is connected to a session, and its delegates' calls.
@MainActor struct Guest {
  let session: OTSession
  let book = Notebook()

  /// Connects, through a gate when there is one, and waits for it.
  init(
    _ live: LiveSession, id: String? = nil, key: String = "100", token: String = "devtoken", through gate: Gate? = nil,
    settings: OTSessionSettings = OTSessionSettings(), prepare: (OTSession) -> Void = { _ in }
  ) async throws {
    if let gate { settings.apiURL = URL(string: gate.url) }
    let book = book
    session = try #require(OTSession(apiKey: key, sessionId: id ?? live.id, delegate: book, settings: settings))
    prepare(session)
    session.connect(withToken: token, error: nil)
    try await wait(for: "the connection: \(book.lines)") { book.saw("connected connected true 0") }
  }

  /// A publisher with this name that shows red, or nothing when there is no capturer.
  func publisher(
    _ name: String, audio: Bool = false, capture: (any OTVideoCapture)? = ColourCapture(),
    type: OTPublisherKitVideoType = .camera
  ) throws -> OTPublisher {
    let settings = OTPublisherSettings()
    (settings.name, settings.audioTrack, settings.videoTrack) = (name, audio, capture != nil)
    settings.videoCapture = capture
    let publisher = try #require(OTPublisher(delegate: book, settings: settings))
    publisher.videoType = type
    return publisher
  }

  /// Publishes, and waits until it is a stream of the session.
  func publish(_ publisher: OTPublisher) async throws {
    session.publish(publisher, error: nil)
    try await wait(for: "the own stream: \(book.lines)") { publisher.stream != nil }
  }

  /// Waits for a stream of this name, and gives back the newest.
  func stream(_ name: String, count: Int = 1) async throws -> OTStream {
    try await wait(for: "\(name)'s stream: \(book.lines)") { book.streams.count { $0.name == name } >= count }
    return try #require(book.streams.last { $0.name == name })
  }

  /// Subscribes to a stream of this name, and waits for its picture, or for the stream when it has none.
  func subscribe(to name: String, count: Int = 1) async throws -> OTSubscriber {
    let stream = try await stream(name, count: count)
    let subscriber = try #require(OTSubscriber(stream: stream, delegate: book))
    let line = stream.hasVideo ? "subscriber videoDataReceived" : "subscriber connected"
    let before = book.times(line)
    session.subscribe(subscriber, error: nil)
    try await wait(for: "\(line) of \(name): \(book.lines)") { book.times(line) > before }
    return subscriber
  }

  /// Ends it, and waits for that.
  func disconnect() async throws {
    session.disconnect(nil)
    try await wait(for: "the end: \(book.lines)") { book.saw("disconnected true") }
    #expect(book.strays.isEmpty, "not on the main queue: \(book.strays)")
  }

  /// The code that a call gives at once; nil when it gives none.
  func code(_ body: (UnsafeMutablePointer<OTError?>) -> Void) -> Int? {
    var error: OTError?
    body(&error)
    return error?.code
  }
}
