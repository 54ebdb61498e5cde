import Glibc

/// The files of a data folder that go with a copy of its database: the certificate that the server has made itself
/// (`--tls self-signed`), and its key.
///
/// Files of chats do not: a chat ends with its meeting, and none is in a copy.
public struct CopiedFiles: Sendable, Equatable {
  /// The names, the key first: without it the certificate is of no use.
  static let names = ["tls-key.pem", "tls-certificate.pem"]

  /// The files' contents, in the order of ``names``; empty where there are none.
  var texts: [String]

  /// Whether there are none.
  public var isEmpty: Bool { texts.isEmpty }

  init(texts: [String]) { self.texts = texts }

  public init() { texts = [] }

  /// Those of a data folder. None where one is missing or `isPair` says that the key and the certificate at these paths
  /// don't fit: the server would replace such a pair anyway.
  public init(of folder: String, isPair: (_ certificate: String, _ key: String) -> Bool) {
    texts = []
    let paths = Self.names.map { folder + "/" + $0 }
    guard isPair(paths[1], paths[0]) else { return }
    let read = paths.compactMap(Self.read)
    if read.count == paths.count { texts = read }
  }

  /// Puts them into a data folder, on the disk with their names; false where it has one of them already, which stays. A
  /// file that the server works with must stay: people have made their devices trust it.
  @discardableResult public func write(to folder: String) throws(MeetingStoreError) -> Bool {
    let paths = Self.names.map { folder + "/" + $0 }
    guard !isEmpty, paths.allSatisfy({ access($0, F_OK) != 0 }) else { return false }
    for (path, text) in zip(paths, texts) {
      try Self.write(text, to: path, mode: path.hasSuffix("key.pem") ? 0o600 : 0o644)
    }
    guard DiskFolder.synchronise(folder) else { throw Self.failure(folder) }
    return true
  }

  /// A file of ordinary size as text; nil where it is none.
  private static func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + length }, $0.count - length)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return String(validating: bytes.prefix(length), as: UTF8.self) }
      length += count
    }
    return nil
  }

  /// Next to its place first, so that no half file is ever found there.
  private static func write(_ text: String, to path: String, mode: mode_t) throws(MeetingStoreError) {
    let new = path + ".new"
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure(new) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    let isWhole = rest.isEmpty && fsync(descriptor) == 0
    let reason = errno
    close(descriptor)
    guard isWhole, rename(new, path) == 0 else {
      let code = isWhole ? errno : reason
      unlink(new)
      errno = code
      throw failure(path)
    }
  }

  private static func failure(_ path: String) -> MeetingStoreError {
    if errno == ENOSPC || errno == EDQUOT { return .diskFull(path: path) }
    return .notWritable(path: path, reason: String(cString: strerror(errno)))
  }
}
