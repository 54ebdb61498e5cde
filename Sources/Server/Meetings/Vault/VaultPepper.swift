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

  public let path: String
  private let key = Mutex<Key?>(nil)

  /// A pepper in a file, which is made when it is first needed.
  public init(path: String) { self.path = path }

  /// The key. Reads the file once.
  /// - Throws: ``MeetingStoreError/notWritable(path:reason:)``, ``MeetingStoreError/damaged(path:reason:)``.
  func load() throws(MeetingStoreError) -> Key {
    let result = key.withLock { known in
      Result { () throws(MeetingStoreError) -> Key in
        if let known { return known }
        var bytes: [UInt8]
        if let found = try read() { bytes = found } else { bytes = try make() }
        do throws(CryptoError) {
          let label = Array("parley vault pepper 1".utf8)
          let name = try HMAC.code(of: label.span, key: bytes.span, using: .sha256)
          let found = Key(secret: SecretBytes(wiping: &bytes), id: Base64URL.encode(Array(name.prefix(8))))
          known = found
          return found
        } catch {
          throw .failed(path: path, reason: "\(error)")
        }
      }
    }
    return try result.get()
  }

  /// The bytes of the file; nil when there is none.
  private func read() throws(MeetingStoreError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure()
    }
    defer { close(descriptor) }
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
  private func make() throws(MeetingStoreError) -> [UInt8] {
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
      guard errno == EEXIST, let other = try read() else { throw failure() }
      return other
    }
    guard DiskFolder.synchronise(DiskFolder.containing(path)) else { throw failure() }
    return fresh
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
