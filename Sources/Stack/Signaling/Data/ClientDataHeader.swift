/// The header of a data message from a client to the server.
public struct ClientDataHeader: Sendable, Hashable, Codable {
  /// The ids of those who are to get it; nil for everybody else in the meeting.
  public var to: [String]?
  /// The subject of the message, which the application defines. Empty where the key is absent.
  public var topic: String

  public init(to: [String]? = nil, topic: String = "") {
    self.to = to
    self.topic = topic
  }

  /// Reads a header; both keys may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    to = try container.decodeIfPresent([String].self, forKey: .to)
    topic = try container.decodeIfPresent(String.self, forKey: .topic) ?? ""
  }

  private enum CodingKeys: String, CodingKey { case to, topic }
}
