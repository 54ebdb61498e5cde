import Foundation
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import BBMEnterprise

/// Signing in at an OpenID Connect provider with the system's browser (RFC 8252).
@MainActor @Suite(.serialized) struct OpenIDSignInTests {
  /// A manager for a provider of the test.
  private final class Manager: BBMOpenIDTokenManager {
    static var address = ""
    override var issuer: String { Self.address }
    override var clientId: String { "app" }
  }

  /// The same where accounts are known by `oid`, as with Azure.
  private final class DirectoryManager: BBMOpenIDTokenManager {
    override var issuer: String { Manager.address }
    override var clientId: String { "app" }
    override var identifiesByObject: Bool { true }
  }

  private final class Delegate: BBMAuthenticationDelegate {
    private(set) var accounts: [BBMAuthenticatedAccount?] = []
    private(set) var errors: [JoinError?] = []

    func localAuthDataChanged(_ account: BBMAuthenticatedAccount!, error: (any Error)!) {
      accounts.append(account)
      errors.append((error as (any Error)?) as? JoinError)
    }

    func authController() -> UIViewController! { nil }

    func heard(_ count: Int) async throws {
      try await wait(for: "call \(count) of the delegate") {
        self.accounts.count >= count
      }
    }
  }

  /// The pages that the browser showed, by status.
  @MainActor private final class Pages {
    var opened: [String] = []
    var statuses: [Int] = []
  }

  /// Runs `body` with a provider, and a browser in which the user signs in there at once.
  private func run(
    signsIn: Bool = true, _ body: @MainActor (OpenIDProvider, Delegate, Pages) async throws -> Void
  ) async throws {
    try await OpenIDProvider.run { provider in
      let pages = Pages()
      Manager.address = provider.issuer
      BBMOpenIDTokenManager.openBrowser = { url in
        pages.opened.append(url.absoluteString)
        guard signsIn else { return }
        Task { pages.statuses.append(try await provider.browse(url.absoluteString)) }
      }
      defer { BBMOpenIDTokenManager.openBrowser = nil }
      try await body(provider, Delegate(), pages)
    }
  }

  @Test("a signed-in user has an account with the provider's tokens, renewed silently")
  func signIn() async throws {
    try await run { provider, delegate, pages in
      for (manager, id) in [(Manager(), "ada"), (DirectoryManager(), "o-1")] as [(BBMOpenIDTokenManager, String)] {
        manager.delegate = delegate
        // Nobody has signed in: nothing happens, and nothing is shown.
        manager.signInSilently()
        let before = delegate.accounts.count
        manager.signIn()
        try await delegate.heard(before + 1)
        let account = try #require(delegate.accounts.last ?? nil)
        #expect(account.accountId == id && account.accessToken == "access-1" && account.name == "Ada Lovelace")
        #expect(account.email == "ada@example.com" && account.idToken.split(separator: ".").count == 3)
        manager.signInSilently()
        try await delegate.heard(before + 2)
        #expect(delegate.accounts.last??.accessToken == "access-2" && delegate.errors.allSatisfy { $0 == nil })
      }
      try await wait(for: "the pages") { pages.statuses.count == 2 }
      #expect(pages.statuses == [200, 200] && Set(pages.opened).count == 2)
      #expect(provider.grants == ["authorization_code", "refresh_token", "authorization_code", "refresh_token"])
    }
  }

  @Test("a provider that refuses, or that the app cannot use, is an error and no account")
  func refusals() async throws {
    try await run { provider, delegate, pages in
      let manager = Manager()
      manager.delegate = delegate
      provider.script.withLock { $0.answer = ["error": "access_denied"] }
      manager.signIn()
      try await delegate.heard(1)
      #expect(delegate.errors.last??.code == "access_denied")
      // Opened by the system, an address of another kind could start anything.
      for document in [["authorization_endpoint": "file:///etc/passwd"], ["token_endpoint": "javascript:0"]] {
        provider.script.withLock { $0.discovery = document }
        manager.signIn()
        try await delegate.heard(delegate.accounts.count + 1)
      }
      Manager.address = provider.issuer + "/nowhere"
      manager.signIn()
      try await delegate.heard(4)
      Manager.address = "not an address"
      manager.signIn()
      try await delegate.heard(5)
      let kinds = delegate.errors.suffix(4).map { error in
        if case .unreachable? = error { return "unreachable" }
        if case .badAddress? = error { return "badAddress" }
        return error?.description ?? "none"
      }
      #expect(kinds == ["unreachable", "unreachable", "unreachable", "badAddress"])
      #expect(delegate.accounts.allSatisfy { $0 == nil } && pages.opened.count == 1)
    }
  }

  @Test("threat 24: answers with another state or none change nothing; the right one does")
  func state() async throws {
    try await run(signsIn: false) { provider, delegate, pages in
      let manager = Manager()
      manager.delegate = delegate
      manager.signIn()
      try await wait(for: "the browser") { pages.opened.count == 1 }
      let url = try #require(pages.opened.first)
      for state in ["", "another"] {
        for answer in [["error": "access_denied"], ["code": "forged"]] {
          provider.script.withLock { ($0.state, $0.answer) = (state, answer) }
          #expect(try await provider.browse(url) == 404)
        }
      }
      #expect(provider.grants.isEmpty && delegate.accounts.isEmpty)
      // The right state with a code of somebody else: the provider does not take it, and the user may begin again.
      provider.script.withLock { ($0.state, $0.answer) = (nil, ["code": "forged"]) }
      #expect(try await provider.browse(url) == 400)
      provider.script.withLock { $0.answer = nil }
      #expect(try await provider.browse(url) == 200)
      try await delegate.heard(1)
      #expect(delegate.accounts.last??.accountId == "ada")
    }
  }

  @Test("two sign-ins at once have two ports; a late browser signs in nobody signed out")
  func cancelled() async throws {
    try await run(signsIn: false) { provider, delegate, pages in
      let (first, second) = (Manager(), Manager())
      let other = Delegate()
      (first.delegate, second.delegate) = (delegate, other)
      first.signIn()
      try await wait(for: "the first browser") { pages.opened.count == 1 }
      second.signIn()
      try await wait(for: "the second browser") { pages.opened.count == 2 }
      first.signOut()
      #expect(delegate.accounts.count == 1 && delegate.accounts[0] == nil && delegate.errors == [nil])
      // Its port is closed soon; until then nobody takes what comes there.
      _ = try? await provider.browse(pages.opened[0])
      #expect(try await provider.browse(pages.opened[1]) == 200)
      try await other.heard(1)
      #expect(other.accounts.last??.accountId == "ada" && delegate.accounts.count == 1)
      first.signInSilently()
      #expect(delegate.accounts.count == 1)
    }
  }
}
