/// Why something that a peer sent was dropped.
public enum SCTPDropReason: Int, Hashable, Sendable, CaseIterable {
  /// Shorter than the common header, or a packet after the end.
  case notAPacket
  /// CRC32c is wrong (RFC 9260 section 6.8).
  case wrongChecksum
  /// Other ports than the agreed one.
  case wrongPort
  /// The verification tag is not this association's (RFC 9260 section 8.5).
  case wrongTag
  /// A chunk or parameter whose length does not fit, or with too little in it.
  case malformedChunk
  /// More chunks or parameters than any honest packet has.
  case tooManyParts
  /// A chunk of a type not known (RFC 9260 section 3.2).
  case unknownChunk
  /// A chunk that has no place in the present state.
  case unexpectedChunk
  /// A cookie with a wrong code, or one that belongs to no association (RFC 9260 section 5.2.4).
  case badCookie
  /// A cookie older than its lifetime.
  case staleCookie
  /// DATA that had been received before.
  case duplicateData
  /// DATA or FORWARD TSN further ahead than can be acknowledged.
  case tsnTooFarAhead
  /// DATA that would make one gap too many.
  case tooManyGaps
  /// DATA for which there is no room.
  case receiveBufferFull
  /// DATA on a stream beyond those announced.
  case invalidStream
  /// A piece of a message whose other pieces can no longer come.
  case orphanFragment
  /// A message whose stream sequence number was used before.
  case staleSequence
  /// A SACK of data never sent, or with gap blocks out of order.
  case invalidSack
  /// A SACK older than one seen.
  case oldSack
  /// A stream reset that could not be carried out (RFC 6525).
  case refusedReset
  /// A message on a stream without a channel.
  case unknownChannel
  /// A message with a payload protocol that data channels do not have.
  case unknownPayloadProtocol
  /// A malformed DCEP message, or an OPEN on a stream in use, of the wrong parity or one too many.
  case refusedOpen
  /// A message longer than the limit.
  case messageTooLarge
}

/// How often something was dropped, by reason.
public struct SCTPDropCounts: Hashable, Sendable {
  private var counts = [UInt64](repeating: 0, count: SCTPDropReason.allCases.count)

  public init() {}

  /// How often for this reason.
  public subscript(reason: SCTPDropReason) -> UInt64 { counts[reason.rawValue] }

  /// All of them together.
  public var total: UInt64 { counts.reduce(0, &+) }

  mutating func add(_ other: SCTPDropCounts) {
    for index in counts.indices { counts[index] &+= other.counts[index] }
  }

  mutating func count(_ reason: SCTPDropReason) { counts[reason.rawValue] &+= 1 }
}
