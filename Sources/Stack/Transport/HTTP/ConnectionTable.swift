import Basics

/// The connections of a server, and the order in which they give way when there are too many: the logic of
/// ``HTTPServer``'s limits, without a socket.
///
/// Some places are reserved for connections that return to something they had (``WebSocketConnection/isReserved``):
/// lost participants get in however many others are here. A connection has one of those only when there is no other,
/// and leaves it once it has proven itself and another is free.
struct ConnectionTable: Sendable {
  /// The progress of a connection. Those with a lower one give way first, and of those the oldest.
  enum Stage: Int, Sendable, Equatable {
    /// Nothing was answered on it yet.
    case silent
    /// A request was answered, the next has not come.
    case idle
    /// A WebSocket that has not proven that it is of use.
    case opened
    /// A body comes, or an answer leaves, after an answered request.
    case transferring
    /// A request is being handled.
    case handling
    /// A WebSocket that has.
    case proven

    var rank: Int? {
      switch self {
      case .silent, .idle, .opened, .transferring: rawValue
      case .handling, .proven: nil
      }
    }
  }

  enum Admission: Equatable {
    /// Serve it, and close `evicted`, which has given way.
    case admitted(evicted: UInt?)
    /// As before, but only for what comes back: its network, or anybody, may have no more.
    case reserved(evicted: UInt?, isNetwork: Bool)
    /// There is no place: for its network, or for anybody.
    case refused(isNetwork: Bool)
  }

  private var places: SharedCapacity<UInt>
  private var reserve: SharedCapacity<UInt>
  /// Proven connections in the reserve.
  private var returned: [UInt] = []

  init(capacity: Int, reserve: Int, hostLimit: Int?) {
    places = SharedCapacity(capacity: capacity - reserve, hostLimit: hostLimit ?? .max)
    self.reserve = SharedCapacity(capacity: reserve)
  }

  /// How many there are.
  var count: Int { places.count + reserve.count }

  /// A connection comes. Without an address it counts for no network.
  mutating func admit(_ id: UInt, from address: IPAddress?) -> Admission {
    let refusal: Network?
    switch places.admit(id, from: address, rank: Stage.silent.rank) {
    case .admitted(let evicted): return .admitted(evicted: evicted)
    case .refused(let network): refusal = network
    }
    switch reserve.admit(id, from: address, rank: Stage.silent.rank) {
    case .admitted(let evicted): return .reserved(evicted: evicted, isNetwork: refusal != nil)
    case .refused: return .refused(isNetwork: refusal != nil)
    }
  }

  /// A proxy's connection brings a request of somebody, for whom it counts until it is answered (nil); refused where
  /// their network may have no more.
  mutating func assign(_ id: UInt, to address: IPAddress?) -> Admission {
    switch places.assign(id, to: address) {
    case .admitted(let evicted): .admitted(evicted: evicted)
    case .refused(let network): .refused(isNetwork: network != nil)
    }
  }

  /// A connection has come to another stage.
  mutating func advance(_ id: UInt, to stage: Stage) {
    places.rank(id, stage.rank)
    guard reserve.contains(id) else { return }
    reserve.rank(id, stage.rank)
    if stage == .proven, !returned.contains(id) { returned.append(id) }
    settle()
  }

  /// A connection is gone.
  mutating func remove(_ id: UInt) {
    places.remove(id)
    guard !returned.isEmpty || reserve.contains(id) else { return }
    reserve.remove(id)
    returned.removeAll { $0 == id }
    settle()
  }

  /// Gives those who came back the places that have become free.
  private mutating func settle() {
    while let id = returned.first, !places.isFull {
      returned.removeFirst()
      reserve.remove(id)
      // They have a right to it, so it counts for no network's share.
      _ = places.admit(id, from: nil, rank: nil)
    }
  }
}
