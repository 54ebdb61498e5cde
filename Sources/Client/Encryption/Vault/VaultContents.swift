package import Crypto

/// The contents of a vault: bytes that only the caller understands.
package struct VaultContents: Sendable, Equatable {
  /// The most bytes of a record's contents.
  package static let maximumLength = 48 << 10

  package let bytes: SecretBytes

  package init(_ bytes: SecretBytes) throws(VaultError) {
    guard bytes.count <= Self.maximumLength else { throw .tooLong }
    self.bytes = bytes
  }
}

/// A record that was opened.
package struct OpenedVault: Sendable, Equatable {
  package let contents: VaultContents
  /// The recovery key's public half, for which the next record is sealed too; nil without one.
  package let recovery: X25519.PublicKey?
}
