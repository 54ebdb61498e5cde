import Basics
import Foundation
import Parley
import Testing

/// Joining and leaving for days must not cost anything (threats, row 35).
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
      // The server is in this process too. Allocators keep some pages, a thread keeps its stack, 24 kB of it touched.
      #expect(growth < 25 * count, "resident memory grew by \(growth) kB in \(count) joins")
    }
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

/// What this process holds of the system.
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
