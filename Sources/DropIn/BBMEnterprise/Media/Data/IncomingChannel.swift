import Crypto
import Foundation

/// A channel of the other side: what of it has come.
@MainActor final class IncomingChannel {
  let header: ChannelHeader
  let data: BBMChannelData
  private var size: UInt64? { header.size }
  private var received: UInt64 = 0
  private var digest = TransferDigest()
  private var memory = Data()
  private var file: FileHandle?
  private var path: String?
  /// Whether the rest is of no use: there was nobody to take it, or an error.
  private(set) var isDropped = false

  var isFile: Bool { data.type == kDataChannelFile }

  init(_ header: ChannelHeader) {
    self.header = header
    let type = BBMDataChannelType(rawValue: header.type)
    data = BBMChannelData(type, name: type == kDataChannelFile ? header.name.flatMap(Self.fileName) : header.name)
  }

  /// The name is somebody else's choice: only the end of a path counts, and nil is given for what names no file.
  private static func fileName(_ name: String) -> String? {
    guard !name.utf8.contains(0) else { return nil }
    let last = (name as NSString).lastPathComponent
    return ["", ".", "..", "/"].contains(last) ? nil : last
  }

  /// The rest is not wanted.
  func drop() {
    isDropped = true
    memory = Data()
    close()
  }

  private func close() {
    try? file?.close()
    file = nil
    if let path { try? FileManager.default.removeItem(atPath: path) }
    path = nil
  }

  /// Takes bytes; false when they cannot be kept or are more than were announced.
  func add(_ bytes: [UInt8]) -> Bool {
    guard let size else {
      data.data = Data(bytes)
      (data.progress, data.transferComplete) = (1, true)
      return true
    }
    received += UInt64(bytes.count)
    guard received <= size, (try? digest.add(bytes)) != nil, keep(bytes) else { return false }
    data.progress = size == 0 ? 0 : Double(received) / Double(size)
    return true
  }

  private func keep(_ bytes: [UInt8]) -> Bool {
    guard isFile else {
      memory.append(contentsOf: bytes)
      return true
    }
    guard let file = file ?? makeFile() else { return false }
    return (try? file.write(contentsOf: Data(bytes))) != nil
  }

  /// Whether the disk of temporary files has so many bytes left. A disk that doesn't say so fails when it is full.
  static func diskHasRoom(for size: UInt64) -> Bool {
    let folder = FileManager.default.temporaryDirectory.path
    let values = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    guard let free = values?[.systemFreeSize] as? NSNumber else { return true }
    return size <= free.uint64Value
  }

  /// A temporary file that the user alone may read.
  private func makeFile() -> FileHandle? {
    let new = FileManager.default.temporaryDirectory.appendingPathComponent("bbm-" + UUID().uuidString).path
    guard FileManager.default.createFile(atPath: new, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      return nil
    }
    path = new
    file = FileHandle(forWritingAtPath: new)
    return file
  }

  /// Everything was sent; false when it isn't what was sent.
  func finish(digest sent: [UInt8]) -> Bool {
    guard received == size, sent == digest.value, !isFile || file != nil || makeFile() != nil else { return false }
    if isFile {
      guard (try? file?.close()) != nil else { return false }
      file = nil
      data.filePath = path
      // It is the app's from now on.
      path = nil
    } else {
      data.data = memory
      memory = Data()
    }
    (data.progress, data.transferComplete) = (1, true)
    return true
  }
}
