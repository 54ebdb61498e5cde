package import Crypto
import Glibc
import Synchronization

/// A file as the body of an upload: it is read and sealed while it is sent, so memory has one chunk of it.
package final class SealedFileReader: Sendable {
  /// Bytes of the file when it was opened.
  package let size: Int
  package var sealedSize: Int { AttachmentCipher.sealedSize(of: size) }
  private let state: Mutex<State>

  private struct State {
    let descriptor: Int32
    var sealer: AttachmentCipher.Sealer
    /// Bytes of the file that have not been read.
    var rest: Int
    var isOver = false
    /// Sealed bytes that nobody has taken yet.
    var sealed: [UInt8] = []
    var position = 0

    /// Seals the next chunk; false when the file can't be read or is shorter than it was.
    mutating func sealNext() -> Bool {
      guard !isOver else { return false }
      // A chunk is sealed once, whatever happens.
      isOver = true
      let length = min(AttachmentCipher.chunkLength, rest)
      guard let chunk = try? StoredFile.read(descriptor, count: length), chunk.count == length else { return false }
      rest -= length
      guard (try? sealer.seal(chunk.span, isLast: rest == 0, appendingTo: &sealed)) != nil else { return false }
      isOver = rest == 0
      return true
    }
  }

  /// Opens a regular file.
  package init(_ path: String, key: SecretBytes) throws {
    let sealer = try AttachmentCipher.Sealer(key: key)
    // Without blocking: a pipe would wait for its other end.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileStore.Failure.system(call: "open", code: errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileStore.Failure.system(call: "fstat", code: EINVAL)
    }
    size = Int(status.st_size)
    state = Mutex(State(descriptor: descriptor, sealer: sealer, rest: size))
  }

  deinit { state.withLock { _ = close($0.descriptor) } }

  /// The `count` bytes of the sealed form at `offset`, which is where the last ones have ended. Nil elsewhere: another
  /// attempt would seal what the file has by then with the same nonces.
  package func bytes(at offset: Int, count: Int) -> [UInt8]? {
    state.withLock { state in
      guard offset == state.position else { return nil }
      while state.sealed.count < count { guard state.sealNext() else { return nil } }
      let bytes = Array(state.sealed.prefix(count))
      state.sealed.removeFirst(count)
      state.position += count
      return bytes
    }
  }
}
