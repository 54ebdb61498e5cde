/// The channels of one side that are open at once: the other side holds their content, so their number and size have
/// limits. A sender waits for room; a receiver refuses what is beyond.
struct ChannelLoad {
  static let channelLimit = 64
  /// Each takes a descriptor.
  static let fileLimit = 8

  private var channels = 0
  private var files = 0
  private var memory: UInt64 = 0

  mutating func add(_ header: ChannelHeader) {
    channels += 1
    if header.isFile { files += 1 }
    memory += header.memory
  }

  func hasRoom(for header: ChannelHeader) -> Bool {
    channels < Self.channelLimit && (!header.isFile || files < Self.fileLimit)
      && header.memory <= ChannelHeader.memoryLimit - min(memory, ChannelHeader.memoryLimit)
  }
}

extension ChannelHeader {
  var isFile: Bool { type == kDataChannelFile.rawValue }
  /// Bytes that the receiver keeps in memory until all are there.
  var memory: UInt64 { isFile ? 0 : size ?? 0 }
}
