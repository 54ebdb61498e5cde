import Basics
import TestSupport
import Testing

@testable import Parley

/// Every failure ends in bounded time, with words, and leaves nothing behind.
@MainActor @Suite(.serialized) struct BadInputTests {
  private func failure(_ url: String, token: String? = nil, _ options: JoinOptions = JoinOptions()) async -> JoinError?
  {
    do throws(JoinError) {
      let meeting = try Meeting(url, token: token.map { Secret($0) }, name: "Ann", options: options)
      try await meeting.join()
      await meeting.leave()
      return nil
    } catch { return error }
  }

  @Test func aServerThatIsNotThereIsUnreachable() async throws {
    let error = try #require(await failure("http://127.0.0.1:1/hello"))
    guard case .unreachable(let text) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(text.contains("127.0.0.1:1"))
  }

  @Test func aNameWithoutAddressIsUnreachable() async throws {
    let error = try #require(await failure("http://nobody.invalid/hello"))
    guard case .unreachable = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test func aForgedTokenIsRefusedWithItsCode() async throws {
    try await LiveServer.run { server in
      let error = await failure("\(server.url)/hello", token: "psat=forged.token.here")
      #expect(error?.code == "badToken")
    }
  }

  @Test func aTokenOfAnotherMeetingIsRefusedWithBothNames() async throws {
    try await LiveServer.run { server in
      let mine = try await Meeting.join("\(server.url)/Daily", name: "Ann")
      let token = Secret(try #require(mine.signaling?.document.token))
      await mine.leave()
      let error = await failure("\(server.url)/weekly", token: token.value)
      #expect(error?.code == "wrongMeeting")
      #expect(error?.description.contains("Daily") == true && error?.description.contains("weekly") == true)
      #expect(error?.isFinal == true, "trying again is of no use")
      #expect(await failure("\(server.url)/dAILY?jwt=\(token.value)") == nil)
      let alone = Meeting(token: token, server: server.url, name: "Ann")
      try await alone.join()
      #expect(alone.info?.name == "Daily")
      await alone.leave()
    }
  }

  @Test func twoDifferentTokensAreAnErrorAndNotAChoice() async throws {
    guard case .badAddress(let text) = await failure("http://localhost:1/hello?jwt=one", token: "two") else {
      Issue.record("two tokens were taken")
      return
    }
    #expect(text.contains("another one was given"))
    #expect(throws: Never.self) { try Meeting("http://localhost:1/hello?jwt=one", token: Secret("one")) }
  }

  @Test func aReservedNameIsRefusedWithWords() async throws {
    try await LiveServer.run { server in
      let error = await failure("\(server.url)/admin")
      #expect(error?.code == "reservedName")
    }
  }

  @Test func anEndedMeetingTakesNothingAnyMore() async throws {
    try await LiveServer.run { server in
      let meeting = try await Meeting.join("\(server.url)/over", name: "Ann")
      await meeting.leave()
      #expect(throws: JoinError.ended) { try meeting.send(chat: "hello?") }
      await #expect(throws: JoinError.ended) { try await meeting.send([1, 2, 3]) }
      await #expect(throws: JoinError.ended) { try await meeting.join() }
      await meeting.leave()
      var seen: [String] = []
      for await event in meeting.events { seen.append("\(event)") }
      #expect(seen.last?.hasPrefix("ended(") == true, "the first reader hears of the end: \(seen)")
      for await event in meeting.events { Issue.record("events of an ended meeting must end, came \(event)") }
    }
  }

  @Test func aServerThatShutsDownEndsTheMeetingWithItsReason() async throws {
    let server = try await LiveServer.start()
    let meeting = try await Meeting.join("\(server.url)/short", name: "Ann")
    let witness = Witness(meeting)
    await server.stop()
    try await wait(for: "the end of the meeting, seen: \(witness.events)") { witness.saw("ended shutdown") }
    #expect(meeting.state == .ended && meeting.endReason == .shutdown)
  }

  @Test func aFileThatIsNoMediaCannotBePublished() async throws {
    try await LiveServer.run { server in
      let meeting = try await Meeting.join("\(server.url)/file", name: "Ann")
      #expect(throws: MediaError.self) { _ = try FileSource("/etc/passwd") }
      #expect(throws: MediaError.self) { _ = try FileSource("/nowhere/at/all.webm") }
      #expect(meeting.state == .connected)
      await meeting.leave()
    }
  }

  @Test func cancellingAJoinEndsIt() async throws {
    // A port that accepts and never answers.
    let silent = try SilentListener()
    // Nothing but what is done here ends the wait for it.
    var options = JoinOptions(name: "Ann")
    options.timeout = .seconds(3_600)
    options.steps.joining = .seconds(3_600)
    let meeting = try Meeting("http://127.0.0.1:\(silent.port)/hello", options: options)
    let join = Task { () -> JoinError? in
      do throws(JoinError) {
        try await meeting.join()
        return nil
      } catch { return error }
    }
    try await wait(for: "the connection") { silent.hasConnection }
    join.cancel()
    #expect(await join.value == .cancelled)
    #expect(meeting.state == .ended)
    var last: MeetingEvent?
    for await event in meeting.events { last = event }
    guard case .ended(.left, let message) = last else {
      Issue.record("the last event is \(last as Any)")
      return
    }
    #expect(message.contains("before it was joined"))
  }

  @Test func leavingEndsAJoinAtOnce() async throws {
    let silent = try SilentListener()
    // Nothing but what is done here ends the wait for it.
    var options = JoinOptions(name: "Ann")
    options.timeout = .seconds(3_600)
    options.steps.joining = .seconds(3_600)
    let meeting = try Meeting("http://127.0.0.1:\(silent.port)/hello", options: options)
    let join = Task { () -> JoinError? in
      do throws(JoinError) {
        try await meeting.join()
        return nil
      } catch { return error }
    }
    try await wait(for: "the connection") { silent.hasConnection }
    await meeting.leave()
    #expect(await join.value == .cancelled)
  }

  @Test func aSecondJoinIsRefusedWithATrueSentence() async throws {
    try await LiveServer.run { server in
      let meeting = try await Meeting.join("\(server.url)/twice", name: "Ann")
      do throws(JoinError) {
        try await meeting.join()
        Issue.record("joined twice")
      } catch {
        #expect(error.code == "alreadyJoined")
        #expect(!error.description.contains("over"))
      }
      #expect(meeting.state == .connected)
      await meeting.leave()
    }
  }

  @Test func timesWithoutEndAreTimes() async throws {
    try await LiveServer.run { server in
      var options = JoinOptions()
      options.timeout = .seconds(.max)
      options.reconnectTimeout = .seconds(.max)
      let meeting = try await Meeting.join("\(server.url)/ever", name: "Ann", options: options)
      #expect(meeting.state == .connected)
      await meeting.leave()
    }
  }

  @Test func relayedMediaWithoutARelayFailsAtOnceAndSaysWhy() async throws {
    try await LiveServer.run { server in
      var options = JoinOptions()
      options.usesOnlyRelays = true
      let error = try #require(await failure("\(server.url)/relay", options))
      guard case .mediaFailed(let text) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(text.contains("TURN") && !text.contains("firewall"))
    }
  }
}
