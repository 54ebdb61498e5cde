import Basics
import MeetingServer
import TestSupport
import Testing
import Transport

@testable import Parley

/// Leaving ends everything soon, however far a meeting has come and whatever the server does.
@MainActor @Suite(.serialized) struct LeavingTests {
  /// A server that gives a discover document and opens the WebSocket, and never says anything on it.
  private func withSilentServer(
    _ body: @MainActor (_ url: String, _ server: HTTPServer) async throws -> Void
  ) async throws {
    let server = try HTTPServer(
      webSocketDecision: { _ in .accept },
      webSocketHandler: { connection in while await connection.receive() != nil {} },
      handler: { request in
        let document = """
          {"version":1,"meeting":"m","subject":"m","signaling":"ws://\(request.headers["host"] ?? "")/signal",
          "token":"psat=x.y.z","iceServers":[],"conferenceId":"c","_links":{}}
          """
        return HTTPResponse(headers: ["content-type": "application/json"], body: Array(document.utf8))
      })
    let address = try server.listen(on: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0))
    do {
      try await body("http://127.0.0.1:\(address.port)/discover/m", server)
    } catch {
      await server.shutdown(grace: .zero)
      throw error
    }
    await server.shutdown(grace: .zero)
  }

  /// Options by which no time that a join may take ends it.
  private var patient: JoinOptions {
    var options = JoinOptions(name: "Ann")
    options.timeout = .seconds(3_600)
    options.steps.joining = .seconds(3_600)
    return options
  }

  /// Joins, waits until `isThere`, leaves twice at once, and says how the join ended.
  private func leave(_ meeting: Meeting, while what: String, _ isThere: () -> Bool) async throws -> JoinError? {
    let join = Task { () -> JoinError? in
      do throws(JoinError) {
        try await meeting.join()
        return nil
      } catch { return error }
    }
    try await wait(for: "\(what), \(meeting.state) \(meeting.lastError as Any)", until: isThere)
    #expect(meeting.state == .connecting)
    async let first: Void = meeting.leave()
    await meeting.leave()
    await first
    return await join.value
  }

  /// A task counts until it has ended, also when it was cancelled long before.
  private func waitForNothing(of meeting: Meeting) async throws {
    try await wait(for: "the end of \(meeting.tasks.count) tasks") { meeting.tasks.count == 0 }
    #expect(meeting.joining == nil && meeting.connection == nil && meeting.signaling == nil)
    #expect(meeting.negotiation.waiting.isEmpty)
  }

  @Test("leaving while the server owes the welcome ends the join without it")
  func beforeTheWelcome() async throws {
    try await withSilentServer { url, server in
      let meeting = Meeting(discover: url, options: patient)
      let join = try await leave(meeting, while: "the WebSocket") {
        meeting.signaling != nil && server.webSockets.count == 1
      }
      #expect(join == .cancelled)
      #expect(meeting.state == .ended && meeting.endReason == .left)
      try await waitForNothing(of: meeting)
    }
  }

  @Test("leaving while media is looked for ends the join without any")
  func beforeMedia() async throws {
    // Nobody listens there, so a join through it waits for as long as it may.
    let silent = try UDPSocket(bind: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0), bufferSize: 1 << 16)
    let url = "turn:127.0.0.1:\(silent.localAddress.port)"
    try await LiveServer.run(configure: { configuration in
      configuration.iceServers.urls = [url]
      configuration.iceServers.credentials = .fixed(username: "ann", password: Secret("secret"))
    }) { server in
      var options = patient
      options.usesOnlyRelays = true
      let meeting = try Meeting("\(server.url)/nowhere", options: options)
      let join = try await leave(meeting, while: "the welcome") { meeting.times.welcomed != nil }
      #expect(join == .cancelled)
      try await waitForNothing(of: meeting)
    }
    _ = silent.localAddress
  }

  /// A meeting, to see whether something holds it.
  private struct Left {
    weak var meeting: Meeting?
  }

  @Test("leaving at any step of a join ends it, reports nothing after, frees the meeting")
  func atAnyMoment() async throws {
    try await LiveServer.run { server in
      var left: [Left] = []
      for turns in stride(from: 0, through: 120, by: 10) {
        let meeting = try Meeting("\(server.url)/turns", options: patient)
        let witness = Witness(meeting)
        let join = Task { try? await meeting.join() }
        for _ in 0..<turns { await Task.yield() }
        await meeting.leave()
        await join.value
        #expect(meeting.state == .ended && meeting.participants.isEmpty)
        try await wait(for: "the end, seen: \(witness.events)") { witness.saw("ended left") }
        #expect(witness.events.last == "ended left", "\(witness.events)")
        try await waitForNothing(of: meeting)
        left.append(Left(meeting: meeting))
      }
      try await wait(for: "\(left.count { $0.meeting != nil }) meetings to be let go of") {
        left.allSatisfy { $0.meeting == nil }
      }
    }
  }

  @Test("every caller of leave waits for one end, and none for a server that is silent")
  func twoCallers() async throws {
    try await withSilentServer { url, _ in
      try await LiveServer.run { server in
        let meeting = try await Meeting.join("\(server.url)/twice", name: "Ann")
        // From now on the server says nothing, and ignores the request to close.
        let place = try #require(meeting.signaling)
        let signal = url.replacing("http://", with: "ws://").replacing("/discover/m", with: "/signal")
        let silent = try await SignalingChannel.open(signal, timeout: .seconds(5), trustsAny: false)
        let live = place.channel
        place.channel = silent
        let watch = Stopwatch()
        let first = Task { await meeting.leave() }
        try await wait(for: "the first caller") { meeting.state == .ended }
        await meeting.leave()
        #expect(watch.elapsed > .milliseconds(900), "the second caller did not wait")
        await first.value
        #expect(!meeting.isGoodbyeHeard)
        // Events after the end end with it.
        await meeting.leave()
        live.close()
      }
    }
  }

  @Test("work that is done is forgotten, however often the connection was lost")
  func finishedWork() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/work", name: "Ann")
      let witness = Witness(ann)
      let before = ann.tasks.count
      for round in 1...10 {
        ann.signaling?.channel.close()
        try await wait(for: "reconnection \(round), seen: \(witness.events)") {
          witness.events.count { $0 == "reconnected" } == round
        }
      }
      try await wait(for: "\(before) tasks, there are \(ann.tasks.count)") {
        ann.tasks.count == before
      }
      let id = ann.local.id
      ann.rejoin()
      try await wait(for: "the meeting joined anew") { ann.local.id != id && ann.state == .connected }
      try await wait(for: "\(before) tasks after a rejoin, there are \(ann.tasks.count)") {
        ann.tasks.count == before
      }
      await ann.leave()
      try await waitForNothing(of: ann)
    }
  }
}
