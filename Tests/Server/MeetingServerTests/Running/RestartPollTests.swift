import Meetings
import Signaling
import Testing

@testable import MeetingServer

@Suite("Polls of meetings whose server was killed", .serialized)
struct RestartPollTests {
  /// The answers of a poll as whoever comes now sees them, and how many count.
  private func count(_ server: TestServer, _ poll: Int = 1) async throws -> [Int?] {
    let info = try await server.look("daily").state?.polls.first { $0.id == poll }
    return (info?.options.map(\.votes) ?? []) + [info?.voters]
  }

  @Test(
    "after kill -9 polls are there, and votes count once their owner is back"
  )
  func polls() async throws {
    var (ann, bob) = ("", "")
    try await TestServer.kill { server in
      ann = try await server.token("daily", #","sub":"ann","role":"moderator""#)
      bob = try await server.token("daily", #","sub":"bob","role":"publisher""#)
      let (host, _) = try await server.join("daily", "Ann", token: ann)
      let (voter, _) = try await server.join("daily", "Bob", token: bob)
      let (stranger, _) = try await server.join("daily", "Eve")
      for question in ["Tea?", "Cake?", "Rain?"] {
        try await host.ask(.createPoll(.init(question: question, options: ["yes", "no"])))
      }
      for client in [voter, stranger] {
        for poll in 1...2 { try await client.ask(.vote(poll: poll, options: [0])) }
      }
      try await host.ask(.setPoll(2, isOpen: false))
      try await host.ask(.removePoll(3))
    } then: { server in
      let (host, hello) = try await server.join("daily", "Ann", token: ann)
      let polls = hello.state?.polls ?? []
      #expect(polls.map(\.question) == ["Tea?", "Cake?"] && polls.map(\.isOpen) == [true, false])
      #expect(polls.map { $0.options[0].votes } == [0, 2] && polls.map(\.voters) == [0, 2])
      let (voter, welcome) = try await server.join("daily", "Bob", token: bob)
      #expect(welcome.state?.polls.map(\.voters) == [1, 2])
      // They see what they chose, and need not choose again.
      #expect(welcome.state?.polls.map(\.mine) == [[0], [0]])
      let told = try await host.notice { if case .poll(let poll) = $0 { poll } else { nil } }
      #expect(told.id == 1 && told.voters == 1)
      try await voter.ask(.vote(poll: 1, options: [1]))
      #expect(try await count(server) == [0, 1, 1])
      try await host.ask(.createPoll(.init(question: "More?", options: ["yes", "no"])))
      #expect(try await server.look("daily").state?.polls.map(\.id) == [1, 2, 3])
    }
  }

  @Test(
    "after kill -9 a guest counts once, with a fresh token or with the same one"
  )
  func guests() async throws {
    var (host, eve, dan) = ("", "", "")
    try await TestServer.kill { server in
      host = try await server.token("daily", #","sub":"ann","role":"moderator""#)
      eve = try await server.discover("daily").token ?? ""
      dan = try await server.discover("daily").token ?? ""
      let (ann, _) = try await server.join("daily", "Ann", token: host)
      try await ann.ask(.createPoll(.init(question: "Tea?", options: ["yes", "no"])))
      for token in [eve, dan] {
        let (client, _) = try await server.join("daily", "Guest", token: token)
        try await client.ask(.vote(poll: 1, options: [0]))
      }
    } then: { server in
      let (_, hello) = try await server.join("daily", "Ann", token: host)
      #expect(hello.state?.polls.first?.voters == 0, "nobody is back")
      let fresh = try await server.discover("daily").token ?? ""
      #expect(fresh != eve && !fresh.isEmpty)
      let (other, welcome) = try await server.join("daily", "Eve", token: fresh)
      #expect(welcome.state?.polls.first?.mine == [])
      try await other.ask(.vote(poll: 1, options: [1]))
      #expect(try await count(server) == [0, 1, 1], "Eve counts once, by what she chose last")
      let (same, back) = try await server.join("daily", "Dan", token: dan)
      #expect(back.state?.polls.first?.mine == [0])
      #expect(try await count(server) == [1, 1, 2])
      try await same.ask(.vote(poll: 1, options: []))
      #expect(try await count(server) == [0, 1, 1])
      try await other.ask(.vote(poll: 1, options: []))
      #expect(try await count(server) == [0, 0, 0], "no vote is left that nobody can take back")
    }
  }

  @Test("a vote waiting for its owner outlasts two kills and the poll's end, counts once")
  func waiting() throws {
    var polls = PollTable()
    let tea = try polls.create(PollDraft(question: "Tea?", options: ["yes", "no"]))
    for voter in ["ann", "bob", "eve"] { try polls.vote(tea, [0], by: voter) }
    let holder = try SignalingDecoder().decode(Holder.self, from: Array(#"{"user":"u"}"#.utf8))
    func restart() throws {
      let kept = try #require(polls.kept(tea) { $0 == "eve" ? nil : holder })
      polls = PollTable()
      polls.restore([kept]) { kept.holders[$0] != nil }
    }
    func voters() -> Int? { polls.info(tea, moderates: true)?.voters }
    try restart()
    #expect(voters() == 0)
    #expect(polls.rename("ann", to: "ann 2") == [tea])
    #expect(try polls.set(tea, isOpen: false) { _ in true })
    try restart()
    #expect(voters() == 1, "what counted when it was closed counts on")
    #expect(polls.rename("eve", to: "eve 2") == [] && voters() == 1)
    #expect(polls.rename("bob", to: "bob 2") == [tea] && voters() == 2)
    #expect(polls.rename("bob", to: "bob 2") == [] && voters() == 2)
    #expect(polls.rename("ann 2", to: "ann 3") == [] && polls.all(for: "ann 3", moderates: true).first?.mine == [0])
  }
}
