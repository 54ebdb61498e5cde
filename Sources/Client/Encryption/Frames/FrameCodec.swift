/// A codec by the part of its frames that stays readable, for packetizers and the server.
public enum FrameCodec: UInt8, Hashable, Sendable, CaseIterable {
  /// Nothing: Opus, VP9, data and chat.
  case opaque
  case vp8
  case av1
  case h264
}

/// The form of an encrypted frame; its last byte names it.
enum FrameLayout: UInt8, Hashable, CaseIterable {
  /// SFrame and the last byte.
  case opaque = 1
  /// The ten bytes of a key frame's header (RFC 6386 section 9.1) come first, which the SFU reads the size from.
  case vp8Key = 2
  /// The first byte of the frame comes first; its lowest bit is zero in key frames.
  case vp8Delta = 3
  /// The sequence headers come first; SFrame and the last byte are one frame OBU.
  case av1 = 4
  /// Parameter sets and the first bytes of a slice come first; SFrame and the last byte follow in that slice, escaped.
  case h264 = 5

  /// Bytes of the frame that stay in clear and are authenticated, where their number never changes.
  var clearLength: Int {
    switch self {
    case .opaque, .av1, .h264: 0
    case .vp8Key: 10
    case .vp8Delta: 1
    }
  }
}
