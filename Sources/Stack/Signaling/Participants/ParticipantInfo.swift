public import FoundationEssentials

/// Someone in the meeting.
public struct ParticipantInfo: Sendable, Hashable, Codable {
  /// The participant's id in this meeting, `p_…`.
  public var id: String
  /// The display name. Always show it as text, never as markup.
  public var name: String
  /// The role that the join token or a host gave: `guest`, `presenter`, …
  public var role: String
  /// Whether the participant's signalling is up.
  public var connection: ConnectionState
  public var publications: [PublicationInfo]
  /// The join token's data about the participant, for the application; nil without any. Nobody but the token's issuer
  /// can set it.
  public var data: String?
  /// When the participant came (whole seconds); nil from servers that do not say.
  public var created: Date?
  /// Its place in the row of raised hands: who has the smallest number raised it first. Nil while it is down.
  public var hand: Int?
  /// The participant's permissions, by name, where they differ from those of its role.
  public var permissions: [String]?

  /// Describes participant `id`.
  public init(
    id: String, name: String, role: String, connection: ConnectionState = .connected,
    publications: [PublicationInfo] = [], hand: Int? = nil, permissions: [String]? = nil, data: String? = nil,
    created: Date? = nil
  ) {
    self.id = id
    self.name = name
    self.role = role
    self.connection = connection
    self.publications = publications
    self.data = data
    self.created = created
    self.hand = hand
    self.permissions = permissions
  }

  /// Reads a participant, without publications of a kind that this version doesn't know.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    role = try container.decode(String.self, forKey: .role)
    connection = container.optional(.connection) ?? .connected
    publications = try container.readable(.publications)
    data = container.optional(.data)
    created = container.optional(.created)
    hand = container.optional(.hand)
    permissions = container.optional(.permissions)
  }
}
