/// Why an RTP payload was refused, or a frame could not become payloads. The packet or frame is dropped and counted.
public enum PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The payload ends inside a header, or holds nothing behind it.
  case truncated
  /// A field contradicts another or exceeds what the format allows.
  case malformed
  /// A packet type that WebRTC does not negotiate.
  case unsupported
  /// A frame, or a part that cannot be split, is larger than a limit.
  case tooLarge
  /// A frame's first or last part, or one between, is not there.
  case incomplete

  public var description: String {
    switch self {
    case .truncated: "RTP payload ends inside its codec header. Drop the packet."
    case .malformed: "RTP payload's codec header contradicts itself or exceeds a limit. Drop the packet."
    case .unsupported: "RTP payload has a packet type that was not negotiated. Drop the packet."
    case .tooLarge: "Encoded frame exceeds the size that is sent or accepted. Drop the frame."
    case .incomplete: "RTP payloads of a frame do not make a whole frame. Drop the frame."
    }
  }
}
