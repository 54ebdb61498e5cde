import Crypto
import Encryption
import Messaging

/// A chat with its keys, its ledger and the newest of its messages.
struct ChatRecord: Sendable {
  /// Messages in memory and in the local log; earlier ones are fetched again.
  static let maximumMessages = 1_000

  var info: ChatInfo
  var ring = ChatKeyRing()
  var ledger = ChatLedger()
  var isDefunct = false
  /// A read mark that the service has not taken.
  var unsentRead: MessageNumber?
  /// From here on no message is missing that the service has; pages of earlier ones may be here, too.
  var floor: MessageNumber
  /// Numbers of history that this endpoint lacks.
  var unfetched: ClosedRange<MessageNumber>?
  var messages: [MessageNumber: MessageRecord] = [:]
  /// Messages that are not read yet, in order: the sender's keys may have to be fetched.
  var inbox: [Unread] = []

  struct Unread: Hashable, Sendable {
    var number: MessageNumber
    /// Whether it is history, of which parts are missing rightly.
    var isRestored: Bool
  }

  // Of the present connection.
  var isSending = false
  /// Whether sending waits for the next attempt.
  var isPaused = false
  var isRotating = false
  var isFetchingKeys = false
  var isJoining = false
  var deliveredSent = MessageNumber(0)
  /// Whether the identity's keys do not open the envelopes of the chat.
  var lacksKey = false
  /// Whether envelopes that the keys of before have signed may not open any more.
  var isRenewing = false
  /// The newest envelopes that were opened or refused: each change of the chat brings them again.
  private(set) var envelopes: [Sealed] = []

  init(info: ChatInfo) {
    self.info = info
    floor = max(info.firstMessage, MessageNumber(1))
  }

  /// Whether history is to be fetched. Nothing is sent before: it names the messages that this endpoint has seen.
  var isRestoring: Bool { unfetched != nil }

  func participant(_ id: RegID) -> ChatParticipant? { info.participants.first { $0.regId == id } }

  /// Opens bytes that are sealed under a chat key, with its id in front.
  func open(_ sealed: Sealed?, _ purpose: ChatKey.Purpose, context: [UInt8] = []) -> [UInt8]? {
    guard let bytes = sealed?.bytes, bytes.count > 8 else { return nil }
    let id = ChatKeyID(rawValue: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    return ring[id].flatMap { try? $0.open(Array(bytes.dropFirst(8)), purpose, context: context) }
  }

  static func seal(
    _ plaintext: [UInt8], _ key: ChatKey, _ purpose: ChatKey.Purpose, context: [UInt8] = []
  ) throws(CryptoError) -> Sealed {
    var writer = ByteWriter()
    writer.write(key.id.rawValue)
    writer.write(try key.seal(plaintext, purpose, context: context))
    return Sealed(bytes: writer.bytes)
  }

  private func text(_ sealed: Sealed?, _ purpose: ChatKey.Purpose) -> String? {
    open(sealed, purpose).map { String(decoding: $0, as: UTF8.self) }
  }

  func chat(own: RegID) -> Chat {
    let state: Chat.State =
      isDefunct ? .defunct : ring.current == nil ? .waiting : isRestoring ? .restoring : .ready
    return Chat(
      id: info.chatId, isOneToOne: info.isOneToOne, invitePolicy: info.invitePolicy, state: state,
      subject: text(info.subject, .subject), data: text(info.data, .data), participants: info.participants,
      lastMessage: info.lastMessage, firstMessage: info.firstMessage, unread: unread(own: own))
  }

  private func unread(own: RegID) -> Int {
    let read = participant(own)?.read ?? MessageNumber(0)
    return messages.values.count { $0.stored.sender != own && $0.stored.number > read && !$0.isDeleted }
  }

  /// The state that the participants' marks give a message.
  func state(of number: MessageNumber, isIncoming: Bool, own: RegID) -> (Message.State, isPartial: Bool) {
    if isIncoming { return ((participant(own)?.read ?? MessageNumber(0)) >= number ? .read : .delivered, false) }
    let others = info.participants.filter { $0.regId != own }
    let read = others.count { $0.read >= number }
    if read > 0 { return (.read, read < others.count) }
    let delivered = others.count { $0.delivered >= number }
    return delivered > 0 ? (.delivered, delivered < others.count) : (.sent, false)
  }

  /// Keeps the newest messages. True when others were dropped.
  mutating func trim() -> Bool {
    guard messages.count > Self.maximumMessages else { return false }
    let dropped = messages.keys.sorted().prefix(messages.count - Self.maximumMessages / 2)
    for number in dropped { messages[number] = nil }
    inbox.removeAll { messages[$0.number] == nil }
    if let last = dropped.last { raiseFloor(to: MessageNumber(last.value + 1)) }
    return true
  }

  /// False when the envelope was looked at before.
  mutating func looksAt(_ envelope: Sealed) -> Bool {
    guard !envelopes.contains(envelope) else { return false }
    envelopes = envelopes.suffix(3) + [envelope]
    return true
  }

  mutating func forgetEnvelopes() { envelopes = [] }

  mutating func raiseFloor(to number: MessageNumber) { floor = max(floor, number) }

  /// The messages from `first` to `last` are here.
  mutating func lowerFloor(to first: MessageNumber, through last: MessageNumber) {
    if last.value + 1 >= floor.value { floor = min(floor, first) }
  }

  // MARK: Local store

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt8(2))
    writer.write(UInt8(isDefunct ? 1 : 0))
    let info = LocalJSON.encode(info)
    writer.write(UInt32(truncatingIfNeeded: info.count))
    writer.write(info)
    writer.write(unfetched?.lowerBound.value ?? 0)
    writer.write(unfetched?.upperBound.value ?? 0)
    writer.write(floor.value)
    writer.write(unsentRead?.value ?? 0)
    ring.write(to: &writer)
    ledger.write(to: &writer)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(KeyMessageError) {
    var reader = ByteReader(bytes)
    guard try reader.read(UInt8.self) == 2 else { throw .malformed }
    isDefunct = try reader.read(UInt8.self) != 0
    let json = try reader.read(count: Int(try reader.read(UInt32.self)))
    guard let info = LocalJSON.decode(ChatInfo.self, from: json) else { throw .malformed }
    self.info = info
    let (first, last) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
    if first > 0, first <= last { unfetched = MessageNumber(first)...MessageNumber(last) }
    floor = MessageNumber(try reader.read(UInt64.self))
    let read = try reader.read(UInt64.self)
    unsentRead = read > 0 ? MessageNumber(read) : nil
    ring = try ChatKeyRing(reading: &reader)
    ledger = try ChatLedger(reading: &reader)
  }
}
