/// A second stream of a generator, so that two state machines which start from copies of one seeded generator do not
/// draw the same numbers. With the system's generator it is as random as that.
struct SaltedRandom: RandomNumberGenerator, Sendable {
  private var base: any RandomNumberGenerator & Sendable
  private let salt: UInt64

  /// A stream of its own; draws one number from `base`.
  init(_ base: inout any RandomNumberGenerator & Sendable) {
    salt = base.next()
    self.base = base
  }

  mutating func next() -> UInt64 { base.next() ^ salt }
}
