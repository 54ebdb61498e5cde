import Encryption
import Messaging

/// The clear part of a message: who sent it as which of its messages, and what the sender had seen. It is signed, so a
/// server that replays, reorders or withholds messages contradicts it.
struct MessageHeader: Equatable, Sendable {
  static let version: UInt8 = 1
  static let digestLength = 32
  static let maximumSeen = 64
  /// No sender gets there; sums with it don't overflow.
  static let counterLimit: UInt64 = 1 << 62

  /// A sending endpoint in a chat. The instance is random, of one local store: its counters never go back.
  struct Sender: Hashable, Sendable {
    let regId: RegID
    let instance: UInt64
  }

  /// How far another endpoint's messages had come to the sender.
  struct Seen: Hashable, Sendable {
    let sender: Sender
    let counter: UInt64
  }

  let chat: ChatID
  let sender: Sender
  /// Counts the sender's messages in the chat from 1.
  let counter: UInt64
  /// The digest of the sender's message before; zeros for the first.
  let previous: [UInt8]
  /// Up to ``maximumSeen`` senders, those with the newest messages.
  let seen: [Seen]
  let key: ChatKeyID

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(text: chat.text)
    write(sender, to: &writer)
    writer.write(counter)
    writer.write(previous)
    writer.write(key.rawValue)
    writer.write(UInt8(truncatingIfNeeded: seen.count))
    for entry in seen {
      write(entry.sender, to: &writer)
      writer.write(entry.counter)
    }
    return writer.bytes
  }

  private func write(_ sender: Sender, to writer: inout ByteWriter) {
    writer.write(sender.regId.value)
    writer.write(sender.instance)
  }

  init(
    chat: ChatID, sender: Sender, counter: UInt64, previous: [UInt8], seen: [Seen], key: ChatKeyID
  ) {
    self.chat = chat
    self.sender = sender
    self.counter = counter
    self.previous = previous
    self.seen = seen
    self.key = key
  }

  init(reading reader: inout ByteReader) throws(KeyMessageError) {
    guard try reader.read(UInt8.self) == Self.version else { throw .malformed }
    chat = ChatID(try reader.readText(limit: 64))
    sender = try Self.readSender(&reader)
    counter = try reader.read(UInt64.self)
    previous = try reader.read(count: Self.digestLength)
    key = ChatKeyID(rawValue: try reader.read(UInt64.self))
    let count = Int(try reader.read(UInt8.self))
    guard counter > 0, counter < Self.counterLimit, count <= Self.maximumSeen else { throw .malformed }
    var seen: [Seen] = []
    for _ in 0..<count {
      let entry = Seen(sender: try Self.readSender(&reader), counter: try reader.read(UInt64.self))
      guard entry.counter < Self.counterLimit else { throw .malformed }
      seen.append(entry)
    }
    self.seen = seen
  }

  private static func readSender(_ reader: inout ByteReader) throws(KeyMessageError) -> Sender {
    Sender(regId: RegID(try reader.read(UInt64.self)), instance: try reader.read(UInt64.self))
  }
}
