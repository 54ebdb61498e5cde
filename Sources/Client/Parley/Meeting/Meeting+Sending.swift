import Basics
import Signaling

/// Chat messages and signals on their way to the server: in the order in which they were said, no faster than the
/// server takes them, and each until the server has answered it.
extension Meeting {
  /// How many chat messages, and how many signals, may be without the server's answer; the next one is refused.
  package nonisolated static let maximumUnanswered = 1_000

  /// How long an answer is waited for: longer than it takes to see that a socket is dead, which is pinged.
  private static let longestSilence = TimeSpan.seconds(30)

  /// The error when too many are without an answer.
  nonisolated static func tooMany(_ what: String) -> JoinError {
    .refused(
      code: SignalingErrorCode.tooFast.rawValue,
      message:
        "\(maximumUnanswered) \(what) are on their way already, which is the limit: \(SendRateLimiter.perSecond) a second go out, "
        + "\(SendRateLimiter.atOnce) at once. Wait a moment, or send fewer.")
  }

  /// Whether what waits may go out. Before the end of a join, and while one is in doubt, the session may be thrown away
  /// with the answers.
  var takesTurns: Bool {
    state != .ended && joinedOnce && signaling?.isWelcome == true && !connectionState.signalingDown
      && !connectionState.rejoining
  }

  /// Sends what may go now, the oldest first. Called whenever something is added or answered, and when the connection
  /// is there again.
  func sendInTurn() {
    guard takesTurns, let signaling else { return }
    var load = queue.load
    while load.count < SendQueue.window.count, let item = queue.next, let message = onTheWire(item) {
      // An answer to what is under way goes on from here.
      guard load.count == 0 || load.bytes + item.bytes <= SendQueue.window.bytes else { return }
      guard queue.rateLimiter.consume(MonotonicClock.now, bytes: SendRateLimiter.bytes(of: message)) else {
        return goOnLater()
      }
      // Without a socket nothing is lost: it waits until the session is resumed.
      guard signaling.channel.send(message) else { return }
      queue.markSent(item)
      awaitAnswer(item.id, over: signaling.channel)
      load.add(item.bytes)
    }
  }

  private func onTheWire(_ item: SendQueue.Item) -> ClientMessage? {
    switch item {
    case .chat(let message): onTheWire(message)
    case .signal(let signal): onTheWire(signal)
    }
  }

  /// The messages that still go out when the meeting is left, in their order: as much as ``SendRateLimiter`` lets go
  /// within ``SendRateLimiter/longestGoodbye``. It counts as sent from here on.
  func takeLastTurns() -> [ClientMessage] {
    guard takesTurns else { return [] }
    var bytes = queue.load.bytes
    var last: [ClientMessage] = []
    while last.count < SendRateLimiter.lastMessages, let item = queue.next, let message = onTheWire(item),
      bytes + item.bytes <= SendQueue.window.bytes
    {
      queue.markSent(item)
      last.append(message)
      bytes += item.bytes
    }
    return last
  }

  private func goOnLater() {
    guard !awaitsTurn else { return }
    awaitsTurn = true
    tasks.run { [weak self] in
      try? await Task.sleep(nanoseconds: 1_000_000_000 / UInt64(SendRateLimiter.perSecond))
      self?.awaitsTurn = false
      self?.sendInTurn()
    }
  }

  /// Gives up what is not answered over a socket that works: the server did not understand it. A socket that does not
  /// is lost before.
  private func awaitAnswer(_ id: Int, over channel: SignalingChannel) {
    let refusals = queue.refusals(of: id)
    tasks.run { [weak self, weak channel] in
      try? await Task.sleep(nanoseconds: UInt64(Self.longestSilence.nanoseconds))
      guard let self, !Task.isCancelled, let channel, self.signaling?.channel === channel else { return }
      // It was refused, and sent again since.
      guard self.queue.refusals(of: id) == refusals else { return }
      let error = JoinError.timedOut("The server did not answer within \(Self.longestSilence.milliseconds / 1_000) s.")
      if !self.takeChatRefusal(id: id, error) { self.settle(signal: id, .failure(error)) }
    }
  }

  /// The meeting passes on no more just now (`tooFast`): what it has refused is sent again later, before everything
  /// that was said after it. False when it is none of these, or was refused too often.
  func holdBack(_ id: Int) -> Bool {
    guard queue.withhold(id, now: MonotonicClock.now) else { return false }
    goOnLater()
    return true
  }

  /// The socket is gone, and the answers to what was sent over it. Chat messages are said again: the server knows by
  /// the number which it has passed on. Signals are of the moment, so they are reported as lost. Waiting messages go on
  /// waiting.
  func loseAnswers() {
    queue.resendChat()
    let lost = JoinError.unreachable(
      "The connection was lost before the server had answered; the signal may have arrived.")
    for signal in queue.signals where signal.isSent { settle(signal: signal.id, .failure(lost)) }
    let dropped = JoinError.unreachable("The connection was lost before the signal was sent.")
    for signal in queue.signals where !signal.waits { settle(signal: signal.id, .failure(dropped)) }
  }

  /// The meeting is over: every waiter gets an error, and unsent chat messages are reported.
  func endTurns() {
    for message in queue.endChat() { emit(.chatFailed(message, .ended)) }
    for signal in queue.signals { settle(signal: signal.id, .failure(.ended)) }
  }

  /// The server passed a chat message on. False when it is none that waits for that.
  func settle(chat id: Int) -> Bool {
    guard queue.removeChat(id) != nil else { return false }
    secret?.forget(id)
    sendInTurn()
    return true
  }

  /// The server passed a signal on, or did not, or nobody knows. False when it is none that waits for that.
  @discardableResult func settle(signal id: Int, _ result: Result<Void, JoinError>) -> Bool {
    guard let signal = queue.removeSignal(id) else { return false }
    secret?.forget(id)
    signal.settled(result)
    sendInTurn()
    return true
  }
}
