/// Why an RTCP packet was refused, or why one could not be written.
public enum RTCPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Fewer bytes than a packet's four-byte header.
  case truncated
  /// The version field is not 2.
  case version
  /// A length field reaches past the end of the datagram.
  case length
  /// The padding is zero or longer than the packet, or not on the last packet.
  case padding
  /// The body of a known packet contradicts its own counts.
  case malformed
  /// The buffer given to write into is too small. Nothing was written.
  case bufferTooSmall
  /// More entries than the format can count, or an empty list where one is required. Nothing was written.
  case count

  public var description: String {
    switch self {
    case .truncated: "RTCP datagram ends inside a packet header; expected four bytes. Drop the rest."
    case .version: "RTCP version is not 2. Drop the rest of the datagram."
    case .length: "RTCP length field reaches past the datagram. Drop the rest."
    case .padding: "RTCP padding is invalid; expected at least 1 byte, inside the last packet. Drop the rest."
    case .malformed: "RTCP packet body contradicts its counts. Drop the rest of the datagram."
    case .bufferTooSmall: "The buffer cannot hold the RTCP packet. Send what is written and start a new one."
    case .count: "RTCP list is empty or too long for its count field. Split it."
    }
  }
}
