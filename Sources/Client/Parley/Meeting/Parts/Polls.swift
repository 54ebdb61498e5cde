import Signaling

/// The polls of a meeting, with this client's votes.
struct Polls {
  /// In the order they were made.
  private(set) var all: [Poll] = []

  subscript(id: Int) -> Poll? { all.first { $0.id == id } }

  /// Applies a new or changed poll. One that doesn't name this client's vote leaves it as it was.
  ///
  /// Returns nil when nothing has changed.
  mutating func apply(_ changed: Poll) -> RoomEvent? {
    var poll = changed
    if let index = all.firstIndex(where: { $0.id == poll.id }) {
      poll.mine = poll.mine ?? all[index].mine
      guard all[index] != poll else { return nil }
      all[index] = poll
    } else {
      poll.mine = poll.mine ?? []
      all.append(poll)
    }
    return .pollChanged(poll)
  }

  /// Applies every poll of a room state: one that isn't listed is gone.
  mutating func applyAll(_ polls: [Poll]) -> [RoomEvent] {
    let present = Set(polls.map(\.id))
    let gone = all.map(\.id).filter { !present.contains($0) }
    return gone.compactMap { remove($0) } + polls.compactMap { apply($0) }
  }

  /// Applies a vote of this client that the server has accepted.
  mutating func applyVote(_ id: Int, for options: [Int]) -> RoomEvent? {
    guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
    all[index].mine = Array(Set(options)).sorted()
    return .pollChanged(all[index])
  }

  mutating func remove(_ id: Int) -> RoomEvent? {
    guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
    all.remove(at: index)
    return .pollRemoved(id)
  }
}
