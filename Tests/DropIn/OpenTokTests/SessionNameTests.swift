import Foundation
import OpenTok
import Parley
import TestSupport
import Testing

/// The ids of sessions are opaque: every letter of them counts as it is.
@MainActor @Suite(.serialized) struct SessionNameTests {
  // For tokens of the project and for devtoken, and in the REST API.
  @Test("session ids that differ by one capital are two sessions")
  func capitals() async throws {
    try await LiveSession.run { live in
      let project = try await Project(live)
      let id = project.session()
      let twin = try #require(Project.twin(of: id))
      #expect(id != twin && id.lowercased() == twin.lowercased())
      let ann = try await Guest(live, id: id, key: project.key, token: project.token(id))
      let ben = try await Guest(live, id: twin, key: project.key, token: project.token(twin))
      let cem = try await Guest(live, id: twin, key: project.key)
      try await ann.publish(try ann.publisher("Ann"))
      try await ben.publish(try ben.publisher("Ben"))
      // Participants of the same session see the video; nobody hears of the other session's.
      let subscriber = try await cem.subscribe(to: "Ben")
      try await wait(for: "Ben's picture") { subscriber.picture.frameCount > 2 }
      #expect(try await project.streams(of: id, live).count == 1)
      #expect(try await project.streams(of: twin, live).keys.map(\.self) == [subscriber.stream?.streamId])
      #expect(ann.session.connectionCount == 1 && ben.session.connectionCount == 2 && cem.session.connectionCount == 2)
      #expect(ann.book.streams.isEmpty && ben.book.streams.isEmpty && cem.book.streams.map(\.name) == ["Ben"])
      for guest in [ann, ben, cem] { try await guest.disconnect() }
    }
  }

  // To those who are there and to those who join later.
  @Test("archiveStartedWithId and archiveStoppedWithId report a recorder")
  func recorder() async throws {
    try await LiveSession.run { live in
      let settings = OTSessionSettings()
      settings.connectionEventsSuppressed = true
      let early = try await Guest(live, settings: settings)
      let token = try await Project.recorderToken(live.id, live)
      let tape = try Meeting("\(live.url)/\(live.id)", token: token, name: "Tape")
      try await tape.join()
      let start = "archiveStarted Tape \(tape.local.id)"
      try await wait(for: "the recorder: \(early.book.lines)") { early.book.saw(start) }
      let late = try await Guest(live)
      try await wait(for: "the recorder: \(late.book.lines)") { late.book.saw(start) }
      #expect(
        late.book.lines.first?.hasPrefix("connected") == true
          && !late.book.lines.contains { $0.hasPrefix("archiveStopped") })
      // The recorder gets the same streams as everybody.
      try await late.publish(try late.publisher("Ben"))
      try await wait(for: "Ben's picture at the recorder's") {
        tape.participants.flatMap(\.publications).contains { $0.subscription?.video != nil }
      }
      await tape.leave()
      for guest in [early, late] {
        try await wait(for: "the end: \(guest.book.lines)") { guest.book.saw("archiveStopped \(tape.local.id)") }
        #expect(guest.book.lines.count { $0.hasPrefix("archive") } == 2)
        try await guest.disconnect()
      }
    }
  }

  @Test("the longest possible session id works like any other")
  func longest() async throws {
    try await LiveSession.run { live in
      let project = try await Project(live)
      let id = project.longSession()
      #expect((252...255).contains(id.utf8.count))
      let ann = try await Guest(live, id: id, key: project.key, token: project.token(id))
      let ben = try await Guest(live, id: id, key: project.key, token: project.token(id))
      try await ann.publish(try ann.publisher("Ann"))
      let subscriber = try await ben.subscribe(to: "Ann")
      try await wait(for: "Ann's picture") { subscriber.picture.frameCount > 2 }
      for guest in [ann, ben] { try await guest.disconnect() }
    }
  }
}
