import Basics
import Crypto
import Encryption
import Signaling
import TestSupport
import Testing

@testable import Parley

/// The client's side of vaults. Passcodes cost the least that clients take.
@MainActor @Suite("Vaults of clients", .serialized) struct VaultTests {
  private static let passcode = Secret("quarter mule lamp tide")
  private static let other = Secret("seven grey roofs at noon")

  private nonisolated static let cheap = VaultParameters.Bounds(memory: 46 << 10...1 << 20, passes: 1...10)

  private nonisolated func client(_ service: any VaultService, _ memory: VaultMemory = VaultMemory()) -> VaultClient {
    VaultClient(service, scope: "here ", memory: memory, bounds: Self.cheap)
  }

  private func contents(_ text: String) throws -> VaultContents {
    var bytes = Array(text.utf8)
    return try VaultContents(SecretBytes(wiping: &bytes))
  }

  @Test("an owner's devices have one key, over a new passcode, a lock and a lost device")
  func life() async throws {
    try await LiveServer.run { server in
      let token = try await server.token(of: "ann", room: "sealed")
      // A device of Ann's, with what it has seen.
      func device(_ seen: Parley.Vault.Seen = .init()) -> Parley.Vault {
        Parley.Vault(
          client(
            HTTPVaultService(origin: server.url, token: token, timeout: .seconds(15), trustsAny: false), seen.memory))
      }
      let (phone, laptop) = (device(), device())
      #expect(try await phone.status() == .none)
      await #expect(throws: VaultProblem.noVault) { try await phone.open(passcode: Self.passcode) }
      let weak = await #expect(throws: VaultProblem.self) { try await phone.create(passcode: Secret("1234567890")) }
      #expect(weak == .weakPasscode(PasscodeWeakness.sequence.sentence))
      let recoveryKey = try await phone.create(passcode: Self.passcode, knowing: ["Ann"])
      await #expect(throws: VaultProblem.exists) { try await laptop.create(passcode: Self.other) }
      let identity = try await phone.open(passcode: Self.passcode)
      #expect(try await laptop.open(passcode: Secret("  quarter mule ｌａｍｐ tide ")) == identity)
      #expect(identity.code.count == 30 && "\(identity)" == "<redacted>")
      await #expect(throws: VaultProblem.wrongPasscode(triesLeft: 9)) { try await laptop.open(passcode: Self.other) }
      #expect(try await laptop.status() == .ready(triesLeft: 9))

      // Alone in an encrypted meeting, the safety code stands for Ann's key.
      var options = JoinOptions(name: "Ann")
      options.linkSecret = try LinkSecret()
      options.identity = identity
      let meeting = try Meeting("\(server.url)/sealed", token: token, options: options)
      try await meeting.join()
      try await wait(for: "the code: \(meeting.encryption)") { meeting.encryption.safetyCode == identity.code }
      await meeting.leave()

      try await laptop.change(passcode: Self.passcode, to: Self.other)
      await #expect(throws: VaultProblem.wrongPasscode(triesLeft: 9)) { try await phone.open(passcode: Self.passcode) }
      #expect(try await phone.open(passcode: Self.other) == identity)
      // Forgotten: the key on paper gives another passcode.
      let wrong = Secret(String(recoveryKey.value.reversed()))
      await #expect(throws: VaultProblem.wrongRecoveryKey) {
        try await laptop.recover(recoveryKey: wrong, passcode: Self.passcode)
      }
      let renewed = try await laptop.renewRecoveryKey(passcode: Self.other)
      await #expect(throws: VaultProblem.wrongRecoveryKey) {
        try await laptop.recover(recoveryKey: recoveryKey, passcode: Self.passcode)
      }
      let recovered = try await device().recover(
        recoveryKey: Secret(renewed.value.lowercased()), passcode: Self.passcode)
      #expect(recovered == identity)
      #expect(try await phone.open(passcode: Self.passcode) == identity)

      try await phone.forget()
      #expect(try await phone.status() == .none)
      _ = try await laptop.create(passcode: Self.passcode)
      // Others see another key then, and no device takes the new record for an old one.
      #expect(try await phone.open(passcode: Self.passcode) != identity)
      let stranger = Parley.Vault(
        client(
          HTTPVaultService(
            origin: server.url, token: try await server.token(of: "eve", room: "sealed"), timeout: .seconds(15),
            trustsAny: false)))
      await #expect(throws: VaultProblem.noVault) { try await stranger.open(passcode: Self.passcode) }
    }
  }

  @Test("bad input 16, threat 53: a device that saw a newer record refuses an old one")
  func rollback() async throws {
    let service = MemoryVaultService()
    let (first, second) = (client(service), client(service))
    try await first.create(try contents("one"), passcode: VaultPasscode(entered: Self.passcode.value), recovery: nil)
    let old = try #require(service.record)
    #expect(try await second.open(VaultPasscode(entered: Self.passcode.value)) == contents("one"))
    try await second.update(try contents("two"))
    #expect(try await first.open(VaultPasscode(entered: Self.passcode.value)) == contents("two"))
    service.change { $0.record = old }
    let passcode = VaultPasscode(entered: Self.passcode.value)
    await #expect(throws: VaultProblem.rolledBack(seen: 2, found: 1)) { try await first.open(passcode) }
    // A device that is new can't notice; one that has kept its memory does.
    #expect(try await client(service).open(passcode) == contents("one"))
    let kept = await first.memory
    await #expect(throws: VaultProblem.rolledBack(seen: 2, found: 1)) {
      try await client(service, kept).open(passcode)
    }
    // Nor does a server get a record of a number that was there.
    service.change { state in
      state.record = nil
      state.preparation = { VaultPreparation(id: $0.id, answer: $0.answer, version: 2) }
    }
    await #expect(throws: VaultProblem.rolledBack(seen: 2, found: 2)) {
      try await first.create(contents("three"), passcode: passcode, recovery: nil)
    }
    service.change { $0.record = old }
    await #expect(throws: VaultProblem.rolledBack(seen: 2, found: 1)) { try await first.open(passcode) }
    await first.acceptOlder()
    let before = await first.memory
    // Until it opens, nothing is forgotten.
    await #expect(throws: VaultProblem.wrongPasscode(triesLeft: 9)) {
      try await first.open(VaultPasscode(entered: Self.other.value))
    }
    #expect(await first.memory == before)
    #expect(try await first.open(passcode) == contents("one"))
  }

  @Test("a vault whose reply is lost has the recovery key that was shown")
  func lostReply() async throws {
    let service = MemoryVaultService()
    let vault = Parley.Vault(client(service))
    // The first request is lost on its way, and the reply of the second.
    service.change { $0.lost = [.request, .reply] }
    let recoveryKey = try await vault.create(passcode: Self.passcode)
    #expect(service.record?.version == 1)
    let identity = try await vault.recover(recoveryKey: recoveryKey, passcode: Self.other)
    #expect(try await vault.open(passcode: Self.other) == identity)
    service.change { $0.lost = [.request, .request, .request] }
    await #expect(throws: VaultProblem.unreachable("lost")) {
      try await vault.change(passcode: Self.other, to: Self.passcode)
    }
    #expect(try await vault.open(passcode: Self.other) == identity)
  }

  @Test("numbers of a server that make no sense do no harm")
  func hostileNumbers() async throws {
    let refusal = #"{"Error": "", "code": "vaultLocked", "seconds": 9223372036854775807}"#
    let read = try SignalingDecoder().decode(HTTPVaultService.Refusal.self, from: Array(refusal.utf8))
    let problem = HTTPVaultService.problem(read)
    #expect(problem == .locked(seconds: 604_800) && problem.description.contains("168 hours"))
    #expect(VaultProblem.locked(seconds: .max).description.contains("hours"))
    let service = MemoryVaultService()
    for (seconds, expected) in [(Int.max, 604_800), (.min, 0)] {
      service.change { state in
        state.status = { VaultStatus(state: .locked, owner: $0.owner, version: .max, lockedFor: seconds) }
      }
      await #expect(throws: VaultProblem.locked(seconds: expected)) {
        try await client(service).open(VaultPasscode(entered: Self.passcode.value))
      }
    }
  }

  @Test("names of the person come from the token, whatever it is")
  func names() {
    let claims = Base64URL.encode(Array(#"{"sub":"ann@example","name":"Ann Smith","exp":1}"#.utf8))
    #expect(Parley.Vault.names(in: Secret("e30.\(claims).x")) == ["ann@example", "Ann Smith"])
    for token in ["", "..", "a.b", "e30.?.x", "e30.\(claims)"] { #expect(Parley.Vault.names(in: Secret(token)) == []) }
  }

  @Test("a server that names a cheap derivation gets no token; a changed record is found")
  func hostileServer() async throws {
    let service = MemoryVaultService()
    let passcode = VaultPasscode(entered: Self.passcode.value)
    let ann = client(service)
    try await ann.create(contents("one"), passcode: passcode, recovery: nil)
    let before = service.tokens
    // The last one is within the bounds, but another than the record had before.
    for (memory, passes) in [(1_024, 1), (65_536, 0), (8 << 20, 3), (47 << 10, 2)] {
      service.change { state in
        state.status = { status in
          var status = status
          status.derivation?.memory = memory
          status.derivation?.passes = passes
          return status
        }
      }
      await #expect(throws: VaultProblem(.parametersRefused)) { try await ann.open(passcode) }
    }
    #expect(service.tokens == before)
    // Another owner's name, another version, an answer of its own.
    let lies: [(inout sending MemoryVaultService.State) -> Void] = [
      { state in
        state.status = { VaultStatus(state: .ready, owner: "n_1/eve", version: 1, derivation: $0.derivation) }
      },
      { state in
        state.opening = { opening in
          var opening = opening
          opening.record.version = 7
          return opening
        }
      },
      { state in
        state.opening = { VaultOpening(record: $0.record, answer: Base64URL.encode([UInt8](repeating: 0, count: 32))) }
      },
    ]
    for lie in lies {
      service.change { state in
        state.status = { $0 }
        state.opening = { $0 }
        lie(&state)
      }
      await #expect(throws: VaultProblem(.doesNotOpen)) { try await ann.open(passcode) }
    }
    service.change { state in
      state.status = { $0 }
      state.opening = { $0 }
    }
    #expect(try await ann.open(passcode) == contents("one"))
  }
}
