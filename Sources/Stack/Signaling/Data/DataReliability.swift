/// The data channel that a message travels over. A client opens both, by DCEP (RFC 8832), when it joins.
public enum DataReliability: String, Sendable, Hashable, Codable, CaseIterable {
  /// Every message arrives, in order, as long as the connection lives.
  case reliable
  /// A message is sent once and may be lost or overtaken.
  case lossy

  /// The label of the channel.
  public var label: String { self == .reliable ? "parley-reliable" : "parley-lossy" }

  /// The most bytes of payload in one message.
  public var payloadLimit: Int { self == .reliable ? DataLimits.reliablePayload : DataLimits.lossyPayload }
}
