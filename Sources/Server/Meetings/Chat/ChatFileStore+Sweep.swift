public import Basics
import Glibc

/// Deals with the files that killed processes have left behind.
extension ChatFileStore {
  /// Deals with what processes that run no more have left behind: the files that `left` names are this one's from now
  /// on, the others are removed. Returns under which name a meeting's files are kept until it goes on (``resume(_:)``)
  /// or is over (``removeAll(of:)``).
  @discardableResult public func sweep(keeping left: [OrphanedMeeting] = []) -> [MeetingID: MeetingID] {
    var wanted: [String: (key: MeetingID, file: OrphanedMeeting.File)] = [:]
    var keys: [MeetingID: MeetingID] = [:]
    for meeting in left where !meeting.files.isEmpty {
      let key = MeetingID(rawValue: "\(meeting.meeting) \(RandomID.text(characters: 8))")
      keys[meeting.meeting] = key
      for file in meeting.files { wanted[file.id] = (key, file) }
    }
    let names = Self.names(in: root)
    for name in names where name.hasSuffix(".lock") {
      let path = root + "/" + name
      let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, take(wanted, from: root + "/" + name.dropLast(5)) { unlink(path) }
      Glibc.close(descriptor)
    }
    // A folder is made after its lock, so one without a lock is nobody's.
    let locks = Set(Self.names(in: root).filter { $0.hasSuffix(".lock") })
    for name in names where !name.hasSuffix(".lock") && !locks.contains(name + ".lock") {
      _ = take(wanted, from: root + "/" + name)
    }
    return keys
  }

  /// Takes the wanted files out of a folder, and removes it with the rest; false when that does not work now. A file is
  /// in the one folder or in the other whenever this ends.
  private func take(_ wanted: [String: (key: MeetingID, file: OrphanedMeeting.File)], from old: String) -> Bool {
    for name in Self.names(in: old) {
      guard let (key, file) = wanted[name] else { continue }
      var info = stat()
      // One that did not come whole was never acknowledged.
      guard stat(old + "/" + name, &info) == 0, Int(info.st_size) == file.bytes else { continue }
      guard let folder = try? makeFolder(), rename(old + "/" + name, folder + "/" + name) == 0 else { return false }
      files[name] = Entry(
        meeting: key, tenant: file.tenant, descriptor: -1, expected: file.bytes, written: file.bytes, isLeft: true)
    }
    if let folder, !DiskFolder.synchronise(folder) { return false }
    Self.removeFolder(old)
    return true
  }

  /// The meeting goes on whose files are kept under that name: they end with it.
  public func resume(_ meeting: MeetingID) {
    for id in files.keys where files[id]?.meeting == meeting { files[id]?.isLeft = false }
  }
}
