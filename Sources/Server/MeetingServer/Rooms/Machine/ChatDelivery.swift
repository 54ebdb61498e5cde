import Signaling

/// Chat messages that wait until they are on the disk, in the order in which everybody is to get them.
struct ChatDelivery {
  enum Update {
    /// A message, and the number under which its sender hears what has become of it.
    case message(ChatEntry, id: Int?)
    /// A message has become another one.
    case changed(ChatEntry)
  }

  private var waiting: [(write: UInt64, update: Update)] = []

  /// The journal write that the last update waits for; nil when none waits.
  var lastWrite: UInt64? { waiting.last?.write }

  mutating func append(_ update: Update, after write: UInt64) { waiting.append((write, update)) }

  /// Takes out what waits for the journal up to `write`.
  mutating func drain(through write: UInt64) -> [Update] {
    let ready = waiting.prefix { $0.write <= write }.map(\.update)
    waiting.removeFirst(ready.count)
    return ready
  }
}
