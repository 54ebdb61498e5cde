import Foundation

@main enum ServiceBench {
  private static let usage = """
    Measures how long listing, creating, tokens, joining and messaging take at a server whose store is full. Prints
    Markdown, and fails where the slowest of a hundred takes longer than it may.

    usage: service-bench [--server .build/release/parley] [--meetings 10000] [--tokens 100000]
      [--identities 100000] [--messages 1000000] [--rounds 1000]

    --messaging measures the messaging service alone: it fills a folder with identities and with messages in 1,000
    chats of two, connects --endpoints (2000) over WebSockets of their own, and looks up, sends and fetches over all of
    them in turn. It prints the memory of the server before and with these endpoints, and fails above --memory
    megabytes (150).
    """
  /// The limit for 99 of 100 requests, in milliseconds.
  static let target = 10.0

  private struct Settings {
    var server = ".build/release/parley"
    var meetings = 10_000
    var tokens = 100_000
    var identities = 100_000
    var messages = 1_000_000
    var rounds = 1_000
    var endpoints = 40
    var memory = 150
    var isMessagingOnly = false
  }

  static func main() async {
    do {
      try await run()
    } catch {
      FileHandle.standardError.write(Data("service-bench: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") || arguments.contains("-h") { return print(usage) }
    guard let settings = settings(arguments) else { return }
    raiseOpenFiles()
    let folder = NSTemporaryDirectory() + "parley-service-bench-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try await FullStore.make(
      in: folder, meetings: settings.meetings, tokens: settings.tokens, identities: settings.identities,
      messages: settings.messages)
    let process = try ServiceProcess(program: settings.server, folder: folder)
    defer { process.stop() }
    let before = process.residentMegabytes
    let mailboxes = try await MailboxClients(
      "127.0.0.1:\(process.port)", store.mailboxes, count: settings.endpoints)
    let connected = process.residentMegabytes
    let client = try ServiceClient(
      process, meetings: settings.meetings, tokens: settings.tokens, store: store, mailboxes: mailboxes)
    let contents =
      settings.isMessagingOnly
      ? "\(settings.endpoints) endpoints" : "\(settings.meetings) meetings, \(settings.tokens) tokens"
    print(
      "| \(contents), \(settings.identities) identities, \(settings.messages) messages | p50 | p99 | slowest |\n|---|---|---|---|"
    )
    var missed: [String] = []
    let operations = (settings.isMessagingOnly ? [] : ServiceClient.operations) + ServiceClient.messaging
    for operation in operations {
      if let problem = try await measure(operation, client, rounds: settings.rounds) { missed.append(problem) }
    }
    print("\n\(settings.rounds) of each, one after the other, milliseconds as the client sees them.")
    if settings.isMessagingOnly {
      let after = process.residentMegabytes
      print(
        "\nMemory of the server: \(before) MB at its start, \(connected) MB with \(settings.endpoints) endpoints, "
          + "\(after) MB at the end.")
      let most = max(connected, after)
      if most > settings.memory { missed.append("\(most) MB of the server, \(settings.memory) MB are the target") }
    }
    // The table comes before what is said of it, in a pipe too.
    fflush(nil)
    guard missed.isEmpty else { throw BenchFailure("Missed: \(missed.joined(separator: "; "))") }
  }

  /// Prints the row of an operation. Returns what misses the target.
  private static func measure(
    _ operation: ServiceClient.Operation, _ client: ServiceClient, rounds: Int
  ) async throws -> String? {
    // The first ones fill caches, and load what is loaded when first used.
    for round in 0..<min(rounds / 10, 20) { _ = try await operation.run(client, round) }
    var times: [Double] = []
    for round in 0..<rounds { times.append(try await operation.run(client, rounds + round)) }
    times.sort()
    func at(_ part: Double) -> Double { times[min(Int(Double(times.count) * part), times.count - 1)] }
    func text(_ value: Double) -> String { String((value * 100).rounded() / 100) }
    print("| \(operation.name) | \(text(at(0.5))) | \(text(at(0.99))) | \(text(times.last ?? 0)) |")
    return at(0.99) > target ? "\(operation.name): \(text(at(0.99))) ms, \(target) ms are the target" : nil
  }

  /// The settings that the arguments say; nil, with a sentence, where they are wrong.
  private static func settings(_ given: [String]) -> Settings? {
    var settings = Settings()
    if given.contains("--messaging") {
      settings.isMessagingOnly = true
      (settings.meetings, settings.tokens, settings.endpoints) = (0, 0, 2_000)
    }
    var arguments = given.filter { $0 != "--messaging" }[...]
    while let name = arguments.popFirst() {
      guard let value = arguments.popFirst() else {
        print("\(name) needs a value")
        return nil
      }
      switch name {
      case "--server": settings.server = value
      case "--meetings": settings.meetings = Int(value) ?? settings.meetings
      case "--tokens": settings.tokens = Int(value) ?? settings.tokens
      case "--identities": settings.identities = Int(value) ?? settings.identities
      case "--messages": settings.messages = Int(value) ?? settings.messages
      case "--rounds": settings.rounds = max(Int(value) ?? settings.rounds, 10)
      case "--endpoints": settings.endpoints = Int(value) ?? settings.endpoints
      case "--memory": settings.memory = Int(value) ?? settings.memory
      default:
        print("unknown option \(name)")
        return nil
      }
    }
    // Each endpoint is one of an identity that has a chat.
    settings.endpoints = min(max(settings.endpoints, 1), 2 * FullMailboxes.chatCount)
    settings.identities = max(settings.identities, 2 * FullMailboxes.chatCount)
    return settings
  }

  /// Each endpoint is a socket of this process too.
  private static func raiseOpenFiles() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }
}

/// Why there is nothing to measure.
struct BenchFailure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
