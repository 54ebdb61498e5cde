import Crypto
import Signaling
import Synchronization

@testable import Parley

/// A server of one vault in memory, which does what a test wants it to.
final class MemoryVaultService: VaultService {
  /// The part of a request to store that is lost.
  enum Loss { case request, reply }

  struct State {
    var version = 0
    var record: SealedVault?
    var token: String?
    var answer = ""
    var prepared: (token: String, answer: String)?
    /// Requests that brought a token.
    var tokens = 0
    /// Losses of the next requests to store.
    var lost: [Loss] = []
    /// Changes the answers on their way.
    var status: @Sendable (VaultStatus) -> VaultStatus = { $0 }
    var opening: @Sendable (VaultOpening) -> VaultOpening = { $0 }
    var preparation: @Sendable (VaultPreparation) -> VaultPreparation = { $0 }
  }

  private let state: Mutex<State>

  init() { state = Mutex(State()) }

  func change(_ body: (inout sending State) -> Void) { state.withLock { body(&$0) } }

  var record: SealedVault? { state.withLock { $0.record } }
  var tokens: Int { state.withLock { $0.tokens } }

  func status() async throws(VaultProblem) -> VaultStatus {
    state.withLock { state in
      state.status(
        VaultStatus(
          state: state.record == nil ? .none : .ready, owner: "n_1/ann", version: state.version,
          derivation: state.record?.derivation, triesLeft: 10))
    }
  }

  func prepare(_ request: VaultPreparationRequest) async throws(VaultProblem) -> VaultPreparation {
    let answer = (try? SecureRandom.bytes(32)).map { Base64URL.encode($0) } ?? ""
    return state.withLock { state in
      state.tokens += 1
      state.prepared = (request.token, answer)
      return state.preparation(VaultPreparation(id: "x", answer: answer, version: state.version + 1))
    }
  }

  func open(_ proof: VaultProof) async throws(VaultProblem) -> VaultOpening {
    let opening: VaultOpening? = state.withLock { state in
      state.tokens += 1
      guard let record = state.record, proof.recovery != nil || proof.token == state.token else { return nil }
      return state.opening(VaultOpening(record: record, answer: proof.token == nil ? nil : state.answer))
    }
    guard let opening else { throw .wrongPasscode(triesLeft: 9) }
    return opening
  }

  func store(_ request: VaultStoreRequest) async throws(VaultProblem) {
    let loss = state.withLock { state in
      let loss = state.lost.isEmpty ? nil : state.lost.removeFirst()
      guard loss != .request else { return loss }
      if request.preparation != nil, let prepared = state.prepared {
        (state.token, state.answer) = (prepared.token, prepared.answer)
      }
      (state.record, state.version) = (request.record, request.record.version)
      return loss
    }
    if loss != nil { throw .unreachable("lost") }
  }

  func forget() async throws(VaultProblem) { state.withLock { $0.record = nil } }
}
