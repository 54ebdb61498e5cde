/// The waiting people that `admit` and `deny` mean.
public enum WaitingSelection: Sendable, Hashable, Codable {
  /// Everybody who waits in the lobby.
  case all
  /// These; who waits no more is left out without a word, since two hosts may answer at once.
  case some([String])

  private enum Key: String, CodingKey { case all, ids }

  /// Reads `{"all": true}` or `{"ids": […]}`: exactly one of the two, so that a forgotten list never means everybody.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let all = try container.decodeIfPresent(Bool.self, forKey: .all) ?? false
    let ids = try container.decodeIfPresent([String].self, forKey: .ids)
    switch (all, ids) {
    case (true, nil): self = .all
    case (false, let ids?):
      guard ids.count <= LobbyInfo.maximumWaiting else {
        throw SignalingError.badMessage(
          "it names \(ids.count) people, and at most \(LobbyInfo.maximumWaiting) can wait")
      }
      self = .some(ids)
    default: throw SignalingError.badMessage("either \"ids\" or \"all\": true is expected")
    }
  }

  /// Writes the one key that it has.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .all: try container.encode(true, forKey: .all)
    case .some(let ids): try container.encode(ids, forKey: .ids)
    }
  }

  /// Whether `id` is meant.
  public func contains(_ id: String) -> Bool {
    switch self {
    case .all: true
    case .some(let ids): ids.contains(id)
    }
  }
}
