/// The newest record of each owner that this client has seen, to notice a server that brings back an old one.
///
/// A device that sees a vault for the first time can't notice it. The memory is kept with the device's other data.
package struct VaultMemory: Hashable, Sendable, Codable {
  /// The newest record of an owner.
  package struct Seen: Hashable, Sendable, Codable {
    package var version: UInt64
    /// SHA-256 of the record: two records of one version are two stories.
    package var digest: [UInt8]
    /// Salt and cost of its passcode, as the record authenticates them.
    var parameters: [UInt8]

    package init(_ record: VaultRecord) throws(VaultError) {
      version = record.version
      digest = try record.digest()
      parameters = record.parameters.bytes
    }
  }

  package private(set) var seen: [String: Seen] = [:]

  package init() {}

  /// Takes in a record that has opened.
  ///
  /// - Parameter older: The one record that a person has decided to go on with, though a newer one was seen.
  /// - Throws: ``VaultError/rolledBack(seen:found:)`` where a newer one, or another of its version, was seen.
  package mutating func accept(_ record: VaultRecord, owner: String, older: Seen? = nil) throws(VaultError) {
    let found = try Seen(record)
    if let known = seen[owner], found != older {
      guard found.version > known.version || found == known else {
        throw .rolledBack(seen: known.version, found: found.version)
      }
    }
    seen[owner] = found
  }

  /// Checks a derivation that a server names for a version, before a token goes to it: salt and cost of a version that
  /// was seen don't change.
  ///
  /// - Throws: ``VaultError/parametersRefused``.
  package func check(_ parameters: VaultParameters, version: Int, owner: String) throws(VaultError) {
    guard let known = seen[owner], UInt64(exactly: version) == known.version else { return }
    guard parameters.bytes == known.parameters else { throw .parametersRefused }
  }
}
