// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

public import Foundation
import Parley

/// Signs users in at an OpenID Connect provider with the system's browser: the base of ``BBMGoogleTokenManager`` and
/// ``BBMAzureTokenManager``, and of managers of an app's own.
@preconcurrency @MainActor open class BBMOpenIDTokenManager: BBMTokenManager {
  public weak var delegate: (any BBMAuthenticationDelegate)!

  private var refreshToken: Secret<String>?
  private var work: Task<Void, Never>?

  /// A manager that has signed nobody in yet.
  public required init() {}

  /// The provider's address; that of `ConfigSettings.plist` unless overridden.
  open var issuer: String { BBMConfigManager.default().issuer ?? "" }
  /// The app's id at the provider.
  open var clientId: String { BBMConfigManager.default().clientId ?? "" }
  /// The scope of the tokens.
  open var scope: String { BBMConfigManager.default().clientOauthScope ?? "openid profile email" }
  /// Whether the provider's id of an account is the claim `oid` in place of `sub`.
  open var identifiesByObject: Bool { false }

  /// Opens an address in the system's browser; nil is `xdg-open`. Tests have a browser of their own.
  public static var openBrowser: (@MainActor (URL) -> Void)?

  private var provider: OpenIDSignIn.Provider {
    OpenIDSignIn.Provider(
      issuer: issuer, clientID: clientId, scope: scope, trustsAnyCertificate: ParleyServer.trustsAnyCertificate)
  }

  /// Opens the provider's page in the system's browser, and waits for the user there.
  open func signIn() {
    start { provider async throws(JoinError) in
      let signIn = try await OpenIDSignIn(provider)
      if let url = URL(string: signIn.url) { Self.open(url) }
      return try await signIn.account()
    }
  }

  /// Gets new tokens for the user of this run; nothing happens when there is none, or the provider wants to see the
  /// user.
  open func signInSilently() {
    guard let refreshToken else { return }
    start { provider async throws(JoinError) in try await OpenIDSignIn.refresh(refreshToken, at: provider) }
  }

  open func signOut() {
    work?.cancel()
    work = nil
    refreshToken = nil
    delegate?.localAuthDataChanged(nil, error: nil)
  }

  private func start(
    _ account: @escaping @MainActor (OpenIDSignIn.Provider) async throws(JoinError) -> OpenIDSignIn.Account
  ) {
    work?.cancel()
    let provider = self.provider
    work = Task { [weak self] in
      do throws(JoinError) {
        let account = try await account(provider)
        if !Task.isCancelled { self?.use(account) }
      } catch {
        guard !Task.isCancelled, let self else { return }
        delegate?.localAuthDataChanged(nil, error: error)
      }
    }
  }

  private func use(_ account: OpenIDSignIn.Account) {
    refreshToken = account.refreshToken
    let id = identifiesByObject ? account.objectID ?? account.subject : account.subject
    delegate?.localAuthDataChanged(
      BBMAuthenticatedAccount(
        id: id, idToken: account.idToken.value, accessToken: account.accessToken.value, name: account.name,
        email: account.email, avatarURL: account.picture.flatMap { URL(string: $0) }), error: nil)
  }

  private static func open(_ url: URL) {
    if let openBrowser { return openBrowser(url) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["xdg-open", url.absoluteString]
    do {
      try process.run()
    } catch {
      FileHandle.standardError.write(Data("Open this address in your browser: \(url.absoluteString)\n".utf8))
    }
  }
}

/// Signs users in with Google, or with the provider that `ConfigSettings.plist` names.
@preconcurrency @MainActor public final class BBMGoogleTokenManager: BBMOpenIDTokenManager {
  public override var issuer: String { BBMConfigManager.default().issuer ?? "https://accounts.google.com" }
}

/// Signs users in with Microsoft, or with the provider that `ConfigSettings.plist` names.
@preconcurrency @MainActor public final class BBMAzureTokenManager: BBMOpenIDTokenManager {
  private static var registration: (clientId: String, tenantId: String, scope: String)?

  /// The app's registration, in place of that of `ConfigSettings.plist`.
  public class func setClientId(_ clientId: String!, tenantId: String!, bbmScope: String!) {
    registration = (clientId ?? "", tenantId ?? "", bbmScope ?? "")
  }

  public override var issuer: String {
    let tenant = Self.registration?.tenantId ?? BBMConfigManager.default().tenantId ?? "common"
    return BBMConfigManager.default().issuer ?? "https://login.microsoftonline.com/\(tenant)/v2.0"
  }
  public override var clientId: String { Self.registration?.clientId ?? super.clientId }
  public override var scope: String {
    let scope = Self.registration?.scope ?? BBMConfigManager.default().clientOauthScope
    return (["openid profile email offline_access"] + (scope.map { [$0] } ?? [])).joined(separator: " ")
  }
  public override var identifiesByObject: Bool { true }
}
