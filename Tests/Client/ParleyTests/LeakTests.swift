import Basics
import Foundation
import Parley
import TestSupport
import Testing

/// Joining and leaving for days must not cost anything (threat 35 of `docs/threats.md`).
@MainActor @Suite(.serialized) struct LeakTests {
  @Test func twoHundredJoinsAndLeavesLeaveNothingBehind() async throws {
    try await LiveServer.run { server in
      // More are for watching memory over a longer time by hand.
      let count = max(ProcessInfo.processInfo.environment["LEAK_JOINS"].flatMap { Int($0) } ?? 200, 200)
      // The first ones load libraries, make threads and fill caches.
      for index in 0..<20 { try await joinAndLeave(server, index) }
      try await settle()
      let before = Footprint.now
      for index in 0..<count {
        try await joinAndLeave(server, index)
        if index % 200 == 199 {
          print("LeakTests: \(index + 1) joins and leaves, before \(before), now \(Footprint.now)")
        }
      }
      var after = Footprint.now
      try await wait(for: "threads and descriptors as before (\(before)), there are \(after)") {
        after = Footprint.now
        // The system's pools of threads breathe by a few; a leak would be two hundred.
        return after.threads <= before.threads + 4 && after.descriptors <= before.descriptors + 4
          && after.mappings <= before.mappings + 40
      }
      let growth = after.residentKilobytes - before.residentKilobytes
      // The server is in this process too. Allocators keep some pages.
      #expect(growth < 10 * count, "resident memory grew by \(growth) kB in \(count) joins")
    }
  }

  /// Two hundred joins with media would take minutes; forty with everything at work show a leak as well, since an
  /// encoder or a decoder that is left behind is large.
  @Test func fortyJoinsThatEncodeAndDecodeLeaveNothingBehind() async throws {
    try await LiveServer.run { server in
      let count = ProcessInfo.processInfo.environment["LEAK_JOINS"].flatMap { Int($0) } ?? 40
      let host = try Meeting("\(server.url)/leak", name: "Host")
      try await host.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120)))
      try await host.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
      try await host.join()
      let sinks = attachSinks(host)
      // Allocators take what they keep in the first ones.
      for index in 0..<20 { try await joinWithMedia(server, index, host) }
      try await settle()
      let before = Footprint.now
      for index in 0..<count {
        try await joinWithMedia(server, index, host)
        if index % 20 == 19 { print("LeakTests: \(index + 1) with media, \(Footprint.now)") }
      }
      var after = Footprint.now
      try await wait(for: "threads and descriptors as before (\(before)), there are \(after)") {
        after = Footprint.now
        return after.threads <= before.threads + 4 && after.descriptors <= before.descriptors + 4
          && after.mappings <= before.mappings + 40
      }
      let growth = after.residentKilobytes - before.residentKilobytes
      print("LeakTests: \(count) joins with media, before \(before), after \(after)")
      #expect(growth < 100 * count, "resident memory grew by \(growth) kB in \(count) joins with media")
      #expect(sinks.pictures.videoFrames > 0 && sinks.sound.audioFrames > 0, "nothing of the guests was decoded")
      await host.leave()
    }
  }

  /// Bots that try again and again where something is wrong must not wear their process out.
  @Test func joinsThatFailLeaveNothingBehind() async throws {
    try await LiveServer.run { server in
      for index in 0..<10 { try await failInEveryWay(server, index) }
      try await settle()
      let before = Footprint.now
      for index in 0..<40 { try await failInEveryWay(server, index) }
      var after = Footprint.now
      try await wait(for: "threads and descriptors as before (\(before)), there are \(after)") {
        after = Footprint.now
        return after.threads <= before.threads + 4 && after.descriptors <= before.descriptors + 4
          && after.mappings <= before.mappings + 40
      }
      print("LeakTests: 40 rounds of joins that fail, before \(before), after \(after)")
    }
  }

  private func failInEveryWay(_ server: LiveServer, _ index: Int) async throws {
    func fail(_ url: String, token: String? = nil, _ options: JoinOptions = JoinOptions(), says words: String)
      async throws
    {
      let meeting = try Meeting(url, token: token.map { Secret($0) }, options: options)
      try await meeting.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120)))
      do throws(JoinError) {
        try await meeting.join()
        Issue.record("\(url) was joined")
      } catch { #expect(error.description.contains(words), "\(error)") }
      #expect(meeting.state == .ended)
    }
    try await fail("http://127.0.0.1:1/x", says: "cannot be reached")
    try await fail("https://127.0.0.1:\(server.server.port)/x", says: "HTTPS")
    try await fail("\(server.url)/admin", says: "/admin")
    try await fail("\(server.url)/x", token: "psat=forged.token.here", says: "not valid")
    var hasty = JoinOptions()
    hasty.timeout = .milliseconds(1)
    // "within 1 ms" or "not in time", whichever limit comes first.
    try await fail("\(server.url)/x", hasty, says: "in")
    var relayed = JoinOptions()
    relayed.usesOnlyRelays = true
    try await fail("\(server.url)/x", relayed, says: "TURN")

    let left = try Meeting("\(server.url)/x", name: "Nobody \(index)")
    let join = Task { try? await left.join() }
    await Task.yield()
    await left.leave()
    await join.value
    #expect(throws: MediaError.self) { try FileSource("/etc/passwd") }
  }

  private struct Sinks {
    let pictures = NullSink()
    let sound = NullSink()
  }

  /// Decodes everything that a meeting receives.
  private func attachSinks(_ meeting: Meeting) -> Sinks {
    let sinks = Sinks()
    let events = meeting.events
    Task {
      for await event in events {
        guard case .subscribed(let subscription) = event else { continue }
        subscription.video?.add(sinks.pictures)
        subscription.audio?.add(sinks.sound)
      }
    }
    return sinks
  }

  /// One guest who publishes a picture and a tone, receives those of the host, and is received.
  private func joinWithMedia(_ server: LiveServer, _ index: Int, _ host: Meeting) async throws {
    let meeting = try Meeting("\(server.url)/leak", name: "Guest \(index)")
    let sinks = attachSinks(meeting)
    try await meeting.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120)))
    try await meeting.local.publish(LocalAudioTrack(ToneSource(frequency: 550)))
    try await meeting.join()
    try await wait(for: "pictures and sound of the host at guest \(index)") {
      sinks.pictures.videoFrames >= 3 && sinks.sound.audioFrames >= 10
    }
    try await wait(for: "guest \(index) to be seen by the host") {
      let decoded = await host.statistics()?.inbound.filter { $0.participant == meeting.local.id } ?? []
      return decoded.contains { ($0.video?.framesDecoded ?? 0) >= 2 }
    }
    await meeting.leave()
    try await wait(for: "guest \(index)'s leaving") { host.participants.isEmpty }
  }

  private func joinAndLeave(_ server: LiveServer, _ index: Int) async throws {
    let meeting = try Meeting("\(server.url)/leak", name: "Guest \(index)")
    let picture = PushVideoSource()
    try await meeting.local.publish(LocalVideoTrack(picture))
    try await meeting.join()
    await meeting.leave()
  }

  private func settle() async throws {
    var last = Footprint.now
    try await wait(for: "threads to settle") {
      try? await Task.sleep(nanoseconds: 100_000_000)
      let now = Footprint.now
      defer { last = now }
      return now.threads == last.threads && now.descriptors == last.descriptors
    }
  }
}

/// The system resources that this process holds.
struct Footprint: CustomStringConvertible {
  var threads: Int
  var descriptors: Int
  /// Regions of memory: each thread that has ended but was not let go of keeps two.
  var mappings: Int
  var residentKilobytes: Int

  var description: String {
    "\(threads) threads, \(descriptors) descriptors, \(mappings) mappings, \(residentKilobytes) kB"
  }

  static var now: Footprint {
    let files = FileManager.default
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?
      .split(separator: " ").compactMap { Int($0) }.first
    return Footprint(
      threads: (try? files.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0,
      descriptors: (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0,
      mappings: ((try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? "").count { $0 == "\n" },
      residentKilobytes: resident ?? 0)
  }
}
