public import Basics
import Glibc

/// The files of chats, in a folder of the data folder. They live as long as their meeting runs. After a process was
/// killed, the next one keeps the files of messages that are kept (``RunningStore``), and removes the others.
///
/// A file that was taken whole is on the disk, with its name: it survives the sudden end of the process at any moment.
///
/// Received bytes count against the limits. Promised bytes that have not come have a share of their own, by meeting,
/// network and tenant: a promise costs nothing, so nobody's promises may keep a file out that really comes. Each
/// process has a folder of its own with a lock next to it, since several may work on one data folder.
public actor ChatFileStore {
  /// How much may be stored, in bytes.
  public struct Limits: Sendable, Hashable {
    /// In one file; 0 for no files at all.
    public var file = 25 << 20
    public var meeting = 250 << 20
    /// In all meetings of a tenant that has no limit of its own.
    public var tenant = 2 << 30
    /// On the way in all meetings of a tenant, promised and not there yet. A tenant or a meeting that may store less
    /// has no more than that.
    public var promised = 2 << 30
    /// The same from one network.
    public var promisedInNetwork = 512 << 20
    /// Space that has to stay free on the disk: the database shares it.
    public var spare = 64 << 20

    public init() {}
  }

  /// A file that was taken whole.
  public struct Stored: Sendable, Hashable {
    public var id: String
    /// Its ``FileType``.
    public var type: String
    /// Its size in bytes.
    public var size: Int
  }

  /// Writes some bytes to a descriptor, as `write(2)` does.
  typealias Write = @Sendable (Int32, [UInt8]) -> Int

  struct Entry {
    var meeting: MeetingID
    var tenant: TenantID
    var descriptor: Int32
    var expected: Int
    /// The sender's network while it is on the way.
    var network: IPAddress?
    /// The limit of its tenant.
    var tenantLimit = Int.max
    var written = 0
    var head: [UInt8] = []
    /// Whether it was left by another process, and its meeting has not gone on yet.
    var isLeft = false

    /// Bytes that have not come yet.
    var promised: Int { descriptor >= 0 ? expected - written : 0 }
  }

  private let thread: SerialThread
  let root: String
  private let write: Write
  /// How much may be stored.
  public nonisolated let limits: Limits
  var folder: String?
  private var lock: Int32 = -1
  var files: [String: Entry] = [:]
  private var isClosed = false

  /// The store's own thread: writing may wait for the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Files in `data`, the server's data folder. Nothing is made before the first file comes.
  public init(data: String, limits: Limits = Limits()) { self.init(data: data, limits: limits, write: Self.write) }

  init(data: String, limits: Limits, write: @escaping Write) {
    thread = SerialThread()
    root = data + "/chat-files"
    self.limits = limits
    self.write = write
  }

  deinit { thread.stop() }

  // MARK: Coming

  /// Takes the promise of a file of `bytes`, and gives the id to write it by. `fileLimit` and `tenantLimit` are what
  /// the meeting and its tenant say themselves, `address` is where it comes from, if that says whose it is. `sealed`
  /// gives the bytes that an encrypted file may have for a limit of its content.
  public func beginUpload(
    bytes: Int, meeting: MeetingID, tenant: TenantID, from address: IPAddress? = nil, fileLimit: Int? = nil,
    tenantLimit: Int? = nil, sealed: (@Sendable (Int) -> Int)? = nil
  ) throws(ChatFileRefusal) -> String {
    if isClosed { throw .closed }
    let limit = min(fileLimit ?? limits.file, limits.file)
    guard limit > 0 else { throw .off }
    guard bytes > 0 else { throw .empty }
    guard bytes <= (sealed?(limit) ?? limit) else { throw .tooLarge(limit: limit) }
    let (share, network) = (tenantLimit ?? limits.tenant, address?.network)
    try requireRoom(for: bytes, meeting, tenant, share)
    try requirePromise(of: bytes, meeting, tenant, network, most: min(limits.promised, share))
    let folder = try makeFolder()
    guard hasRoom(for: bytes, in: folder) else { throw .diskFull }
    let id = "f_" + RandomID.text(characters: 32)
    let descriptor = Glibc.open(folder + "/" + id, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(errno) }
    files[id] = Entry(meeting: meeting, tenant: tenant, descriptor: descriptor, expected: bytes)
    files[id]?.network = network
    files[id]?.tenantLimit = share
    return id
  }

  /// Writes the next bytes. Bytes written before are gone when this throws.
  public func append(_ bytes: [UInt8], to id: String) throws(ChatFileRefusal) {
    guard var entry = files[id], entry.descriptor >= 0 else { throw .closed }
    guard entry.written + bytes.count <= entry.expected else {
      remove(id)
      throw .incomplete
    }
    do throws(ChatFileRefusal) {
      try requireRoom(for: bytes.count, entry.meeting, entry.tenant, entry.tenantLimit)
      if let folder, !hasRoom(for: bytes.count, in: folder) { throw .diskFull }
    } catch {
      remove(id)
      throw error
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(entry.descriptor, Array(rest))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let reason = count == 0 ? ENOSPC : errno
        remove(id)
        throw Self.failure(reason)
      }
      rest = rest.dropFirst(count)
    }
    if entry.head.count < FileType.examined { entry.head += bytes.prefix(FileType.examined - entry.head.count) }
    entry.written += bytes.count
    files[id] = entry
  }

  /// The file is whole. It is gone when this throws.
  public func finish(_ id: String) throws(ChatFileRefusal) -> Stored {
    guard var entry = files[id], entry.descriptor >= 0 else { throw .closed }
    guard entry.written == entry.expected else {
      remove(id)
      throw .incomplete
    }
    var reason: Int32 = 0
    if fsync(entry.descriptor) != 0 { reason = errno }
    if Glibc.close(entry.descriptor) != 0, reason == 0 { reason = errno }
    // The name has to be on the disk as well.
    if reason == 0, let folder, !DiskFolder.synchronise(folder) { reason = errno }
    entry.descriptor = -1
    let type = FileType.of(entry.head)
    entry.head = []
    files[id] = entry
    guard reason == 0 else {
      remove(id)
      throw Self.failure(reason)
    }
    return Stored(id: id, type: type, size: entry.written)
  }

  // MARK: Staying and going

  /// The path of a whole file of a meeting; nil when there is none of that id.
  public func path(of id: String, in meeting: MeetingID) -> String? {
    guard let folder, let entry = files[id], entry.meeting == meeting, entry.descriptor < 0 else { return nil }
    return folder + "/" + id
  }

  /// Removes a file, whole or not.
  public func remove(_ id: String) {
    guard let entry = files.removeValue(forKey: id) else { return }
    if entry.descriptor >= 0 { Glibc.close(entry.descriptor) }
    if let folder { unlink(folder + "/" + id) }
  }

  /// Removes all files of a meeting, also those on the way.
  public func removeAll(of meeting: MeetingID) {
    for id in files.filter({ $0.value.meeting == meeting }).keys { remove(id) }
  }

  /// How many bytes are stored, also of files that have not come whole.
  public var bytes: Int { stored { _ in true } }

  /// How many bytes are promised and have not come.
  public var promisedBytes: Int { promised { _ in true } }

  /// How many files there are, also those on the way.
  public var count: Int { files.count }

  /// Removes everything but what was left by a process that was killed and waits for its meeting to go on. Later
  /// uploads are refused.
  public func close() {
    isClosed = true
    for (id, entry) in files where !entry.isLeft { remove(id) }
    guard let folder else { return }
    self.folder = nil
    defer { Glibc.close(lock) }
    guard files.isEmpty else { return }
    rmdir(folder)
    unlink(folder + ".lock")
    rmdir(root)
  }

  // MARK: Parts

  func makeFolder() throws(ChatFileRefusal) -> String {
    if let folder { return folder }
    if mkdir(root, 0o700) != 0 && errno != EEXIST { throw Self.failure(errno) }
    _ = DiskFolder.synchronise(String(root.dropLast("/chat-files".count)))
    for _ in 0..<4 {
      let path = root + "/" + RandomID.text(characters: 16)
      let descriptor = Glibc.open(path + ".lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw Self.failure(errno) }
      var (mine, there) = (stat(), stat())
      // Another process may have taken the lock for an old one, and removed it, before it was held.
      let isHeld =
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &mine) == 0 && stat(path + ".lock", &there) == 0
        && mine.st_ino == there.st_ino
      guard isHeld else {
        Glibc.close(descriptor)
        continue
      }
      guard mkdir(path, 0o700) == 0 else {
        let reason = errno
        unlink(path + ".lock")
        Glibc.close(descriptor)
        throw Self.failure(reason)
      }
      guard DiskFolder.synchronise(root) else {
        let reason = errno
        rmdir(path)
        unlink(path + ".lock")
        Glibc.close(descriptor)
        throw Self.failure(reason)
      }
      lock = descriptor
      folder = path
      return path
    }
    throw .failed("the folder is swept by another process")
  }

  private func hasRoom(for bytes: Int, in folder: String) -> Bool {
    var info = statvfs()
    guard statvfs(folder, &info) == 0 else { return true }
    let free = UInt64(info.f_bavail).multipliedReportingOverflow(by: UInt64(info.f_frsize))
    return free.overflow || free.partialValue >= UInt64(bytes + limits.spare)
  }
}
