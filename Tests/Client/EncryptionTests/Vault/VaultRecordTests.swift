import Crypto
import Testing

@testable import Encryption

@Suite("Records of vaults")
struct VaultRecordTests {
  private static let owner = "n_1/ann"

  private static let cheap = VaultParameters.Bounds(memory: 1_024...1 << 20, passes: 1...10)

  /// One cheap derivation, for all tests.
  private static let derived = Result { () throws(VaultError) in
    let parameters = try VaultParameters(
      salt: [UInt8](repeating: 7, count: VaultParameters.saltLength), memory: Self.cheap.memory.lowerBound, passes: 1,
      within: Self.cheap)
    let passcode = VaultPasscode(entered: "quarter mule lamp tide")
    return (credentials: try VaultCredentials(passcode: passcode, parameters: parameters), parameters: parameters)
  }

  private let credentials: VaultCredentials
  private let parameters: VaultParameters
  private let key: VaultKey
  private let contents: VaultContents
  private let recovery: RecoveryKey

  init() throws {
    (credentials, parameters) = try Self.derived.get()
    key = try VaultKey(credentials: credentials, answer: Self.bytes(1))
    var plain = Array("keys".utf8)
    contents = try VaultContents(SecretBytes(wiping: &plain))
    recovery = try RecoveryKey()
  }

  private static func bytes(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: 32) }

  private func record(version: UInt64 = 3, recovers: Bool = true) throws -> VaultRecord {
    try VaultRecord(
      sealing: contents, key: key, recovery: recovers ? recovery.publicKey() : nil, owner: Self.owner,
      version: version, parameters: parameters)
  }

  @Test("a record opens with its passcode's key and its recovery key, and no other")
  func keys() throws {
    let record = try record()
    #expect(try record.open(key, owner: Self.owner).contents == contents)
    let recovered = try record.open(recovery, owner: Self.owner)
    #expect(try recovered.contents == contents && recovered.recovery == recovery.publicKey())
    // Devices renew the record without the recovery key, and it opens the next one, too.
    let next = try VaultRecord(
      sealing: contents, key: key, recovery: recovered.recovery, owner: Self.owner, version: 4, parameters: parameters)
    #expect(try next.open(recovery, owner: Self.owner).contents == contents && next.sealed != record.sealed)

    // The server's answer alone, or the passcode alone, is not enough.
    let other = try VaultKey(credentials: credentials, answer: Self.bytes(2))
    #expect(throws: VaultError.doesNotOpen) { try record.open(other, owner: Self.owner) }
    #expect(throws: VaultError.doesNotOpen) { try record.open(RecoveryKey(), owner: Self.owner) }
    #expect(throws: VaultError.noRecovery) { try self.record(recovers: false).open(recovery, owner: Self.owner) }
    #expect(throws: VaultError.malformed) { try VaultKey(credentials: credentials, answer: [1]) }
    #expect(credentials.token != credentials.halfKey && credentials.token.count == VaultCredentials.tokenLength)
  }

  @Test("a record of another owner, version or cost, or with a changed byte, doesn't open")
  func changes() throws {
    let record = try record()
    let dearer = try VaultParameters(salt: parameters.salt, memory: parameters.memory, passes: 2, within: Self.cheap)
    let others = [
      try VaultRecord(version: 4, parameters: parameters, sealed: record.sealed),
      try VaultRecord(version: 3, parameters: dearer, sealed: record.sealed),
    ]
    for other in others {
      #expect(throws: VaultError.doesNotOpen) { try other.open(key, owner: Self.owner) }
      #expect(throws: VaultError.doesNotOpen) { try other.open(recovery, owner: Self.owner) }
    }
    #expect(throws: VaultError.doesNotOpen) { try record.open(key, owner: "n_1/bob") }
    var opened: [Int] = []
    for index in record.sealed.indices {
      var sealed = record.sealed
      sealed[index] ^= 1
      let changed = try VaultRecord(version: 3, parameters: parameters, sealed: sealed)
      if (try? changed.open(key, owner: Self.owner)) != nil { opened.append(index) }
    }
    for count in record.sealed.indices {
      let cut = try VaultRecord(version: 3, parameters: parameters, sealed: Array(record.sealed.prefix(count)))
      if (try? cut.open(key, owner: Self.owner)) != nil || (try? cut.open(recovery, owner: Self.owner)) != nil {
        opened.append(-count)
      }
    }
    #expect(opened.isEmpty)
  }

  @Test("threat 53: a server that restores an old record, or two of one version, is seen")
  func rollback() throws {
    var memory = VaultMemory()
    let (first, second, fork) = (try record(version: 1), try record(version: 2), try record(version: 2))
    try memory.accept(first, owner: Self.owner)
    try memory.accept(second, owner: Self.owner)
    try memory.accept(second, owner: Self.owner)
    #expect(throws: VaultError.rolledBack(seen: 2, found: 1)) { try memory.accept(first, owner: Self.owner) }
    #expect(throws: VaultError.rolledBack(seen: 2, found: 2)) { try memory.accept(fork, owner: Self.owner) }
    try memory.accept(first, owner: "n_1/bob")
    // A person decides for one old record, and for no other.
    let decided = try VaultMemory.Seen(first)
    let before = memory
    #expect(throws: VaultError.rolledBack(seen: 2, found: 2)) {
      try memory.accept(fork, owner: Self.owner, older: decided)
    }
    #expect(memory == before)
    try memory.accept(first, owner: Self.owner, older: decided)
    #expect(memory.seen[Self.owner] == decided)
    // Salt and cost of a version that was seen don't change.
    try memory.check(parameters, version: 1, owner: Self.owner)
    let others = [
      try VaultParameters(salt: parameters.salt, memory: parameters.memory, passes: 2, within: Self.cheap),
      try VaultParameters(leastOf: Self.cheap),
    ]
    for other in others {
      #expect(throws: VaultError.parametersRefused) { try memory.check(other, version: 1, owner: Self.owner) }
    }
    try memory.check(others[0], version: 2, owner: Self.owner)
  }

  @Test("a server that names a cheap or an endless derivation is refused")
  func cost() {
    let salt = [UInt8](repeating: 1, count: 16)
    let costs = [(8, 1), (65_535, 3), (65_536, 2), (1 << 21, 3), (65_536, 0), (65_536, 11)]
    for (memory, passes) in costs {
      #expect(throws: VaultError.parametersRefused) {
        try VaultParameters(salt: salt, memory: memory, passes: passes)
      }
    }
    #expect(throws: VaultError.parametersRefused) { try VaultParameters(salt: [1], memory: 65_536, passes: 3) }
  }

  @Test("a recovery key is read as people write it, and slips of the pen are seen")
  func recoveryText() throws {
    let text = recovery.text.value
    #expect(text.count == 34 && text.split(separator: "-").count == 7)
    let forms = [text, text.lowercased(), text.replacing("-", with: " "), text.replacing("0", with: "O")]
    for form in forms {
      let read = try #require(RecoveryKey(text: form))
      #expect(try read.publicKey() == recovery.publicKey())
    }
    #expect(RecoveryKey(text: String(text.dropLast())) == nil && RecoveryKey(text: text + "0") == nil)
    #expect(RecoveryKey(text: "") == nil && RecoveryKey(text: text.replacing("-", with: "_")) == nil)
    // 12 bits of checksum: of all single slips hardly one goes unseen.
    var unseen = 0
    for index in text.indices where text[index] != "-" {
      for letter in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where letter != text[index] {
        var wrong = text
        wrong.replaceSubrange(index...index, with: [letter])
        if RecoveryKey(text: wrong) != nil { unseen += 1 }
      }
    }
    #expect(unseen <= 5)
  }

  @Test("entries come back by name, with those that this program doesn't know")
  func entries() throws {
    var entries = VaultEntries()
    entries["one"] = try SecretBytes.random(32)
    entries["another program's"] = try SecretBytes.random(1_000)
    entries["empty"] = SecretBytes(Span())
    var read = try VaultEntries(try entries.contents())
    #expect(read == entries)
    read["one"] = nil
    #expect(read.all.count == 2)
    var twice: [UInt8] = [1] + [UInt8]([0, 1, 97, 0, 0, 0, 0]) + [0, 1, 97, 0, 0, 0, 0]
    let contents = try VaultContents(SecretBytes(wiping: &twice))
    #expect(throws: VaultError.malformed) { try VaultEntries(contents) }
    var large = [UInt8](repeating: 0, count: VaultContents.maximumLength + 1)
    let secret = SecretBytes(wiping: &large)
    #expect(throws: VaultError.tooLong) { try VaultContents(secret) }
  }
}
