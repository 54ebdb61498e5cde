public import Basics
public import RTC

/// What one participant sends in one media section, and who receives it.
///
/// Packets reach it through the participant's ``Inlet``; it holds the source streams (one, or one for each simulcast
/// layer) and the list of subscriptions that they are forwarded to.
public final class Publication {
  /// The publication's id.
  public let id: PublicationID
  /// The router's number of the participant who sends it.
  public let participant: Int
  /// What was negotiated for its media section.
  public private(set) var media: NegotiatedMedia
  /// Whether the participant muted it: nothing is forwarded then, whatever arrives.
  public internal(set) var isMuted: Bool
  /// The streams that have arrived, one for each simulcast layer.
  public internal(set) var streams: ContiguousArray<SourceStream> = []
  /// Who receives it.
  public internal(set) var subscriptions: ContiguousArray<Subscription> = []

  /// The stream that subscriptions forward.
  public internal(set) var forwarded: SourceStream?

  /// How often new SSRCs may replace old ones.
  static let maximumReplacements = 32
  var replacements = 0
  let midText: HeaderExtensionText?
  let layers: ContiguousArray<HeaderExtensionText>
  /// The number by which ``ActiveSpeakers`` knows it; -1 for video.
  var voice = -1
  /// Whether the router has it on its list for this tick.
  var isListed = false
  /// Whether it was announced as flowing.
  var hasStarted = false
  /// Payload type to codec, 128 entries; the high bit marks a retransmission format.
  private(set) var formats: PayloadTypeTable

  init(id: PublicationID, participant: Int, media: NegotiatedMedia, isMuted: Bool) {
    self.id = id
    self.participant = participant
    self.media = media
    self.isMuted = isMuted
    midText = HeaderExtensionText(media.mid.rawValue)
    layers = ContiguousArray(media.rids.compactMap { HeaderExtensionText($0.rawValue) })
    formats = PayloadTypeTable(media.codecs)
  }

  /// Takes over what a new offer says about its section.
  func renegotiate(_ media: NegotiatedMedia) {
    self.media = media
    formats = PayloadTypeTable(media.codecs)
    for subscription in subscriptions { subscription.sourceRenegotiated() }
  }

  /// Whether lost packets can be asked for.
  var acceptsNack: Bool { media.codecs.contains { $0.feedback.contains(.nack) } }

  /// The clock rate of its first format; all formats of a section share it here.
  var clockRate: UInt32 { media.codecs.first?.codec.clockRate ?? 90_000 }

  /// Asks the publisher for a keyframe; it goes out as soon as the throttle allows.
  func requestKeyframe() {
    guard media.kind == .video else { return }
    forwarded?.keyframes.request()
  }

  /// The stream of `layer` (nil without simulcast).
  func stream(of layer: HeaderExtensionText?) -> SourceStream? {
    for stream in streams where stream.layer == layer { return stream }
    return nil
  }

  /// Chooses which stream is forwarded: the best simulcast layer that arrives.
  func chooseForwarded() {
    var best: SourceStream?
    var bestRank = Int.max
    for stream in streams {
      let rank = stream.layer.flatMap { layer in layers.firstIndex(of: layer) } ?? 0
      // Layers are listed from the smallest to the largest by convention of the browser client's offer.
      let order = layers.count - rank
      if order < bestRank {
        best = stream
        bestRank = order
      }
    }
    guard forwarded !== best else { return }
    forwarded = best
    for subscription in subscriptions { subscription.sourceChanged() }
  }
}

/// What each payload type of a media section stands for: a flat table of 128 bytes.
struct PayloadTypeTable: Sendable {
  /// Codec raw value, or 0xFF.
  private var codecs: ContiguousArray<UInt8>
  /// The payload type that a retransmission format repairs, or 0xFF.
  private var repaired: ContiguousArray<UInt8>

  init(_ formats: [NegotiatedCodec]) {
    codecs = ContiguousArray(repeating: 0xFF, count: 128)
    repaired = ContiguousArray(repeating: 0xFF, count: 128)
    for format in formats {
      codecs[Int(format.payloadType.rawValue & 0x7F)] = format.codec.rawValue
      if let rtx = format.rtxPayloadType { repaired[Int(rtx.rawValue & 0x7F)] = format.payloadType.rawValue }
    }
  }

  /// The codec under `type`; nil when there is none, or it is a retransmission format.
  @inline(__always)
  func codec(_ type: PayloadType) -> Codec? {
    let raw = codecs[Int(type.rawValue & 0x7F)]
    return raw == 0xFF ? nil : Codec(rawValue: raw)
  }

  /// The payload type that the retransmission format `type` repairs.
  @inline(__always)
  func repaired(by type: PayloadType) -> PayloadType? {
    let raw = repaired[Int(type.rawValue & 0x7F)]
    return raw == 0xFF ? nil : PayloadType(rawValue: raw)
  }

  /// Whether `type` belongs to the section at all.
  func contains(_ type: PayloadType) -> Bool { codec(type) != nil || repaired(by: type) != nil }
}
