import Basics
import Foundation
import Transport

/// Janus with its VideoRoom plugin, all media on one event loop: its best setting for one core. Everything that this
/// needs not is off.
final class JanusServer: ServerUnderTest {
  let process: MeasuredProcess
  private let folder: URL
  private let api: JanusSession
  private var publishers: [Int] = []

  struct Unavailable: Error, CustomStringConvertible {
    var description: String
  }

  /// Whether the distribution's package is installed.
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: binary) }
  private static let binary = "/usr/bin/janus"
  private static let room = 1

  /// Starts it at `address` and waits until its API answers.
  init(at address: IPAddress) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("parley-bench-janus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let libraries = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").first {
      FileManager.default.fileExists(atPath: "/usr/lib/\($0)/janus/plugins")
    }
    guard let libraries else { throw Unavailable(description: "Janus' plugins were not found below /usr/lib") }
    let port = Int.random(in: 20_000..<30_000)
    try Self.configure(folder, libraries: "/usr/lib/\(libraries)/janus", port: port)
    process = try MeasuredProcess(Self.binary, ["--configs-folder=\(folder.path)"], quiet: true)
    let url = "http://\(address.text):\(port)/janus"
    api = JanusSession(url: url)
    let end = ContinuousClock.now + .seconds(10)
    while (try? await HTTPClient.request("GET", url + "/info"))?.status != 200 {
      guard ContinuousClock.now < end else { throw Unavailable(description: "Janus does not answer at \(url)") }
      try await Task.sleep(for: .milliseconds(50))
    }
    try await api.open()
    let handle = try await api.attach()
    _ = try await api.send(
      handle,
      body: [
        "request": "create", "room": Self.room, "publishers": 100, "audiocodec": "opus", "videocodec": "vp8",
        "bitrate": 0, "transport_wide_cc_ext": true,
      ])
  }

  func join(_ scenario: Scenario, trace: PacketTrace, engine: LoadEngine) async throws {
    for number in 0..<scenario.publishers {
      var plan = LoadClient.Plan(kind: scenario.kind)
      plan.trace = trace
      try await publish(plan, feed: number + 1, engine: engine)
    }
    // A feed that is not connected yet cannot be subscribed to.
    let end = ContinuousClock.now + .seconds(10)
    while await engine.connected < scenario.publishers {
      guard ContinuousClock.now < end else { throw Unavailable(description: "Janus did not connect the publishers") }
      try await Task.sleep(for: .milliseconds(20))
    }
    // It notes so only after the connection's last message has come to it.
    try await Task.sleep(for: .milliseconds(200))
    for number in 0..<scenario.participants {
      var feeds = Array(1...scenario.publishers)
      if number < scenario.publishers { feeds.remove(at: number) }
      guard !feeds.isEmpty else { continue }
      var plan = LoadClient.Plan(kind: scenario.kind)
      plan.slots = feeds.count
      try await subscribe(plan, to: feeds, engine: engine)
    }
  }

  private func publish(_ plan: LoadClient.Plan, feed: Int, engine: LoadEngine) async throws {
    let client = try await engine.add(plan)
    let handle = try await api.attach()
    let offer = try await engine.offer(client)
    let reply = try await api.send(
      handle, body: ["request": "joinandconfigure", "ptype": "publisher", "room": Self.room, "id": feed],
      jsep: ("offer", offer.sdp))
    guard let answer = reply.sdp else {
      throw Unavailable(description: "Janus gave a publisher no answer: \(reply.text)")
    }
    try await engine.answer(client, answer)
    publishers.append(handle)
  }

  private func subscribe(_ plan: LoadClient.Plan, to feeds: [Int], engine: LoadEngine) async throws {
    let client = try await engine.add(plan)
    let handle = try await api.attach()
    let streams = feeds.map { ["feed": $0] }
    let reply = try await api.send(
      handle, body: ["request": "join", "ptype": "subscriber", "room": Self.room, "streams": streams])
    guard let offer = reply.sdp else { throw Unavailable(description: "Janus made no offer: \(reply.text)") }
    let answer = try await engine.takeOffer(client, offer)
    _ = try await api.send(handle, body: ["request": "start", "room": Self.room], jsep: ("answer", answer))
  }

  func leave() async { await api.close() }

  func sending() async -> (datagrams: Int, calls: Int)? { nil }

  func stop() {
    process.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func configure(_ folder: URL, libraries: String, port: Int) throws {
    func others(in kind: String, but used: String) -> String {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(libraries)/\(kind)")) ?? []
      return files.filter { $0.hasSuffix(".so") && $0 != used }.sorted().joined(separator: ",")
    }
    let main = """
      general: {
        configs_folder = "\(folder.path)"
        plugins_folder = "\(libraries)/plugins"
        transports_folder = "\(libraries)/transports"
        events_folder = "\(libraries)/events"
        loggers_folder = "\(libraries)/loggers"
        debug_level = 2
        event_loops = 1
      }
      plugins: { disable = "\(others(in: "plugins", but: "libjanus_videoroom.so"))" }
      transports: { disable = "\(others(in: "transports", but: "libjanus_http.so"))" }
      """
    let http = """
      general: { json = "compact", base_path = "/janus", http = true, port = \(port), https = false }
      admin: { admin_http = false, admin_https = false }
      """
    for (name, text) in [("janus", main), ("janus.transport.http", http), ("janus.plugin.videoroom", "general: {}\n")] {
      try text.write(to: folder.appendingPathComponent(name + ".jcfg"), atomically: true, encoding: .utf8)
    }
  }
}
