import FoundationEssentials
import Glibc

extension DataFolder {
  /// Writes a copy to the new file `target`, also while a server runs. `files` go with it. `entry` is in the copy, too.
  public func backUp(
    to target: String, with files: CopiedFiles, _ entry: AuditEntry
  ) async throws(MeetingStoreError) {
    // First, so that no copy exists of which nobody knows.
    try await store.append(entry)
    try await store.backUp(to: target, with: files)
  }
}

/// A file that ``DataFolder/backUp(to:with:_:)`` has written, checked and brought up to today's format.
public struct DataCopy: Sendable {
  /// Why a file can't be restored, as a sentence that says what to do.
  public struct Problem: Error, Sendable, CustomStringConvertible {
    public let description: String
  }

  private let store: SQLiteMeetingStore
  /// A folder that has the copy as its store, and goes when the work is done.
  private let folder: String
  private let files: CopiedFiles

  /// Lets `body` work on a copy, which is checked next to the data folder `path`, so that a damaged or foreign file
  /// never gets into place.
  /// - Throws: ``Problem``, ``MeetingStoreError``, or whatever `body` throws.
  public static func with(
    _ source: String, nextTo path: String, _ body: (DataCopy) async throws -> Void
  ) async throws {
    guard access(source, R_OK) == 0 else {
      throw Problem(description: "\(source) cannot be read: \(String(cString: strerror(errno))).")
    }
    let trial = path + ".restoring"
    guard mkdir(trial, 0o700) == 0 else {
      throw Problem(
        description: errno == EEXIST
          ? "\(trial) is there already, perhaps of a restore that was broken off. Look what is in it, and remove or move it."
          : "\(trial) cannot be made: \(String(cString: strerror(errno))).")
    }
    defer { try? FileManager.default.removeItem(atPath: trial) }
    try FileManager.default.copyItem(atPath: source, toPath: trial + "/" + SQLiteMeetingStore.fileName)
    let store: SQLiteMeetingStore
    do {
      store = try await SQLiteMeetingStore.open(folder: trial, mustExist: true)
    } catch {
      throw named(source, error)
    }
    do {
      guard try await store.isIntact() else {
        throw Problem(description: "\(source) is damaged. Take another copy.")
      }
      try await body(DataCopy(store: store, folder: trial, files: try await store.takeCopiedFiles()))
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  /// Makes a data folder of it at `path`, where there is none yet.
  public func restore(to path: String, _ entry: AuditEntry) async throws(MeetingStoreError) {
    try await store.append(entry)
    mkdir(path, 0o700)
    // First: a folder with a database counts as restored.
    try files.write(to: path)
    try await store.backUp(to: path + "/" + SQLiteMeetingStore.fileName)
  }

  /// Replaces the data of a folder, also while a server runs on it. Running meetings, revocations, retired secrets and
  /// the audit log stay: nothing that has happened since is undone.
  public func replace(_ target: DataFolder, _ entry: AuditEntry) async throws(MeetingStoreError) {
    try await target.store.replace(byStoreIn: folder, entry)
    try files.write(to: target.path)
  }

  /// A store's error, said of the file that was given: the copy next to the target is gone when the sentence is read.
  private static func named(_ source: String, _ error: MeetingStoreError) -> any Error {
    switch error {
    case .damaged(_, let reason):
      Problem(
        description: "\(source) is no copy of a server's data, or is damaged (\(reason)). "
          + "Name a file that `parley backup` has written.")
    case .newerVersion(_, let found, let known):
      Problem(
        description: "\(source) was written by a newer version (format \(found), this one knows \(known)). "
          + "Restore it with that version.")
    case .developmentFormat(_, let found):
      Problem(
        description: "\(source) was written by a version before the first release (development format \(found)), "
          + "which this one doesn't read. Restore it with that version.")
    case .notWritable, .diskFull, .busy, .exists, .tenantExists, .defaultTenant, .tenantInUse, .tooManyMeetings,
      .tooManyKeys, .closed, .failed:
      error
    }
  }
}
