import Foundation
import Parley
import TestSupport
import Testing

@testable import OpenTok

/// Sessions that are ended while something else happens to them.
@MainActor @Suite(.serialized) struct DisconnectingTests {
  /// A queue of an app that holds back its callbacks until it is released.
  private final class Held: Sendable {
    let queue = DispatchQueue(label: "held")
    init() { queue.suspend() }
    func letGo() { queue.resume() }
  }

  /// Ends its session as soon as it hears that it is connected.
  // unchecked: called on one queue.
  private final class Hasty: OTSessionDelegate, @unchecked Sendable {
    let book = Notebook()
    func sessionDidConnect(_ session: OTSession) {
      book.sessionDidConnect(session)
      session.disconnect(nil)
    }
    func sessionDidDisconnect(_ session: OTSession) { book.sessionDidDisconnect(session) }
    func session(_ session: OTSession, didFailWithError error: OTError) {
      book.session(session, didFailWithError: error)
    }
  }

  /// Connects once more, so that all earlier reports have come.
  private func connectAgain(_ session: OTSession, _ book: Notebook) async throws {
    session.delegate = book
    session.connect(withToken: "devtoken", error: nil)
    try await wait(for: "the second connection: \(book.lines)") { session.sessionConnectionStatus == .connected }
  }

  // So does one that disconnects before it hears of the connection.
  @Test("an app that disconnects within sessionDidConnect hears of one end")
  func withinSessionDidConnect() async throws {
    try await LiveSession.run { live in
      for isEndedBefore in [false, true] {
        let (delegate, held) = (Hasty(), Held())
        let session = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: delegate))
        session.apiQueue = held.queue
        session.connect(withToken: "devtoken", error: nil)
        do {
          defer { held.letGo() }
          try await wait(for: "the connection") { session.engine.isConnected }
          if isEndedBefore {
            session.disconnect(nil)
            try await wait(for: "the end in the engine") { !session.engine.isConnected }
          }
        }
        try await wait(for: "the end: \(delegate.book.lines)") { delegate.book.saw("disconnected true") }
        #expect(session.sessionConnectionStatus == .notConnected && session.connection == nil)
        try await connectAgain(session, delegate.book)
        #expect(delegate.book.times("disconnected true") == 1, "\(delegate.book.lines)")
        session.disconnect(nil)
        try await wait(for: "the last end") { delegate.book.times("disconnected true") == 2 }
      }
    }
  }

  @Test("an app that disconnects while it connects hears of one end and of no connection")
  func whileConnecting() async throws {
    try await LiveSession.run { live in
      let book = Notebook()
      let session = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: book))
      session.connect(withToken: "devtoken", error: nil)
      session.disconnect(nil)
      try await wait(for: "the end: \(book.lines)") { !book.lines.isEmpty }
      #expect(book.lines == ["disconnected true"])
      try await connectAgain(session, book)
      #expect(book.lines.dropFirst() == ["connected connected true 0"])
      session.disconnect(nil)
      try await wait(for: "the last end") { book.times("disconnected true") == 2 }
    }
  }

  @Test("a program that ends after it has disconnected waits until its goodbye is heard")
  func goodbye() async throws {
    try await LiveSession.run { live in
      let ann = try await Guest(live)
      let meeting = try #require(ann.session.engine.meeting)
      try await ann.disconnect()
      await PendingLeaves.finished()
      #expect(meeting.isGoodbyeHeard)
    }
  }

  @Test(
    "signals sent right before disconnect arrive after its end was told: 150 in order")
  func signalsBefore() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await wait(for: "Ben at Ann's: \(ann.book.lines)") { ann.book.saw("connectionCreated") }
      for number in 0..<150 { ann.session.signal(withType: "n", string: "\(number)", connection: nil, error: nil) }
      ann.session.disconnect(nil)
      try await wait(for: "the end at Ann's: \(ann.book.lines)") { ann.book.saw("disconnected true") }
      let told: @MainActor () -> [String] = { ben.book.lines.filter { $0.hasPrefix("signal") } }
      #expect(told().count < 150, "they are still on their way")
      try await wait(for: "Ann to be gone: \(told().count)") { ben.book.saw("connectionDestroyed") }
      #expect(told() == (0..<150).map { "signal n \($0) from other" })
      try await ben.disconnect()
    }
  }

  @Test("an app that disconnects while the server ends the session hears of one end")
  func whileTheServerEndsIt() async throws {
    try await LiveSession.run { live in
      let host = try await Meeting.join("\(live.url)/\(live.id)?jwt=moderator_token", name: "Host")
      let held = Held()
      let ann = try await Guest(live)
      ann.book.isOnQueue = { true }
      ann.session.apiQueue = held.queue
      do {
        defer { held.letGo() }
        try await wait(for: "Ann at the host's") { !host.participants.isEmpty }
        try await host.participants.first?.remove()
        try await wait(for: "the end in the engine") { !ann.session.engine.isConnected }
        #expect(ann.session.sessionConnectionStatus == .connected, "the app has not heard of it")
        ann.session.disconnect(nil)
        // The engine has dealt with it when it comes here.
        await withCheckedContinuation { done in onMain { done.resume() } }
      }
      try await wait(for: "the end: \(ann.book.lines)") { ann.book.saw("disconnected true") }
      try await connectAgain(ann.session, ann.book)
      #expect(ann.book.times("disconnected true") == 1, "\(ann.book.lines)")
      ann.session.disconnect(nil)
      try await wait(for: "the last end") { ann.book.times("disconnected true") == 2 }
      await host.leave()
    }
  }
}
