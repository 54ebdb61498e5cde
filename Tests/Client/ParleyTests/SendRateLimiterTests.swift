import Basics
import MeetingServer
import TestSupport
import Testing

@testable import Parley

/// Bursts of signals and chat messages: more of them than the server takes at once.
@MainActor @Suite(.serialized) struct SendRateLimiterTests {
  @Test(
    "400 signals and 100 chat messages at once arrive once, in order; nothing closes"
  )
  func burst() async throws {
    try await LiveServer.run { server in
      let bob = try await Meeting.join("\(server.url)/burst", name: "Bob")
      let ann = try await Meeting.join("\(server.url)/burst", name: "Ann")
      let (atAnn, atBob) = (Witness(ann), Witness(bob))
      try await wait(for: "Ann at Bob's") { bob.participants.count == 1 }
      for number in 0..<400 {
        try ann.signal(type: "n", data: "\(number)")
        if number % 4 == 0 { try ann.send(chat: "\(number)") }
      }
      // Its answer comes after those of the others.
      try await ann.sendSignal(type: "last")
      try await wait(for: "the end at Bob's, after \(atBob.events.suffix(3))") { atBob.saw("signal Ann last: ") }
      try await wait(for: "every answer: \(ann.queue.chat.count)") {
        ann.queue.chat.isEmpty && ann.queue.signals.isEmpty
      }
      let chat = stride(from: 0, to: 400, by: 4).map { "chat Ann: \($0)" }
      try await wait(for: "the chat at Bob's") { atBob.said("chat").count == chat.count }
      #expect(atBob.said("chat") == chat)
      #expect(atBob.said("signal") == (0..<400).map { "signal Ann n: \($0)" } + ["signal Ann last: "])
      #expect(!atAnn.events.contains { $0.hasPrefix("reconnecting") || $0.hasPrefix("problem") }, "\(atAnn.events)")
      #expect(atAnn.failed.isEmpty)
      await ann.leave()
      await bob.leave()
    }
  }

  @Test(
    "after a lost connection, waiting messages go out once in order; signals are lost"
  )
  func loss() async throws {
    try await LiveServer.run { server in
      let bob = try await Meeting.join("\(server.url)/loss", name: "Bob")
      let ann = try await Meeting.join("\(server.url)/loss", name: "Ann")
      let (atAnn, atBob) = (Witness(ann), Witness(bob))
      try await wait(for: "Ann at Bob's") { bob.participants.count == 1 }
      for number in 0..<240 {
        try ann.signal(type: "n", data: "\(number)")
        if number % 4 == 0 { try ann.send(chat: "\(number)") }
      }
      // Of what is under way nobody knows whether it arrives; this is about what is not.
      try await wait(for: "nothing under way: \(atBob.said("signal").count)") {
        guard atBob.said("signal").count > 120 else { return false }
        // Nothing follows during that, so that what is under way comes to its end on a busy machine too.
        ann.queue.rateLimiter.hold(from: MonotonicClock.now)
        return ann.queue.signals.first?.isSent == false
          && ann.queue.chat.first.map { ann.queue.sentChat.contains($0.id) } == false
      }
      #expect(ann.queue.signals.count > 40 && ann.queue.chat.count > 10)
      ann.signaling?.channel.close()
      try await wait(for: "the loss: \(atAnn.events.suffix(3))") { atAnn.steps == [.signaling] }
      try await wait(for: "the rest at Bob's: \(atBob.events.suffix(3))") { atBob.saw("signal Ann n: 239") }
      try await wait(for: "every answer: \(ann.queue.chat.count)") {
        ann.queue.chat.isEmpty && ann.queue.signals.isEmpty
      }
      #expect(atBob.said("signal") == (0..<240).map { "signal Ann n: \($0)" })
      let chat = stride(from: 0, to: 240, by: 4).map { "chat Ann: \($0)" }
      try await wait(for: "the chat at Bob's") { atBob.said("chat").count == chat.count }
      #expect(atBob.said("chat") == chat)
      #expect(!atAnn.events.contains { $0.hasPrefix("problem") }, "\(atAnn.events)")

      // It need not wait for its turn.
      ann.queue.rateLimiter = SendRateLimiter()
      try ann.signal(type: "underway")
      #expect(ann.queue.signals.map(\.isSent) == [true])
      ann.loseAnswers()
      try await wait(for: "the problem: \(atAnn.events.suffix(3))") {
        atAnn.events.contains { $0.hasPrefix("problem A signal was not passed on: The connection was lost") }
      }
      #expect(atAnn.failed.isEmpty && ann.state == .connected)
      await ann.leave()
      await bob.leave()
    }
  }

  @Test("the largest signals that there are, said at once, do not overrun the socket")
  func large() async throws {
    try await LiveServer.run { server in
      let bob = try await Meeting.join("\(server.url)/large", name: "Bob")
      let ann = try await Meeting.join("\(server.url)/large", name: "Ann")
      let (atAnn, atBob) = (Witness(ann), Witness(bob))
      try await wait(for: "Ann at Bob's") { bob.participants.count == 1 }
      // In JSON each character takes two.
      let data = String(repeating: "\"", count: Meeting.maximumSignalData)
      for _ in 0..<30 { try ann.signal(data: data) }
      // 224 KiB as they go over the wire; time lets the others go.
      #expect((13..<16).contains(ann.queue.signals.count { $0.isSent }))
      try await wait(for: "30 at Bob's: \(atBob.said("signal").count)") { atBob.said("signal").count == 30 }
      #expect(atAnn.steps.isEmpty)
      await ann.leave()
      await bob.leave()
    }
  }

  @Test("a refused signal is reported: notAllowed by sendSignal, a problem by signal")
  func notAllowed() async throws {
    try await LiveServer.run(configure: { $0.isDevelopment = true }) { server in
      let host = try Meeting("\(server.url)/rights", token: Secret("moderator_token"), name: "Host")
      let ben = try Meeting("\(server.url)/rights", token: Secret("devtoken"), name: "Ben")
      let witness = Witness(ben)
      try await host.join()
      try await ben.join()
      try await ben.sendSignal(type: "allowed")
      try await wait(for: "Ben") { host.participants.count == 1 }
      let guest = host.participants[0]
      try await guest.setPermissions(guest.permissions.subtracting([.data]))
      do throws(JoinError) {
        try await ben.sendSignal(type: "refused")
        Issue.record("it was passed on")
      } catch { #expect(error.code == "notAllowed") }
      try ben.signal(type: "refused")
      try await wait(for: "the problem: \(witness.events)") {
        witness.events.contains { $0.hasPrefix("problem A signal was not passed on") }
      }
      #expect(ben.queue.signals.isEmpty)
      await ben.leave()
      await host.leave()
    }
  }

  @Test(
    "the 1,001st that waits is refused with tooFast; the end names what wasn't sent")
  func limit() async throws {
    let meeting = try Meeting("http://127.0.0.1:1/hello", name: "Ann")
    let witness = Witness(meeting)
    for _ in 0..<998 { try meeting.signal() }
    let (patient, hasty) = (Task { try await meeting.sendSignal() }, Task { try await meeting.sendSignal() })
    try await wait(for: "both") { meeting.queue.signals.count == 1_000 }
    for _ in 0..<1_000 { try meeting.send(chat: "hello") }
    for isChat in [false, true] {
      do throws(JoinError) {
        if isChat { try meeting.send(chat: "hello") } else { try meeting.signal() }
        Issue.record("one more was taken")
      } catch { #expect(error.code == "tooFast" && error.description.contains("1000"), "\(error)") }
    }
    hasty.cancel()
    await #expect(throws: JoinError.cancelled) { try await hasty.value }
    #expect(meeting.queue.signals.count == 999)
    try meeting.signal()
    meeting.end(.left, message: "")
    await #expect(throws: JoinError.ended) { try await patient.value }
    try await wait(for: "what was never sent: \(witness.failed.count)") { witness.failed.count == 1_000 }
    #expect(meeting.queue.signals.isEmpty && meeting.queue.chat.isEmpty)
  }

  @Test(
    "messages before leaving precede the goodbye in order: 150 whole, or for 2 s"
  )
  func goodbye() async throws {
    try await LiveServer.run { server in
      for (count, all) in [(150, true), (1_000, false)] {
        let bob = try await Meeting.join("\(server.url)/goodbye-\(count)", name: "Bob")
        let ann = try await Meeting.join("\(server.url)/goodbye-\(count)", name: "Ann")
        let (atAnn, atBob) = (Witness(ann), Witness(bob))
        try await wait(for: "Ann at Bob's") { bob.participants.count == 1 }
        for number in 0..<count {
          if number % 5 == 4 { try ann.send(chat: "\(number)") } else { try ann.signal(type: "n", data: "\(number)") }
        }
        await ann.leave()
        try await wait(for: "Ann to be gone: \(atBob.events.suffix(3))") { atBob.saw("participantLeft Ann left") }
        // Ann's app gets each chat message that was never sent: the others arrive, and may come after the event that
        // she has left.
        try await wait(for: "the end at Ann's") { atAnn.events.contains { $0.hasPrefix("ended") } }
        let chat = (0..<count).filter { $0 % 5 == 4 }.map { "chat Ann: \($0)" }
        let signals = (0..<count).filter { $0 % 5 != 4 }.map { "signal Ann n: \($0)" }
        let (sentChat, heard) = (chat.dropLast(atAnn.failed.count), atBob.said("signal"))
        try await wait(for: "the chat: \(atBob.said("chat").count)") { atBob.said("chat").count >= sentChat.count }
        #expect(atBob.said("chat") == Array(sentChat) && heard == Array(signals.prefix(heard.count)))
        #expect(all ? sentChat.count + heard.count == count : sentChat.count + heard.count >= 180)
        #expect(all || sentChat.count + heard.count <= 200, "\(sentChat.count + heard.count)")
        #expect(ann.isGoodbyeHeard && atBob.steps.isEmpty)
        await bob.leave()
      }
    }
  }

  @Test(
    "a leaver whose last messages still go out is at once neither seen nor heard"
  )
  func goodbyeOfPictures() async throws {
    try await LiveServer.run { server in
      let bob = try await Meeting.join("\(server.url)/still", name: "Bob")
      let ann = try await Meeting.join("\(server.url)/still", name: "Ann")
      let atBob = Witness(bob)
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180)))
      try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
      try await wait(for: "Ann's picture and sound at Bob's: \(atBob.events)") {
        atBob.saw("subscribed camera") && atBob.saw("subscribed microphone")
      }
      for number in 0..<150 { try ann.signal(type: "n", data: "\(number)") }
      await ann.leave()
      try await wait(for: "Ann to be gone: \(atBob.events.suffix(3))") { atBob.saw("participantLeft Ann left") }
      let last = try #require(atBob.events.firstIndex(of: "signal Ann n: 149"))
      // Requests that waited for their turn come after it.
      for line in ["muted camera", "muted microphone"] {
        let muted = try #require(atBob.events.firstIndex(of: line), "\(line): \(atBob.events.suffix(8))")
        #expect(last - muted > 30, "\(line) at \(muted), the last signal at \(last)")
      }
      #expect(!atBob.events.contains { $0.hasPrefix("unmuted") } && ann.isGoodbyeHeard)
      await bob.leave()
    }
  }

  @Test("100 may go at once, and never more than that and 40 a second")
  func pace() {
    var large = SendRateLimiter()
    var bytes = 0
    for millisecond in 0...10_000 {
      while large.consume(.milliseconds(Int64(millisecond)), bytes: 8 << 10) { bytes += 8 << 10 }
      #expect(bytes <= SendRateLimiter.bytesAtOnce + SendRateLimiter.bytesPerSecond * millisecond / 1_000)
    }
    #expect(bytes > SendRateLimiter.bytesPerSecond * 10)
    large.hold(from: .milliseconds(20_000))
    let (early, late) = (large.consume(.milliseconds(20_999)), large.consume(.milliseconds(21_000)))
    #expect(!early && late)
    var limiter = SendRateLimiter()
    var taken = 0
    var excess = 0.0
    for millisecond in 0...10_000 {
      let now = Instant.milliseconds(Int64(millisecond))
      while limiter.consume(now) { taken += 1 }
      excess = max(excess, Double(taken) - 100 - 0.04 * Double(millisecond))
    }
    #expect(excess < 0.001 && taken >= 499, "\(taken), \(excess) too many")
  }
}

extension Witness {
  /// The signals, or the chat messages.
  fileprivate func said(_ kind: String) -> [String] { events.filter { $0.hasPrefix(kind + " ") } }
}
