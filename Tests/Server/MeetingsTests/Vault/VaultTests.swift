import Crypto
import Foundation
import Testing

@testable import Meetings

@Suite("Vaults", .serialized)
struct VaultTests {
  private let now = VaultWorld.now

  @Test("a vault is made, opened, renewed and forgotten, and its versions only rise")
  func life() async throws {
    let world = try await VaultWorld()
    await #expect(throws: VaultRefusal.noVault) { try await world.open(1) }
    let answer = try await world.store(1, version: 1)
    let opening = try await world.open(1)
    #expect(try opening.answer == answer && opening.record == VaultWorld.record(1))
    // Other contents under the same passcode keep its answer.
    try await world.vault.store(
      world.caller, try VaultWorld.record(2), replacing: 1, prepared: nil, recovery: nil,
      proof: .passcode(VaultWorld.token(1)), now: now)
    #expect(try await world.open(1).answer == answer)
    // Another passcode has another answer, and the old one opens nothing.
    let second = try await world.store(2, version: 3, proof: .passcode(VaultWorld.token(1)))
    #expect(try await world.open(2).record.version == 3 && second != answer)
    await #expect(throws: VaultRefusal.wrongPasscode(triesLeft: 9)) { try await world.open(1) }
    try await world.vault.forget(world.caller, now: now)
    let state = try await world.vault.status(world.caller, now: now)
    #expect(state.kind == .none && state.version == 3 && state.record == nil)
    // Answers of before help nobody to try passcodes against an old record.
    #expect(try await world.store(1, version: 4) != answer)
    #expect(try await world.store.vaultCount() == 1)
    try await world.vault.delete(world.caller, now: now)
    #expect(try await world.vault.status(world.caller, now: now).version == 0)
    #expect(
      try await world.entries() == [
        "vault.create version 1", "vault.try open: right", "vault.try store: right", "vault.store version 2",
        "vault.try open: right", "vault.try prepare: right", "vault.try store: right", "vault.change version 3",
        "vault.try open: right", "vault.try open: wrong, 9 left", "vault.forget version 3", "vault.create version 4",
        "vault.delete ",
      ])
  }

  @Test("bad input 16, threat 51: neither database nor copy has the pepper, both need it")
  func stolenDatabase() async throws {
    let world = try await VaultWorld()
    let answer = try await world.store(1, version: 1, recovery: 7)
    let path = world.folder.path + "/" + VaultPepper.fileName
    let pepper = try [UInt8](Data(contentsOf: URL(filePath: path)))
    #expect(pepper.count == 32 && Set(pepper).count > 8)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    // A copy as `parley backup` makes it, and the files themselves.
    let copy = world.folder.path + "/copy.sqlite"
    try await world.store.backUp(to: copy, with: CopiedFiles(of: world.folder.path, isPair: { _, _ in true }))
    let hidden = [pepper, answer, VaultWorld.token(1), VaultWorld.token(7)]
    let texts = hidden.flatMap {
      [$0, Array(Base64URL.encode($0).utf8), Array(Data($0).base64EncodedString().utf8)]
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
    where name.contains("sqlite") {
      let bytes = try Data(contentsOf: URL(filePath: world.folder.path + "/" + name))
      for text in texts { #expect(bytes.range(of: Data(text)) == nil, "\(name)") }
    }
    // A thief's server makes no pepper while there are vaults, and with another one neither checks a passcode nor gives
    // an answer.
    let thief = TemporaryFolder()
    try FileManager.default.copyItem(atPath: copy, toPath: thief.path + "/" + SQLiteMeetingStore.fileName)
    let stolen = try await SQLiteMeetingStore.open(folder: thief.path)
    let other = VaultWorld.vault(stolen, thief.path)
    await #expect(throws: VaultRefusal.store(other.pepper.missing)) {
      try await other.prepare(world.caller, token: VaultWorld.token(1), proof: nil, now: now)
    }
    try Data(repeating: 5, count: 32).write(to: URL(filePath: other.pepper.path))
    #expect(try await other.status(world.caller, now: now).kind == .unreadable)
    await #expect(throws: VaultRefusal.unreadable) {
      try await other.open(world.caller, proof: .passcode(VaultWorld.token(1)), now: now)
    }
    // The token isn't stored as a plain hash, either.
    let kept = try #require(try await stolen.vault(of: world.caller.owner)?.current)
    #expect(try kept.credential.verifier != Digest.sha256(VaultWorld.token(1)))
    // The owner's recovery key still opens it there, as after a restore on a new machine.
    let recovered = try await other.open(world.caller, proof: .recovery(VaultWorld.token(7)), now: now)
    #expect(try recovered.record == VaultWorld.record(1) && recovered.answer == nil)
    await stolen.close()
  }

  @Test("bad input 16, threat 52: forty guesses at once get ten tries, then a day's lock")
  func parallelGuesses() async throws {
    let world = try await VaultWorld()
    try await world.store(1, version: 1)
    let outcomes = await withTaskGroup(of: VaultRefusal?.self) { group in
      for guess in 0..<40 {
        group.addTask {
          do throws(VaultRefusal) {
            _ = try await world.open(UInt8(100 + guess))
            return nil
          } catch { return error }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(world.counts[.wrong] == Vault.maximumTries && world.counts[.locked] == 40 - Vault.maximumTries)
    #expect(outcomes.allSatisfy { $0?.code == "wrongPasscode" || $0?.code == "vaultLocked" })
    #expect(outcomes.filter { $0?.code == "wrongPasscode" }.count == Vault.maximumTries - 1)
    // The right one doesn't help any more, nor does waiting almost as long.
    await #expect(throws: VaultRefusal.locked(seconds: 86_400)) { try await world.open(1) }
    await #expect(throws: VaultRefusal.locked(seconds: 1)) { try await world.open(1, at: now + 86_399.5) }
    let state = try await world.vault.status(world.caller, now: now)
    #expect(state.kind == .locked(until: now + 86_400) && state.triesLeft == 0)
    // A day later there are ten again.
    await #expect(throws: VaultRefusal.wrongPasscode(triesLeft: 9)) { try await world.open(2, at: now + 86_400) }
    _ = try await world.open(1, at: now + 86_400)
    #expect(try await world.vault.status(world.caller, now: now + 86_400).triesLeft == 10)
    let tries = try await world.entries().filter { $0.hasPrefix("vault.try") }
    // Of those that came while it was locked, one a minute.
    #expect(tries.filter { $0 == "vault.try open: locked" }.count == 2)
    #expect(tries.count == Vault.maximumTries + 4 && tries.contains("vault.try open: wrong, locked for 24 hours"))
  }

  @Test("bad input 16, threat 52: the count outlasts restarts, and every way in counts")
  func restart() async throws {
    let world = try await VaultWorld()
    try await world.store(1, version: 1)
    for guess in 0..<9 {
      // Each guess meets a server that has just been started.
      let store = try await SQLiteMeetingStore.open(folder: world.folder.path)
      let vault = VaultWorld.vault(store, world.folder.path)
      let token = Vault.Proof.passcode(VaultWorld.token(UInt8(50 + guess)))
      await #expect(throws: VaultRefusal.wrongPasscode(triesLeft: 9 - guess)) {
        switch guess % 3 {
        case 0: _ = try await vault.open(world.caller, proof: token, now: now)
        case 1: _ = try await vault.prepare(world.caller, token: VaultWorld.token(2), proof: token, now: now)
        default:
          try await vault.store(
            world.caller, try VaultWorld.record(2), replacing: 1, prepared: nil, recovery: nil, proof: token, now: now)
        }
      }
      await store.close()
    }
    // The tenth wrong one would lock; a right one starts the count again.
    _ = try await world.open(1)
    await #expect(throws: VaultRefusal.wrongPasscode(triesLeft: 9)) { try await world.open(2) }
  }

  @Test("bad input 16, threat 53: an old record is refused; one of two devices reopens")
  func twoDevices() async throws {
    let world = try await VaultWorld()
    let (vault, caller, proof) = (world.vault, world.caller, Vault.Proof.passcode(VaultWorld.token(1)))
    try await world.store(1, version: 1)
    func update(_ version: Int) async throws(VaultRefusal) {
      try await vault.store(
        caller, try VaultWorld.record(version), replacing: version - 1, prepared: nil, recovery: nil, proof: proof,
        now: now)
    }
    try await update(2)
    // The other device has version 1.
    await #expect(throws: VaultRefusal.changed(version: 2)) { try await update(2) }
    await #expect(throws: VaultRefusal.changed(version: 2)) { try await update(1) }
    await #expect(throws: VaultRefusal.changed(version: 2)) { try await update(9) }
    // Two that change the passcode: the later preparation counts, also for the same passcode.
    let first = try await vault.prepare(caller, token: VaultWorld.token(3), proof: proof, now: now)
    let second = try await vault.prepare(caller, token: VaultWorld.token(3), proof: proof, now: now)
    #expect(first.answer != second.answer && second.version == 3)
    func change(_ id: [UInt8], _ token: UInt8 = 3) async throws(VaultRefusal) {
      try await vault.store(
        caller, try VaultWorld.record(3), replacing: 2,
        prepared: Vault.Prepared(id: id, token: VaultWorld.token(token)), recovery: nil, proof: proof, now: now)
    }
    await #expect(throws: VaultRefusal.notPrepared) { try await change(first.id) }
    await #expect(throws: VaultRefusal.notPrepared) { try await change(second.id, 4) }
    try await change(second.id)
    #expect(try await world.open(3).answer == second.answer)
    // Two that make the first one.
    try await vault.forget(caller, now: now)
    let firsts = try await vault.prepare(caller, token: VaultWorld.token(5), proof: nil, now: now)
    try await world.store(6, version: 4)
    await #expect(throws: VaultRefusal.proofRequired) {
      try await vault.store(
        caller, try VaultWorld.record(4), replacing: 3,
        prepared: Vault.Prepared(id: firsts.id, token: VaultWorld.token(5)), recovery: nil, proof: nil, now: now)
    }
    await #expect(throws: VaultRefusal.proofRequired) {
      try await vault.prepare(caller, token: VaultWorld.token(5), proof: nil, now: now)
    }
  }

  @Test("only the recovery key opens a locked vault and sets a passcode")
  func recovery() async throws {
    let world = try await VaultWorld()
    try await world.store(1, version: 1, recovery: 7)
    for _ in 0..<Vault.maximumTries { _ = try? await world.open(2) }
    await #expect(throws: VaultRefusal.locked(seconds: 86_400)) { try await world.open(1) }
    let (right, wrong) = (Vault.Proof.recovery(VaultWorld.token(7)), Vault.Proof.recovery(VaultWorld.token(8)))
    await #expect(throws: VaultRefusal.wrongRecoveryKey) {
      try await world.vault.open(world.caller, proof: wrong, now: now)
    }
    await #expect(throws: VaultRefusal.wrongRecoveryKey) { try await world.store(9, version: 2, proof: wrong) }
    #expect(try await world.vault.open(world.caller, proof: right, now: now).record == VaultWorld.record(1))
    try await world.store(9, version: 2, proof: right)
    #expect(
      try await world.entries().filter { $0.hasPrefix("vault.recover") } == [
        "vault.recover open: wrong", "vault.recover open", "vault.recover prepare", "vault.recover store",
      ])
    // The lock is gone with the old passcode, and the recovery key stays.
    _ = try await world.open(9)
    #expect(try await world.vault.status(world.caller, now: now).hasRecoveryKey)
    // Contents alone can't be replaced with it: their key needs the passcode's answer.
    await #expect(throws: VaultRefusal.notPrepared) {
      try await world.vault.store(
        world.caller, try VaultWorld.record(3), replacing: 2, prepared: nil, recovery: nil, proof: right, now: now)
    }
  }

  @Test("a restored backup leaves vaults as they are, and brings back missing ones")
  func restored() async throws {
    let world = try await VaultWorld()
    try await world.store(1, version: 1)
    let trial = world.folder.path + "/trial"
    try FileManager.default.createDirectory(atPath: trial, withIntermediateDirectories: false)
    try await world.store.backUp(to: trial + "/" + SQLiteMeetingStore.fileName)
    try await world.store(1, version: 2, proof: .passcode(VaultWorld.token(1)))
    await #expect(throws: VaultRefusal.wrongPasscode(triesLeft: 9)) { try await world.open(2) }
    let entry = AuditEntry(time: now, actor: "test", action: "data.restore", target: "")
    try await world.store.replace(byStoreIn: trial, entry)
    let state = try await world.vault.status(world.caller, now: now)
    #expect(state.version == 2 && state.triesLeft == 9)
    try await world.vault.delete(world.caller, now: now)
    try await world.store.replace(byStoreIn: trial, entry)
    #expect(try await world.open(1).record.version == 1)
  }

  @Test("a missing pepper stops the vaults, and none is made, until its file is back")
  func lostPepper() async throws {
    let world = try await VaultWorld()
    let path = world.vault.pepper.path
    #expect(try await world.vault.status(world.caller, now: now).kind == .none)
    await #expect(throws: VaultRefusal.noVault) { try await world.open(1) }
    #expect(!FileManager.default.fileExists(atPath: path))
    let answer = try await world.store(1, version: 1)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    let lost = VaultRefusal.store(world.vault.pepper.missing)
    let bob = Vault.Caller(owner: VaultOwner(tenant: world.tenant.id, identity: "bob"), tenant: "acme")
    await #expect(throws: lost) { try await world.vault.status(world.caller, now: now) }
    await #expect(throws: lost) { try await world.open(1) }
    await #expect(throws: lost) {
      try await world.vault.prepare(bob, token: VaultWorld.token(2), proof: nil, now: now)
    }
    #expect(try await world.vault.status(bob, now: now).kind == .none)
    let tolerant = try await world.vault.status(world.caller, now: now, toleratesNoPepper: true)
    #expect(tolerant.kind == .unreadable && tolerant.version == 1)
    #expect(!FileManager.default.fileExists(atPath: path))
    // Another file is noticed without a restart, and so is the right one.
    try Data(repeating: 5, count: 32).write(to: URL(filePath: path))
    await #expect(throws: VaultRefusal.unreadable) { try await world.open(1) }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
    #expect(try await world.open(1).answer == answer)
  }

  @Test("a damaged pepper file stops the vaults, and two processes make one pepper")
  func pepperFile() async throws {
    let world = try await VaultWorld()
    let path = world.folder.path + "/" + VaultPepper.fileName
    let peppers = (0..<8).map { _ in VaultPepper(path: path) }
    let ids = await withTaskGroup(of: String?.self) { group in
      for pepper in peppers { group.addTask { try? pepper.make().id } }
      return await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(ids.count == 1 && ids.first != nil && ids.first != .some(nil))
    #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path).allSatisfy { !$0.contains(".new") })
    try Data(repeating: 1, count: 31).write(to: URL(filePath: path))
    #expect(throws: MeetingStoreError.self) { try VaultPepper(path: path).load() }
    #expect(throws: MeetingStoreError.self) { try VaultPepper(path: world.folder.path + "/none/pepper").make() }
    // Bounds of what clients send.
    await #expect(throws: VaultRefusal.malformed("A token has 32 bytes.")) {
      try await world.vault.prepare(world.caller, token: [1], proof: nil, now: now)
    }
    let salt = [UInt8](repeating: 0, count: 16)
    #expect(VaultRecord(version: 1, salt: salt, memory: 8, passes: 1, sealed: [1]) == nil)
    #expect(VaultRecord(version: 0, salt: salt, memory: 65_536, passes: 3, sealed: [1]) == nil)
    #expect(VaultRecord(version: 1, salt: [], memory: 65_536, passes: 3, sealed: [1]) == nil)
  }
}
