import Basics
import RTC

/// A publication's description for another router, so that slots there can ask for it.
struct RelayAnnouncement {
  /// Bounds of what is read.
  private enum Limit {
    static let text = 128
    static let parameters = 1_024
    static let codecs = 64
    static let layers = 8
  }

  var id: PublicationID
  var participant: ParticipantID
  var media: NegotiatedMedia
  var isMuted: Bool
  var isScreenShare: Bool
  var isEncrypted: Bool

  /// The body of an `announce` record.
  func append(to bytes: inout [UInt8]) {
    bytes.append(media.kind == .audio ? 0 : 1)
    bytes.append((isMuted ? 1 : 0) | (isScreenShare ? 2 : 0) | (isEncrypted ? 4 : 0))
    RelayBytes.append(id.rawValue, to: &bytes)
    RelayBytes.append(participant.rawValue, to: &bytes)
    let codecs = media.codecs.prefix(Limit.codecs)
    bytes.append(UInt8(codecs.count))
    for codec in codecs {
      bytes += [
        codec.payloadType.rawValue, codec.codec.rawValue, codec.rtxPayloadType?.rawValue ?? 0xFF,
        codec.feedback.rawValue, codec.parameters == nil ? 0 : 1,
      ]
      RelayBytes.append(codec.parameters?.text ?? "", to: &bytes)
    }
    let layers = media.rids.prefix(Limit.layers)
    bytes.append(UInt8(layers.count))
    for layer in layers { RelayBytes.append(layer.rawValue, to: &bytes) }
  }

  init(
    id: PublicationID, participant: ParticipantID, media: NegotiatedMedia, isMuted: Bool, isScreenShare: Bool,
    isEncrypted: Bool = false
  ) {
    self.id = id
    self.participant = participant
    self.media = media
    self.isMuted = isMuted
    self.isScreenShare = isScreenShare
    self.isEncrypted = isEncrypted
  }

  /// Reads the body of an `announce` record; nil when it is malformed.
  init?(_ record: Span<UInt8>) {
    var reader = RelayReader(at: RelayRecord.headerLength)
    guard let kind = reader.number(record, UInt8.self), kind <= 1,
      let flags = reader.number(record, UInt8.self),
      let id = reader.text(record, limit: Limit.text), !id.isEmpty,
      let participant = reader.text(record, limit: Limit.text), !participant.isEmpty,
      let codecCount = reader.number(record, UInt8.self), (1...Limit.codecs).contains(Int(codecCount))
    else { return nil }
    var codecs: [NegotiatedCodec] = []
    for _ in 0..<codecCount {
      guard let type = reader.number(record, UInt8.self), let raw = reader.number(record, UInt8.self),
        let rtx = reader.number(record, UInt8.self), let feedback = reader.number(record, UInt8.self),
        let hasParameters = reader.number(record, UInt8.self),
        let parameters = reader.text(record, limit: Limit.parameters), let codec = Codec(rawValue: raw)
      else { return nil }
      codecs.append(
        NegotiatedCodec(
          payloadType: PayloadType(rawValue: type), codec: codec,
          parameters: hasParameters == 0 ? nil : FormatParameters(parameters),
          rtxPayloadType: rtx == 0xFF ? nil : PayloadType(rawValue: rtx),
          feedback: FeedbackMechanisms(rawValue: feedback)))
    }
    guard let layerCount = reader.number(record, UInt8.self), layerCount <= Limit.layers else { return nil }
    var layers: [RID] = []
    for _ in 0..<layerCount {
      guard let layer = reader.text(record, limit: 16) else { return nil }
      layers.append(RID(rawValue: layer))
    }
    self.id = PublicationID(rawValue: id)
    self.participant = ParticipantID(rawValue: participant)
    isMuted = flags & 1 != 0
    isScreenShare = flags & 2 != 0
    isEncrypted = flags & 4 != 0
    media = NegotiatedMedia(
      mid: MID(rawValue: "relay"), index: 0, kind: kind == 0 ? .audio : .video, role: .receive, codecs: codecs,
      extensions: HeaderExtensionMap(), remoteSources: [], remoteStreamIDs: [], rids: layers, localSource: nil,
      localStreamID: nil, usesReducedSizeRTCP: true)
  }
}
