/// The state of a meeting besides its participants: part of `welcome` and `resumed`, so that later participants see the
/// same as everybody.
public struct RoomState: Sendable, Hashable, Codable {
  /// The participant whom everybody is to show large; nil for nobody.
  public var spotlight: String?
  /// A host's muting that covers later tracks too; nil without one.
  public var muteAll: MuteAllInfo?
  /// The polls, in the order they were made.
  public var polls: [PollInfo]

  public init(spotlight: String? = nil, muteAll: MuteAllInfo? = nil, polls: [PollInfo] = []) {
    self.spotlight = spotlight
    self.muteAll = muteAll
    self.polls = polls
  }

  /// Reads a state; optional parts of an odd type count as absent.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    spotlight = container.optional(.spotlight)
    muteAll = container.optional(.muteAll)
    polls = try container.readable(.polls)
  }
}
