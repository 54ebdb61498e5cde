import Signaling

/// The last messages of one participant that are passed on once only, by the client's numbers, and what each was
/// answered. A client that has lost the connection before the answer says them again, and nobody else is to hear them
/// twice.
struct AnsweredMessages: Sendable {
  /// The answer that a client got to a message.
  enum Answer: Sendable, Hashable {
    /// It was passed on, and nothing of it is kept.
    case done
    /// It was passed on as the chat message of this number.
    case said(Int)
    case refused(SignalingRefusal)
  }

  /// The state of a message that has come.
  enum Standing: Sendable, Hashable {
    case new
    /// It came before, and is not answered yet.
    case underWay
    /// It came before, and was answered so.
    case answered(Answer)
  }

  /// How many are remembered: more than a client can send at once (``SignalingService``), and so more than can be
  /// without an answer when a connection is lost.
  static let maximum = 256

  private struct Entry {
    /// Distinguishes a repeated message from another one that uses the same number.
    var content: Int
    var answer: Answer?
    /// Whether it is as if it had never come.
    var isForgotten = false
  }

  private var entries: [Int: Entry] = [:]
  /// The numbers in the order in which they came, and from ``maximum`` on the place of the oldest.
  private var numbers: [Int] = []
  private var oldest = 0

  /// Takes a message; one that is new counts as under way from now on.
  mutating func take(_ id: Int, _ message: ClientMessage) -> Standing {
    let content = message.hashValue
    if let known = entries[id] {
      if known.content == content, !known.isForgotten { return known.answer.map { .answered($0) } ?? .underWay }
    } else if numbers.count < Self.maximum {
      numbers.append(id)
    } else {
      entries[numbers[oldest]] = nil
      numbers[oldest] = id
      oldest = (oldest + 1) % Self.maximum
    }
    entries[id] = Entry(content: content)
    return .new
  }

  /// Forgets a message that was not dealt with: it may come again under its number.
  mutating func forget(_ id: Int) { entries[id]?.isForgotten = true }

  /// Remembers what a message was answered.
  mutating func note(_ answer: Answer, to id: Int) { entries[id]?.answer = answer }
}
