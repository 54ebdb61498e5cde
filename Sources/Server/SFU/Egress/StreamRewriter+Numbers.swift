/// The values that a ``StreamRewriter`` keeps and gives.
extension StreamRewriter {
  /// A run of packets that share their offsets.
  struct Span: Sendable {
    var source: Int64
    var out: Int64
    var timestampOffset: UInt32
    var pictureOffset: UInt16
    var frameOffset: UInt16
    var tl0Offset: UInt8
    var selection = LayerSelection.all
    /// ``StreamRewriter/serial`` of the source that the run belongs to.
    var serial: UInt32
  }

  /// The numbers of one outgoing packet.
  struct Numbers: Sendable, Hashable {
    /// The outgoing sequence number, extended to 64 bits.
    var sequence: Int64
    var timestamp: UInt32
    /// The outgoing PictureID, 15 bits.
    var pictureID: UInt16
    /// The outgoing frame number of the dependency descriptor.
    var frameNumber: UInt16
    /// The outgoing TL0PICIDX.
    var tl0PictureIndex: UInt8
    /// The packet came too late for its layer to be left out without a gap: an empty packet takes its number.
    var isFiller = false
    /// The packet is the last of its frame for this receiver, though not for the source.
    var endsPicture = false
  }

  /// The source packet behind an outgoing one.
  struct Origin: Sendable, Hashable {
    /// The source's extended sequence number.
    var source: Int64
    var out: Int64
    /// The attached source it was; see ``StreamRewriter/serial``.
    var serial: UInt32
  }
}
