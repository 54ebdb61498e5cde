import Basics
import Messaging
import Testing

@testable import MessagingClient

@Suite struct SetupTests {
  let service = FakeService()

  /// The endpoints of one user with a vault, as far as the passcode.
  private func endpoint(_ user: String, instance: UInt64 = 1) -> TestEndpoint {
    service.hasKeyManagement = true
    let endpoint = TestEndpoint(service, instance: instance)
    endpoint.start()
    endpoint.give(user)
    return endpoint
  }

  @Test func `a token waits for the start, and setup ends without a passcode where there are no vaults`() {
    let ann = TestEndpoint(service, instance: 1)
    ann.give("ann")
    #expect(ann.state == .notRequested && ann.link == nil)
    ann.start()
    #expect(ann.state == .ongoing && ann.machine.setup.status.profileKeys == .notSynced)
    ann.machine.profileKeysSynced(now: service.now, time: service.time)
    service.run()
    #expect(ann.states == [.ongoing, .success])
    #expect(service.identities["ann"]?.keys == ann.machine.identity.keys?.published)
  }

  @Test func `a vault is made, opened elsewhere, and its passcode changed and forgotten`() throws {
    let first = endpoint("ann")
    #expect(first.machine.setup.status.syncPasscode == .new)
    first.give(passcode: "short", .new)
    #expect(first.events.contains(.syncFailed(.weakPasscode)) && first.state == .syncRequired)
    first.give(passcode: "lilac tram vortex pony", .new)
    #expect(first.states.suffix(3) == [.syncStarted, .ongoing, .success])

    let second = endpoint("ann", instance: 2)
    #expect(second.machine.setup.status.syncPasscode == .existing)
    second.give(passcode: "lilac tram vortex pond", .existing)
    #expect(second.events.contains(.syncFailed(.incorrectPasscode)) && second.state == .syncRequired)
    second.give(passcode: " lilac tram vortex pony", .existing)
    #expect(second.state == .success)
    #expect(second.machine.identity.keys?.secret == first.machine.identity.keys?.secret)

    try second.perform(.changePasscode(Passcode("another tram in winterland")))
    let third = endpoint("ann", instance: 3)
    third.give(passcode: "lilac tram vortex pony", .existing)
    #expect(third.state == .syncRequired)
    third.give(passcode: "four words nobody guessed", .new)
    service.run()
    #expect(third.state == .success && third.machine.identity.keys?.generation == 2)
    #expect(first.state == .notRequested && first.events.contains(.deregistered) && first.stored.isEmpty)
    #expect(service.identities["ann"]?.vaultVersion == 3)
  }

  @Test func `while a forgotten vault is made again the others wait, and then need the new passcode`() throws {
    let (old, new) = ("lilac tram vortex pony", "four words nobody guessed")
    let first = endpoint("ann")
    first.give(passcode: old, .new)
    let second = endpoint("ann", instance: 2)
    second.give(passcode: old, .existing)
    let third = endpoint("ann", instance: 3)
    var held: [ServiceMessage] = []
    service.deliver = { message, recipient in
      guard recipient === third, case .answer(_, .vault(.prepared(_))) = message else { return [message] }
      held.append(message)
      return []
    }
    third.give(passcode: new, .new)
    service.advance(.seconds(20))
    for other in [first, second] {
      #expect(other.events.contains(.deregistered) && other.link == nil && other.machine.deadline == nil)
      // Its user signs in again, and has only the old passcode.
      other.start()
      other.give("ann")
      #expect(other.state == .syncRequired && other.machine.setup.status.syncPasscode == .none)
      other.give(passcode: old, .new)
      other.give(passcode: old, .existing)
      #expect(other.state == .syncRequired)
    }
    service.advance(.seconds(20))
    #expect(first.machine.setup.status.syncPasscode == .none && third.state == .syncStarted && held.count == 1)
    service.deliver = { message, _ in [message] }
    for message in held { third.machine.receive(message, now: service.now, time: service.time) }
    service.advance(.seconds(5))
    #expect(third.state == .success && first.machine.setup.status.syncPasscode == .existing)
    first.give(passcode: old, .existing)
    #expect(first.events.contains(.syncFailed(.incorrectPasscode)) && first.state == .syncRequired)
    first.give(passcode: new, .existing)
    #expect(first.state == .success && first.machine.identity.keys?.secret == third.machine.identity.keys?.secret)
    #expect(first.warnings.isEmpty && third.warnings.isEmpty)
  }

  @Test func `a vault that is never made again is free when its endpoint is gone`() throws {
    let first = endpoint("ann")
    first.give(passcode: "lilac tram vortex pony", .new)
    let second = endpoint("ann", instance: 2)
    service.deliver = { message, recipient in
      guard recipient === second, case .answer(_, .vault(.prepared(_))) = message else { return [message] }
      return []
    }
    second.give(passcode: "four words nobody guessed", .new)
    first.start()
    first.give("ann")
    #expect(first.machine.setup.status.syncPasscode == .none)
    service.deregister(try #require(second.id))
    service.deliver = { message, _ in [message] }
    service.advance(.seconds(5))
    #expect(first.machine.setup.status.syncPasscode == .new)
    first.give(passcode: "another tram in winterland", .new)
    #expect(first.state == .success)
  }

  @Test func `keys that were stored before a loss are published after it`() throws {
    let ann = endpoint("ann")
    ann.give(passcode: "lilac tram vortex pony", .new)
    let tablet = endpoint("ann", instance: 2)
    service.losesAnswer = { if case .vault(.store(_)) = $0 { true } else { false } }
    tablet.give(passcode: "four words nobody guessed", .new)
    #expect(tablet.state == .syncRequired)
    service.losesAnswer = { _ in false }
    service.advance(.seconds(60))
    #expect(tablet.machine.setup.status.syncPasscode == .existing)
    tablet.give(passcode: "four words nobody guessed", .existing)
    #expect(tablet.state == .success && service.identities["ann"]?.keys == tablet.machine.identity.keys?.published)
    #expect(tablet.machine.identity.keys?.generation == 2 && tablet.warnings.isEmpty)
  }

  @Test func `resetting frees the endpoint, also without a connection`() throws {
    let ann = try TestEndpoint(service, user: "ann", instance: 1)
    for round in 1...4 {
      ann.isOnline = round % 2 == 0
      if !ann.isOnline { ann.lose() }
      ann.machine.reset(now: service.now, time: service.time)
      service.run()
      if !ann.isOnline { ann.restart(instance: UInt64(10 + round)) }
      ann.isOnline = true
      ann.give("ann")
      service.advance(.seconds(61))
      #expect(ann.state == .ongoing && service.identities["ann"]?.endpoints.count == 1, "round \(round)")
    }
    // Another user's endpoint is none of this one's business.
    ann.machine.reset(now: service.now, time: service.time)
    service.run()
    ann.give("bob")
    #expect(ann.state == .ongoing && service.identities["ann"]?.endpoints.isEmpty == true)
  }

  @Test func `an older vault record is refused by an endpoint that has seen a newer one`() throws {
    let first = endpoint("ann")
    first.give(passcode: "lilac tram vortex pony", .new)
    let old = try #require(service.identities["ann"]?.vault)
    try first.perform(.changePasscode(Passcode("another tram in winterland")))
    service.identities["ann"]?.vault = old
    service.identities["ann"]?.vaultVersion = old.record.version
    first.lose()
    service.advance(.seconds(120))
    #expect(first.warnings.contains(.vaultRolledBack) && first.state == .success)
  }

  @Test func `full, rejected, ended and superseded: each state is the documented one`() throws {
    let endpoints = try (1...3).map { try TestEndpoint(service, user: "ann", instance: $0) }
    let fourth = TestEndpoint(service, instance: 4)
    fourth.start()
    fourth.give("ann")
    #expect(fourth.states == [.full] && fourth.machine.setup.status.authToken == .ok)
    try fourth.perform(.request(.endpointDeregister(endpointId: #require(endpoints[0].id))))
    fourth.machine.retrySetup(now: service.now, time: service.time)
    service.run()
    #expect(fourth.state == .ongoing && fourth.machine.setup.status.regId == endpoints[1].regId)
    #expect(endpoints[0].events.suffix(4).contains(.deregistered) && !endpoints[0].machine.setup.isStarted)

    service.send(.passing(.tokenNeeded), to: endpoints[1])
    service.run()
    #expect(endpoints[1].state == .success && endpoints[1].machine.setup.status.authToken == .needed)
    service.tokens = { $0 == "bad" ? MessagingFailure(.tokenRejected, "") : nil }
    endpoints[1].give("ann", token: "bad")
    #expect(endpoints[1].state == .success && endpoints[1].machine.setup.status.authToken == .rejected)
    endpoints[1].give("ann", token: "good")
    #expect(endpoints[1].machine.setup.status.authToken == .ok)

    let bob = TestEndpoint(service, instance: 5)
    bob.start()
    bob.give("bob", token: "bad")
    service.advance(.seconds(300))
    #expect(bob.state == .notRequested && bob.machine.setup.status.authToken == .rejected && bob.link == nil)
    bob.give("bob", token: "good")
    #expect(bob.state == .ongoing)
    bob.machine.reset(now: service.now, time: service.time)
    service.run()
    #expect(bob.state == .notRequested && bob.stored.isEmpty && bob.machine.setup.isStarted)
    bob.give("bob")
    #expect(bob.state == .ongoing)
  }

  @Test func `a lost connection comes back by itself, and so does a stopped service`() throws {
    let ann = try TestEndpoint(service, user: "ann", instance: 1)
    ann.isOnline = false
    ann.lose()
    service.advance(.seconds(600))
    #expect(ann.state == .success && !ann.machine.setup.status.isConnected)
    ann.isOnline = true
    service.advance(.seconds(61))
    #expect(ann.machine.setup.status.isConnected)
    ann.machine.stop(now: service.now, time: service.time)
    service.advance(.seconds(600))
    #expect(ann.link == nil && ann.machine.deadline == nil)
    ann.start()
    #expect(ann.machine.setup.status.isConnected && service.identities["ann"]?.endpoints.count == 1)
  }
}
