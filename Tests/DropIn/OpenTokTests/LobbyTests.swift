import Basics
import Foundation
import Meetings
import OpenTok
import Parley
import TestSupport
import Testing

/// Sessions of a tenant whose meetings have a lobby.
@MainActor @Suite(.serialized) struct LobbyTests {
  /// A server whose sessions let nobody in but moderators, until one of them does.
  private func run(
    patience: TimeSpan = .seconds(1_800), _ body: @MainActor (LiveSession, Project, String) async throws -> Void
  ) async throws {
    try await LiveSession.run(configure: { $0.lobbyPatience = patience }) { live in
      let store = try await MeetingStores.open(folder: live.folder + "/data")
      let tenant = try await store.defaultTenant(now: Date())
      _ = try await store.transaction { try $0.changePolicy(of: tenant.id) { $0.accessLevel = .locked } }
      await store.close()
      let project = try await Project(live)
      try await body(live, project, project.session())
    }
  }

  /// The only one who waits, as a host sees them.
  private func waiting(at host: Meeting) async throws -> WaitingParticipant {
    try await wait(for: "somebody in the lobby") { host.lobby.count == 1 }
    let first = host.lobby.first
    return try #require(first)
  }

  /// Connects, and gives back what is waiting then.
  private func knock(_ project: Project, _ id: String) throws -> (OTSession, Notebook) {
    let book = Notebook()
    let session = try #require(OTSession(apiKey: project.key, sessionId: id, delegate: book))
    session.connect(withToken: try project.token(id), error: nil)
    return (session, book)
  }

  // sessionDidConnect comes on admission; 1006 on denial, 2 in version 1.
  @Test("in a lobby a session stays connecting until it is admitted or denied")
  func waiting() async throws {
    try await run { live, project, id in
      let host = try await Meeting.join(
        "\(live.url)/\(id)?jwt=\(try project.token(id, role: "moderator"))", name: "Host")
      let (ann, annBook) = try knock(project, id)
      let first = try await waiting(at: host)
      #expect(annBook.lines.isEmpty && ann.sessionConnectionStatus == .connecting && ann.connection == nil)
      try await host.admit(first)
      try await wait(for: "the connection: \(annBook.lines)") { annBook.saw("connected connected true 0") }
      ann.disconnect(nil)

      let (ben, benBook) = try knock(project, id)
      try await host.deny(try await waiting(at: host))
      try await wait(for: "the refusal: \(benBook.lines)") { !benBook.lines.isEmpty }
      #expect(benBook.lines == ["failed \(OTSessionErrorDomain) 1006"] && ben.sessionConnectionStatus == .failed)

      let old = Notebook()
      let legacy = try #require(OTSession(sessionId: id, andDelegate: old))
      legacy.connect(withApiKey: project.key, token: try project.token(id))
      try await host.deny(try await waiting(at: host))
      try await wait(for: "the refusal of version 1: \(old.lines)") { !old.lines.isEmpty }
      #expect(old.lines == ["failed \(OTSessionErrorDomain) \(OTLegacyErrorCode.Session.connectionFailed.number)"])
      await host.leave()
    }
  }

  @Test("in a lobby the time limit gives 1006, and disconnecting ends the wait")
  func timedOut() async throws {
    try await run(patience: .seconds(2)) { _, project, id in
      let (session, book) = try knock(project, id)
      try await wait(for: "the end of the time: \(book.lines)") { !book.lines.isEmpty }
      #expect(book.lines == ["failed \(OTSessionErrorDomain) 1006"] && session.sessionConnectionStatus == .failed)
    }
    try await run { live, project, id in
      let host = try await Meeting.join(
        "\(live.url)/\(id)?jwt=\(try project.token(id, role: "moderator"))", name: "Host")
      let (session, book) = try knock(project, id)
      try await wait(for: "somebody in the lobby") { host.lobby.count == 1 }
      session.disconnect(nil)
      try await wait(for: "the empty lobby") { host.lobby.isEmpty }
      try await wait(for: "the end: \(book.lines)") { session.sessionConnectionStatus == .notConnected }
      #expect(!book.lines.contains { $0.hasPrefix("failed") })
      await host.leave()
    }
  }
}
