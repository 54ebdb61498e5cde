/// The newest record of each owner that this client has seen, to notice a server that brings back an old one.
///
/// A device that sees a vault for the first time can't notice it. The memory is kept with the device's other data.
package struct VaultMemory: Hashable, Sendable, Codable {
  /// The newest record of an owner.
  package struct Seen: Hashable, Sendable, Codable {
    package var version: UInt64
    /// SHA-256 of the record: two records of one version are two stories.
    package var digest: [UInt8]
  }

  package private(set) var seen: [String: Seen] = [:]

  package init() {}

  /// Takes in a record that has opened.
  ///
  /// - Throws: ``VaultError/rolledBack(seen:found:)`` where a newer one, or another of its version, was seen.
  package mutating func accept(_ record: VaultRecord, owner: String) throws(VaultError) {
    let digest = try record.digest()
    if let known = seen[owner] {
      guard record.version > known.version || (record.version == known.version && digest == known.digest) else {
        throw .rolledBack(seen: known.version, found: record.version)
      }
    }
    seen[owner] = Seen(version: record.version, digest: digest)
  }

  /// Forgets what was seen of an owner, after a person has decided to go on with an older record.
  package mutating func forget(_ owner: String) { seen[owner] = nil }
}
