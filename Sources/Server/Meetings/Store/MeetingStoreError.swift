/// The errors of a store. Each says what to do.
public enum MeetingStoreError: Error, Sendable, Equatable {
  /// The data folder or a file in it cannot be created or written.
  case notWritable(path: String, reason: String)
  /// No space is left for the data folder.
  case diskFull(path: String)
  /// The file isn't a database, or a damaged one.
  case damaged(path: String, reason: String)
  /// A newer version of the server has written the file.
  case newerVersion(path: String, found: Int, known: Int)
  /// A version before the first release has written the file.
  case developmentFormat(path: String, found: Int)
  /// Another process holds the file for longer than the busy timeout.
  case busy(path: String)
  /// The room name is taken.
  case exists(String)
  /// There is a tenant of that name.
  case tenantExists(String)
  /// It is the default tenant, which there always is.
  case defaultTenant(String)
  /// Meetings of the tenant run.
  case tenantInUse(String)
  /// As many meetings of a tenant are kept as may be.
  case tooManyMeetings(LimitReached)
  /// As many secrets of a tenant are good as may be at a time.
  case tooManyKeys
  /// The store was closed.
  case closed
  case failed(path: String, reason: String)

  public var code: String {
    switch self {
    case .notWritable: "dataNotWritable"
    case .diskFull: "diskFull"
    case .damaged: "dataDamaged"
    case .newerVersion: "dataTooNew"
    case .developmentFormat: "dataTooOld"
    case .busy: "dataBusy"
    case .exists: "roomTaken"
    case .tenantExists: "nameTaken"
    case .defaultTenant: "defaultTenant"
    case .tenantInUse: "tenantInUse"
    case .tooManyMeetings: "quotaReached"
    case .tooManyKeys: "tooManyKeys"
    case .closed: "shuttingDown"
    case .failed: "dataFailed"
    }
  }
}

extension MeetingStoreError: CustomStringConvertible {
  /// The error and its remedy, as sentences.
  public var description: String {
    switch self {
    case .notWritable(let path, let reason):
      "The data folder \(path) cannot be written (\(reason)). "
        + "Make it writable for the user the server runs as, or name another with --data."
    case .diskFull(let path):
      "No space is left for the data folder \(path). Free some; nothing that was stored before is lost."
    case .damaged(let path, let reason):
      "\(path) cannot be read as a database (\(reason)). Restore it from a backup, or move it away to start anew."
    case .newerVersion(let path, let found, let known):
      "\(path) was written by a newer version (format \(found), this one knows \(known)). Start that version instead."
    case .developmentFormat(let path, let found):
      "\(path) was written by a version before the first release (development format \(found)), which this one doesn't read. "
        + "Name another folder with --data, or move \(path) away to start with an empty one."
    case .busy(let path):
      "\(path) is held by another process. End it, or name another folder with --data."
    case .exists(let room): "There is already a meeting named \(room). Choose another name."
    case .tenantExists(let name): "There is already a tenant named \(name). Choose another name."
    case .defaultTenant(let name):
      "\(name) is the default tenant, whose people come without a token: it stays. Only others can be removed."
    case .tenantInUse(let name):
      "Meetings of \(name) are running. End them first: `parley meeting list --tenant \(name)`, `parley meeting end`."
    case .tooManyMeetings(let reached): reached.text
    case .tooManyKeys:
      "The tenant has \(APIKey.maximumLive) secrets that are good. Retire one before another is made."
    case .closed: "The server is shutting down. Try again in a moment."
    case .failed(let path, let reason): "The database \(path) failed: \(reason)."
    }
  }
}
