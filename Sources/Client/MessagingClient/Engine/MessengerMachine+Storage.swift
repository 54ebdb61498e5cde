import Crypto
import Encryption
import Messaging

extension MessengerMachine {
  private static let identityName = "identity"
  private static let pinsName = "pins"
  private static let outboxName = "outbox"
  static let chatPrefix = "chat-"
  private static let logPrefix = "log-"

  mutating func saveIdentity() { emit(.store([.put(Self.identityName, identity.encoded())])) }

  /// The pinned keys have a record of their own: it is large, and events seldom change it.
  mutating func savePins() {
    var writer = ByteWriter()
    identity.pins.write(to: &writer)
    emit(.store([.put(Self.pinsName, writer.bytes)]))
  }

  mutating func saveOutbox() { emit(.store([.put(Self.outboxName, LocalJSON.encode(outbox))])) }

  mutating func saveChat(_ id: ChatID) {
    guard let record = chats[id] else { return }
    emit(.store([.put(Self.chatPrefix + id.text, record.encoded())]))
  }

  mutating func removeChat(_ id: ChatID) {
    emit(.store([.remove(Self.chatPrefix + id.text), .remove(Self.logPrefix + id.text)]))
  }

  /// Adds what a message is now to the log of its chat; the newest entry of a number counts.
  mutating func log(_ message: MessageRecord, in chat: ChatID) {
    emit(.store([.append(Self.logPrefix + chat.text, LocalJSON.encode(message))]))
  }

  /// Writes the log again: earlier entries of it must not stay.
  mutating func rewriteLog(_ chat: ChatID) {
    let name = Self.logPrefix + chat.text
    if let entries = logEntries(of: name) { emit(.store([.replace(name, entries)])) }
  }

  /// The entries that a log by this name would have now; nil where there is no such chat.
  func logEntries(of name: String) -> [[UInt8]]? {
    guard name.hasPrefix(Self.logPrefix),
      let record = chats[ChatID(String(name.dropFirst(Self.logPrefix.count)))]
    else { return nil }
    return record.messages.sorted { $0.key < $1.key }.map { LocalJSON.encode($0.value) }
  }

  // MARK: Loading

  /// The state of an earlier run. A damaged record is as absent; a damaged identity is a new installation.
  mutating func load(identity: [UInt8]?, pins: [UInt8]?, outbox: [UInt8]?) {
    if let identity, let known = try? LocalIdentity(decoding: identity) { self.identity = known }
    if let pins {
      var reader = ByteReader(pins)
      if let known = try? PinnedKeys(reading: &reader) { self.identity.pins = known }
    }
    if let outbox, let known = LocalJSON.decode([QueuedMessage].self, from: outbox) {
      self.outbox = known
    }
  }

  mutating func load(chat: [UInt8], log: [[UInt8]]) {
    guard var record = try? ChatRecord(decoding: chat) else {
      identity.hasSynced = false
      return
    }
    for entry in log {
      guard let message = LocalJSON.decode(MessageRecord.self, from: entry) else { continue }
      record.messages[message.stored.number] = message
    }
    record.inbox = record.messages.values.filter { $0.reading == .waiting }.map(\.stored.number).sorted()
      .map { ChatRecord.Unread(number: $0, isRestored: false) }
    chats[record.info.chatId] = record
    // The log is written before the queue: a message that is in both was taken.
    let taken = Set(record.messages.values.filter { $0.stored.sender == own }.map(\.stored.cookie))
    outbox.removeAll { $0.chat == record.info.chatId && taken.contains($0.cookie) }
  }

  /// Reports what was loaded, as if it came now.
  mutating func announceLoaded() {
    for record in chats.values.sorted(by: { $0.info.chatId.text < $1.info.chatId.text }) {
      notify(.chatAdded(record.chat(own: own)))
      for message in record.messages.values.sorted(by: { $0.stored.number < $1.stored.number })
      where !message.isDeleted && message.reading != .waiting {
        notify(.messageAdded(message.message(in: record, own: own)))
      }
    }
    for message in outbox { notify(.messageAdded(message.message(own: own))) }
  }

  /// Loads everything that a store has.
  static func names(in store: any LocalStore) async -> (
    identity: [UInt8]?, pins: [UInt8]?, outbox: [UInt8]?, chats: [String]
  ) {
    let identity = try? await store.records(of: identityName).last
    let pins = try? await store.records(of: pinsName).last
    let outbox = try? await store.records(of: outboxName).last
    let names = (try? await store.names(prefix: chatPrefix)) ?? []
    return (identity ?? nil, pins ?? nil, outbox ?? nil, names.map { String($0.dropFirst(chatPrefix.count)) })
  }

  static func chat(_ name: String, in store: any LocalStore) async -> (chat: [UInt8], log: [[UInt8]])? {
    guard let chat = try? await store.records(of: chatPrefix + name).last else { return nil }
    return (chat, (try? await store.records(of: logPrefix + name)) ?? [])
  }
}
