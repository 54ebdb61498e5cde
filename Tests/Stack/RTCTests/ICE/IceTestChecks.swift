import Basics
import RTC

/// The part that the agent tests share: credentials, paths, and checks written by hand.
enum IceTest {
  static let server = credentials("serv")
  static let client = credentials("clnt")
  static let stranger = credentials("evil")

  static func credentials(_ ufrag: String) -> IceCredentials {
    guard let made = IceCredentials(ufrag: ufrag, password: ufrag + "PasswordOfTwentyTwo+/") else {
      preconditionFailure("the test's credentials follow the grammar")
    }
    return made
  }

  static func address(_ last: UInt8, port: UInt16 = 5_000) -> TransportAddress {
    TransportAddress(ip: IPAddress(v4: 0xC000_0200 | UInt32(last)), port: port)
  }

  /// A path from the server at 192.0.2.1 to 192.0.2.`last`.
  static func path(_ last: UInt8, port: UInt16 = 5_000, transport: IceTransport = .udp) -> IcePath {
    IcePath(transport: transport, local: address(1), remote: address(last, port: port))
  }

  /// A check as a browser sends it.
  static func check(
    from remote: IceCredentials = client, to local: IceCredentials = server, password: String? = nil,
    nominate: Bool = false, role: STUNMessage.Role? = .controlling(tieBreaker: 1), integrity: Bool = true,
    messageClass: STUNClass = .request, id: UInt64 = 1, extra: STUNAttributeType? = nil
  ) -> [UInt8] {
    var builder = STUNMessageBuilder(messageClass, transactionID: STUNTransactionID(high: 9, low: id))
    builder.addUsername("\(local.ufrag):\(remote.ufrag)")
    builder.addPriority(1)
    if let role { builder.addRole(role) }
    if nominate { builder.addUseCandidate() }
    if let extra { builder.add(extra, [1, 2, 3, 4]) }
    return builder.finish(
      integrity: integrity ? STUNIntegrityKey(password: password ?? local.password.value) : nil)
  }
}

extension IceLiteAgent {
  /// Takes a datagram held in an array.
  mutating func receive(_ bytes: [UInt8], _ path: IcePath, at milliseconds: Int64 = 0) -> IceLiteAction {
    receive(bytes.span, path: path, now: .milliseconds(milliseconds))
  }

  /// All events that wait.
  mutating func drainEvents() -> [Event] {
    var out: [Event] = []
    while let event = pollEvent() { out.append(event) }
    return out
  }

  /// Lets time pass up to `end`, calling at every deadline.
  mutating func run(until end: Instant) {
    while deadline <= end {
      let due = deadline
      handleTimeout(now: due)
      if deadline <= due { break }
    }
  }
}

extension IceLiteAction {
  /// The reply, whatever kind it is.
  var reply: [UInt8]? {
    switch self {
    case .answered(let reply, _), .refused(let reply, _): reply
    case .ignored: nil
    }
  }

  /// The change, nil unless the check was answered.
  var change: IcePathChange? {
    if case .answered(_, let change) = self { change } else { nil }
  }
}
