import Basics
import RTC
import Signaling

/// What a publication may be sent in, is sent in, and should be.
struct PublishedCodecs {
  /// What was negotiated, in the sender's order.
  var negotiated: [NegotiatedCodec] = []
  /// What arrives; nil before the first packet, and for sound.
  private(set) var arriving: NegotiatedCodec?
  /// What the sender sends of its own choice.
  private var own: NegotiatedCodec?
  /// What the sender was told to send; nil for its own choice.
  private(set) var requested: NegotiatedCodec?
  /// When that last changed; nil when it never did.
  private(set) var changed: Instant?
  /// Who cannot decode it, as the sender was told; nil when it never was.
  var toldReceivers: UndecodableReceivers?

  /// What a receiver must be able to decode one of. Redundant audio is sent to who does not take it without the
  /// redundancy.
  var candidates: [NegotiatedCodec] { arriving.map { [$0] } ?? negotiated.filter { $0.codec != .red } }

  /// Takes over a new negotiation.
  mutating func renegotiate(_ codecs: [NegotiatedCodec]) {
    negotiated = codecs
    if let codec = arriving, !codecs.contains(codec) { arriving = nil }
  }

  /// Takes over what the media plane reports; true when that is news.
  mutating func arrived(_ codec: NegotiatedCodec) -> Bool {
    if requested == nil || own == nil, codec != requested { own = codec }
    guard codec != arriving else { return false }
    arriving = codec
    return true
  }

  /// What most receivers can decode: nil for the sender's own choice, which wins a tie.
  ///
  /// - Parameter count: How many receivers can decode a codec.
  func best(of receivers: Int, count: (NegotiatedCodec) -> Int) -> NegotiatedCodec? {
    let known = own.flatMap { own in negotiated.first { $0 == own } ?? own.bestMatch(in: negotiated) }
    guard let own = known ?? negotiated.first else { return nil }
    var (best, most) = (own, count(own))
    guard most < receivers else { return nil }
    for codec in negotiated {
      let number = count(codec)
      if number > most { (best, most) = (codec, number) }
    }
    return best == own ? nil : best
  }

  /// The sender is told to send `codec`, or its own choice again.
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
