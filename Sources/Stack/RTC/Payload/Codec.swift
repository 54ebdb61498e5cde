/// The payload formats Parley forwards, as named in `a=rtpmap`.
///
/// A small plain value, so that the packet path chooses with a `switch`.
public enum Codec: UInt8, Hashable, Sendable, CaseIterable {
  /// Opus (RFC 7587).
  case opus
  /// Redundant audio (RFC 2198), here around Opus.
  case red
  /// G.711 µ-law (RFC 3551).
  case pcmu
  /// G.711 A-law (RFC 3551).
  case pcma
  /// DTMF tones (RFC 4733), at the clock rate of Opus.
  case telephoneEvent
  /// VP8 (RFC 7741).
  case vp8
  /// VP9 (RFC 9628).
  case vp9
  /// H.264 (RFC 6184).
  case h264
  /// AV1 (AOM's RTP payload format).
  case av1
  /// Retransmission (RFC 4588) of another payload type, at that one's clock rate.
  case rtx

  /// The encoding name in `a=rtpmap`, in its usual spelling; comparison ignores case.
  public var name: String {
    switch self {
    case .opus: "opus"
    case .red: "red"
    case .pcmu: "PCMU"
    case .pcma: "PCMA"
    case .telephoneEvent: "telephone-event"
    case .vp8: "VP8"
    case .vp9: "VP9"
    case .h264: "H264"
    case .av1: "AV1"
    case .rtx: "rtx"
    }
  }

  /// The RTP clock rate in ticks per second. Retransmissions here always repair video.
  @inlinable public var clockRate: UInt32 {
    switch self {
    case .opus, .red, .telephoneEvent: 48_000
    case .pcmu, .pcma: 8_000
    case .vp8, .vp9, .h264, .av1, .rtx: 90_000
    }
  }

  /// The channel count in `a=rtpmap`; 1 is left out there. Opus always says 2 (RFC 7587 section 7).
  @inlinable public var channels: UInt8 {
    switch self {
    case .opus, .red: 2
    default: 1
    }
  }

  /// Opus, RED and the PCM codecs are audio, the others video.
  @inlinable public var kind: MediaKind {
    switch self {
    case .opus, .red, .pcmu, .pcma, .telephoneEvent: .audio
    case .vp8, .vp9, .h264, .av1, .rtx: .video
    }
  }

  /// The codec of an `a=rtpmap` line; nil when Parley does not forward it at this rate and channel count.
  public init?(name: String, clockRate: UInt32, channels: UInt8 = 1) {
    let wanted = name.lowercased()
    let found = Self.allCases.first {
      $0.name.lowercased() == wanted && $0.clockRate == clockRate && $0.channels == max(channels, 1)
    }
    guard let found else { return nil }
    self = found
  }
}
