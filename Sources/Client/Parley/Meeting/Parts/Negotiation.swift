import Signaling

/// Offers and answers: there is never more than one offer under way, and changes that come during it share the next.
///
/// It does no I/O. The ``Meeting`` makes the offer that ``beginOffer()`` asks for, and gives what comes of it.
struct Negotiation {
  typealias Completion = @MainActor (Result<Void, JoinError>) -> Void

  /// How long an answer is waited for, without the time in which the connection is brought back.
  static let answerTimeout: UInt64 = 30_000_000_000

  /// Whether something changed that the offer under way doesn't say.
  private(set) var isWanted = false
  private var restartsIce = false
  /// The last number of an offer or another message.
  private var lastID = 0
  /// The offer that waits for its answer.
  var pending: ClientMessage.Offer?
  /// Calls that wait for everything that is wanted now.
  private(set) var waiting: [Int: Completion] = [:]
  private var isPreparing = false
  /// Whether an answer has come that the session does not have yet, and so perhaps not the m-sections that
  /// ``Meeting/slots`` name.
  var isAnswered = false

  /// The next number: a refusal carries it, so messages of all kinds are numbered in one row.
  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  /// A new connection begins with an offer of its own. Calls that wait are answered by the offer after it.
  mutating func restart() {
    (isWanted, restartsIce) = (!waiting.isEmpty, false)
    (pending, isPreparing, isAnswered) = (nil, false, false)
  }

  /// A change needs an offer: the next one, if one is under way.
  mutating func request(restartsIce: Bool) {
    isWanted = true
    self.restartsIce = self.restartsIce || restartsIce
  }

  /// - Parameter completion: Called once, when the server has answered what is wanted now.
  mutating func wait(_ waiter: Int, completion: @escaping Completion) { waiting[waiter] = completion }

  @MainActor mutating func stopWaiting(_ waiter: Int, _ error: JoinError) {
    waiting.removeValue(forKey: waiter)?(.failure(error))
  }

  /// Returns whether the next offer restarts ICE; nil when none is wanted, or one is under way.
  mutating func beginOffer() -> Bool? {
    guard isWanted, pending == nil, !isPreparing else { return nil }
    defer { (isPreparing, isWanted, restartsIce) = (true, false, false) }
    return restartsIce
  }

  /// The session has made the offer, or none.
  mutating func endPreparing() { isPreparing = false }

  /// The answer to an offer has come. False when it isn't the one under way.
  mutating func receiveAnswer(to id: Int) -> Bool {
    guard pending?.id == id else { return false }
    isAnswered = true
    return true
  }

  /// The session has taken the answer. False when the offer isn't under way any more.
  mutating func finish(_ id: Int) -> Bool {
    guard pending?.id == id else { return false }
    (pending, isAnswered) = (nil, false)
    return true
  }

  /// Answers the calls that wait. Returns whether another offer is wanted.
  @MainActor mutating func settle(_ result: Result<Void, JoinError>) -> Bool {
    let all = waiting
    waiting = [:]
    for completion in all.values { completion(result) }
    return isWanted
  }

  /// The connection is gone, and with it every offer.
  mutating func fail() { (isWanted, pending, isPreparing, isAnswered) = (false, nil, false, false) }
}
