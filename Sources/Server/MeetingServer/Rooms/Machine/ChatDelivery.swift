import Signaling

/// Chat messages that wait until they are on the disk, in the order of their delivery.
struct ChatDelivery {
  enum Update {
    /// A message, and the client's number for its answer.
    case message(ChatEntry, id: Int?)
    /// A message that was edited or deleted.
    case changed(ChatEntry)
  }

  private var waiting: [(write: UInt64, update: Update)] = []

  /// The journal write that the last update waits for; nil when none waits.
  var lastWrite: UInt64? { waiting.last?.write }

  mutating func append(_ update: Update, after write: UInt64) { waiting.append((write, update)) }

  /// Removes and returns the updates that wait for the journal up to `write`.
  mutating func drain(through write: UInt64) -> [Update] {
    let ready = waiting.prefix { $0.write <= write }.map(\.update)
    waiting.removeFirst(ready.count)
    return ready
  }
}
