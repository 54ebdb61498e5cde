import Glibc
public import Messaging

/// The bytes of attachments, which their senders have encrypted: one file each in a folder of the data folder. A file
/// that was taken whole is on the disk, with its name, when ``finish(_:)`` returns. Half ones of an earlier process are
/// removed at the start.
public actor AttachmentFiles {
  /// Why a file was not taken.
  public enum Refusal: Error, Sendable, Equatable {
    case tooManyBytes
    case incomplete
    case diskFull
    case failed(String)
  }

  private struct Upload {
    var descriptor: Int32
    var expected: Int
    var written = 0
  }

  private let thread = SerialThread()
  private let folder: String
  private let spare: Int
  private let freeBytes: @Sendable (String) -> UInt64?
  private var uploads: [AttachmentID: Upload] = [:]
  private var isReady = false

  /// The store's own thread: writing may wait for the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Files below `data`, the server's data folder. `spare` bytes stay free on the disk, which the database shares.
  /// `freeBytes` says how many bytes are free on a folder's disk; nil when that isn't known.
  public init(
    data: String, spare: Int = 64 << 20,
    freeBytes: @escaping @Sendable (String) -> UInt64? = { AttachmentFiles.freeBytes(of: $0) }
  ) {
    folder = data + "/attachments"
    self.spare = spare
    self.freeBytes = freeBytes
  }

  /// The free bytes of a folder's disk.
  public static func freeBytes(of folder: String) -> UInt64? {
    var info = statvfs()
    return statvfs(folder, &info) == 0 ? UInt64(info.f_bavail) * UInt64(info.f_frsize) : nil
  }

  deinit { thread.stop() }

  private func path(_ id: AttachmentID) -> String { "\(folder)/\(id)" }

  private func prepare() throws(Refusal) {
    if isReady { return }
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw Self.failure(errno) }
    _ = DiskFolder.synchronise(DiskFolder.containing(folder))
    for name in ChatFileStore.names(in: folder) where name.hasSuffix(".part") { unlink("\(folder)/\(name)") }
    isReady = true
  }

  /// Begins to take a file of exactly so many bytes. An upload of the same attachment starts again.
  public func start(_ id: AttachmentID, bytes: Int) throws(Refusal) {
    try prepare()
    cancel(id)
    // Other uploads have still to write what they were promised.
    let promised = uploads.values.reduce(0) { $0 + $1.expected - $1.written }
    if let free = freeBytes(folder), free < UInt64(bytes + spare + promised) { throw .diskFull }
    let descriptor = Glibc.open(path(id) + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(errno) }
    uploads[id] = Upload(descriptor: descriptor, expected: bytes)
  }

  /// Writes the next bytes. Removes all that was written when this throws.
  public func append(_ bytes: [UInt8], to id: AttachmentID) throws(Refusal) {
    guard var upload = uploads[id] else { throw .incomplete }
    guard upload.written + bytes.count <= upload.expected else {
      cancel(id)
      throw .tooManyBytes
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(upload.descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = count == 0 ? ENOSPC : errno
        cancel(id)
        throw Self.failure(reason)
      }
      rest = rest.dropFirst(count)
    }
    upload.written += bytes.count
    uploads[id] = upload
  }

  /// The file is whole, and on the disk when this returns. It is gone when this throws.
  public func finish(_ id: AttachmentID) throws(Refusal) {
    guard let upload = uploads[id] else { throw .incomplete }
    guard upload.written == upload.expected else {
      cancel(id)
      throw .incomplete
    }
    uploads[id] = nil
    let isKept = fsync(upload.descriptor) == 0
    let reason = errno
    close(upload.descriptor)
    guard isKept, rename(path(id) + ".part", path(id)) == 0, DiskFolder.synchronise(folder) else {
      let code = isKept ? errno : reason
      unlink(path(id) + ".part")
      throw Self.failure(code)
    }
  }

  /// Gives an upload up.
  public func cancel(_ id: AttachmentID) {
    guard let upload = uploads.removeValue(forKey: id) else { return }
    close(upload.descriptor)
    unlink(path(id) + ".part")
  }

  /// The path of a whole file; nil when there is none.
  public func file(of id: AttachmentID) -> String? { access(path(id), R_OK) == 0 ? path(id) : nil }

  /// The ids of files that came whole.
  public var all: [AttachmentID] {
    ChatFileStore.names(in: folder).filter { !$0.hasSuffix(".part") }.map { AttachmentID($0) }
  }

  public func remove(_ id: AttachmentID) {
    cancel(id)
    unlink(path(id))
  }

  private static func failure(_ code: Int32) -> Refusal {
    code == ENOSPC || code == EDQUOT ? .diskFull : .failed(String(cString: strerror(code)))
  }
}
