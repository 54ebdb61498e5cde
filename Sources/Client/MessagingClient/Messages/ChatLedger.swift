import Encryption
import Messaging

/// How far the messages of each endpoint of a chat have come, and what contradicts it. Only messages whose signature
/// holds are compared.
struct ChatLedger: Sendable, Equatable {
  private static let maximumSenders = 4_096
  /// Missing messages that are remembered for each sender; a sender may claim any number.
  private static let maximumGaps = 2_048

  /// A conclusion from a signed message about the server's delivery.
  enum Finding: Hashable, Sendable {
    /// It was there before: the same bytes under another number.
    case replayed
    /// Messages of the same sender before it are missing.
    case missing(MessageHeader.Sender, count: UInt64)
    /// It should have come before one that is there already.
    case reordered
    /// The message names another one before it than has come: the sender or the server has two versions.
    case forked
    /// The sender had messages of a third which have not come here.
    case withheld(MessageHeader.Sender, count: UInt64)
  }

  struct Progress: Equatable, Sendable {
    var counter: UInt64
    var digest: [UInt8]
    /// Counters below ``counter`` that have not come.
    var gaps: Set<UInt64> = []
    /// The highest counter that others say there is; ``unknown`` after a time without the chat.
    var reported: UInt64 = 0
  }

  /// Says that the count of others is unknown: the sender's next message may leave some out.
  private static let unknown = UInt64.max

  private(set) var senders: [MessageHeader.Sender: Progress] = [:]
  /// Senders in the order of their last message, the newest last.
  private var recent: [MessageHeader.Sender] = []
  private var forgiven: [RegID: UInt64] = [:]
  /// Whether this identity was in the chat from its first message on, so that nothing may be missing.
  var isComplete = false

  init() {}

  /// The part of this endpoint's next message about the messages of others.
  var seen: [MessageHeader.Seen] {
    recent.suffix(MessageHeader.maximumSeen).compactMap { sender in
      senders[sender].map { MessageHeader.Seen(sender: sender, counter: $0.counter) }
    }
  }

  /// Counter and digest that the next message of `sender` names.
  func next(of sender: MessageHeader.Sender) -> (counter: UInt64, previous: [UInt8]) {
    guard let progress = senders[sender] else {
      return (1, [UInt8](repeating: 0, count: MessageHeader.digestLength))
    }
    return (progress.counter + 1, progress.digest)
  }

  /// Takes in a message of restored history, where deleted and recalled ones are missing rightly.
  mutating func restore(_ header: MessageHeader, digest: [UInt8]) {
    guard header.counter > senders[header.sender]?.counter ?? 0, senders.count < Self.maximumSenders else { return }
    senders[header.sender] = Progress(counter: header.counter, digest: digest)
    recent.removeAll { $0 == header.sender }
    recent.append(header.sender)
  }

  /// This identity is in the chat again: the messages since it left were not for it.
  mutating func skipAbsence() {
    isComplete = false
    for sender in senders.keys { senders[sender]?.reported = Self.unknown }
  }

  /// A message of this identity came without its body: it was recalled, so it is missing from the sender's count.
  mutating func forgive(_ id: RegID) { forgiven[id, default: 0] += 1 }

  /// Compares a message with what has come. A finding of ``Finding/replayed`` means: do not show it again.
  ///
  /// - Parameter own: This endpoint, whose messages the service may have taken before it says so.
  mutating func accept(
    _ header: MessageHeader, digest: [UInt8], at own: MessageHeader.Sender
  ) -> [Finding] {
    var findings: [Finding] = []
    if let progress = senders[header.sender] {
      findings = accept(header, digest: digest, after: progress)
    } else {
      guard senders.count < Self.maximumSenders else { return [] }
      senders[header.sender] = Progress(counter: header.counter, digest: digest)
      // Others' messages before this identity was in the chat are not for it.
      if isComplete, header.counter > 1 {
        senders[header.sender]?.gaps = Self.gaps(1..<header.counter)
        let recalled = takeForgiven(header.counter - 1, of: header.sender)
        if header.counter - 1 > recalled {
          findings.append(.missing(header.sender, count: header.counter - 1 - recalled))
        }
      }
    }
    if findings != [.replayed] {
      recent.removeAll { $0 == header.sender }
      recent.append(header.sender)
      findings += compareSeen(header, at: own)
    }
    return findings
  }

  private mutating func accept(_ header: MessageHeader, digest: [UInt8], after progress: Progress) -> [Finding] {
    if header.counter <= progress.counter {
      guard progress.gaps.contains(header.counter) else {
        return [header.counter == progress.counter && digest != progress.digest ? .forked : .replayed]
      }
      senders[header.sender]?.gaps.remove(header.counter)
      return [.reordered]
    }
    var findings: [Finding] = []
    let expected = progress.counter + 1
    if header.counter > expected {
      let gaps = Self.gaps(expected..<header.counter)
      let kept = progress.gaps.count < Self.maximumGaps ? progress.gaps : []
      senders[header.sender]?.gaps = kept.union(gaps)
      // Messages that a third has seen are reported already.
      let known = max(progress.reported, progress.counter)
      let missing = header.counter - 1 > known ? header.counter - 1 - known : 0
      let recalled = takeForgiven(missing, of: header.sender)
      if missing > recalled { findings.append(.missing(header.sender, count: missing - recalled)) }
    } else if header.previous != progress.digest {
      findings.append(.forked)
    }
    senders[header.sender]?.counter = header.counter
    senders[header.sender]?.digest = digest
    if progress.reported == Self.unknown { senders[header.sender]?.reported = 0 }
    return findings
  }

  private mutating func compareSeen(_ header: MessageHeader, at own: MessageHeader.Sender) -> [Finding] {
    var findings: [Finding] = []
    for entry in header.seen where entry.sender != header.sender && entry.sender != own {
      guard let progress = senders[entry.sender] else {
        guard isComplete, senders.count < Self.maximumSenders, entry.counter > 0 else { continue }
        senders[entry.sender] = Progress(
          counter: 0, digest: [UInt8](repeating: 0, count: MessageHeader.digestLength), reported: entry.counter)
        let recalled = takeForgiven(entry.counter, of: entry.sender)
        if entry.counter > recalled { findings.append(.withheld(entry.sender, count: entry.counter - recalled)) }
        continue
      }
      let known = max(progress.counter, progress.reported)
      guard entry.counter > known else { continue }
      senders[entry.sender]?.reported = entry.counter
      let missing = entry.counter - known
      let recalled = takeForgiven(missing, of: entry.sender)
      if missing > recalled { findings.append(.withheld(entry.sender, count: missing - recalled)) }
    }
    return findings
  }

  /// How many of so many missing messages came without their bodies. They are not counted again.
  private mutating func takeForgiven(_ missing: UInt64, of sender: MessageHeader.Sender) -> UInt64 {
    let recalled = min(missing, forgiven[sender.regId] ?? 0)
    forgiven[sender.regId]? -= recalled
    return recalled
  }

  /// The newest of a range of missing counters: a sender may claim any number.
  private static func gaps(_ range: Range<UInt64>) -> Set<UInt64> {
    Set(range.upperBound - min(range.upperBound - range.lowerBound, 1_024)..<range.upperBound)
  }
}

extension ChatLedger {
  func write(to writer: inout ByteWriter) {
    writer.write(UInt8(isComplete ? 1 : 0))
    writer.write(UInt16(truncatingIfNeeded: senders.count))
    let silent = senders.keys.filter { !recent.contains($0) }
    for sender in silent + recent {
      guard let progress = senders[sender] else { continue }
      writer.write(sender.regId.value)
      writer.write(sender.instance)
      writer.write(progress.counter)
      writer.write(progress.reported)
      writer.write(progress.digest)
      writer.write(UInt8(recent.contains(sender) ? 1 : 0))
      writer.write(UInt32(truncatingIfNeeded: progress.gaps.count))
      for gap in progress.gaps.sorted() { writer.write(gap) }
    }
  }

  init(reading reader: inout ByteReader) throws(KeyMessageError) {
    isComplete = try reader.read(UInt8.self) != 0
    for _ in 0..<(try reader.read(UInt16.self)) {
      let sender = MessageHeader.Sender(
        regId: RegID(try reader.read(UInt64.self)), instance: try reader.read(UInt64.self))
      let counter = try reader.read(UInt64.self)
      let reported = try reader.read(UInt64.self)
      let digest = try reader.read(count: MessageHeader.digestLength)
      if try reader.read(UInt8.self) != 0 { recent.append(sender) }
      var gaps: Set<UInt64> = []
      for _ in 0..<(try reader.read(UInt32.self)) { gaps.insert(try reader.read(UInt64.self)) }
      senders[sender] = Progress(counter: counter, digest: digest, gaps: gaps, reported: reported)
    }
  }
}
