/// What holds in a meeting besides who is in it: part of `welcome` and `resumed`, so that who comes late or back sees
/// what everybody sees.
public struct RoomState: Sendable, Hashable, Codable {
  /// Whom everybody is to show large, by participant; nil for nobody.
  public var spotlight: String?
  /// What a host said of muting that holds for later tracks too; nil when nothing does.
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
