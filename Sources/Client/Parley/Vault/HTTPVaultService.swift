import Basics
import FoundationEssentials
import Signaling
import Transport

/// A person's vault over a server's HTTP interface, `/api/v1/vault`.
struct HTTPVaultService: VaultService {
  let origin: String
  let token: Secret<String>
  let timeout: TimeSpan
  let trustsAny: Bool

  func status() async throws(VaultProblem) -> VaultStatus { try await answer("GET", "") }

  func prepare(_ request: VaultPreparationRequest) async throws(VaultProblem) -> VaultPreparation {
    try await answer("POST", "/prepare", request)
  }

  func open(_ proof: VaultProof) async throws(VaultProblem) -> VaultOpening {
    try await answer("POST", "/open", proof)
  }

  func store(_ request: VaultStoreRequest) async throws(VaultProblem) { _ = try await send("PUT", "", request) }

  func forget() async throws(VaultProblem) { _ = try await send("DELETE", "", nil) }

  // MARK: Requests

  struct Refusal: Decodable {
    var error: String
    var code: String
    var seconds: Int?
    var triesLeft: Int?

    private enum CodingKeys: String, CodingKey {
      case error = "Error"
      case code, seconds, triesLeft
    }
  }

  private func answer<Answer: Decodable>(
    _ method: String, _ path: String, _ body: (any Encodable)? = nil
  ) async throws(VaultProblem) -> Answer {
    let bytes = try await send(method, path, body)
    do throws(SignalingError) {
      return try SignalingDecoder().decode(Answer.self, from: bytes)
    } catch {
      throw .damaged("\(origin) does not answer as a Parley server does.")
    }
  }

  private func send(
    _ method: String, _ path: String, _ body: (any Encodable)?
  ) async throws(VaultProblem) -> [UInt8] {
    var headers: HTTPHeaders = ["Authorization": "Bearer \(token.value)"]
    var bytes: [UInt8] = []
    if let body {
      headers["Content-Type"] = "application/json"
      guard let text = try? JSONEncoder().encode(body) else { throw .damaged("a request could not be written.") }
      bytes = [UInt8](text)
    }
    let url = "\(origin)/api/v1/vault\(path)"
    let response: HTTPClient.Response
    do throws(TransportError) {
      response = try await HTTPClient.request(
        method, url, headers: headers, body: bytes, limit: 256 << 10, timeout: timeout, allowsSelfSigned: trustsAny)
    } catch {
      throw .unreachable(JoinError(error, reaching: url).description)
    }
    guard response.status >= 300 else { return response.body }
    guard let refusal = try? SignalingDecoder().decode(Refusal.self, from: response.body) else {
      throw .unreachable("\(origin) answered with status \(response.status); try again later.")
    }
    throw Self.problem(refusal)
  }

  static func problem(_ refusal: Refusal) -> VaultProblem {
    switch refusal.code {
    case "noVault": .noVault
    case "vaultExists": .exists
    case "vaultLocked": .locked(seconds: VaultStatus.lockSeconds(refusal.seconds))
    case "wrongPasscode": .wrongPasscode(triesLeft: refusal.triesLeft ?? 0)
    case "vaultChanged", "vaultNotPrepared": .changedElsewhere
    case "wrongRecoveryKey": .wrongRecoveryKey
    case "vaultUnreadable": .unreadable
    default: .refused(code: refusal.code, message: refusal.error)
    }
  }
}
