/// The lobby as hosts see it, whole.
public struct LobbyInfo: Sendable, Hashable, Codable {
  /// The participants who wait to be let in, in the order they came.
  public var waiting: [WaitingParticipant]
  /// Whether nobody but hosts gets in at all.
  public var locked: Bool

  public init(waiting: [WaitingParticipant] = [], locked: Bool = false) {
    self.waiting = waiting
    self.locked = locked
  }

  /// The most people who wait at a time, and so the most that one message names.
  public static let maximumWaiting = 200
}
