import Parley

/// How long it takes from ``Meeting/join()`` to the first decoded picture of somebody who is there already.
enum JoinTiming {
  private static let phases: [(name: String, path: any KeyPath<JoinTimes, Instant?> & Sendable)] = [
    ("discover document (HTTP)", \.discovered), ("WebSocket open", \.socketOpened), ("welcome (answer)", \.welcomed),
    ("ICE path", \.pathSelected), ("DTLS done", \.connected), ("first packet", \.firstPacket),
    ("first decoded frame", \.firstFrame),
  ]

  /// - Parameter people: How many are there before each join; the first sends a picture too.
  @MainActor static func measure(_ url: String, people: Int, joins: Int) async throws -> [JoinTimes] {
    let host = try Meeting(url, name: "Host")
    try await host.local.publish(LocalVideoTrack(TestPictureSource(.planets, width: 640, height: 360)))
    try await host.local.publish(LocalAudioTrack(ToneSource()))
    try await host.join()
    var others: [Meeting] = []
    for index in 1..<max(people, 1) {
      let other = try Meeting(url, name: "Person \(index + 1)")
      try await other.local.publish(LocalAudioTrack(ToneSource()))
      try await other.join()
      others.append(other)
    }
    var times: [JoinTimes] = []
    for index in 0..<(joins + 3) {
      let meeting = try Meeting(url, name: "Guest")
      let events = meeting.events
      try await meeting.join()
      for await event in events {
        if case .subscribed(let subscription) = event { subscription.video?.add(NullSink()) }
        if case .firstFrame = event, meeting.times.firstFrame != nil { break }
      }
      // The first ones load libraries.
      if index >= 3 { times.append(meeting.times) }
      await meeting.leave()
      // The server asks a publisher for a keyframe at most twice a second; guests do not come faster than that here.
      try await Task.sleep(nanoseconds: UInt64.random(in: 600_000_000..<900_000_000))
    }
    for meeting in others + [host] { await meeting.leave() }
    return times
  }

  static func print(_ modes: [Mode], people: Int) {
    let columns = modes.map { modes.count > 1 ? "\($0.title): p50 | p90 | p99" : "p50 | p90 | p99" }
    Swift.print("| phase, from the call of `join` | \(columns.joined(separator: " | ")) |")
    Swift.print("|---|\(String(repeating: "---|", count: 3 * modes.count))")
    for phase in phases {
      let cells = modes.map { mode in
        let values = mode.times.compactMap { $0.milliseconds(phase.path) }.sorted()
        return [0.5, 0.9, 0.99].map { at(values, $0) }.joined(separator: " | ")
      }
      Swift.print("| \(phase.name) | \(cells.joined(separator: " | ")) |")
    }
    let count = modes.map { "\($0.times.count)" }.joined(separator: " and ")
    Swift.print("\n\(count) joins on loopback to \(max(people, 1)) people, one at a time, milliseconds.\n")
  }

  private static func at(_ sorted: [Double], _ part: Double) -> String {
    guard !sorted.isEmpty else { return "–" }
    let value = sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
    return "\((value * 10).rounded() / 10)"
  }
}
