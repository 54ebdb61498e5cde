import Basics
import RTC
import Signaling

/// The codecs of a publication: those it may be sent in, the one it is sent in, and the one it should be sent in.
struct PublishedCodecs {
  /// In the sender's order.
  var negotiated: [NegotiatedCodec] = []
  /// The codec of the packets that arrive; nil before the first packet, and for audio.
  private(set) var arriving: NegotiatedCodec?
  /// The codec of the sender's own choice.
  private var own: NegotiatedCodec?
  /// The codec that the sender was asked for; nil for its own choice.
  private(set) var requested: NegotiatedCodec?
  /// When that last changed; nil when it never did.
  private(set) var changed: Instant?
  /// The receivers that can't decode it, as the sender knows them; nil when it never got a list.
  var toldReceivers: UndecodableReceivers?

  /// A receiver must be able to decode one of these. A receiver without redundant audio gets it without the redundancy.
  var candidates: [NegotiatedCodec] { arriving.map { [$0] } ?? negotiated.filter { $0.codec != .red } }

  /// Takes over a new negotiation.
  mutating func renegotiate(_ codecs: [NegotiatedCodec]) {
    negotiated = codecs
    if let codec = arriving, !codecs.contains(codec) { arriving = nil }
  }

  /// Applies a report of the media plane; true when the codec changed.
  mutating func arrived(_ codec: NegotiatedCodec) -> Bool {
    if requested == nil || own == nil, codec != requested { own = codec }
    guard codec != arriving else { return false }
    arriving = codec
    return true
  }

  /// The codec that most receivers can decode: nil for the sender's own choice, which wins a tie. The codec in use wins
  /// over the rest, since a change would leave those who decode it without video.
  ///
  /// - Parameter count: How many receivers can decode a codec.
  func best(of receivers: Int, count: (NegotiatedCodec) -> Int) -> NegotiatedCodec? {
    let known = own.flatMap { own in negotiated.first { $0 == own } ?? own.bestMatch(in: negotiated) }
    guard let own = known ?? negotiated.first else { return nil }
    var (best, most) = (own, count(own))
    guard most < receivers else { return nil }
    for codec in negotiated.filter({ $0 == requested }) + negotiated {
      let number = count(codec)
      if number > most { (best, most) = (codec, number) }
    }
    return best == own ? nil : best
  }

  /// Records that the sender was asked for `codec`, or for its own choice again.
  mutating func request(_ codec: NegotiatedCodec?, now: Instant) {
    // An offer that follows may list the codecs in another order.
    if own == nil { own = negotiated.first }
    requested = codec
    changed = now
  }
}

extension CodecInfo {
  init(_ codec: NegotiatedCodec, withPayloadType: Bool = false) {
    self.init(
      name: codec.codec.name, parameters: codec.parameters?.text,
      payloadType: withPayloadType ? Int(codec.payloadType.rawValue) : nil)
  }
}
