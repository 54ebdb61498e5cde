import FoundationEssentials
import Meetings
import Signaling

/// The last chat messages of a meeting, bounded in number, bytes and age.
struct ChatHistory: Sendable {
  /// The most messages that one client gets at once.
  static let maximumMessages = 200
  /// The most bytes of text that one client gets at once, so that they always fit a `welcome`.
  static let maximumBytes = 64 * 1024
  /// The most bytes of text kept.
  static let keptBytes = 1 << 20

  private var keep = ChatPolicy.messages
  private var age: TimeInterval?
  private var entries: [ChatEntry] = []
  private var bytes = 0
  private var last: Int

  /// An empty history. Its numbers follow `last`: clients know messages by number, so a room that is reopened must not
  /// use a number twice.
  init(after last: Int = 0, policy: ChatPolicy = ChatPolicy()) {
    self.last = last
    follow(policy)
  }

  private mutating func follow(_ policy: ChatPolicy) {
    keep = policy.maximumMessages ?? ChatPolicy.messages
    age = policy.maximumAge?.seconds
  }

  /// Applies another policy; returns the messages that it drops.
  mutating func set(_ policy: ChatPolicy, now: Date) -> [ChatEntry] {
    follow(policy)
    return prune(now: now) + shorten()
  }

  /// Restores the messages of before a restart, with their numbers; returns those that are dropped as too old or too
  /// many.
  mutating func restore(_ kept: [ChatEntry], now: Date) -> [ChatEntry] {
    entries = kept
    bytes = kept.reduce(0) { $0 + $1.text.utf8.count }
    last = max(last, kept.last?.id ?? 0)
    return prune(now: now) + shorten()
  }

  /// Gives the messages that these participants wrote or got to the new id of the same person; returns the messages
  /// that changed.
  mutating func rename(_ olds: Set<String>, to id: String) -> [ChatEntry] {
    var changed: [ChatEntry] = []
    for index in entries.indices {
      let isFrom = olds.contains(entries[index].from)
      let isTo = entries[index].to.map(olds.contains) ?? false
      guard isFrom || isTo else { continue }
      if isFrom { entries[index].from = id }
      if isTo { entries[index].to = id }
      changed.append(entries[index])
    }
    return changed
  }

  var all: [ChatEntry] { entries }

  /// The number of the last message, whether it is kept or not.
  var lastID: Int { last }

  /// The number of the next message.
  mutating func nextID() -> Int {
    last += 1
    return last
  }

  /// Appends `entry`, and drops the oldest beyond the bounds; returns those.
  @discardableResult mutating func append(_ entry: ChatEntry) -> [ChatEntry] {
    entries.append(entry)
    bytes += entry.text.utf8.count
    return shorten()
  }

  /// Drops the oldest beyond the bounds; returns those.
  private mutating func shorten() -> [ChatEntry] {
    var gone = 0
    var left = bytes
    while entries.count - gone > keep || left > Self.keptBytes, gone < entries.count {
      left -= entries[gone].text.utf8.count
      gone += 1
    }
    return forget(gone)
  }

  /// Drops messages that are too old; returns them.
  mutating func prune(now: Date) -> [ChatEntry] {
    guard let age else { return [] }
    return forget(entries.prefix { $0.time + age <= now }.count)
  }

  /// When the oldest message is to be forgotten.
  var nextEnd: Date? {
    guard let age, let first = entries.first else { return nil }
    return first.time + age
  }

  func entry(_ id: Int) -> ChatEntry? { entries.first { $0.id == id } }

  /// The message of a file.
  func entry(file: String) -> ChatEntry? { entries.first { $0.file?.id == file } }

  /// Replaces the message of the same number, and drops the oldest beyond the bounds; returns those.
  @discardableResult mutating func replace(_ entry: ChatEntry) -> [ChatEntry] {
    guard let index = entries.firstIndex(where: { $0.id == entry.id }) else { return [] }
    bytes += entry.text.utf8.count - entries[index].text.utf8.count
    entries[index] = entry
    return shorten()
  }

  /// The newest messages that `participant` may see, after the number `after`: those to everybody, and private ones
  /// from or to them.
  func visible(to participant: String, after: Int = 0) -> [ChatEntry] {
    var room = Self.maximumBytes
    let newest = entries.reversed().lazy
      .filter { $0.id > after && ($0.to == nil || $0.to == participant || $0.from == participant) }
      .prefix(Self.maximumMessages)
      .prefix { entry in
        room -= entry.text.utf8.count
        return room >= 0
      }
    return newest.reversed()
  }

  /// The messages to everybody that weren't deleted.
  var open: [ChatEntry] { entries.filter { $0.to == nil && $0.deleted == nil } }

  private mutating func forget(_ count: Int) -> [ChatEntry] {
    guard count > 0 else { return [] }
    let gone = Array(entries.prefix(count))
    for entry in gone { bytes -= entry.text.utf8.count }
    entries.removeFirst(count)
    return gone
  }
}
