/// A codec with what tells its profiles apart.
public struct CodecInfo: Sendable, Hashable, Codable {
  /// The encoding name in `a=rtpmap`, such as `VP9`.
  public var name: String
  /// The format-specific parameters (`a=fmtp`), such as `profile-level-id=640032;packetization-mode=1`; nil for none.
  public var parameters: String?
  /// The payload type in the offer of whoever sends it; nil where it does not matter.
  public var payloadType: Int?

  public init(name: String, parameters: String? = nil, payloadType: Int? = nil) {
    self.name = name
    self.parameters = parameters
    self.payloadType = payloadType
  }
}
