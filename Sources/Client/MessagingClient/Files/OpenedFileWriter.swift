package import Crypto
import FoundationEssentials
import Glibc
import Synchronization

/// The file of a download: it is opened and written while it arrives, so memory has one chunk of it. It is at its path
/// only once all of it is there, and is what was sealed.
package final class OpenedFileWriter: Sendable {
  /// Follows the name of a file that isn't finished. It has a character that no suffix of a message's file has.
  private static let suffix = ".part_"

  private let path: String
  private let size: Int
  private let state: Mutex<State>

  private struct State {
    let descriptor: Int32
    var opener: AttachmentCipher.Opener
    /// Arrived bytes: less than a chunk, or a chunk that may be the last one.
    var sealed: [UInt8] = []
    var written = 0
    var reported = 0
    var hasFailed = false

    mutating func openNext(_ count: Int, isLast: Bool) throws {
      // Nothing follows a chunk that doesn't open, or can't be written.
      hasFailed = true
      let next = Array(sealed.prefix(count))
      var chunk: [UInt8] = []
      chunk.reserveCapacity(count)
      try opener.open(next.span, isLast: isLast, appendingTo: &chunk)
      try StoredFile.write(chunk, to: descriptor)
      sealed.removeFirst(count)
      written += chunk.count
      hasFailed = false
    }
  }

  /// A file of `size` bytes that goes to `path`, next to which it grows.
  package init(_ path: String, size: Int, key: SecretBytes) throws {
    self.path = path
    self.size = size
    let opener = try AttachmentCipher.Opener(key: key)
    let descriptor = unsafe open(path + Self.suffix, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileStore.Failure.system(call: "open", code: errno) }
    state = Mutex(State(descriptor: descriptor, opener: opener))
  }

  /// Removes the files that an earlier process has not finished: what they have is not encrypted.
  package static func removeUnfinished(in folder: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(suffix) {
      try? FileManager.default.removeItem(atPath: folder + "/" + name)
    }
  }

  deinit {
    state.withLock { _ = close($0.descriptor) }
    // Gone already when the file is finished.
    unsafe unlink(path + Self.suffix)
  }

  /// Takes the next bytes of the sealed form; false when they aren't what was sealed, or can't be written.
  package func receive(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard !state.hasFailed, state.written <= size else { return false }
      state.sealed += bytes
      // The last chunk is one that nothing follows.
      while state.sealed.count > AttachmentCipher.sealedLength {
        guard (try? state.openNext(AttachmentCipher.sealedLength, isLast: false)) != nil else { return false }
      }
      return true
    }
  }

  /// The bytes that are written, when they have become another twentieth of the file.
  package func progress() -> Int? {
    state.withLock { state in
      guard (state.written - state.reported) * 20 >= size, state.written > state.reported else { return nil }
      state.reported = state.written
      return state.written
    }
  }

  /// Opens the last chunk, and puts the file in its place.
  package func finish() throws {
    try state.withLock { state in
      guard !state.hasFailed else { throw CryptoError.authenticationFailed }
      try state.openNext(state.sealed.count, isLast: true)
      guard state.written == size else { throw CryptoError.authenticationFailed }
      guard fsync(state.descriptor) == 0 else { throw FileStore.Failure.system(call: "fsync", code: errno) }
      guard unsafe rename(path + Self.suffix, path) == 0 else {
        throw FileStore.Failure.system(call: "rename", code: errno)
      }
    }
  }
}
