import Basics

/// A message between the ends of a data connection: a kind of one byte, a number of eight in network order, and for
/// blocks their bytes.
enum DataPacket: Equatable {
  case block(number: UInt64, [UInt8])
  /// All blocks before this number are there.
  case received(before: UInt64)

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 9 else { return nil }
    let number = bytes[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    switch (bytes[0], bytes.count) {
    case (0, _): self = .block(number: number, Array(bytes[9...]))
    case (1, 9): self = .received(before: number)
    default: return nil
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .block(let number, let bytes): [0] + Self.bytes(of: number) + bytes
    case .received(let number): [1] + Self.bytes(of: number)
    }
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
  }
}

/// One end of a data connection: blocks arrive in order and once, whatever the channel below loses. The channel is
/// ordered and reliable, but for a connection that is made again, and messages beyond the server's rate. So blocks are
/// acknowledged, a window bounds what is under way, and all of it is sent again when acknowledgements fail to come.
/// Does no I/O.
struct DataLink {
  enum Output: Equatable {
    case send([UInt8])
    /// Nothing may be sent before this time.
    case wait(until: Instant)
    /// Nothing is to be sent until something is enqueued or comes.
    case idle
  }

  enum Input: Equatable {
    case block([UInt8])
    /// The other end has this many blocks of this one.
    case acknowledged(UInt64)
  }

  /// Bytes of a block at most. With its header and its seal it fits a data message of 64 KiB.
  static let blockLimit = 60_000
  /// Blocks under way at most: less than a receiver's buffer at the server.
  static let window = 12
  /// The time without an acknowledgement after which everything under way is sent again, at least and at most.
  private static let minimumPatience = TimeSpan.seconds(3)
  private static let maximumPatience = TimeSpan.seconds(60)
  private static let pause = TimeSpan.milliseconds(20)

  private struct Block {
    let bytes: [UInt8]
    /// When it was first sent.
    var sentAt: Instant?
    var isSentAgain = false
  }

  /// Blocks that were enqueued, from the first one without an acknowledgement on.
  private var unacknowledged: [Block] = []
  private var acknowledged: UInt64 = 0
  /// How many of them were sent.
  private var sent = 0
  /// The number of the next block of the other end.
  private var expected: UInt64 = 0
  private var owesAcknowledgement = false
  /// When everything is sent again.
  private var deadline: Instant?
  /// Twice the time that an acknowledgement takes, and double after each one that fails to come: a slow channel has in
  /// its buffer what is under way, and would get all of it once more. As in TCP (RFC 6298), blocks that were sent twice
  /// measure nothing.
  private var patience = Self.minimumPatience
  // From a participant of a call, the server drops what comes at more than 8 MiB or 200 messages a second;
  // acknowledgements count, too.
  private var byteBudget = TokenBucket(perSecond: 7_600_000, burst: 1_000_000)
  private var messageBudget = TokenBucket(perSecond: 150, burst: 200)

  /// Whether another block may be enqueued.
  var hasRoom: Bool { unacknowledged.count < Self.window }
  /// The number of the next block that is enqueued.
  var nextNumber: UInt64 { acknowledged + UInt64(unacknowledged.count) }

  mutating func enqueue(_ block: [UInt8]) { unacknowledged.append(Block(bytes: block)) }

  mutating func nextOutput(now: Instant) -> Output {
    if owesAcknowledgement {
      owesAcknowledgement = false
      return .send(spend(.received(before: expected)))
    }
    if let deadline, deadline <= now {
      sendAllAgain()
      patience = min(patience + patience, Self.maximumPatience)
    }
    guard sent < unacknowledged.count else { return deadline.map { .wait(until: $0) } ?? .idle }
    guard byteBudget.holds(unacknowledged[sent].bytes.count + 200, now: now), messageBudget.holds(1, now: now) else {
      return .wait(until: now + Self.pause)
    }
    let packet = DataPacket.block(number: acknowledged + UInt64(sent), unacknowledged[sent].bytes)
    if unacknowledged[sent].sentAt == nil {
      unacknowledged[sent].sentAt = now
    } else {
      unacknowledged[sent].isSentAgain = true
    }
    sent += 1
    deadline = deadline ?? now + patience
    return .send(spend(packet))
  }

  private mutating func spend(_ packet: DataPacket) -> [UInt8] {
    let bytes = packet.bytes
    byteBudget.spend(bytes.count + 200)
    messageBudget.spend(1)
    return bytes
  }

  /// Sends everything under way again: the connection below is another one.
  mutating func resend() {
    sendAllAgain()
    patience = Self.minimumPatience
  }

  private mutating func sendAllAgain() {
    sent = 0
    deadline = nil
    owesAcknowledgement = expected > 0
  }

  /// Nil for what is malformed or nothing new.
  mutating func receive(_ bytes: [UInt8], now: Instant) -> Input? {
    switch DataPacket(bytes) {
    case .block(let number, let block):
      owesAcknowledgement = true
      guard number == expected else { return nil }
      expected += 1
      return .block(block)
    case .received(let count):
      guard count > acknowledged, count <= acknowledged + UInt64(unacknowledged.count) else { return nil }
      let fresh = Int(count - acknowledged)
      let newest = unacknowledged[fresh - 1]
      if let sentAt = newest.sentAt, !newest.isSentAgain {
        let taken = now - sentAt
        patience = min(max(taken + taken, Self.minimumPatience), Self.maximumPatience)
      }
      unacknowledged.removeFirst(fresh)
      acknowledged = count
      sent = max(sent - fresh, 0)
      deadline = unacknowledged.isEmpty ? nil : now + patience
      return .acknowledged(count)
    case nil: return nil
    }
  }
}
