import Encryption
import Signaling
import Synchronization

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

/// A file that is opened as it comes. The first chunk that is damaged ends it, before the rest is fetched.
final class OpeningFile: Sendable {
  private struct State: ~Copyable {
    var opener: FileOpener
    var content: [UInt8] = []
    var problem: FileSealing.Problem?
  }

  private let state: Mutex<State>

  init(_ sealed: SealedFile) throws(FileSealing.Problem) {
    state = Mutex(State(opener: try FileOpener(sealed.key, size: sealed.file.size)))
  }

  /// Takes the next bytes of the sealed form; false once one of its chunks is damaged.
  func take(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard state.problem == nil else { return false }
      do throws(FileSealing.Problem) { state.content += try state.opener.open(bytes) } catch {
        state.problem = error
        state.content = []
      }
      return state.problem == nil
    }
  }

  var isDamaged: Bool { state.withLock { $0.problem != nil } }

  /// The whole content, once nothing more comes.
  func finish() throws(FileSealing.Problem) -> [UInt8] {
    try state.withLock { (state) throws(FileSealing.Problem) in
      if let problem = state.problem { throw problem }
      try state.opener.finish()
      return state.content
    }
  }
}
