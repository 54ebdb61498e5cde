import Crypto

/// The cost of turning a passcode into keys (Argon2id, RFC 9106), with the salt. Not secret; part of the record.
package struct VaultParameters: Hashable, Sendable {
  /// Bytes of the salt.
  package static let saltLength = 16
  /// The least and the most that a client computes, whatever a server asks for. New vaults cost the least.
  package struct Bounds: Sendable {
    /// KiB that a derivation fills.
    package var memory: ClosedRange<Int>
    package var passes: ClosedRange<Int>

    package init(memory: ClosedRange<Int>, passes: ClosedRange<Int>) {
      self.memory = memory
      self.passes = passes
    }

    /// From 64 MiB in 3 passes on, which is 0.3 s of one core. Cheaper ones are for tests.
    package static let standard = Bounds(memory: 65_536...1 << 20, passes: 3...10)
  }

  package let salt: [UInt8]
  /// KiB that the derivation fills.
  package let memory: Int
  package let passes: Int

  /// The cost of a new vault, with a fresh salt.
  package init(leastOf bounds: Bounds = .standard) throws(VaultError) {
    do throws(CryptoError) { salt = try SecureRandom.bytes(Self.saltLength) } catch { throw .failed }
    memory = bounds.memory.lowerBound
    passes = bounds.passes.lowerBound
  }

  /// A cost that a server names.
  ///
  /// - Throws: ``VaultError/parametersRefused`` outside the bounds of this client.
  package init(salt: [UInt8], memory: Int, passes: Int, within bounds: Bounds = .standard) throws(VaultError) {
    guard salt.count == Self.saltLength, bounds.memory.contains(memory), bounds.passes.contains(passes) else {
      throw .parametersRefused
    }
    self.salt = salt
    self.memory = memory
    self.passes = passes
  }

  /// A cost as servers write it, with the salt in base64url.
  ///
  /// - Throws: ``VaultError/malformed``, ``VaultError/parametersRefused`` outside the bounds of this client.
  package init(saltText: String, memory: Int, passes: Int, within bounds: Bounds = .standard) throws(VaultError) {
    guard let salt = Base64URL.decode(saltText) else { throw .malformed }
    try self.init(salt: salt, memory: memory, passes: passes, within: bounds)
  }

  /// ``salt`` in base64url.
  package var saltText: String { Base64URL.encode(salt) }

  /// The bytes that a record authenticates.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(salt)
    writer.write(UInt32(truncatingIfNeeded: memory))
    writer.write(UInt32(truncatingIfNeeded: passes))
    return writer.bytes
  }
}
