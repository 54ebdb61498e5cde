import RTC

/// The learning of SSRCs: from MID, RID and payload type to a publication and its stream.
extension Ingress {
  struct Refusal: Error { var reason: RoutingDrop }

  /// Whether `range` of the packet spells the MID of `publication`.
  func names(_ range: Range<Int>, _ packet: Span<UInt8>, _ publication: Publication) -> Bool {
    HeaderExtensionText(packet, at: range) == publication.midText
  }

  /// Notes an announced source, as long as nobody else of the participant's publications has it.
  func announce(_ source: NegotiatedSource, of publication: Publication) {
    // With simulcast layers the RID tells the streams apart; announced SSRCs do not say which is which.
    guard publication.layerNames.isEmpty, sources.count + 2 <= sources.capacity, sources.index(of: source.ssrc) == nil,
      publication.stream(of: nil) == nil
    else { return }
    let stream = makeStream(source.ssrc, nil, publication)
    bind(source.ssrc, to: Binding(publication: publication, stream: stream, isRetransmission: false))
    if let rtx = source.rtxSSRC, sources.index(of: rtx) == nil {
      stream.retransmissionSSRC = rtx
      bind(rtx, to: Binding(publication: publication, stream: stream, isRetransmission: true))
    }
  }

  /// Finds out what an unknown SSRC is.
  func learn(_ header: RTPHeader, _ extensions: Extensions, _ packet: Span<UInt8>) -> Result<Int, Refusal> {
    guard !sources.isFull else { return .failure(Refusal(reason: .tooManySources)) }
    let named = extensions.identification(in: packet)
    let known = former.first { $0.ssrc == header.ssrc }
    let again =
      extensions.mid == nil ? known.flatMap { known in publications.firstIndex { $0.midText == known.mid } } : nil
    // A MID that cannot be read names nothing.
    guard extensions.mid == nil || named.mid != nil,
      let section = again
        ?? RTPDemultiplexer<Binding>.section(of: named.mid, header.payloadType, among: publications)
    else { return .failure(Refusal(reason: .unknownSource)) }
    let publication = publications[section]
    guard publication.formats.contains(header.payloadType) else {
      return .failure(Refusal(reason: .unknownPayloadType))
    }
    let isRetransmission = publication.formats.codec(header.payloadType) == nil
    var layer: HeaderExtensionText?
    if !publication.layerNames.isEmpty {
      let knownLayer = known?.mid == publication.midText ? known?.layer : nil
      layer = named.rid(isRetransmission: isRetransmission) ?? knownLayer
      guard let layer, publication.layerNames.contains(layer) else {
        return .failure(Refusal(reason: .unknownSource))
      }
    }
    let existing = publication.stream(of: layer)
    if isRetransmission {
      guard let existing else { return .failure(Refusal(reason: .unknownSource)) }
      if let old = existing.retransmissionSSRC { release { ssrc, _ in ssrc == old } }
      existing.retransmissionSSRC = header.ssrc
      return bound(header.ssrc, to: Binding(publication: publication, stream: existing, isRetransmission: true))
    }
    if let existing {
      // A sender may start over under a new SSRC, but not without end.
      guard extensions.mid != nil, publication.replacements < Publication.maximumReplacements else {
        return .failure(Refusal(reason: .refusedClaim))
      }
      publication.replacements += 1
      release { _, binding in binding.stream === existing }
      publication.streams = ContiguousArray(publication.streams.filter { $0 !== existing })
      publication.leavesStreams = true
    }
    let stream = makeStream(header.ssrc, layer, publication)
    return bound(header.ssrc, to: Binding(publication: publication, stream: stream, isRetransmission: false))
  }

  private func makeStream(
    _ ssrc: SSRC, _ layer: HeaderExtensionText?, _ publication: Publication
  ) -> SourceStream {
    let stream = SourceStream(
      ssrc: ssrc, layer: layer, kind: publication.media.kind, clockRate: publication.clockRate,
      usesNack: publication.acceptsNack, isEncrypted: publication.isEncrypted)
    publication.streams = publication.streams + [stream]
    publication.streamsChanged()
    return stream
  }

  /// Binds an SSRC, unless it is bound or there are too many. Returns its index.
  @discardableResult
  private func bind(_ ssrc: SSRC, to binding: Binding) -> Int? {
    guard let more = sources.binding(ssrc, to: binding) else { return nil }
    sources = more
    return more.count - 1
  }

  private func bound(_ ssrc: SSRC, to binding: Binding) -> Result<Int, Refusal> {
    bind(ssrc, to: binding).map { .success($0) } ?? .failure(Refusal(reason: .tooManySources))
  }

  func release(where isGone: (SSRC, Binding) -> Bool) {
    sources = sources.releasing(where: isGone)
    lastIndex = 0
  }

  /// The stream that the participant sends under `ssrc`; nil for retransmissions.
  func stream(of ssrc: SSRC) -> SourceStream? {
    guard let index = sources.index(of: ssrc), !sources.bindings[index].isRetransmission else { return nil }
    return sources.bindings[index].stream
  }
}
