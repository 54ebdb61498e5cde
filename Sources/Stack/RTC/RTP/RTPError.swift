/// Why an RTP packet was refused, or why one could not be written.
///
/// The cases carry no payload, so that throwing one on the packet path allocates nothing.
public enum RTPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The packet ends inside the fixed header (12 bytes).
  case truncated
  /// The packet is longer than a UDP datagram can be.
  case oversized
  /// The version field is not 2.
  case version
  /// The contributing sources reach past the end of the packet.
  case contributingSources
  /// The header extension reaches past the end of the packet.
  case headerExtension
  /// The padding is empty, or longer than the payload.
  case padding
  /// A header extension element has identifier 0, or one that the chosen form cannot carry.
  case elementID
  /// A header extension element is longer than 255 bytes, or empty where the form forbids it.
  case elementLength
  /// The buffer given to write into is too small.
  case bufferTooSmall
  /// A retransmission is too short to hold the original sequence number (RFC 4588 section 4).
  case retransmission

  public var description: String {
    switch self {
    case .truncated: "RTP packet ends inside its header; expected at least 12 bytes. Drop it."
    case .oversized: "RTP packet is longer than 65,535 bytes. Drop it."
    case .version: "RTP version is not 2; this is not an RTP packet. Drop it."
    case .contributingSources: "RTP contributing sources reach past the end of the packet. Drop it."
    case .headerExtension: "RTP header extension reaches past the end of the packet. Drop it."
    case .padding: "RTP padding is zero or longer than the payload. Drop the packet."
    case .elementID: "RTP header extension identifier must be 1 to 255. Check the negotiated map."
    case .elementLength: "RTP header extension element must be at most 255 bytes long. Shorten it."
    case .bufferTooSmall: "The buffer cannot hold the RTP header. Pass a larger one."
    case .retransmission: "RTX payload is one byte; expected the two-byte original sequence number. Drop it."
    }
  }
}
