import Basics
import MeetingServer
import TestSupport
import Testing

@testable import Parley

/// The lifetime of a meeting that isn't left, is lost, or isn't listened to.
@MainActor @Suite(.serialized) struct LifetimeTests {
  @Test("a meeting released without leaving leaves, and returns threads and descriptors")
  func droppedMeetings() async throws {
    try await LiveServer.run { server in
      let observer = try await Meeting.join("\(server.url)/dropped", name: "Observer")
      let witness = Witness(observer)
      // The first one loads libraries and makes threads.
      try await joinAndDrop(server)
      try await wait(for: "the first one's leaving") { observer.participants.isEmpty }
      var before = Footprint.now
      try await wait(for: "threads to settle") {
        try? await Task.sleep(nanoseconds: 200_000_000)
        let now = Footprint.now
        defer { before = now }
        return now.threads == before.threads && now.descriptors == before.descriptors
      }
      for _ in 0..<5 { try await joinAndDrop(server) }
      // The server gives up a lost place after a while, and says another reason then.
      try await wait(for: "six who have left, seen: \(witness.events)") {
        witness.events.count { $0 == "participantLeft Ghost left" } == 6
      }
      #expect(observer.participants.isEmpty)
      var after = Footprint.now
      try await wait(for: "threads and descriptors as before (\(before)), there are \(after)") {
        after = Footprint.now
        return after.threads <= before.threads + 2 && after.descriptors <= before.descriptors + 2
      }
      await observer.leave()
    }
  }

  private func joinAndDrop(_ server: LiveServer) async throws {
    let meeting = try Meeting("\(server.url)/dropped", name: "Ghost")
    try await meeting.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180)))
    try await meeting.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
    try await meeting.join()
  }

  @Test("patience counts from the loss, whatever is being tried")
  func patience() async throws {
    let silent = try SilentListener()
    try await LiveServer.run { server in
      var options = JoinOptions()
      options.reconnectTimeout = .seconds(3)
      options.steps.resuming = .seconds(3_600)
      let ann = try await Meeting.join("\(server.url)/patience", name: "Ann", options: options)
      // From now on nobody answers where the signalling was.
      let place = try #require(ann.signaling)
      var document = place.document
      document.signaling = "ws://127.0.0.1:\(silent.port)/signal"
      let moved = SignalingSession(channel: place.channel, document: document)
      ann.signaling = moved
      ann.follow(moved)
      let start = MonotonicClock.now
      moved.channel.close()
      try await wait(for: "the end") { ann.state == .ended }
      let lasted = MonotonicClock.now - start
      #expect(ann.endReason == .connectionLost)
      #expect(lasted > .milliseconds(2_500), "it took \(lasted.milliseconds) ms")
    }
  }

  @Test("the first reader of the events misses nothing that happened before")
  func eventsBeforeTheFirstReader() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/history", name: "Ann")
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/history", name: "Bob")
      try await wait(for: "the subscription") { bob.participants.first?.publication(.camera)?.subscription != nil }
      let info: MeetingInfo? = bob.info
      #expect(info != nil)
      let witness = Witness(bob)
      let expected = ["participantJoined Ann", "published camera", "subscribed camera", "joined"]
      try await wait(for: "what happened before, seen: \(witness.events)") { expected.allSatisfy(witness.saw) }
      let second = Witness(bob)
      try bob.send(chat: "now")
      try await wait(for: "the chat at the second reader") { second.saw("chat Bob: now") }
      #expect(!second.saw("joined"), "a second reader hears of what happens from then on")
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("the queue of unread events is bounded, and the newest are kept")
  func boundedEvents() async throws {
    let meeting = try Meeting("http://127.0.0.1:1/hello", name: "Ann")
    let count = 3 * Meeting.maximumWaitingEvents
    for index in 0..<count { meeting.emit(.problem("\(index)")) }
    let first = meeting.events
    for index in count..<(2 * count) { meeting.emit(.problem("\(index)")) }
    meeting.end(.left, message: "")
    var texts: [String] = []
    for await event in first { if case .problem(let text) = event { texts.append(text) } }
    #expect(texts.count >= Meeting.maximumWaitingEvents - 1 && texts.count <= Meeting.maximumWaitingEvents)
    #expect(texts.last == "\(2 * count - 1)")
  }

  @Test("a change of this machine's network is told, and that everything flows again")
  func networkChange() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/network", name: "Ann")
      try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
      let witness = Witness(ann)
      try await ann.join()
      ann.take(.networkChanged)
      #expect(ann.state == .reconnecting)
      try await wait(for: "everything to flow again, seen: \(witness.events)") { witness.saw("reconnected") }
      #expect(witness.steps == [.media] && ann.state == .connected)
      await ann.leave()
    }
  }

  @Test("reliable data goes on after the server closed the channel of a slow reader")
  func dataAfterASlowReader() async throws {
    try await LiveServer.run(configure: { $0.dataBuffer = 100_000 }) { server in
      let ann = try await Meeting.join("\(server.url)/slow", name: "Ann")
      let bob = try await Meeting.join("\(server.url)/slow", name: "Bob")
      let bobSees = Witness(bob)
      try await wait(for: "a first message at Bob's") {
        try? await ann.send([1], topic: "first")
        return bobSees.data.contains { $0.topic == "first" }
      }
      let large = [UInt8](repeating: 7, count: 60_000)
      try await wait(for: "the loss at Bob's, seen: \(bobSees.events.filter { $0 != "data" })") {
        for _ in 0..<6 { try? await ann.send(large, topic: "large") }
        return bobSees.events.contains { $0.hasPrefix("problem Data messages were lost") }
      }
      try await wait(for: "a message after the loss") {
        try? await ann.send([2], topic: "after")
        return bobSees.data.contains { $0.topic == "after" }
      }
      // Bob's own sending goes on, too.
      let annSees = Witness(ann)
      try await bob.send([3], topic: "back")
      try await wait(for: "Bob's message at Ann's") { annSees.data.contains { $0.topic == "back" } }
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("a refused request isn't repeated, and a refused name does not stay")
  func refusals() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/refused", name: "Ann")
      let bob = try await Meeting.join("\(server.url)/refused", name: "Bob")
      let witness = Witness(ann)
      try await wait(for: "Bob at Ann's") { ann.participants.count == 1 }
      let gone = try #require(ann.participants.first)
      await bob.leave()
      try await wait(for: "Bob's leaving") { ann.participants.isEmpty }
      // Of three messages the one in the middle is refused, and named.
      try ann.send(chat: "are you there?")
      let refused = try ann.send(chat: "are you there?", to: gone)
      try ann.send(chat: "are you there?")
      #expect(ann.queue.chat.count == 3 && refused.recipient == gone.id)
      try await wait(for: "the refusal, seen: \(witness.events)") { witness.failed == [refused] }
      #expect(witness.saw("chatFailed are you there?: badMessage"))
      try await wait(for: "the other two") { ann.chat.count == 2 && ann.queue.chat.isEmpty }

      ann.local.rename(" \u{200B} ")
      try await wait(for: "the refusal of the name, seen: \(witness.events)") {
        witness.events.contains { $0.hasPrefix("problem") }
      }
      #expect(ann.local.name == "Ann" && ann.local.wantedName == nil)
      ann.local.rename("Anna")
      try await wait(for: "the new name") { ann.local.name == "Anna" }

      // A thousand characters of 25 bytes each.
      do throws(JoinError) {
        try ann.send(chat: String(repeating: "👨‍👩‍👧‍👦", count: 1_000))
        Issue.record("25,000 bytes were taken")
      } catch {
        #expect(error.code == "tooLarge" && error.description.contains("bytes"))
      }
      await ann.leave()
    }
  }
}
