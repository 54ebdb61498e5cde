import Basics
import NetworkEmulator

/// A command line that cannot be understood.
struct CommandLineError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// The command line of `impairment-proxy`.
struct ProxyOptions: Sendable {
  /// A change of conditions, some time after the first packet; nil leaves a direction as it is.
  struct Change: Sendable {
    var after: TimeSpan
    var up: LinkConditions?
    var down: LinkConditions?

    /// `up`, `down` or `both`, and the conditions from then on.
    init(after: TimeSpan, way: String, conditions: String) throws(CommandLineError) {
      guard ["up", "down", "both"].contains(way) else {
        throw CommandLineError("expected up, down or both, got '\(way)'")
      }
      let parsed = try ConditionsText.parse(conditions)
      self.after = after
      up = way == "down" ? nil : parsed
      down = way == "up" ? nil : parsed
    }

    /// A line of standard input: a way, a space, conditions. They hold at once.
    init(command: String) throws(CommandLineError) {
      let parts = command.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw CommandLineError("expected a line such as 'down rate=300k', got '\(command)'")
      }
      try self.init(after: .zero, way: parts[0], conditions: parts[1])
    }
  }

  /// The address that clients send to.
  var listen = TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0)
  /// The server's media port.
  var forward = TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0)
  /// From clients to the server, and back.
  var up = LinkConditions.perfect
  var down = LinkConditions.perfect
  /// In order of time.
  var changes: [Change] = []
  /// Whether all clients share one link each way.
  var isShared = false
  /// Whether standard input has more changes.
  var readsCommands = false
  var seed: UInt64 = 1

  static let usage = """
    usage: impairment-proxy --forward PORT [--listen PORT] [--up CONDITIONS] [--down CONDITIONS] [--both CONDITIONS]
                            [--at TIME up|down|both CONDITIONS]… [--shared] [--seed N] [--commands]

    Forwards UDP between clients on 127.0.0.1 and a server's media port there, each way over an emulated link. Prints
    "Listening on PORT", and statistics as one line of JSON on SIGUSR1 and at the end (SIGINT, SIGTERM). Each client has
    links of its own; with --shared all share one each way. TIME counts from the first packet. With --commands, each line
    "up|down|both CONDITIONS" on standard input changes all links at once, and is answered with "Changed" or what is wrong.

    CONDITIONS, with commas between them:
    \(ConditionsText.help)
    """

  init(_ arguments: [String]) throws(CommandLineError) {
    var rest = arguments[...]
    func value(_ flag: String) throws(CommandLineError) -> String {
      guard let value = rest.popFirst() else { throw CommandLineError("\(flag) needs a value\n\(Self.usage)") }
      return value
    }
    func number<T: FixedWidthInteger>(_ flag: String, _: T.Type) throws(CommandLineError) -> T {
      let text = try value(flag)
      guard let number = T(text) else {
        throw CommandLineError("\(flag): '\(text)' is not such a number\n\(Self.usage)")
      }
      return number
    }
    while let flag = rest.popFirst() {
      switch flag {
      case "--listen": listen.port = try number(flag, UInt16.self)
      case "--forward": forward.port = try number(flag, UInt16.self)
      case "--seed": seed = try number(flag, UInt64.self)
      case "--shared": isShared = true
      case "--commands": readsCommands = true
      case "--up": up = try ConditionsText.parse(value(flag))
      case "--down": down = try ConditionsText.parse(value(flag))
      case "--both":
        up = try ConditionsText.parse(value(flag))
        down = up
      case "--at":
        let text = try value(flag)
        guard let after = ConditionsText.time(text) else {
          throw CommandLineError("--at: expected a time such as 15s, got '\(text)'")
        }
        changes.append(try Change(after: after, way: value(flag), conditions: value(flag)))
      default: throw CommandLineError("unknown option '\(flag)'\n\(Self.usage)")
      }
    }
    guard forward.port != 0 else {
      throw CommandLineError("--forward with the server's media port is needed\n\(Self.usage)")
    }
    changes.sort { $0.after < $1.after }
  }
}
