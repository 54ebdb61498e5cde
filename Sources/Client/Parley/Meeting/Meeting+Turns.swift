import Basics
import Signaling

/// Chat messages and signals on their way to the server: in the order in which they were said, no faster than the server takes them, and each until the
/// server has answered it.
extension Meeting {
  /// How many chat messages, and how many signals, may be without the server's answer; the next one is refused.
  package nonisolated static let maximumUnanswered = 1_000

  /// What may be on the wire without an answer: what a slow network holds back arrives all at once, and the server counts it then. The bytes, of text,
  /// keep clear of what may wait in a socket, whatever JSON makes of them.
  private static let window = (count: 100, bytes: 128 << 10)

  /// How long an answer is waited for: longer than it takes to see that a socket is dead, which is pinged.
  private static let longestSilence = TimeSpan.seconds(30)

  /// What is thrown when too many are without an answer.
  nonisolated static func tooMany(_ what: String) -> JoinError {
    .refused(
      code: SignalingErrorCode.tooFast.rawValue,
      message:
        "\(maximumUnanswered) \(what) are on their way already, which is the limit: \(SendingPace.perSecond) a second go out, "
        + "\(SendingPace.atOnce) at once. Wait a moment, or send fewer.")
  }

  /// Whether what waits may go out. Before the end of a join, and while one is in doubt, the place may be thrown away with the answers.
  var takesTurns: Bool {
    state != .ended && joinedOnce && place?.isWelcome == true && !connectionState.signalingDown
      && !connectionState.rejoining
  }

  /// Sends what may go now, the oldest first. Called whenever something is added or answered, and when the connection is there again.
  func sendInTurn() {
    guard takesTurns, let place else { return }
    var (count, bytes) = underWay(place)
    while count < Self.window.count, let next = nextTurn(place) {
      // An answer to what is under way goes on from here.
      guard count == 0 || bytes + next.bytes <= Self.window.bytes else { return }
      guard pace.takeTurn(MonotonicClock.now, bytes: SendingPace.bytes(of: next.message)) else { return goOnLater() }
      // Without a socket nothing is lost: it waits until the place is taken back.
      guard place.channel.send(next.message) else { return }
      markSent(next, place)
      awaitAnswer(next.id, over: place.channel)
      count += 1
      bytes += next.bytes
    }
  }

  /// The oldest of what waits; nil when nothing does.
  private func nextTurn(_ place: Place) -> Turn? {
    let message = unsentChat.first { !place.saidChat.contains($0.id) }
    let index = signals.firstIndex { !$0.isSent }
    if let message, message.id < (index.map { signals[$0].id } ?? .max) {
      return onTheWire(message).map {
        Turn(id: message.id, message: $0, bytes: message.text.utf8.count, signal: nil)
      }
    }
    return index.flatMap { index in
      let signal = signals[index]
      return onTheWire(signal).map {
        Turn(id: signal.id, message: $0, bytes: signal.signal.data.utf8.count, signal: index)
      }
    }
  }

  private func markSent(_ turn: Turn, _ place: Place) {
    if let index = turn.signal { signals[index].isSent = true } else { place.saidChat.insert(turn.id) }
  }

  /// What still goes out when the meeting is left, in its order: as much as ``SendingPace`` lets go within ``SendingPace/longestGoodbye``. It counts as
  /// sent from here on.
  func takeLastTurns() -> [ClientMessage] {
    guard takesTurns, let place else { return [] }
    var (_, bytes) = underWay(place)
    var last: [ClientMessage] = []
    while last.count < SendingPace.lastTurns, let next = nextTurn(place), bytes + next.bytes <= Self.window.bytes {
      markSent(next, place)
      last.append(next.message)
      bytes += next.bytes
    }
    return last
  }

  private func underWay(_ place: Place) -> (count: Int, bytes: Int) {
    let sizes =
      unsentChat.filter { place.saidChat.contains($0.id) }.map(\.text.utf8.count)
      + signals.filter(\.isSent).map(\.signal.data.utf8.count)
    return (sizes.count, sizes.reduce(0, +))
  }

  private func goOnLater() {
    guard !awaitsTurn else { return }
    awaitsTurn = true
    tasks.run { [weak self] in
      try? await Task.sleep(nanoseconds: 1_000_000_000 / UInt64(SendingPace.perSecond))
      self?.awaitsTurn = false
      self?.sendInTurn()
    }
  }

  /// Gives up what is not answered over a socket that works: the server did not understand it. A socket that does not is lost before.
  private func awaitAnswer(_ id: Int, over channel: SignalingChannel) {
    let tries = heldBack[id]
    tasks.run { [weak self, weak channel] in
      try? await Task.sleep(nanoseconds: UInt64(Self.longestSilence.nanoseconds))
      guard let self, !Task.isCancelled, let channel, self.place?.channel === channel else { return }
      // It was refused meanwhile, and sent again since.
      guard self.heldBack[id] == tries else { return }
      let error = JoinError.timedOut("The server did not answer within \(Self.longestSilence.milliseconds / 1_000) s.")
      if !self.takeChatRefusal(id: id, error) { self.settle(signal: id, .failure(error)) }
    }
  }

  /// The meeting passes on no more just now (`tooFast`): what it has refused is sent again later, before everything that was said after it. False when it
  /// is none of these, or was refused too often.
  func holdBack(_ id: Int) -> Bool {
    let tries = (heldBack[id] ?? 0) + 1
    guard tries <= Self.mostTries else { return false }
    if let index = signals.firstIndex(where: { $0.id == id }), signals[index].waits {
      signals[index].isSent = false
    } else if unsentChat.contains(where: { $0.id == id }) {
      place?.saidChat.remove(id)
    } else {
      return false
    }
    heldBack[id] = tries
    pace.hold(from: MonotonicClock.now)
    goOnLater()
    return true
  }

  /// How often something is sent again that the server has refused with `tooFast`: for half a minute.
  private static let mostTries = 30

  /// The socket is gone, and the answers to what was sent over it. Chat messages are said again: the server knows by the number which it has passed on.
  /// Signals are of the moment, so that those are told as lost. What waits goes on waiting.
  func loseAnswers() {
    place?.saidChat = []
    let lost = JoinError.unreachable(
      "The connection was lost before the server had answered; the signal may have arrived.")
    for signal in signals where signal.isSent { settle(signal: signal.id, .failure(lost)) }
    let dropped = JoinError.unreachable("The connection was lost before the signal was sent.")
    for signal in signals where !signal.waits { settle(signal: signal.id, .failure(dropped)) }
  }

  /// The meeting is over: whoever waits is told, and chat messages that were never sent are.
  func endTurns() {
    for message in unsentChat where place?.saidChat.contains(message.id) != true { emit(.chatFailed(message, .ended)) }
    unsentChat = []
    heldBack = [:]
    for signal in signals { settle(signal: signal.id, .failure(.ended)) }
  }

  /// The server passed a chat message on. False when it is none that waits for that.
  func settle(chat id: Int) -> Bool {
    guard let index = unsentChat.firstIndex(where: { $0.id == id }) else { return false }
    unsentChat.remove(at: index)
    heldBack[id] = nil
    secret?.forget(id)
    sendInTurn()
    return true
  }

  /// The server passed a signal on, or did not, or nobody knows. False when it is none that waits for that.
  @discardableResult func settle(signal id: Int, _ result: Result<Void, JoinError>) -> Bool {
    guard let index = signals.firstIndex(where: { $0.id == id }) else { return false }
    let signal = signals.remove(at: index)
    heldBack[id] = nil
    secret?.forget(id)
    signal.settled(result)
    sendInTurn()
    return true
  }
}

/// A chat message or a signal that may go out next.
private struct Turn {
  let id: Int
  let message: ClientMessage
  /// Of the text.
  let bytes: Int
  /// Where it is in ``Meeting/signals``; nil for a chat message.
  let signal: Int?
}

/// A signal without the server's answer.
struct OutgoingSignal {
  let id: Int
  let signal: Signal
  let recipient: String?
  /// Whether it waits for a connection that is being brought back.
  let waits: Bool
  /// Called once.
  let settled: @MainActor (Result<Void, JoinError>) -> Void
  var isSent = false

  var onTheWire: ClientMessage { .signal(signal, to: recipient, id: id) }
}

/// How many messages of the app's may go out: ``atOnce``, and ``perSecond`` on average. The server closes the socket of who sends more than 50 a second
/// or 200 at once (`docs/protocol.md`), and the rest of that is for what the client says by itself. It passes on 64 KiB a second of one participant, or
/// 256 KiB at once, so that the bytes are held to less than that too.
struct SendingPace {
  static let atOnce = 100
  static let perSecond = 40
  /// How long a goodbye waits at most for what was said before it.
  static let longestGoodbye = TimeSpan.seconds(2)
  /// How many messages go out meanwhile.
  static let lastTurns = Int(longestGoodbye.seconds * Double(perSecond))

  /// Bytes at once, and a second.
  static let bytesAtOnce = 224 << 10
  static let bytesPerSecond = 56 << 10
  /// How long nothing goes out after a refusal with `tooFast`: the server takes nothing for half of that.
  private static let pause = TimeSpan.seconds(1)

  private var turns = TokenBucket(perSecond: perSecond, burst: atOnce)
  private var bytes = TokenBucket(perSecond: bytesPerSecond, burst: bytesAtOnce)
  private var heldUntil = Instant.zero

  /// What a message counts as with the server: its own bytes, and 300 for what the server says besides.
  static func bytes(of message: ClientMessage) -> Int {
    ((try? SignalingEncoder().encode(message))?.utf8.count ?? 0) + 300
  }

  /// Lets nothing go for a moment.
  mutating func hold(from now: Instant) { heldUntil = now + Self.pause }

  /// Takes a turn for so many bytes; false when it is too early.
  mutating func takeTurn(_ now: Instant, bytes size: Int = 0) -> Bool {
    guard turns.holds(1, now: now), bytes.holds(size, now: now), now >= heldUntil else { return false }
    turns.spend(1)
    bytes.spend(size)
    return true
  }

  /// Sends the last messages at this pace, until the socket is gone.
  func send(_ messages: [ClientMessage], over channel: SignalingChannel) async {
    var pace = self
    for message in messages {
      let bytes = SendingPace.bytes(of: message)
      while !pace.takeTurn(MonotonicClock.now, bytes: bytes) {
        try? await Task.sleep(nanoseconds: 1_000_000_000 / UInt64(Self.perSecond))
      }
      guard channel.send(message) else { return }
    }
  }
}
