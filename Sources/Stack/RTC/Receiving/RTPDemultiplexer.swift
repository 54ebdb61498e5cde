/// An m-section as the demultiplexer of a bundled connection sees it.
package protocol DemultiplexedSection {
  /// The MID as packets carry it; nil when it doesn't fit a header extension.
  var midText: HeaderExtensionText? { get }
  /// Whether `payloadType` was negotiated for it, for media or for retransmissions.
  func accepts(_ payloadType: PayloadType) -> Bool
}

/// Assigns the packets of a bundled connection to streams (RFC 9143 section 9.2): by the SSRC, once that is known from
/// the description or from the MID and RID that a packet carries.
///
/// An SSRC stays with its `Binding` until it is released, and at most ``capacity`` of them are known. The owner keeps
/// the index of the last packet's SSRC, where the next one is looked for first. A lookup allocates nothing, found or
/// not. Changes give a new value: an owner that is an object assigns it as a whole, so that no lookup is checked for
/// exclusive access.
public struct RTPDemultiplexer<Binding> {
  /// The names of a packet's stream in its header extensions.
  package struct Identification {
    package var mid: HeaderExtensionText?
    package var rid: HeaderExtensionText?
    package var repairedRID: HeaderExtensionText?

    package init(
      mid: HeaderExtensionText? = nil, rid: HeaderExtensionText? = nil, repairedRID: HeaderExtensionText? = nil
    ) {
      self.mid = mid
      self.rid = rid
      self.repairedRID = repairedRID
    }

    /// The RID of the stream, of which the packet is, or which it repairs (RFC 8852 section 3).
    package func rid(isRetransmission: Bool) -> HeaderExtensionText? { isRetransmission ? repairedRID ?? rid : rid }
  }

  public let capacity: Int
  /// The SSRCs by themselves, so that looking one up walks over few bytes.
  public private(set) var ssrcs: ContiguousArray<UInt32> = []
  /// The bindings, in the same order.
  public private(set) var bindings: ContiguousArray<Binding> = []

  package init(capacity: Int) { self.capacity = capacity }

  package var count: Int { ssrcs.count }
  package var isFull: Bool { ssrcs.count >= capacity }

  /// The index of an SSRC, which is looked for at `hint` first; nil for an unknown one.
  @inlinable @inline(__always)
  public func index(of ssrc: SSRC, hint: Int) -> Int? {
    if hint < ssrcs.count, ssrcs[hint] == ssrc.rawValue { return hint }
    return index(of: ssrc)
  }

  @inlinable
  public func index(of ssrc: SSRC) -> Int? {
    for index in 0..<ssrcs.count where ssrcs[index] == ssrc.rawValue { return index }
    return nil
  }

  /// With `ssrc` bound, at the last index; nil when it is bound already or the table is full.
  package func binding(_ ssrc: SSRC, to binding: Binding) -> RTPDemultiplexer? {
    guard !isFull, index(of: ssrc) == nil else { return nil }
    var result = self
    result.ssrcs.append(ssrc.rawValue)
    result.bindings.append(binding)
    return result
  }

  /// Without the SSRCs for which `isGone`.
  package func releasing(where isGone: (SSRC, Binding) -> Bool) -> RTPDemultiplexer {
    var result = RTPDemultiplexer(capacity: capacity)
    for (ssrc, binding) in zip(ssrcs, bindings) where !isGone(SSRC(rawValue: ssrc), binding) {
      result.ssrcs.append(ssrc)
      result.bindings.append(binding)
    }
    return result
  }

  /// The section of a packet whose SSRC is unknown: that of its MID; without one, the only section with its payload
  /// type. Nil where that leaves a doubt.
  package static func section<Sections: Collection>(
    of mid: HeaderExtensionText?, _ payloadType: PayloadType, among sections: Sections
  ) -> Sections.Index? where Sections.Element: DemultiplexedSection {
    if let mid { return sections.firstIndex { $0.midText == mid } }
    var found: Sections.Index?
    for index in sections.indices where sections[index].accepts(payloadType) {
      if found != nil { return nil }
      found = index
    }
    return found
  }
}

extension RTPDemultiplexer: Sendable where Binding: Sendable {}
