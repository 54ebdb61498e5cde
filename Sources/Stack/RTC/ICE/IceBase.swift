internal import Basics

/// The source of checks: a socket, or a relayed address (RFC 8445 section 4, "base").
struct IceBase: Hashable {
  /// The cost of a path, cheapest first. A working path of a lower rank is always preferred, whatever the priorities
  /// say.
  enum Rank: UInt8, Comparable {
    /// UDP from one side to the other.
    case direct
    /// TCP from one side to the other.
    case stream
    /// Through a TURN server that is reached over UDP.
    case relayed
    /// Through a TURN server that is reached over TCP or TLS.
    case relayedStream

    static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
  }

  let handle: UInt32
  let address: TransportAddress
  let rank: Rank
  let priority: UInt32
  let foundation: String
}
