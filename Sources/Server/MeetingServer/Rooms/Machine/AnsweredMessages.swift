import Signaling

/// The last numbered messages of one participant, with their answers.
///
/// A client that lost the connection before an answer repeats its messages. A repeated one gets its former answer, and
/// isn't passed on twice.
struct AnsweredMessages: Sendable {
  /// The answer that a client got to a message.
  enum Answer: Sendable, Hashable {
    /// It was passed on, and isn't stored.
    case done
    /// It was passed on as the chat message of this number.
    case said(Int)
    case refused(SignalingRefusal)
  }

  /// The state of a message that has come.
  enum Progress: Sendable, Hashable {
    case new
    /// It came before, and has no answer yet.
    case underWay
    /// It came before, and got this answer.
    case answered(Answer)
  }

  /// How many are remembered: more than a client can send at once (``SignalingService``), so more than can lack an
  /// answer when a connection is lost.
  static let maximum = 256

  private struct Entry {
    /// Distinguishes a repeated message from another one that uses the same number.
    var content: Int
    var answer: Answer?
    /// Whether it counts as if it had never come.
    var isForgotten = false
  }

  private var entries: [Int: Entry] = [:]
  /// The numbers in the order in which they came; from ``maximum`` on a ring that begins at ``oldest``.
  private var numbers: [Int] = []
  private var oldest = 0

  /// Returns the state of a message. A new one is under way from now on.
  mutating func take(_ id: Int, _ message: ClientMessage) -> Progress {
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

  /// Forgets a message that wasn't handled: it may come again under its number.
  mutating func forget(_ id: Int) { entries[id]?.isForgotten = true }

  mutating func note(_ answer: Answer, to id: Int) { entries[id]?.answer = answer }
}
