public import Signaling

/// A request about the vault of the asking identity: the record with its keys, sealed by a passcode that the server
/// never gets.
public enum VaultRequest: Codable, Hashable, Sendable {
  /// Answer: `status`.
  case status
  /// Answer: `prepared`.
  case prepare(request: VaultPreparationRequest)
  /// Answer: `opened`. Each passcode counts as a try.
  case open(proof: VaultProof)
  /// Stores the next version. Answer: `stored`.
  case store(request: VaultStoreRequest)
  /// Deregisters all other endpoints of the identity, and forgets the record. For
  /// ``MessagingLimits/vaultReservationSeconds`` nobody but the asking endpoint makes the next one. Answer: `status`.
  case forget
}

/// The answer to a request about a vault.
public enum VaultAnswer: Codable, Hashable, Sendable {
  case status(status: VaultStatus)
  case prepared(preparation: VaultPreparation)
  case opened(opening: VaultOpening)
  /// The record is on the disk.
  case stored(version: Int)
}
