/// The group of superframes that a scalability structure describes (RFC 9628 section 4.2.1): the superframes that each
/// one refers to, over and over, in non-flexible mode.
///
/// An array inside: made for the keyframes that carry one, not for each packet.
public struct VP9PictureGroup: Hashable, Sendable {
  /// One superframe of the group.
  public struct Picture: Hashable, Sendable {
    /// Its temporal layer, `TID`.
    public let temporalID: UInt8
    /// Whether a receiver can move up to its layer here (U).
    public let isSwitchingUpPoint: Bool
    /// The superframes that it refers to, at most three.
    public let references: FrameDifferences
  }

  /// The superframes in order, 1 to 255.
  public let pictures: [Picture]
}

extension VP9Descriptor {
  /// The group in the payload that this descriptor was read from; nil when it has none. An empty group counts as none.
  public func pictureGroup(in payload: Span<UInt8>) -> VP9PictureGroup? {
    let groupStart = Int(groupOffset)
    guard groupStart > 0, length <= payload.count, groupStart < length else { return nil }
    var offset = groupStart &+ 1
    var pictures: [VP9PictureGroup.Picture] = []
    for _ in 0..<Int(payload[groupStart]) {
      guard offset < length else { return nil }
      let byte = payload[offset]
      offset &+= 1
      var references = FrameDifferences()
      for _ in 0..<Int(byte >> 2 & 0x03) {
        guard offset < length else { return nil }
        references.append(UInt16(payload[offset]))
        offset &+= 1
      }
      pictures.append(.init(temporalID: byte >> 5, isSwitchingUpPoint: byte & 0x10 != 0, references: references))
    }
    return pictures.isEmpty ? nil : VP9PictureGroup(pictures: pictures)
  }
}
