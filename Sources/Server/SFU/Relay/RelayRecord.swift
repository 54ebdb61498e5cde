import Basics
import RTC

/// How two routers of one meeting talk to each other: records of bytes, little-endian, in the order in which they were
/// written.
///
/// Every record begins with 12 bytes: kind, flags, a 16-bit value, the channel (which meeting) and the number of a
/// publication in the numbering of the router that announced it. Nothing in a record refers to memory, so a ring
/// between two threads and a connection between two machines carry the same bytes.
///
/// | kind | towards | what follows |
/// |---|---|---|
/// | hello | both | session (8 bytes); flag 1: an answer |
/// | announce | receiver | ``RelayAnnouncement`` |
/// | withdraw | receiver | – |
/// | mute | receiver | flag 1: muted |
/// | media | receiver | ``RelayedPacket``, dependency descriptor, payload |
/// | report | receiver | SSRC (4), RTP time (4), NTP time (8), offset of the participant's clock in ns (8) |
/// | voices | receiver | for each voice: publication (4), loudness three times (3), 0 |
/// | subscribe | sender | the value is the number of wanted spatial layers (0: none for now, 8: all); width (2) and height (2) of the largest picture, 0 for any |
/// | unsubscribe | sender | – |
/// | keyframe | sender | the value is the layer, ``noLayer`` for any |
/// | loss | sender | the value is what the receiver there loses of a voice who loses most, in 1/256 |
enum RelayRecord {
  enum Kind: UInt8 {
    case hello = 1
    case announce
    case withdraw
    case mute
    case media
    case report
    case voices
    case subscribe
    case unsubscribe
    case keyframe
    case loss
  }

  static let headerLength = 12
  static let channelOffset = 4
  /// In place of a layer's place among the layers of a publication: it has none.
  static let noLayer: UInt16 = 0xFF
  /// Most voices in one record.
  static let maximumVoices = 16

  /// The channel that a record belongs to; nil for a record that is too short.
  @inline(__always)
  static func channel(_ record: Span<UInt8>) -> UInt32? {
    record.count >= headerLength ? RelayBytes.uint32(record, at: channelOffset) : nil
  }

  /// A record of `kind`; `body` appends what follows the header.
  static func make(
    _ kind: Kind, flags: UInt8 = 0, value: UInt16 = 0, channel: UInt32, publication: UInt32 = 0,
    _ body: (inout [UInt8]) -> Void = { _ in }
  ) -> [UInt8] {
    var bytes: [UInt8] = [kind.rawValue, flags]
    RelayBytes.append(value, to: &bytes)
    RelayBytes.append(channel, to: &bytes)
    RelayBytes.append(publication, to: &bytes)
    body(&bytes)
    return bytes
  }
}

/// The fixed part of a media record: what a ``StoredPacket`` knows that its payload does not say.
struct RelayedPacket {
  static let length = 36

  var publication: UInt32
  var channel: UInt32
  /// The place of its layer among the publication's, or ``RelayRecord/noLayer``.
  var layer: UInt16
  var ssrc: SSRC
  var packet: StoredPacket

  /// Writes the fixed part to the start of `record`.
  @inline(__always)
  func write(into record: inout MutableSpan<UInt8>) {
    guard record.count >= Self.length else { return }
    record[0] = RelayRecord.Kind.media.rawValue
    record[1] = packet.isRecovered ? 1 : 0
    RelayBytes.set(layer, at: 2, in: &record)
    RelayBytes.set(channel, at: 4, in: &record)
    RelayBytes.set(publication, at: 8, in: &record)
    RelayBytes.set(ssrc.rawValue, at: 12, in: &record)
    RelayBytes.set(UInt64(bitPattern: packet.sequence), at: 16, in: &record)
    RelayBytes.set(packet.timestamp.rawValue, at: 24, in: &record)
    RelayBytes.set(packet.playoutDelay, at: 28, in: &record)
    record[32] = packet.payloadType.rawValue | (packet.marker ? 0x80 : 0)
    record[33] = packet.audioLevel
    record[34] = packet.orientation
    record[35] = UInt8(truncatingIfNeeded: packet.descriptorLength)
  }

  /// Reads the fixed part; nil when the record is too short for what it says.
  @inline(__always)
  init?(_ record: Span<UInt8>, now: Instant) {
    guard record.count >= Self.length, record.count &- Self.length >= Int(record[35]) else { return nil }
    channel = RelayBytes.uint32(record, at: 4)
    publication = RelayBytes.uint32(record, at: 8)
    layer = RelayBytes.uint16(record, at: 2)
    ssrc = SSRC(rawValue: RelayBytes.uint32(record, at: 12))
    packet = StoredPacket()
    packet.isRecovered = record[1] & 1 != 0
    packet.sequence = Int64(bitPattern: RelayBytes.uint64(record, at: 16))
    packet.timestamp = RTPTimestamp(rawValue: RelayBytes.uint32(record, at: 24))
    packet.playoutDelay = RelayBytes.uint32(record, at: 28)
    packet.payloadType = PayloadType(rawValue: record[32] & 0x7F)
    packet.marker = record[32] & 0x80 != 0
    packet.audioLevel = record[33]
    packet.orientation = record[34]
    packet.arrival = now
    descriptor = Self.length..<(Self.length &+ Int(record[35]))
  }

  /// Where the dependency descriptor lies in the record; the payload follows it.
  var descriptor: Range<Int> = 0..<0

  @inline(__always)
  init(publication: UInt32, channel: UInt32, layer: UInt16, ssrc: SSRC, packet: StoredPacket) {
    self.publication = publication
    self.channel = channel
    self.layer = layer
    self.ssrc = ssrc
    self.packet = packet
  }
}
