import Crypto
import Glibc
import Synchronization

/// A random key of the server alone: tokens of vaults and the answers to them depend on it. It is in a file of its own
/// and never in the database or a copy of it, so that neither is of use to somebody who guesses passcodes.
public final class VaultPepper: Sendable {
  /// The file's name in the data folder.
  public static let fileName = "vault-pepper"
  private static let length = 32

  /// The key, and a name for it that gives nothing away.
  struct Key: Sendable {
    var secret: SecretBytes
    var id: String
  }

  /// One state of the file. Another one has other bytes.
  private struct Mark: Equatable {
    var device: UInt64
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int

    init(_ info: stat) {
      (device, inode) = (UInt64(info.st_dev), UInt64(info.st_ino))
      (seconds, nanoseconds) = (info.st_mtim.tv_sec, info.st_mtim.tv_nsec)
    }
  }

  private struct Known {
    var key: Key
    var mark: Mark
  }

  public let path: String
  private let known = Mutex<Known?>(nil)

  /// A pepper in a file, which ``make()`` makes.
  public init(path: String) { self.path = path }

  /// The error for vaults whose pepper's file is gone.
  var missing: MeetingStoreError {
    .failed(path: path, reason: "the pepper of the vaults is missing; put its file back from your copy")
  }

  /// The key; nil when there is no file. Reads the file again when it is another one than before.
  /// - Throws: ``MeetingStoreError/notWritable(path:reason:)``, ``MeetingStoreError/damaged(path:reason:)``.
  func load() throws(MeetingStoreError) -> Key? {
    let result = known.withLock { known in
      Result { () throws(MeetingStoreError) -> Key? in
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
          let (isGone, problem) = (errno == ENOENT, failure())
          known = nil
          guard isGone else { throw problem }
          return nil
        }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw failure() }
        let mark = Mark(info)
        if let known, known.mark == mark { return known.key }
        known = nil
        let key = try key(of: try read(descriptor))
        known = Known(key: key, mark: mark)
        return key
      }
    }
    return try result.get()
  }

  /// The key, in a file that is made if there is none.
  func make() throws(MeetingStoreError) -> Key {
    if let key = try load() { return key }
    try create()
    guard let key = try load() else { throw missing }
    return key
  }

  private func key(of bytes: consuming [UInt8]) throws(MeetingStoreError) -> Key {
    var bytes = bytes
    let label = Array("parley vault pepper 1".utf8)
    do throws(CryptoError) {
      let name = try HMAC.code(of: label.span, key: bytes.span, using: .sha256)
      return Key(secret: SecretBytes(wiping: &bytes), id: Base64URL.encode(Array(name.prefix(8))))
    } catch {
      throw .failed(path: path, reason: "\(error)")
    }
  }

  private func read(_ descriptor: Int32) throws(MeetingStoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.length + 1)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + length }, $0.count - length)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      if count == 0 { break }
      length += count
    }
    guard length == Self.length else {
      throw .damaged(path: path, reason: "a pepper has \(Self.length) bytes, and vaults need the one that they had")
    }
    bytes.removeLast()
    return bytes
  }

  /// Makes the file under another name first, so that no half one is ever found. Another process may be faster: then
  /// its pepper counts.
  private func create() throws(MeetingStoreError) {
    let fresh: [UInt8]
    do throws(CryptoError) { fresh = try SecretBytes.random(Self.length).unprotectedCopy() } catch {
      throw .failed(path: path, reason: "\(error)")
    }
    let new = path + ".new.\(UInt64.random(in: 0...UInt64.max))"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure() }
    let isWritten = fresh.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == fresh.count
    let isKept = isWritten && fsync(descriptor) == 0
    let reason = errno
    close(descriptor)
    defer { unlink(new) }
    guard isKept else {
      errno = reason
      throw failure()
    }
    guard link(new, path) == 0 else {
      guard errno == EEXIST else { throw failure() }
      return
    }
    guard DiskFolder.synchronise(DiskFolder.containing(path)) else { throw failure() }
  }

  private func failure() -> MeetingStoreError {
    if errno == ENOSPC || errno == EDQUOT { return .diskFull(path: path) }
    return .notWritable(path: path, reason: String(cString: strerror(errno)))
  }
}

extension VaultPepper.Key {
  /// The kept form of a token, or the answer to it: both belong to one credential of one owner.
  func code(_ purpose: Purpose, of token: [UInt8], seed: [UInt8], owner: VaultOwner) throws(CryptoError) -> [UInt8] {
    var message = Array("parley vault \(purpose.rawValue) 1\0".utf8)
    for part in [Array(owner.tenant.rawValue.utf8), Array(owner.identity.utf8), seed, token] {
      message.append(UInt8(truncatingIfNeeded: part.count >> 8))
      message.append(UInt8(truncatingIfNeeded: part.count))
      message += part
    }
    return try HMAC.code(of: message.span, key: secret.bytes, using: .sha256)
  }

  enum Purpose: String {
    case verifier, answer
  }
}
