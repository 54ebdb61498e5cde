import Parley

/// The meant waiting participant: by id, or by a name that nobody else there has.
enum LobbyChoice: Equatable {
  case one(WaitingParticipant)
  /// Nobody of that id or name waits.
  case nobody
  /// These bear the name, and nobody knows which of them is meant.
  case several([WaitingParticipant])

  /// Finds who is meant. An id is clear, also where somebody bears it for a name.
  init(_ wanted: String, among waiting: [WaitingParticipant]) {
    if let somebody = waiting.first(where: { $0.id == wanted }) {
      self = .one(somebody)
      return
    }
    let named = waiting.filter { $0.name == wanted }
    switch named.count {
    case 0: self = .nobody
    case 1: self = .one(named[0])
    default: self = .several(named)
    }
  }
}
