/// The header of a data message from the server to a client.
public struct ServerDataHeader: Sendable, Hashable, Codable {
  /// The sender. The server writes this from the session, whatever the sender wrote.
  public var from: String
  /// The subject of the message.
  public var topic: String

  public init(from: String, topic: String = "") {
    self.from = from
    self.topic = topic
  }

  /// Reads a header; `topic` may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    from = try container.decode(String.self, forKey: .from)
    topic = try container.decodeIfPresent(String.self, forKey: .topic) ?? ""
  }

  private enum CodingKeys: String, CodingKey { case from, topic }
}
