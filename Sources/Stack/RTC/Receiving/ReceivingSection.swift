import Basics

/// A ``MediaReceiver``'s state of an m-section in which the other side sends: its formats, and the stream in it.
struct ReceivingSection: DemultiplexedSection, Sendable {
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
  /// That of the last packet: the list is elsewhere in memory.
  private var lastFormat: Format?

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

  func accepts(_ payloadType: PayloadType) -> Bool { formats.contains { $0.payloadType == payloadType } }

  // MARK: For each packet

  // These are mutating, though some only read: a read from outside would copy the section, a kilobyte with a dozen
  // references.

  /// The SSRC of the stream if this is its first packet; nil otherwise.
  mutating func startStream() -> SSRC? {
    guard stream?.hasStarted == false else { return nil }
    stream?.hasStarted = true
    return stream?.ssrc
  }

  /// The format of `payloadType`; nil when it was not negotiated.
  mutating func format(_ payloadType: PayloadType) -> Format? {
    if let lastFormat, lastFormat.payloadType == payloadType { return lastFormat }
    for index in formats.indices where formats[index].payloadType == payloadType {
      lastFormat = formats[index]
      return lastFormat
    }
    return nil
  }

  /// The next time to request lost packets of the stream.
  var nackDeadline: Instant { mutating get { stream?.nacks.deadline ?? .distantFuture } }

  /// Whether a keyframe was requested that has not begun to arrive.
  var isAwaitingKeyframe: Bool { mutating get { stream?.keyframes.isPending == true } }

  /// A packet as it is delivered.
  mutating func packet(
    _ header: RTPHeader, _ codec: Codec, at place: InboundStream.Placement, audioLevel: UInt8?, now: Instant
  ) -> ReceivedPacket {
    ReceivedPacket(
      mid: mid, ssrc: header.ssrc, codec: codec, sequence: place.sequence, timestamp: header.timestamp,
      marker: header.marker, isRetransmission: place.isRepair, audioLevel: audioLevel, arrival: now)
  }
}
