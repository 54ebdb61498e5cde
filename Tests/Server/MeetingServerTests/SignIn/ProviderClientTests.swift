import Basics
import Crypto
import Foundation
import Meetings
import Synchronization
import Testing
import Transport

@testable import MeetingServer

@Suite("The requests to a provider, in virtual time")
struct ProviderClientTests {
  private final class Clock: Sendable {
    let now = Mutex(Date())
    func pass(_ seconds: TimeInterval) { now.withLock { $0 += seconds } }
  }

  /// Signs in once; nil when that worked.
  private func problem(_ client: ProviderClient, _ provider: ScriptedProvider) async -> SignInProblem? {
    provider.change {
      $0.issuer = "https://id.example"
      $0.challenge = Base64URL.challenge("v")
      $0.nonce = "n"
    }
    do throws(SignInProblem) {
      _ = try await client.claims(
        for: Secret("c"), of: IdentityProvider(issuer: "https://id.example", clientID: "parley"), redirect: "r",
        verifier: Secret("v"), nonce: "n")
      return nil
    } catch { return error }
  }

  @Test("a provider's changed key is fetched at once, and at most every 30 s")
  func rotation() async throws {
    let provider = try ScriptedProvider()
    let clock = Clock()
    provider.change { $0.clock = { clock.now.withLock { $0 } } }
    let client = ProviderClient(clock: { clock.now.withLock { $0 } }, fetch: provider.fetch)
    #expect(await problem(client, provider) == nil)
    #expect(await problem(client, provider) == nil)
    #expect(provider.count("/keys") == 1 && provider.count("/.well-known/openid-configuration") == 1)

    let fresh = try SigningKey.generate(keyID: "k2")
    provider.change { $0.key = fresh }
    // Not published yet.
    #expect(await problem(client, provider) != nil)
    #expect(provider.count("/keys") == 2)
    provider.change { $0.published = [fresh] }
    for _ in 0..<20 { #expect(await problem(client, provider) != nil) }
    #expect(provider.count("/keys") == 2)
    clock.pass(31)
    #expect(await problem(client, provider) == nil)
    #expect(provider.count("/keys") == 3)
    clock.pass(31)
    let next = try SigningKey.generate(keyID: "k3")
    provider.change {
      $0.key = next
      $0.published = [next]
    }
    #expect(await problem(client, provider) == nil)
    #expect(provider.count("/keys") == 4)
    // A key that is published no more counts no more once the set is an hour old.
    provider.change { $0.published = [] }
    #expect(await problem(client, provider) == nil)
    // The discovery document's hour began before the keys'.
    clock.pass(3_601)
    #expect(await problem(client, provider) != nil)
  }

  @Test("if the key address is down, keys of a day count, and the failure is reported")
  func silentKeys() async throws {
    let provider = try ScriptedProvider()
    let clock = Clock()
    let reports = Mutex<[SignInProblem]>([])
    provider.change { $0.clock = { clock.now.withLock { $0 } } }
    let client = ProviderClient(
      clock: { clock.now.withLock { $0 } }, report: { problem in reports.withLock { $0.append(problem) } },
      fetch: provider.fetch)
    #expect(await problem(client, provider) == nil)
    for answer in [HTTPResponse.text("", status: 503), .text("<p>We are back soon</p>")] {
      provider.change { $0.answers["/keys"] = answer }
      clock.pass(3_601)
      let (before, reported) = (provider.count("/keys"), reports.withLock { $0.count })
      for _ in 0..<3 { #expect(await problem(client, provider) == nil) }
      // Not once for each who signs in.
      #expect(provider.count("/keys") == before + 1 && reports.withLock { $0.count } == reported + 1)
      clock.pass(6)
      #expect(await problem(client, provider) == nil)
      #expect(provider.count("/keys") == before + 2)
    }
    clock.pass(86_400)
    #expect(await problem(client, provider)?.code == "unreachable")
    provider.change { $0.answers["/keys"] = nil }
    #expect(await problem(client, provider) == nil)
  }

  @Test("of two key ids with one name the one that is published now counts")
  func sameName() async throws {
    let provider = try ScriptedProvider()
    let clock = Clock()
    provider.change { $0.clock = { clock.now.withLock { $0 } } }
    let client = ProviderClient(clock: { clock.now.withLock { $0 } }, fetch: provider.fetch)
    #expect(await problem(client, provider) == nil)
    let fresh = try SigningKey.generate(keyID: "k1")
    provider.change {
      $0.key = fresh
      $0.published = [fresh]
    }
    #expect(await problem(client, provider) == nil)
  }

  @Test("many sign-ins at once cost one discovery and one key set; from 33 on they wait")
  func manyAtOnce() async throws {
    let provider = try ScriptedProvider()
    let fetch = provider.fetch
    let gate = Mutex(true)
    let client = ProviderClient(fetch: { call in
      while gate.withLock({ $0 }) { await Task.yield() }
      return try await fetch(call)
    })
    provider.change { $0.issuer = "https://id.example" }
    let outcomes = await withTaskGroup(of: SignInProblem?.self) { group in
      for _ in 0..<40 { group.addTask { await problem(client, provider) } }
      // The first to come back are those who were refused at once.
      var outcomes: [SignInProblem?] = []
      for _ in 0..<8 { if let outcome = await group.next() { outcomes.append(outcome) } }
      gate.withLock { $0 = false }
      for await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
    #expect(outcomes.count { $0 == .busy } == 8 && outcomes.count { $0 == nil } == 32)
    #expect(provider.count("/keys") == 1 && provider.count("/.well-known/openid-configuration") == 1)
  }

  @Test("claims that the ID token lacks come from UserInfo of the same person only")
  func userInfo() async throws {
    let provider = try ScriptedProvider()
    let client = ProviderClient(fetch: provider.fetch)
    provider.change {
      $0.claims = ["name": nil]
      $0.answers["/userinfo"] = .text("{\"sub\":\"eve\",\"name\":\"Eve\"}")
    }
    #expect(await problem(client, provider) == .refused("the UserInfo answer is about somebody else"))
    provider.change { $0.answers["/userinfo"] = .text("{\"sub\":\"ada\",\"name\":\"Ada\"}") }
    #expect(await problem(client, provider) == nil)
  }

  @Test("a used id isn't used again before its end, and takes no memory after that")
  func usedOnce() async throws {
    let used = UsedIDs()
    let now = Date()
    try await used.use("a", until: now + 600, now: now)
    await #expect(throws: SignInProblem.expired) { try await used.use("a", until: now + 600, now: now + 1) }
    // One network takes its share only, and others are let in; what is over is room again.
    let (mallory, ann) = (IPAddress(v4: 0xC633_6407), IPAddress(v4: 0xCB00_7107))
    for index in 0..<UsedIDs.share { try await used.use("m\(index)", until: now + 60, by: mallory, now: now) }
    await #expect(throws: SignInProblem.busy) { try await used.use("m", until: now + 60, by: mallory, now: now) }
    try await used.use("ann", until: now + 60, by: ann, now: now)
    try await used.use("m", until: now + 600, by: mallory, now: now + 61)
    for index in 0..<5_000 { try await used.use("\(index)", until: now + 600, now: now) }
    await #expect(throws: SignInProblem.expired) { try await used.use("a", until: now + 600, now: now + 599) }
  }
}
