internal import Basics

/// A DATA chunk that was sent and is not acknowledged cumulatively. It refers to the message's bytes; sending it again
/// copies nothing but those into the packet.
struct SCTPOutstandingChunk: Sendable {
  enum State: Sendable {
    /// Counts toward what is in flight.
    case inFlight
    /// To be sent again when the window allows.
    case lost
    /// Acknowledged by a gap block.
    case acknowledged
    /// Given up (RFC 3758): neither sent again nor in flight.
    case abandoned
  }

  static let ending: UInt8 = 1
  static let beginning: UInt8 = 2
  static let unordered: UInt8 = 4

  var payload: [UInt8]
  let offset: Int
  let length: Int
  let stream: UInt16
  let sequence: UInt16
  let payloadProtocol: UInt32
  let flags: UInt8
  let messageID: UInt64
  let maxRetransmits: UInt16?
  let expiresAt: Instant
  var sentAt: Instant
  var transmissions = 1
  var state = State.inFlight
  /// SACKs that reported later chunks only (RFC 9260 section 7.2.4).
  var misses = 0
  var wasFastRetransmitted = false

  var isOrdered: Bool { flags & Self.unordered == 0 }
  /// The bytes of the send buffer that it uses; the last piece carries the message's overhead.
  var heldBytes: Int { length &+ (flags & Self.ending != 0 ? SCTPSendQueue.overhead : 0) }

  /// Whether it must not be sent once more.
  func isExhausted(now: Instant) -> Bool {
    if expiresAt <= now { return true }
    guard let maxRetransmits else { return false }
    return transmissions > Int(maxRetransmits)
  }
}
