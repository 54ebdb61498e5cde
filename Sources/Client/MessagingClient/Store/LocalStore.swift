/// The records of an endpoint, over restarts. A store on disk seals them.
package protocol LocalStore: Sendable {
  /// The records of a name: one that was put, or those that were appended, in order.
  func records(of name: String) async throws -> [[UInt8]]
  /// The names that begin with `prefix`.
  func names(prefix: String) async throws -> [String]
  /// Carries out changes; all of them are on the disk when it returns. A crash before that leaves no record that was
  /// put without the entries that were appended with it.
  func apply(_ changes: [StoreChange]) async throws
  func removeAll() async throws
}

/// A change of the local store.
package enum StoreChange: Sendable, Hashable {
  /// Replaces what is kept under a name. A name has either one record that is put, or a log.
  case put(String, [UInt8])
  case append(String, [UInt8])
  /// Puts a log in the place of another, in one step.
  case replace(String, [[UInt8]])
  case remove(String)
}

extension StoreChange {
  /// Entries of one log in a batch, from which on the log is written again.
  static let maximumEntries = 2_000

  /// The same changes without those that later ones replace. A log with too many entries is taken from `log`, its
  /// entries of now.
  static func coalesced(_ changes: [StoreChange], log: (String) -> [[UInt8]]?) -> [StoreChange] {
    /// The present record or entries under a name, and whether they come after those that are stored.
    struct Rest {
      var records: [[UInt8]] = []
      var isLog = false
      var isNew = false
    }
    var rests: [String: Rest] = [:]
    for change in changes {
      switch change {
      case .put(let name, let record): rests[name] = Rest(records: [record])
      case .replace(let name, let records): rests[name] = Rest(records: records, isLog: true, isNew: true)
      case .remove(let name): rests[name] = Rest(isNew: true)
      case .append(let name, let record):
        rests[name, default: Rest()].isLog = true
        rests[name]?.records.append(record)
      }
    }
    return rests.sorted { $0.key < $1.key }.flatMap { name, rest -> [StoreChange] in
      guard rest.isLog else { return [rest.records.first.map { .put(name, $0) } ?? .remove(name)] }
      if rest.records.count > maximumEntries, let entries = log(name) { return [.replace(name, entries)] }
      return rest.isNew ? [.replace(name, rest.records)] : rest.records.map { .append(name, $0) }
    }
  }
}
