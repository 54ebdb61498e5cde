public import Basics
package import RTC

/// The stream of one participant in one media section, and its receivers.
///
/// Packets reach it through the participant's ``Ingress``; it holds the source streams (one, or one for each simulcast
/// layer) and the list of subscriptions that they are forwarded to.
public final class Publication {
  public let id: PublicationID
  /// The router's number of the participant who sends it.
  public let participant: Int
  /// The negotiated formats of its media section.
  private(set) var media: NegotiatedMedia
  /// Whether the participant muted it: nothing is forwarded then, whatever arrives.
  var isMuted: Bool
  /// Whether it shows a screen.
  public let isScreenShare: Bool
  /// Whether its frames are encrypted end to end, so that only what their forms leave clear can be read.
  let isEncrypted: Bool
  /// The streams that have arrived, one for each simulcast layer.
  // These two are assigned as a whole: an array that is changed in place is checked for exclusive access by who reads
  // it, for each packet.
  var streams: ContiguousArray<SourceStream> = []
  private(set) var subscriptions: ContiguousArray<Subscription> = []

  /// How often new SSRCs may replace old ones.
  static let maximumReplacements = 32
  var replacements = 0
  /// Whether a stream was replaced, of which packets may still be held.
  var leavesStreams = false
  package let midText: HeaderExtensionText?
  /// The simulcast layers in the offer's order; empty without simulcast.
  let layerNames: ContiguousArray<HeaderExtensionText>
  /// For each of them its place by picture size, smallest first.
  var ranks: ContiguousArray<Int>
  /// What ``layers(now:)`` last measured, and of which measurements; 0 when it has to measure anew.
  var ladder: ContiguousArray<LayerOption> = []
  var ladderEpoch: UInt32 = 0
  /// The layers that somebody wants, and those last reported to the publisher.
  var demand = LayerDemand()
  /// The largest layer that has come.
  var arrived = ArrivedLayers()
  /// Its other router, unless a participant of this one sends it.
  var origin: RelayOrigin?
  /// The other routers that it is forwarded to.
  var relays: ContiguousArray<RelayTarget> = []
  /// The number under which other routers know it; 0 for none.
  var number: UInt32 = 0
  /// The number by which ``ActiveSpeakers`` knows it; -1 for video.
  var voice = -1
  /// Whether the router has it on its list for this tick.
  var isListed = false
  /// By which stream's place it is on that list, and by which the one behind it; -1 for none.
  var listed = -1
  var nextListed = -1
  /// Whether it was announced as flowing.
  var hasStarted = false
  /// The payload type of the newest packets of video; nil before the first.
  var arrivingType: PayloadType?
  /// Whether ``arrivingType`` may not have been reported yet.
  var hasNewFormat = false
  /// The codec that was reported last, and when the next one may be.
  var reportedCodec: NegotiatedCodec?
  var nextCodecReport = Instant.zero
  /// Payload type to codec, 128 entries; the high bit marks a retransmission format.
  private(set) var formats: PayloadTypeTable

  init(
    id: PublicationID, participant: Int, media: NegotiatedMedia, isMuted: Bool, isScreenShare: Bool = false,
    isEncrypted: Bool = false
  ) {
    self.id = id
    self.participant = participant
    self.media = media
    self.isMuted = isMuted
    self.isScreenShare = isScreenShare
    self.isEncrypted = isEncrypted
    midText = HeaderExtensionText(media.mid.rawValue)
    layerNames = ContiguousArray(media.rids.compactMap { HeaderExtensionText($0.rawValue) })
    ranks = ContiguousArray(layerNames.indices)
    formats = PayloadTypeTable(media.codecs)
  }

  /// Somebody receives it from now on.
  func add(_ subscription: Subscription) {
    // Taken out while it is changed, so that nothing is copied: a list may be long, and many come at once.
    var list = subscriptions
    subscriptions = []
    list.append(subscription)
    subscriptions = list
  }

  /// Those for whom `isGone` holds receive it no longer.
  func removeSubscriptions(where isGone: (Subscription) -> Bool) {
    var list = subscriptions
    subscriptions = []
    list.removeAll(where: isGone)
    subscriptions = list
  }

  /// Takes over what a new offer says about its section.
  func renegotiate(_ media: NegotiatedMedia) {
    self.media = media
    formats = PayloadTypeTable(media.codecs)
    // A payload type may stand for something else now.
    arrivingType = nil
    for subscription in subscriptions { subscription.sourceRenegotiated() }
  }

  /// The most that a receiver of a voice loses, here or behind a relay, in 1/256, of those whom the server can add no
  /// earlier sound for (RED, RFC 2198). The publisher is told it as the share lost, since only its encoder can help
  /// them: by a rough copy of each sound in the next packet (in-band FEC, RFC 6716 section 2.1.7). The counts of lost
  /// packets, which congestion control goes by, stay those of the publisher's own path.
  var lossToBeReadyFor: UInt8 {
    guard media.kind == .audio, !isMuted else { return 0 }
    var most: UInt8 = 0
    for subscription in subscriptions
    where subscription.fractionLost > most && subscription.egress.isOpen && subscription.redundantPayloadType == nil {
      most = subscription.fractionLost
    }
    for target in relays where target.loss > most { most = target.loss }
    return most
  }

  /// Whether lost packets can be asked for.
  var acceptsNack: Bool { media.codecs.contains { $0.feedback.contains(.nack) } }

  /// The clock rate of its first format; all formats of a section share it here.
  var clockRate: UInt32 { media.codecs.first?.codec.clockRate ?? 90_000 }

  /// The stream of `layer` (nil without simulcast).
  func stream(of layer: HeaderExtensionText?) -> SourceStream? {
    for stream in streams where stream.layer == layer { return stream }
    return nil
  }
}

extension Publication: DemultiplexedSection {
  package func accepts(_ payloadType: PayloadType) -> Bool { formats.contains(payloadType) }
}

/// The format of each payload type of a media section: a flat table of 128 bytes.
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
