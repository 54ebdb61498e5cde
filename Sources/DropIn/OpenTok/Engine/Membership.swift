/// The session that a publisher or a subscriber belongs to.
///
/// It may be given to its session again while it is still being ended there, in the same turn. Each time has a number
/// of its own, so that the end of one does not end the next.
struct Membership {
  private(set) weak var session: OTSession?
  /// Of the latest time; zero before the first.
  private(set) var number = 0
  private var isEnding = false

  /// Belongs to a session from now on. nil when it belongs to one and is not being ended there.
  mutating func begin(_ new: OTSession) -> Int? {
    guard session == nil || (session === new && isEnding) else { return nil }
    (session, isEnding) = (new, false)
    number += 1
    return number
  }

  /// The app ends it: the session may have it again, and reports the end later. nil when it does not belong to that
  /// session.
  mutating func markEnd(in other: OTSession) -> Int? {
    guard session === other else { return nil }
    isEnding = true
    return number
  }

  /// It has ended. Does nothing when it has begun again since.
  mutating func end(_ number: Int) {
    guard number == self.number else { return }
    (session, isEnding) = (nil, false)
  }
}
