import Basics
import Crypto
import Messaging

extension MessengerMachine {
  var vaultOwner: String { "\(domain.text)/\(own)" }

  var localKeys: SetupMachine.LocalKeys {
    SetupMachine.LocalKeys(
      published: identity.keys?.published, vaultVersion: Int(clamping: identity.memory.seen[vaultOwner]?.version ?? 0))
  }

  /// Carries out what the setup asks for.
  mutating func pumpSetup() {
    while let effect = setup.pollEffect() { carryOut(effect) }
  }

  private mutating func carryOut(_ effect: SetupMachine.Effect) {
    switch effect {
    case .connect: emit(.connect)
    case .disconnect:
      connectionIsDown()
      failPending()
      emit(.disconnect)
    case .hello(var hello):
      if identity.helloSecret == nil { identity.helloSecret = try? Base64URL.encode(SecureRandom.bytes(32)) }
      saveIdentity()
      hello.secret = identity.helloSecret
      hello.replaces = identity.replacedSecret
      emit(.send(.hello(hello)))
    case .resume(let credentials):
      emit(
        .send(
          .resume(
            EndpointMessage.Resume(
              domain: domain, endpoint: credentials.endpoint, secret: credentials.secret,
              acknowledged: identity.acknowledged))))
    case .sendToken(let token):
      request(.authToken(token: token.token, userId: token.userId)) { machine, answer in
        switch answer {
        case .success: machine.setup.authTokenAnswered(nil, now: machine.now)
        case .failure(.refused(let failure)): machine.setup.authTokenAnswered(failure, now: machine.now)
        // It waits for the next welcome.
        case .failure: break
        }
      }
    case .sendRetry:
      request(.setupRetry) { machine, answer in
        if case .failure(.refused(let failure)) = answer {
          machine.setup.retryAnswered(failure, now: machine.now)
        }
      }
    case .openVault(let passcode): openVault(passcode)
    case .askForVault: askForVault()
    case .makeVault(let passcode, let replaces): makeVault(passcode, replaces: replaces)
    case .publishKeys: publishKeys()
    case .saveCredentials(let credentials):
      identity.credentials = credentials
      identity.replacedSecret = nil
      saveIdentity()
    case .changed(let status):
      notify(.status(status))
      if status.isConnected, status.state == .success { resumeWork() }
    case .syncFailed(let error): notify(.syncFailed(error))
    case .failed(let failure): notify(.setupFailed(failure))
    case .ownKeysDiffer: warn(.ownKeysDiffer)
    case .vaultRolledBack: warn(.vaultRolledBack)
    case .wipe:
      failPending()
      // A new installation has another name in message headers.
      forgetAll(instance: (try? Self.freshInstance()) ?? identity.instance &+ 1)
      emit(.wipe)
      notify(.wiped)
    case .deregistered: notify(.deregistered)
    }
  }

  static func freshInstance() throws(CryptoError) -> UInt64 {
    try SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func publishKeys() {
    guard let keys = identity.keys else { return }
    request(.publishKeys(keys: keys.published)) { machine, answer in
      switch answer {
      case .success:
        machine.setup.keysPublished(now: machine.now)
        machine.pumpSetup()
      case .failure(.refused(let failure)) where failure.code == .limitReached:
        let seconds = min(max(failure.retryAfter ?? 60, 1), 3_600)
        machine.setup.publishLater(after: .seconds(Int64(seconds)), now: machine.now)
      case .failure(.refused(let failure)) where failure.code != .tokenNeeded:
        machine.notify(.setupFailed(failure))
      // The next token, or the next welcome, publishes again.
      case .failure: break
      }
    }
  }

  // MARK: Domains without key management

  /// Makes the identity's keys if there are none.
  mutating func makeKeys() throws(MessengerError) -> IdentityKeys {
    if let keys = identity.keys { return keys }
    do throws(CryptoError) {
      let keys = try IdentityKeys(generation: publishedGeneration + 1)
      adopt(keys)
      return keys
    } catch {
      throw .failed
    }
  }

  mutating func adopt(_ keys: IdentityKeys) {
    identity.keys = keys
    saveIdentity()
    setup.keys = localKeys
  }

  mutating func profileKeysSynced(now: Instant, time: MessageTime) {
    at(now, time)
    guard setup.status.state == .ongoing, !setup.hasKeyManagement, (try? makeKeys()) != nil else { return }
    setup.profileKeysSynced()
    pumpSetup()
  }
}
