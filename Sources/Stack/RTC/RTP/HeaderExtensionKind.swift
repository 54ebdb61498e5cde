/// The RTP header extensions Parley knows, each named by its URI in the session description (RFC 8285 section 5).
public enum HeaderExtensionKind: UInt8, Hashable, Sendable, CaseIterable {
  /// The media section a stream belongs to (RFC 9143 section 14).
  case mid
  /// The simulcast layer of a stream (RFC 8852).
  case rid
  /// The simulcast layer that a retransmission stream repairs (RFC 8852).
  case repairedRID
  /// The audio level of the packet (RFC 6464).
  case audioLevel
  /// When the packet left, 24 bits of NTP time.
  case absSendTime
  /// The packet's number in its transport, for feedback on all streams together (transport-wide congestion control).
  case transportSequenceNumber
  /// The rotation of the video (3GPP TS 26.114).
  case videoOrientation
  /// Bounds for the receiver's playout delay.
  case playoutDelay
  /// Camera or screen (`video-content-type`).
  case videoContentType
  /// When the frame passed each stage of the sender.
  case videoTiming
  /// The colour space, with or without HDR data.
  case colorSpace
  /// The frames that a frame needs (AV1 RTP payload, appendix A).
  case dependencyDescriptor
  /// The rates of all layers of a simulcast or scalable stream.
  case videoLayersAllocation
  /// When the frame was captured, in the sender's NTP time.
  case absCaptureTime

  /// The URI in `a=extmap`.
  public var uri: String {
    switch self {
    case .mid: "urn:ietf:params:rtp-hdrext:sdes:mid"
    case .rid: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
    case .repairedRID: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
    case .audioLevel: "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    case .absSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
    case .transportSequenceNumber:
      "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    case .videoOrientation: "urn:3gpp:video-orientation"
    case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
    case .videoContentType: "http://www.webrtc.org/experiments/rtp-hdrext/video-content-type"
    case .videoTiming: "http://www.webrtc.org/experiments/rtp-hdrext/video-timing"
    case .colorSpace: "http://www.webrtc.org/experiments/rtp-hdrext/color-space"
    case .dependencyDescriptor:
      "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
    case .videoLayersAllocation:
      "http://www.webrtc.org/experiments/rtp-hdrext/video-layers-allocation00"
    case .absCaptureTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
    }
  }

  /// The kind that `uri` names; nil for one that Parley does not know.
  public init?(uri: String) {
    guard let kind = Self.allCases.first(where: { $0.uri == uri }) else { return nil }
    self = kind
  }
}
