/// Why an RTP payload was refused. The packet is dropped and counted.
public enum PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The payload ends inside a header, or holds nothing behind it.
  case truncated
  /// A field contradicts another or exceeds what the format allows.
  case malformed
  /// A packet type that WebRTC does not negotiate.
  case unsupported

  /// What happened and what was expected.
  public var description: String {
    switch self {
    case .truncated: "RTP payload ends inside its codec header. Drop the packet."
    case .malformed: "RTP payload's codec header contradicts itself or exceeds a limit. Drop the packet."
    case .unsupported: "RTP payload has a packet type that was not negotiated. Drop the packet."
    }
  }
}
