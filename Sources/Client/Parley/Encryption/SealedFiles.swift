import Encryption
import Signaling

/// A file of an encrypted meeting, by the sealed message about it.
struct SealedFile: Hashable {
  /// The file as people see it: its own name, type and size.
  let file: ChatFile
  let key: FileKey

  /// The longest media type, in bytes.
  private static let maximumTypeBytes = 100

  /// The file that a message describes; nil for an impossible one. Names and types are a member's words, so they are
  /// cleaned as the server does it elsewhere.
  init?(id: String, name: String, type: String, size: Int, key: String) {
    guard let key = FileKey(text: key), size > 0, size <= 1 << 40, !id.isEmpty else { return nil }
    let isType = type.utf8.count <= Self.maximumTypeBytes && type.utf8.allSatisfy { (33...126).contains($0) }
    file = ChatFile(id: id, name: FileName.clean(name), type: isType ? type : ChatFile.unknownType, size: size)
    self.key = key
  }

  init(_ file: ChatFile, key: FileKey) {
    self.file = file
    self.key = key
  }
}

/// The keys of the files that this client has read of, by the files' ids. A file belongs to one message: the server
/// can't show it under another.
struct SealedFiles {
  private static let maximumFiles = 2_000

  private struct Known {
    let sealed: SealedFile
    let sender: String
  }

  private var files: [String: Known] = [:]
  private var order: [String] = []

  /// Remembers the file of a message. False when another message has it already.
  mutating func add(_ sealed: SealedFile, from sender: String) -> Bool {
    if let known = files[sealed.file.id] { return known.sealed == sealed && known.sender == sender }
    files[sealed.file.id] = Known(sealed: sealed, sender: sender)
    order.append(sealed.file.id)
    if order.count > Self.maximumFiles { files[order.removeFirst()] = nil }
    return true
  }

  subscript(id: String) -> SealedFile? { files[id]?.sealed }
}
