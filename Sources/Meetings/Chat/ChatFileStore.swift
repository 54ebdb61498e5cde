import Glibc

/// The files of chats, in a folder of the data folder. They live as long as their meeting runs, and so never longer than the process: what
/// one that was killed has left behind is removed by the next.
///
/// What is promised is taken at once, so that uploads side by side cannot take more than there may be. Each process has a folder of its
/// own with a lock beside it, since several may work on one data folder.
public actor ChatFileStore {
  /// How much may be stored, in bytes.
  public struct Limits: Sendable, Hashable {
    /// In one file; 0 for no files at all.
    public var file = 25 << 20
    /// In one meeting.
    public var meeting = 250 << 20
    /// In all meetings of a tenant that has no limit of its own.
    public var tenant = 2 << 30
    /// What has to stay free on the disk: the database shares it.
    public var spare = 64 << 20

    /// The usual limits.
    public init() {}
  }

  /// A file that was taken whole.
  public struct Stored: Sendable, Hashable {
    /// Names it; random.
    public var id: String
    /// What it is, by ``FileType``.
    public var type: String
    /// Its size in bytes.
    public var size: Int
  }

  /// Writes some bytes to a descriptor, as `write(2)` does.
  typealias Write = @Sendable (Int32, [UInt8]) -> Int

  private struct Entry {
    var meeting: MeetingID
    var tenant: TenantID
    var descriptor: Int32
    var expected: Int
    var written = 0
    var head: [UInt8] = []
  }

  private let thread: SerialThread
  private let root: String
  private let write: Write
  /// How much may be stored.
  public nonisolated let limits: Limits
  private var folder: String?
  private var lock: Int32 = -1
  private var files: [String: Entry] = [:]
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

  /// Promises room for a file of `bytes`, and gives the id to write it by. `fileLimit` and `tenantLimit` are what the meeting and its tenant
  /// say themselves.
  public func begin(
    bytes: Int, meeting: MeetingID, tenant: TenantID, fileLimit: Int? = nil, tenantLimit: Int? = nil
  ) throws(ChatFileRefusal) -> String {
    if isClosed { throw .closed }
    let limit = min(fileLimit ?? limits.file, limits.file)
    guard limit > 0 else { throw .off }
    guard bytes > 0 else { throw .empty }
    guard bytes <= limit else { throw .tooLarge(limit: limit) }
    guard bytes <= limits.meeting - taken({ $0.meeting == meeting }) else { throw .meetingFull(limit: limits.meeting) }
    let share = tenantLimit ?? limits.tenant
    guard bytes <= share - taken({ $0.tenant == tenant }) else { throw .tenantFull(limit: share) }
    let folder = try makeFolder()
    guard hasRoom(for: bytes, in: folder) else { throw .diskFull }
    let id = "f_" + RandomID.text(characters: 32)
    let descriptor = Glibc.open(folder + "/" + id, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(errno) }
    files[id] = Entry(meeting: meeting, tenant: tenant, descriptor: descriptor, expected: bytes)
    return id
  }

  /// Writes the next bytes. What was written is gone when this throws.
  public func append(_ bytes: [UInt8], to id: String) throws(ChatFileRefusal) {
    guard var entry = files[id], entry.descriptor >= 0 else { throw .closed }
    guard entry.written + bytes.count <= entry.expected else {
      remove(id)
      throw .incomplete
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
    let code = Glibc.close(entry.descriptor)
    let reason = errno
    entry.descriptor = -1
    let type = FileType.of(entry.head)
    entry.head = []
    files[id] = entry
    guard code == 0 else {
      remove(id)
      throw Self.failure(reason)
    }
    return Stored(id: id, type: type, size: entry.written)
  }

  // MARK: Staying and going

  /// Where a whole file of a meeting is; nil when there is none of that id.
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

  /// How many bytes are stored or promised.
  public var bytes: Int { taken { _ in true } }

  /// How many files there are, also those on the way.
  public var count: Int { files.count }

  /// Removes what processes that run no more have left behind.
  public func sweep() {
    let names = Self.names(in: root)
    for name in names where name.hasSuffix(".lock") {
      let path = root + "/" + name
      let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        Self.removeFolder(root + "/" + name.dropLast(5))
        unlink(path)
      }
      Glibc.close(descriptor)
    }
    // A folder is made after its lock, so one without a lock is nobody's.
    let locks = Set(Self.names(in: root).filter { $0.hasSuffix(".lock") })
    for name in names where !name.hasSuffix(".lock") && !locks.contains(name + ".lock") {
      Self.removeFolder(root + "/" + name)
    }
  }

  /// Removes everything. Later uploads are refused.
  public func close() {
    isClosed = true
    for id in Array(files.keys) { remove(id) }
    guard let folder else { return }
    rmdir(folder)
    unlink(folder + ".lock")
    Glibc.close(lock)
    self.folder = nil
    rmdir(root)
  }

  // MARK: Parts

  private func taken(_ isMeant: (Entry) -> Bool) -> Int {
    files.values.reduce(0) { isMeant($1) ? $0 + $1.expected : $0 }
  }

  private func makeFolder() throws(ChatFileRefusal) -> String {
    if let folder { return folder }
    if mkdir(root, 0o700) != 0 && errno != EEXIST { throw Self.failure(errno) }
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

  private static let write: Write = { descriptor, bytes in
    bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  private static func failure(_ code: Int32) -> ChatFileRefusal {
    code == ENOSPC || code == EDQUOT ? .diskFull : .failed(String(cString: strerror(code)))
  }

  private static func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  private static func removeFolder(_ folder: String) {
    for name in names(in: folder) { unlink(folder + "/" + name) }
    rmdir(folder)
  }
}

/// Why a file is not taken. Each says what to do.
public enum ChatFileRefusal: Error, Sendable, Equatable {
  /// No files are taken here.
  case off
  /// The file has no bytes.
  case empty
  /// The file has more bytes than the limit.
  case tooLarge(limit: Int)
  /// All files of the meeting would be more than the limit.
  case meetingFull(limit: Int)
  /// All files of the tenant would be more than the limit.
  case tenantFull(limit: Int)
  /// No space is left on the disk.
  case diskFull
  /// Fewer or more bytes came than were said.
  case incomplete
  /// The meeting is over, or the server ends.
  case closed
  /// Anything else.
  case failed(String)

  /// The stable code.
  public var code: String {
    switch self {
    case .off: "filesOff"
    case .empty: "emptyFile"
    case .tooLarge: "fileTooLarge"
    case .meetingFull: "meetingFilesFull"
    case .tenantFull: "quotaReached"
    case .diskFull: "diskFull"
    case .incomplete: "incompleteFile"
    case .closed: "meetingOver"
    case .failed: "fileNotStored"
    }
  }
}

extension ChatFileRefusal: CustomStringConvertible {
  /// What happened and what to do, as sentences for whoever sends the file.
  public var description: String {
    switch self {
    case .off: "This meeting takes no files."
    case .empty: "The file is empty."
    case .tooLarge(let limit): "The file is larger than \(Self.size(limit)), the most that this meeting takes."
    case .meetingFull(let limit):
      "The files of this meeting would be more than \(Self.size(limit)) together. Delete some of them first."
    case .tenantFull(let limit):
      "The files of all meetings of this organisation would be more than \(Self.size(limit)) together. Try again later."
    case .diskFull: "The server's disk is full; the file was not stored. Tell whoever runs the server."
    case .incomplete: "The file did not come whole; it was not stored. Send it again."
    case .closed: "The meeting is over; the file was not stored."
    case .failed: "The server could not store the file. Its log says why."
    }
  }

  private static func size(_ bytes: Int) -> String {
    bytes >= 1 << 20 && bytes % (1 << 20) == 0
      ? "\(bytes >> 20) MiB" : bytes >= 1 << 10 && bytes % (1 << 10) == 0 ? "\(bytes >> 10) KiB" : "\(bytes) bytes"
  }
}
