import Crypto
import Foundation

/// A channel of this side: what of it waits, and what was sent.
@MainActor final class OutgoingChannel {
  typealias Callback = @MainActor (Double, Bool, (any Error)?) -> Void

  private enum Source {
    case memory(Data)
    case file(FileHandle)
  }

  /// A block of a stream that waits, or the one content of another channel.
  private struct Item {
    let source: Source
    let size: UInt64
    var read: UInt64 = 0
    let callback: Callback?
  }

  /// Is called when the other side has a record.
  typealias Receipt = @MainActor () -> Void

  let id: UInt32
  let header: ChannelHeader
  private(set) var isOpened = false
  private var items: [Item] = []
  private var digest = TransferDigest()
  private(set) var isClosed = false
  /// Callbacks whose last call is still to come.
  private var pending: [Int: Callback] = [:]
  private var nextPending = 0

  private init(_ id: UInt32, _ header: ChannelHeader) {
    self.id = id
    self.header = header
  }

  static func stream(_ id: UInt32, name: String?) -> OutgoingChannel {
    OutgoingChannel(id, ChannelHeader(type: kDataChannelStream.rawValue, name: name))
  }

  static func memory(
    _ id: UInt32, _ type: BBMDataChannelType, name: String?, _ data: Data, _ callback: Callback?
  ) -> OutgoingChannel {
    let size = UInt64(data.count)
    let channel = OutgoingChannel(id, ChannelHeader(type: type.rawValue, name: name, size: size))
    channel.items = [Item(source: .memory(data), size: size, callback: callback)]
    return channel
  }

  /// Nil when the file cannot be read.
  static func file(_ id: UInt32, path: String, _ callback: Callback?) -> OutgoingChannel? {
    guard let file = FileHandle(forReadingAtPath: path), let size = try? file.seekToEnd(),
      (try? file.seek(toOffset: 0)) != nil
    else { return nil }
    let name = ChannelHeader.cut((path as NSString).lastPathComponent)
    let channel = OutgoingChannel(id, ChannelHeader(type: kDataChannelFile.rawValue, name: name, size: size))
    channel.items = [Item(source: .file(file), size: size, callback: callback)]
    return channel
  }

  var isStream: Bool { header.size == nil }
  /// Whether there is nothing to send now.
  var isIdle: Bool { isOpened && items.isEmpty }

  func append(_ data: Data, _ callback: Callback?) {
    items.append(Item(source: .memory(data), size: UInt64(data.count), callback: callback))
  }

  /// The next record, and what is to be done when the other side has it. Nil when there is none.
  func nextRecord() -> (record: ChannelRecord, receipt: Receipt?)? {
    guard isOpened else {
      isOpened = true
      return (.open(id, header), nil)
    }
    guard !items.isEmpty else { return nil }
    if items[0].read < items[0].size { return nextBytes() }
    let item = items.removeFirst()
    // An empty block of a stream has no record of its own.
    guard !isStream else { return (.bytes(id, []), last(item)) }
    isClosed = true
    return (.end(id, digest: digest.value), last(item))
  }

  private func nextBytes() -> (record: ChannelRecord, receipt: Receipt?) {
    let start = items[0].read
    let count = min(items[0].size - start, UInt64(ChannelRecord.payloadLimit))
    guard let bytes = read(items[0].source, from: start, Int(count)), (try? digest.add(bytes)) != nil else {
      // The file has changed or is gone: the other side shall not take what there is of it.
      let item = items.removeFirst()
      isClosed = true
      return (.close(id), { item.callback?(0, true, kMediaErrorTransfer) })
    }
    items[0].read += count
    let item = items[0]
    if isStream, item.read == item.size {
      items.removeFirst()
      return (.bytes(id, bytes), last(item))
    }
    let progress = Double(item.read) / Double(item.size)
    return (
      .bytes(id, bytes), { [weak self] in if self?.wasCancelled == false { item.callback?(progress, false, nil) } }
    )
  }

  private func read(_ source: Source, from start: UInt64, _ count: Int) -> [UInt8]? {
    switch source {
    case .memory(let data):
      let first = data.startIndex + Int(start)
      return Array(data[first..<first + count])
    case .file(let file):
      guard let bytes = try? file.read(upToCount: count), bytes.count == count else { return nil }
      return Array(bytes)
    }
  }

  private var wasCancelled = false

  /// The last call of a callback, unless the channel is cancelled before.
  private func last(_ item: Item) -> Receipt? {
    guard let callback = item.callback else { return nil }
    let key = nextPending
    nextPending += 1
    pending[key] = callback
    return { [weak self] in self?.pending.removeValue(forKey: key)?(1, true, nil) }
  }

  /// Nothing more is sent. Every callback without its last call gets the error.
  func cancel(_ error: BBMMediaError) {
    guard !wasCancelled else { return }
    wasCancelled = true
    isClosed = true
    let callbacks = pending.sorted { $0.key < $1.key }.map(\.value) + items.compactMap(\.callback)
    (pending, items) = ([:], [])
    for callback in callbacks { callback(0, true, error) }
  }
}
