import Basics
import Signaling

/// Chat messages and signals on their way to the server: in the order in which they were written, no faster than the
/// server accepts them, and each until the server has answered it.
///
/// It does no I/O and reads no clock. The ``Meeting`` sends what ``next`` names, and gives the answers.
struct SendQueue {
  /// A message that may go out next.
  enum Item {
    case chat(SentChatMessage)
    case signal(OutgoingSignal)

    var id: Int {
      switch self {
      case .chat(let message): message.id
      case .signal(let signal): signal.id
      }
    }

    /// The bytes of its text.
    var bytes: Int {
      switch self {
      case .chat(let message): message.text.utf8.count
      case .signal(let signal): signal.signal.data.utf8.count
      }
    }
  }

  /// Messages without an answer, and the bytes of their texts.
  struct Load {
    private(set) var count = 0
    private(set) var bytes = 0

    mutating func add(_ bytes: Int) {
      count += 1
      self.bytes += bytes
    }
  }

  /// The most that may be on the wire without an answer: a slow network delivers everything that it held back at once,
  /// and the server counts it then. The bytes keep clear of a socket's limit, whatever JSON makes of them.
  static let window = (count: 100, bytes: 128 << 10)

  /// The most times that a message is sent again after a refusal with `tooFast`: for half a minute.
  private static let mostRefusals = 30

  /// Chat messages that the server has neither passed on nor refused, in order.
  var chat: [SentChatMessage] = []
  /// The chat messages that were sent over the present socket.
  private(set) var sentChat: Set<Int> = []
  /// Signals that the server has not answered, in order.
  private(set) var signals: [OutgoingSignal] = []
  var rateLimiter = SendRateLimiter()
  /// How often the server has refused a message with `tooFast`.
  private var refusals: [Int: Int] = [:]

  // MARK: Sending

  mutating func add(_ message: SentChatMessage) { chat.append(message) }

  mutating func add(_ signal: OutgoingSignal) { signals.append(signal) }

  /// The oldest message that waits; nil when none does.
  var next: Item? {
    let message = chat.first { !sentChat.contains($0.id) }
    let signal = signals.first { !$0.isSent }
    if let message, message.id < (signal?.id ?? .max) { return .chat(message) }
    return signal.map { .signal($0) }
  }

  /// The messages on the wire.
  var load: Load {
    var load = Load()
    for message in chat where sentChat.contains(message.id) { load.add(message.text.utf8.count) }
    for signal in signals where signal.isSent { load.add(signal.signal.data.utf8.count) }
    return load
  }

  mutating func markSent(_ item: Item) {
    switch item {
    case .chat(let message): sentChat.insert(message.id)
    case .signal(let sent):
      if let index = signals.firstIndex(where: { $0.id == sent.id }) { signals[index].isSent = true }
    }
  }

  // MARK: Answers

  /// How often a message was refused with `tooFast`: a wait for the answer to one try is over with the next.
  func refusals(of id: Int) -> Int? { refusals[id] }

  /// The server refused a message with `tooFast`: it is sent again later, before everything that was written after it.
  /// False when it is none of these, or was refused too often.
  mutating func withhold(_ id: Int, now: Instant) -> Bool {
    let count = (refusals[id] ?? 0) + 1
    guard count <= Self.mostRefusals else { return false }
    if let index = signals.firstIndex(where: { $0.id == id }), signals[index].waits {
      signals[index].isSent = false
    } else if chat.contains(where: { $0.id == id }) {
      sentChat.remove(id)
    } else {
      return false
    }
    refusals[id] = count
    rateLimiter.hold(from: now)
    return true
  }

  /// Removes a chat message that was answered; nil when there is none of this number.
  mutating func removeChat(_ id: Int) -> SentChatMessage? {
    guard let index = chat.firstIndex(where: { $0.id == id }) else { return nil }
    refusals[id] = nil
    return chat.remove(at: index)
  }

  /// Removes a chat message that a history has, whose number isn't known there.
  mutating func removeChat(text: String, to recipient: String?) {
    guard let index = chat.firstIndex(where: { $0.text == text && $0.recipient == recipient }) else { return }
    chat.remove(at: index)
  }

  /// Removes a signal that was answered; nil when there is none of this number.
  mutating func removeSignal(_ id: Int) -> OutgoingSignal? {
    guard let index = signals.firstIndex(where: { $0.id == id }) else { return nil }
    refusals[id] = nil
    return signals.remove(at: index)
  }

  /// The socket is gone: chat messages are sent again, since the server knows by the number which it has passed on.
  mutating func resendChat() { sentChat = [] }

  /// The meeting is over. Returns the chat messages that were never sent.
  mutating func endChat() -> [SentChatMessage] {
    let unsent = chat.filter { !sentChat.contains($0.id) }
    (chat, refusals) = ([], [:])
    return unsent
  }
}

/// A signal without the server's answer.
struct OutgoingSignal {
  let id: Int
  let signal: Signal
  let recipient: String?
  /// Whether it waits for a connection that is being brought back.
  let waits: Bool
  /// Called once, with the server's answer or an error.
  let settled: @MainActor (Result<Void, JoinError>) -> Void
  var isSent = false

  var onTheWire: ClientMessage { .signal(signal, to: recipient, id: id) }
}
