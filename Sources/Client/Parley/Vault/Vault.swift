public import Basics
package import Encryption
import Signaling

/// A person's own vault at a server: it keeps their lasting key behind a passcode, so that it is the same on every
/// device. The server never has the passcode or the key.
///
/// Its owner is whom the token names. Ten wrong passcodes lock the vault for a day.
///
/// ```swift
/// let vault = try Vault(server: "https://meet.example", token: token)
/// let recoveryKey = try await vault.create(passcode: Secret("four words that nobody knows"))
/// print("Write this down: \(recoveryKey.value)")
/// ```
public actor Vault {
  /// The vaults' records that a device has seen, to notice a server that gives an old one. Keep it with the device's
  /// other data: it holds no secret.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token, seen: Vault.Seen())
  /// ```
  public struct Seen: Sendable, Hashable, Codable {
    package var memory: VaultMemory

    /// Nothing seen yet.
    ///
    /// ```swift
    /// let seen = Vault.Seen()
    /// ```
    public init() { memory = VaultMemory() }

    init(_ memory: VaultMemory) { self.memory = memory }
  }

  /// The state of a vault before it is opened.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// switch try await vault.status() {
  /// case Vault.Status.none: print("no vault yet")
  /// case .ready(let triesLeft): print("\(triesLeft) tries")
  /// case .locked(let seconds): print("locked for \(seconds) s")
  /// case .unreadable: print("only the recovery key opens it")
  /// }
  /// ```
  public enum Status: Sendable, Hashable {
    case none
    /// A passcode opens it.
    case ready(triesLeft: Int)
    /// Too many wrong passcodes came.
    case locked(seconds: Int)
    /// The server has lost its part of the key.
    case unreadable
  }

  private let client: VaultClient

  /// The vault of the person whom a token names.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// ```
  ///
  /// - Parameters:
  ///   - server: `http(s)://host[:port]`.
  ///   - token: A join token with a user (`sub`), as ``BrowserSignIn`` gives it too.
  ///   - seen: The records that this device has seen before.
  ///   - trustsAnyCertificate: As ``JoinOptions/trustsAnyCertificate``.
  /// - Throws: ``JoinError/badAddress(_:)``, or ``JoinError/refused(code:message:)`` for a token that is none.
  public init(
    server: String, token: Secret<String>, seen: Seen = Seen(), trustsAnyCertificate: Bool = false
  ) throws(JoinError) {
    try MeetingLocation.check(token)
    // Any room will do: of this address only the server is used.
    let origin = try MeetingAddress("\(server)/-").origin
    let service = HTTPVaultService(
      origin: origin, token: token, timeout: .seconds(15), trustsAny: trustsAnyCertificate)
    client = VaultClient(service, scope: "\(origin) ", memory: seen.memory)
  }

  /// A vault over a client of its own, for tests.
  init(_ client: VaultClient) { self.client = client }

  /// The records that were seen, with those of this object.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// _ = try await vault.open(passcode: Secret("four words that nobody knows"))
  /// let seen = await vault.seen
  /// ```
  public var seen: Seen { get async { Seen(await client.memory) } }

  /// The state of the vault.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// if try await vault.status() == .none { print("Keep your key in a vault?") }
  /// ```
  public func status() async throws(VaultProblem) -> Status {
    let status = try await client.status()
    return switch status.state {
    case .none: .none
    case .ready: .ready(triesLeft: status.triesLeft ?? 0)
    case .locked: .locked(seconds: VaultStatus.lockSeconds(status.lockedFor))
    case .unreadable: .unreadable
    }
  }

  /// Makes a vault with a new lasting key. Returns the recovery key, which opens it when the passcode is forgotten: for
  /// paper, and shown once. If the server can't be reached, the vault may be there all the same: then
  /// ``renewRecoveryKey(passcode:)`` gives a key to it.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// let recoveryKey = try await vault.create(passcode: Secret("four words that nobody knows"), knowing: ["Ann"])
  /// ```
  ///
  /// - Parameters:
  ///   - passcode: At least 10 characters, and none that is tried first.
  ///   - known: Names that others know of the person, of which the passcode must not consist.
  public func create(passcode: Secret<String>, knowing known: [String] = []) async throws(VaultProblem) -> Secret<
    String
  > {
    let passcode = try Self.new(passcode, known)
    let recovery = try Self.attempt { () throws(VaultError) in try RecoveryKey() }
    var entries = VaultEntries()
    _ = try LastingIdentity(in: &entries)
    let contents = try Self.attempt { () throws(VaultError) in try entries.contents() }
    try await client.create(contents, passcode: passcode, recovery: recovery)
    return recovery.text
  }

  /// Gives the vault another recovery key, which opens it from then on instead of the one before. For paper, and shown
  /// once.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// let recoveryKey = try await vault.renewRecoveryKey(passcode: Secret("four words that nobody knows"))
  /// ```
  public func renewRecoveryKey(passcode: Secret<String>) async throws(VaultProblem) -> Secret<String> {
    let recovery = try Self.attempt { () throws(VaultError) in try RecoveryKey() }
    let contents = try await client.open(VaultPasscode(entered: passcode.value))
    try await client.update(contents, recovery: recovery)
    return recovery.text
  }

  /// Opens the vault, which takes at least 0.3 s of a core.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// let identity = try await vault.open(passcode: Secret("four words that nobody knows"))
  /// ```
  public func open(passcode: Secret<String>) async throws(VaultProblem) -> LastingIdentity {
    try await identity(in: try await client.open(VaultPasscode(entered: passcode.value)))
  }

  /// Opens the vault with its recovery key, and gives it a new passcode. Works while it is locked, too.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// let key = Secret("3F7K-9QZ2-XM4T-B8RW-5HVD-C6NP-1JEG")
  /// let identity = try await vault.recover(recoveryKey: key, passcode: Secret("four other words than before"))
  /// ```
  public func recover(
    recoveryKey: Secret<String>, passcode: Secret<String>, knowing known: [String] = []
  ) async throws(VaultProblem) -> LastingIdentity {
    let passcode = try Self.new(passcode, known)
    guard let key = RecoveryKey(text: recoveryKey.value) else { throw .wrongRecoveryKey }
    return try await identity(in: try await client.recover(key, passcode: passcode))
  }

  /// Gives the vault another passcode. Its recovery key stays.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// let (old, new) = (Secret("four words that nobody knows"), Secret("four other words than before"))
  /// try await vault.change(passcode: old, to: new)
  /// ```
  public func change(
    passcode: Secret<String>, to next: Secret<String>, knowing known: [String] = []
  ) async throws(VaultProblem) {
    let next = try Self.new(next, known)
    try await client.change(VaultPasscode(entered: passcode.value), to: next, recovery: nil)
  }

  /// Forgets the vault. Its key is lost unless a device has it, and others see another identity of this person from
  /// then on.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// try await vault.forget()
  /// ```
  public func forget() async throws(VaultProblem) { try await client.forget() }

  /// Takes the older record that this object has just refused with ``VaultProblem/rolledBack(seen:found:)``, and no
  /// other, the next time the vault is opened. Ask the person first, who should have heard from the operator why it is
  /// older.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// let passcode = Secret("four words that nobody knows")
  /// do {
  ///   _ = try await vault.open(passcode: passcode)
  /// } catch VaultProblem.rolledBack {
  ///   await vault.acceptOlderRecord()
  ///   _ = try await vault.open(passcode: passcode)
  /// }
  /// ```
  public func acceptOlderRecord() async { await client.acceptOlder() }

  // MARK: Steps

  /// The identity in a vault that is open; it gets one where another program has made it.
  private func identity(in contents: VaultContents) async throws(VaultProblem) -> LastingIdentity {
    var entries = try Self.attempt { () throws(VaultError) in try VaultEntries(contents) }
    let before = entries
    let identity = try LastingIdentity(in: &entries)
    if entries != before {
      let changed = try Self.attempt { () throws(VaultError) in try entries.contents() }
      try await client.update(changed)
    }
    return identity
  }

  private static func new(_ passcode: Secret<String>, _ known: [String]) throws(VaultProblem) -> VaultPasscode {
    do throws(PasscodeWeakness) {
      return try VaultPasscode(new: passcode.value, knowing: known)
    } catch {
      throw .weakPasscode(error.sentence)
    }
  }

  private static func attempt<Answer>(_ body: () throws(VaultError) -> Answer) throws(VaultProblem) -> Answer {
    do throws(VaultError) { return try body() } catch { throw VaultProblem(error) }
  }
}
