import BBMEnterprise
import Foundation

/// State that the screens of an app share: the account's controller, names, changed keys, and whether the server is
/// reached.
@MainActor public final class AppSession: BBMConnectivityListener, BBMAuthControllerDelegate {
  public let authController: BBMAuthController
  public let names = UserNames()
  public let keyChanges = KeyChanges()
  private var reachesServer = false

  /// A session of a domain, as `ConfigSettings.plist` says for the rest.
  public init(domain: String) {
    let tokenManager: any BBMTokenManager.Type =
      switch BBMConfigManager.default().type {
      case kGoogleSignIn: BBMGoogleTokenManager.self
      case kAzureAD: BBMAzureTokenManager.self
      default: BBMTestTokenManager.self
      }
    authController = BBMAuthController(
      tokenManager: tokenManager, userSource: nil, keyStorageProvider: nil, domain: domain,
      environment: BBMConfigManager.default().environment)
    BBMEnterpriseService.shared().add(self)
    authController.addDelegate(self)
  }

  /// Whether the server is reached; observable.
  public var isConnected: Bool {
    ObservableTracker.getterCalled(for: self, propertyName: "isConnected")
    return reachesServer
  }

  /// The name of a user by the number, which it gives until the service has said it. Observable.
  public func name(of regId: String) -> String {
    guard let number = UInt64(regId) else { return regId }
    return names.name(of: BBMEnterpriseService.shared().model().user(withRegId: NSNumber(value: number))) ?? regId
  }

  /// Looks up a user by the name at the identity provider. The callback gets the number, or in words why there is none.
  public func find(_ user: String, callback: @escaping @MainActor (NSNumber?, String) -> Void) {
    authController.userManager.getRegId(forUserId: user) { identity, isAnswered in
      if let regId = identity?.regId {
        callback(regId, "")
      } else {
        callback(
          nil,
          isAnswered ? "There is no user “\(user)” in this domain." : "The server doesn't answer. Try again later.")
      }
    }
  }

  // MARK: what the service says

  public func connectivityStateChange(_ connected: Bool, strict connectedStrict: Bool) {
    reachesServer = connected
    if connected { names.askAgain() }
    ObservableTracker.setterCalled(for: self, propertyName: "isConnected")
    Visitor.current?.connectivityChanged(connected)
  }

  public func serviceStateChanged(_ serviceStarted: Bool) { Visitor.current?.serviceStateChanged(serviceStarted) }

  public func authStateChanged(_ authState: BBMAuthState) {
    // A product lets the user choose which endpoint is removed.
    if authState.setupState == kBBMSetupStateFull {
      authController.endpointManager.deregisterAnyEndpointAndContinueSetup()
    }
    Visitor.current?.authStateChanged(authState)
  }
}
