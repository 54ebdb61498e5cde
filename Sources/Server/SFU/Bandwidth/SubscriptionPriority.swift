/// The rank when there isn't enough bandwidth for everything: by kind first, by the shown size second. Audio stands
/// above all of it.
struct SubscriptionPriority: Hashable, Comparable, Sendable {
  /// The kinds of subscriptions for their receiver, the most important first.
  enum Kind: UInt8, Hashable, Sendable, Comparable {
    case screenShare
    /// Pinned by the receiver.
    case pinned
    case activeSpeaker
    /// One tile among others.
    case tile

    /// The more important one first.
    static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
  }

  var kind: Kind
  /// The area it is shown on, in pixels; 0 while unknown.
  var area: UInt32

  init(_ kind: Kind, area: UInt32 = 0) {
    self.kind = kind
    self.area = area
  }

  /// The more important one first.
  static func < (a: SubscriptionPriority, b: SubscriptionPriority) -> Bool {
    a.kind == b.kind ? a.area > b.area : a.kind < b.kind
  }
}
