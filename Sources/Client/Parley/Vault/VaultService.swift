package import Signaling

/// The server's side of one person's vault, whatever it is reached by.
package protocol VaultService: Sendable {
  func status() async throws(VaultProblem) -> VaultStatus
  func prepare(_ request: VaultPreparationRequest) async throws(VaultProblem) -> VaultPreparation
  func open(_ proof: VaultProof) async throws(VaultProblem) -> VaultOpening
  func store(_ request: VaultStoreRequest) async throws(VaultProblem)
  func forget() async throws(VaultProblem)
}
