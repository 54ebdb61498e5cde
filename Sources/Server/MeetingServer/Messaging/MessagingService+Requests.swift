import Basics
import FoundationEssentials
import Meetings
import Messaging

/// The requests of registered endpoints: those that need more than the hub, such as vaults and calls.
extension MessagingService {

  func answer(
    _ request: MessagingRequest, bytes: Int, id: Int, from caller: MailboxCaller, _ channel: MessagingChannel
  ) async {
    do throws(MessagingFailure) {
      guard try await hub.admit(request, bytes: bytes, from: caller) else {
        return channel.send(.answer(id: id, .done))
      }
      if case .authToken(let token, let userId) = request {
        try await renew(token, userId, caller)
        return channel.send(.answer(id: id, .done))
      }
      switch request {
      case .vault(let request):
        channel.send(.answer(id: id, .vault(answer: try await vaultAnswer(to: request, from: caller))))
      case .callStart(let to, let medium, let sealed):
        try await startCall(to, medium, sealed, id: id, from: caller, channel)
      case .callStep(let call, let step, let sealed, let to):
        channel.send(.answer(id: id, try await callStep(call, step, sealed, to, from: caller)))
      default: await hub.apply(request, id: id, from: caller, channel)
      }
    } catch {
      hub.counters.count(error)
      channel.send(.failed(id: id, error))
    }
  }

  private func renew(_ token: String, _ userId: String, _ caller: MailboxCaller) async throws(MessagingFailure) {
    let domain = try await domain(caller.domain)
    let user = try await authenticator.user(of: token, named: userId, in: domain)
    guard try await identity(of: caller).userId.isSameUser(as: user.userId) else {
      throw .init(.tokenRejected, "The token is another user's.")
    }
    try await hub.renewed(caller.endpoint, until: user.expires)
  }

  /// The identity of an endpoint that is still registered.
  private func identity(of caller: MailboxCaller) async throws(MessagingFailure) -> MessagingIdentity {
    let found = try await hub.perform { transaction, _ -> MessagingIdentity? in
      try transaction.endpoint(caller.endpoint) == nil ? nil : try transaction.identity(caller.regId)
    }
    guard let found else { throw .init(.endpointDeregistered, "The endpoint is not registered any more.") }
    return found
  }

  private func vaultAnswer(
    to request: VaultRequest, from caller: MailboxCaller
  ) async throws(MessagingFailure) -> VaultAnswer {
    let domain = try await domain(caller.domain)
    guard domain.settings.hasKeyManagement else {
      throw .init(.noKeyManagement, "The domain's apps keep keys themselves.")
    }
    try await hub.admit(request, from: caller)
    let identity = try await identity(of: caller)
    if case .forget = request {
      try await hub.reserveVault(for: caller)
      do throws(MessagingFailure) {
        // First: an endpoint that stays with the old keys would not notice that others have new ones.
        try await hub.deregisterOthers(than: caller)
        return try await vaults.answer(request, of: caller.regId, identity.userId, in: domain, now: clock())
      } catch {
        await hub.releaseVault(of: caller)
        throw error
      }
    }
    // Another endpoint may forget the vault after this step. Then there is neither a record to replace nor a prepared
    // one, and the vault refuses to store.
    try await hub.requireVault(caller)
    let answer = try await vaults.answer(request, of: caller.regId, identity.userId, in: domain, now: clock())
    if case .stored = answer { await hub.releaseVault(of: caller) }
    return answer
  }

  // MARK: Calls

  private func startCall(
    _ to: RegID, _ medium: CallMedium, _ sealed: Sealed, id: Int, from caller: MailboxCaller,
    _ channel: MessagingChannel
  ) async throws(MessagingFailure) {
    try Self.require(sealed)
    let domain = try await domain(caller.domain)
    _ = try await identity(of: caller)
    let other = try await hub.perform { transaction, _ in try transaction.identity(to) }
    guard other?.domain == caller.domain else {
      throw .init(.notFound, "There is no identity \(to) in this domain.")
    }
    let call = CallID(RandomID.text(characters: 26))
    try await hub.reserveCall(call, from: caller, to: to, medium: medium, sealed: sealed)
    do throws(MessagingFailure) {
      let grant = try await meetings.open(call, for: caller, of: domain.tenant, now: clock())
      let answer = ServiceMessage.answer(id: id, .call(callId: call, grant: grant))
      try await hub.startCall(call, from: caller, to: to, answer: answer, channel)
    } catch {
      await hub.abandonCall(call)
      // A call that was over before its meeting was there has left it behind.
      try? await meetings.close(call, of: domain.tenant)
      throw error
    }
  }

  private func callStep(
    _ call: CallID, _ step: CallStep, _ sealed: Sealed?, _ to: EndpointID?, from caller: MailboxCaller
  ) async throws(MessagingFailure) -> MessagingAnswer {
    try Self.require(sealed)
    try await hub.callStep(call, step, sealed: sealed, to: to, by: caller)
    guard step == .answer else { return .done }
    let domain = try await domain(caller.domain)
    return .call(callId: call, grant: try await meetings.join(call, as: caller, of: domain.tenant, now: clock()))
  }

  private static func require(_ sealed: Sealed?) throws(MessagingFailure) {
    guard sealed?.count ?? 0 <= MessagingLimits.shortCharacters else {
      throw .init(
        .limitReached, "At most \(MessagingLimits.shortCharacters) characters are taken (shortCharacters).")
    }
  }
}
