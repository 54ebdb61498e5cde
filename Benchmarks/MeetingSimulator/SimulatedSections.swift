import Basics
import RTC

/// Media sections as a browser and the server would have negotiated them.
enum SimulatedSections {
  static let midID: UInt8 = 1
  static let levelID: UInt8 = 3
  /// The payload type of sound.
  static let soundType: UInt8 = 111

  static func codecs(_ kind: MediaKind) -> [NegotiatedCodec] {
    kind == .audio
      ? [NegotiatedCodec(payloadType: PayloadType(rawValue: soundType), codec: .opus)]
      : [
        NegotiatedCodec(
          payloadType: PayloadType(rawValue: 96), codec: .vp8, rtxPayloadType: PayloadType(rawValue: 97),
          feedback: [.nack, .pictureLoss, .fullIntraRequest])
      ]
  }

  /// A track that a participant sends.
  static func track(_ mid: String, _ kind: MediaKind) -> NegotiatedMedia { section(mid, kind, .receive, nil) }

  /// A slot that sends under `ssrc`.
  static func slot(_ mid: String, _ kind: MediaKind, ssrc: UInt32) -> NegotiatedMedia {
    section(
      mid, kind, .send,
      NegotiatedSource(ssrc: SSRC(rawValue: ssrc), rtxSSRC: kind == .video ? SSRC(rawValue: ssrc + 1) : nil))
  }

  private static func section(
    _ mid: String, _ kind: MediaKind, _ role: NegotiatedMedia.Role, _ source: NegotiatedSource?
  ) -> NegotiatedMedia {
    var extensions = HeaderExtensionMap()
    extensions[.mid] = midID
    extensions[.audioLevel] = levelID
    return NegotiatedMedia(
      mid: MID(rawValue: mid), index: 0, kind: kind, role: role, codecs: codecs(kind), extensions: extensions,
      remoteSources: [], remoteStreamIDs: [], rids: [], localSource: source, localStreamID: nil,
      usesReducedSizeRTCP: true)
  }
}
