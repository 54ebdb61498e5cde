import Basics
import Foundation

/// The channels of a data connection, both sides' ones. Does no I/O but that of files.
@MainActor final class DataChannels {
  /// A receipt that is due when the other side has a block.
  private struct DueReceipt {
    let block: UInt64
    let receipt: OutgoingChannel.Receipt
  }

  /// Gets what has come, or with an error what will not.
  var received: (BBMChannelData, BBMMediaError?) -> Void = { _, _ in }
  /// Whether somebody takes files, or the rest.
  var isTaken: (_ isFile: Bool) -> Bool = { _ in false }

  private(set) var link = DataLink()
  private var outgoing: [UInt32: OutgoingChannel] = [:]
  /// The channels that have something to send, in the order of their turns.
  private var turns: [UInt32] = []
  private var closing: [UInt32] = []
  private var nextID: UInt32 = 1
  private var incoming: [UInt32: IncomingChannel] = [:]
  /// In the order of their blocks.
  private var receipts: [DueReceipt] = []

  // MARK: Sending

  func open(_ make: (UInt32) -> OutgoingChannel?) -> String? {
    guard let channel = make(nextID) else { return nil }
    outgoing[channel.id] = channel
    turns.append(channel.id)
    nextID += 1
    return "\(channel.id)"
  }

  /// Sends over a stream of this side; false when there is none of this id.
  func send(_ data: Data, to id: String, _ callback: OutgoingChannel.Callback?) -> Bool {
    guard let channel = UInt32(id).flatMap({ outgoing[$0] }), channel.isStream else { return false }
    channel.append(data, callback)
    if !turns.contains(channel.id) { turns.append(channel.id) }
    return true
  }

  func close(_ id: String) {
    guard let number = UInt32(id), let channel = outgoing.removeValue(forKey: number) else { return }
    turns.removeAll { $0 == number }
    closing.append(number)
    channel.cancel(kMediaErrorCancelled)
  }

  /// The next packet to be sent.
  func nextOutput(now: Instant) -> DataLink.Output {
    while link.hasRoom, let (record, receipt) = nextRecord() {
      if let receipt { receipts.append(DueReceipt(block: link.nextNumber, receipt: receipt)) }
      link.enqueue(record.block)
    }
    return link.nextOutput(now: now)
  }

  /// The channels take turns, a record each.
  private func nextRecord() -> (record: ChannelRecord, receipt: OutgoingChannel.Receipt?)? {
    if !closing.isEmpty { return (.close(closing.removeFirst()), nil) }
    while let index = turns.firstIndex(where: { canSend($0) }) {
      let id = turns.remove(at: index)
      guard let channel = outgoing[id], let next = channel.nextRecord() else { continue }
      if channel.isClosed {
        // It stays until the last record is acknowledged, for the callbacks.
        return (
          next.record,
          { [weak self] in
            next.receipt?()
            self?.outgoing[id] = nil
          }
        )
      }
      if !channel.isIdle { turns.append(id) }
      return next
    }
    return nil
  }

  /// Whether it is open, or the other side has room for it.
  private func canSend(_ id: UInt32) -> Bool {
    guard let channel = outgoing[id], !channel.isOpened else { return true }
    var load = ChannelLoad()
    for other in outgoing.values where other.isOpened { load.add(other.header) }
    return load.hasRoom(for: channel.header)
  }

  /// The connection below is another one.
  func resend() { link.resend() }

  // MARK: Receiving

  func receive(_ bytes: [UInt8], now: Instant) {
    switch link.receive(bytes, now: now) {
    case .acknowledged(let count):
      while let first = receipts.first, first.block < count {
        receipts.removeFirst()
        first.receipt()
      }
    case .block(let block): if let record = ChannelRecord(block) { apply(record) }
    case nil: break
    }
  }

  private func apply(_ record: ChannelRecord) {
    switch record {
    case .open(let id, let header):
      guard incoming[id] == nil else { return }
      let channel = IncomingChannel(header)
      guard hasRoom(for: header) else {
        if isTaken(channel.isFile) { fail(id, channel, kMediaErrorTooLarge) }
        return
      }
      incoming[id] = channel
    case .bytes(let id, let bytes):
      guard let channel = taken(id) else { return }
      guard channel.add(bytes) else { return fail(id, channel, kMediaErrorTransfer) }
      received(channel.data, nil)
    case .end(let id, let digest):
      let channel = taken(id)
      incoming[id] = nil
      guard let channel else { return }
      guard channel.finish(digest: digest) else { return fail(id, channel, kMediaErrorTransfer) }
      received(channel.data, nil)
    case .close(let id):
      guard let channel = incoming.removeValue(forKey: id), !channel.isDropped else { return }
      if channel.data.type != kDataChannelStream { fail(id, channel, kMediaErrorCancelled) }
    }
  }

  private func hasRoom(for header: ChannelHeader) -> Bool {
    var load = ChannelLoad()
    for channel in incoming.values { load.add(channel.header) }
    return load.hasRoom(for: header) && (!header.isFile || IncomingChannel.diskHasRoom(for: header.size ?? 0))
  }

  /// A channel whose content somebody takes.
  private func taken(_ id: UInt32) -> IncomingChannel? {
    guard let channel = incoming[id], !channel.isDropped else { return nil }
    guard isTaken(channel.isFile) else {
      channel.drop()
      return nil
    }
    return channel
  }

  private func fail(_ id: UInt32, _ channel: IncomingChannel, _ error: BBMMediaError) {
    channel.drop()
    received(channel.data, error)
  }

  // MARK: The end

  /// The connection is over: every transfer that is not done has failed.
  func end(_ error: BBMMediaError) {
    let (sending, receiving) = (outgoing.sorted { $0.key < $1.key }, incoming.sorted { $0.key < $1.key })
    (outgoing, incoming, turns, closing, receipts) = ([:], [:], [], [], [])
    for (_, channel) in sending { channel.cancel(error) }
    for (id, channel) in receiving where !channel.isDropped && channel.data.type != kDataChannelStream {
      fail(id, channel, error)
    }
  }
}
