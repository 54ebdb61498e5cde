import Crypto

/// The cost of turning a passcode into keys (Argon2id, RFC 9106), with the salt. Not secret; part of the record.
package struct VaultParameters: Hashable, Sendable {
  /// Bytes of the salt.
  package static let saltLength = 16
  /// The memory of new vaults, in KiB: with 3 passes about a second of one core.
  package static let standardMemory = 65_536
  package static let standardPasses = 3
  /// The least and the most that this client computes, whatever a server asks for.
  package static let memoryRange = 46 << 10...1 << 20
  package static let passRange = 1...10

  package let salt: [UInt8]
  /// KiB that the derivation fills.
  package let memory: Int
  package let passes: Int

  /// The standard cost with a fresh salt.
  package init() throws(VaultError) {
    do throws(CryptoError) { salt = try SecureRandom.bytes(Self.saltLength) } catch { throw .failed }
    memory = Self.standardMemory
    passes = Self.standardPasses
  }

  /// A cost that a server names.
  ///
  /// - Throws: ``VaultError/parametersRefused`` outside the bounds of this client.
  package init(salt: [UInt8], memory: Int, passes: Int) throws(VaultError) {
    guard salt.count == Self.saltLength, Self.memoryRange.contains(memory), Self.passRange.contains(passes) else {
      throw .parametersRefused
    }
    self.salt = salt
    self.memory = memory
    self.passes = passes
  }

  /// The bytes that a record authenticates.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(salt)
    writer.write(UInt32(truncatingIfNeeded: memory))
    writer.write(UInt32(truncatingIfNeeded: passes))
    return writer.bytes
  }
}
