package import Crypto

/// Several secrets in one vault, by name. A program that knows some of them keeps the others as they are.
package struct VaultEntries: Sendable, Equatable {
  private static let form: UInt8 = 1
  private static let maximumNameLength = 64

  package private(set) var all: [String: SecretBytes] = [:]

  package init() {}

  /// Reads a vault's contents.
  ///
  /// - Throws: ``VaultError/malformed``.
  package init(_ contents: VaultContents) throws(VaultError) {
    do throws(KeyMessageError) {
      var reader = ByteReader(contents.bytes.unprotectedCopy())
      guard try reader.read(UInt8.self) == Self.form else { throw KeyMessageError.malformed }
      while reader.remaining > 0 {
        let name = try reader.readText(limit: Self.maximumNameLength)
        let count = Int(try reader.read(UInt32.self))
        var bytes = try reader.read(count: count)
        guard all.updateValue(SecretBytes(wiping: &bytes), forKey: name) == nil else {
          throw KeyMessageError.malformed
        }
      }
    } catch {
      throw .malformed
    }
  }

  /// The secret of a name; nil removes it.
  package subscript(name: String) -> SecretBytes? {
    get { all[name] }
    set { all[name] = newValue }
  }

  /// The contents for a record.
  ///
  /// - Throws: ``VaultError/tooLong``.
  package func contents() throws(VaultError) -> VaultContents {
    var writer = ByteWriter()
    writer.write(Self.form)
    for (name, secret) in all.sorted(by: { $0.key < $1.key }) {
      guard name.utf8.count <= Self.maximumNameLength else { throw .tooLong }
      writer.write(text: name)
      writer.write(UInt32(truncatingIfNeeded: secret.count))
      writer.write(secret.bytes)
    }
    var bytes = writer.bytes
    return try VaultContents(SecretBytes(wiping: &bytes))
  }
}
