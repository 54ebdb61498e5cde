import Basics

/// A ``MediaReceiver``'s state of an m-section in which the other side sends: its formats, and the stream in it.
struct ReceivingSection: Sendable {
  /// The meaning of a payload type.
  struct Format: Hashable, Sendable {
    var payloadType: PayloadType
    /// The codec; that of the repaired stream for retransmissions.
    var codec: Codec
    /// The payload type that retransmissions under this one repair; nil for media.
    var repairs: PayloadType?
  }

  let mid: MID
  let midText: HeaderExtensionText?
  let kind: MediaKind
  /// Few, so that looking one up by walking them is cheaper than a table.
  let formats: [Format]
  let clockRate: UInt32
  let acceptsNack: Bool
  let acceptsPictureLoss: Bool
  let usesReducedSize: Bool
  /// The source that the other side announced.
  let announced: NegotiatedSource?

  var stream: InboundStream?
  /// Counts full intra requests, if PLIs weren't negotiated.
  var fullIntraRequests: UInt8 = 0
  /// A keyframe was asked for before the stream was known.
  var wantsKeyframe = false

  init(_ media: NegotiatedMedia) {
    mid = media.mid
    midText = HeaderExtensionText(media.mid.rawValue)
    kind = media.kind
    formats = media.codecs.flatMap { codec in
      let format = Format(payloadType: codec.payloadType, codec: codec.codec)
      guard let rtx = codec.rtxPayloadType else { return [format] }
      return [format, Format(payloadType: rtx, codec: codec.codec, repairs: codec.payloadType)]
    }
    clockRate = media.codecs.first?.codec.clockRate ?? (media.kind == .video ? 90_000 : 48_000)
    acceptsNack = media.codecs.contains { $0.feedback.contains(.nack) }
    acceptsPictureLoss = media.codecs.contains { $0.feedback.contains(.pictureLoss) }
    usesReducedSize = media.usesReducedSizeRTCP
    announced = media.remoteSources.first
  }

  /// Keeps what an earlier description's section has learned.
  mutating func inherit(_ before: ReceivingSection) {
    stream = before.stream
    stream?.usesNack = acceptsNack
    fullIntraRequests = before.fullIntraRequests
    wantsKeyframe = before.wantsKeyframe
  }

  /// The SSRC of the stream if this is its first packet; nil otherwise. Mutating, since to look from outside would copy
  /// the section.
  mutating func startStream() -> SSRC? {
    guard stream?.hasStarted == false else { return nil }
    stream?.hasStarted = true
    return stream?.ssrc
  }

  /// The format of `payloadType`; nil when it was not negotiated.
  func format(_ payloadType: PayloadType) -> Format? {
    for format in formats where format.payloadType == payloadType { return format }
    return nil
  }
}
