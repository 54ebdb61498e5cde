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
