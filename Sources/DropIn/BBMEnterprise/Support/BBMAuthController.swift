// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

import Foundation
public import ParleyViews

/// Is notified of the service and of signing in. Both methods were optional.
@preconcurrency @MainActor public protocol BBMAuthControllerDelegate: AnyObject {
  /// The account, the token's state, the setup or the local user's number has changed.
  func authStateChanged(_ authState: BBMAuthState)
  /// The service has started, or isn't started any more.
  func serviceStateChanged(_ serviceStarted: Bool)
}

extension BBMAuthControllerDelegate {
  /// Does nothing, unless the delegate implements it.
  public func authStateChanged(_ authState: BBMAuthState) {}
  /// Does nothing, unless the delegate implements it.
  public func serviceStateChanged(_ serviceStarted: Bool) {}
}

/// Starts the service, gets tokens for it, and leads through the setup.
///
/// ```swift
/// let controller = BBMAuthController(
///   tokenManager: BBMTestTokenManager.self, userSource: nil, keyStorageProvider: nil, domain: domain,
///   environment: kBBMConfig_Sandbox)
/// controller.rootController = screen
/// controller.addDelegate(screen)
/// controller.startBBMEnterpriseService()
/// controller.signInSilently()
/// ```
@preconcurrency @MainActor open class BBMAuthController: BBMObject, BBMAuthenticationDelegate {
  public let tokenManager: (any BBMTokenManager)!
  /// The screen on which signing in and passcodes are asked for.
  public weak var rootController: UIViewController? { didSet { kmsManager?.rootController = rootController } }
  /// Asks for passcodes and uses them; nil in apps that keep their keys themselves.
  public private(set) var kmsManager: BBMKMSManager!
  /// Frees places for endpoints.
  public let endpointManager: BBMEndpointManager!
  public let userManager: BBMUserManager!
  /// Keeps keys where the app says; nil with the server's vault.
  public private(set) var keyManager: BBMKeyManager!

  let service: BBMEnterpriseService
  private let domain: String
  private let environment: BBMConfigEnvironment
  private var delegates: [WeakDelegate] = []
  private var isStarted = false
  private var auth = BBMAuthState()
  private var monitor: ObservableMonitor?
  private var listener: DeregistrationListener?
  private var wasTokenOk = false

  private struct WeakDelegate {
    weak var delegate: (any BBMAuthControllerDelegate)?
  }

  /// A controller that makes a token manager of the class. A user source and a provider of key storage are classes as
  /// well; nil stands for users that are kept on this endpoint, and for the server's vault.
  public init(
    tokenManager: any BBMTokenManager.Type, userSource: (any BBMAppUserSource.Type)?,
    keyStorageProvider: (any BBMKeyStorageProvider.Type)?, domain: String!, environment: BBMConfigEnvironment
  ) {
    service = BBMEnterpriseService.shared()
    self.tokenManager = tokenManager.init()
    self.domain = domain ?? ""
    self.environment = environment
    endpointManager = BBMEndpointManager(service: service)
    userManager = BBMUserManager(source: userSource?.init(), service: service)
    super.init()
    begin(keyStorageProvider?.init(), usesVault: BBMConfigManager.default().isUsingBlackBerryKMS())
  }

  init(
    _ tokenManager: any BBMTokenManager, service: BBMEnterpriseService, domain: String, usesVault: Bool = true,
    storage: (any BBMKeyStorageProvider)? = nil
  ) {
    self.service = service
    self.tokenManager = tokenManager
    self.domain = domain
    environment = kBBMConfig_Sandbox
    endpointManager = BBMEndpointManager(service: service)
    userManager = BBMUserManager(source: nil, service: service)
    super.init()
    begin(storage, usesVault: usesVault)
  }

  /// A controller with users that are kept on this endpoint, and the server's vault.
  public convenience init(
    tokenManager: any BBMTokenManager.Type, domain: String!, environment: BBMConfigEnvironment
  ) {
    self.init(
      tokenManager: tokenManager, userSource: nil, keyStorageProvider: nil, domain: domain, environment: environment)
  }

  /// A controller with domain and environment of `ConfigSettings.plist`.
  public convenience init(tokenManager: any BBMTokenManager.Type) {
    let config: BBMConfigManager = BBMConfigManager.default()
    self.init(tokenManager: tokenManager, domain: config.sdkServiceDomain, environment: config.environment)
  }

  /// A controller with all that `ConfigSettings.plist` says; nil when its provider is ``kCustomAuth``.
  public class func fromConfigFile() -> BBMAuthController! {
    switch BBMConfigManager.default().type {
    case kTestAuth: BBMAuthController(tokenManager: BBMTestTokenManager.self)
    case kGoogleSignIn: BBMAuthController(tokenManager: BBMGoogleTokenManager.self)
    case kAzureAD: BBMAuthController(tokenManager: BBMAzureTokenManager.self)
    default: nil
    }
  }

  /// The same by its name in Objective-C.
  public class func authControllerFromConfigFile() -> BBMAuthController! { fromConfigFile() }

  private func begin(_ storage: (any BBMKeyStorageProvider)?, usesVault: Bool) {
    tokenManager.delegate = self
    if let storage {
      keyManager = BBMKeyManager(keyStorageProvider: storage, service: service)
    } else if usesVault {
      kmsManager = BBMKMSManager(service: service)
    }
    let listener = DeregistrationListener { [weak self] in self?.deregistered() }
    self.listener = listener
    service.add(listener, forMessageNames: ["endpointDeregistered"])
    monitor = ObservableMonitor(activatedWithName: "BBMAuthController") { [weak self] () -> Void in self?.look() }
  }

  // MARK: the service

  /// Whether the service is started; observable.
  public var serviceStarted: Bool {
    track("serviceStarted")
    return isStarted
  }

  /// Starts the service; ``serviceStarted`` and the delegates say when it is.
  open func startBBMEnterpriseService() {
    service.start(domain, environment: environment) { [weak self] isStarted in self?.setStarted(isStarted) }
  }

  private func setStarted(_ new: Bool) {
    guard isStarted != new else { return }
    isStarted = new
    changed("serviceStarted")
    for each in delegates { each.delegate?.serviceStateChanged(new) }
  }

  /// Acts on the service's own states.
  private func look() {
    let state = service.serviceState
    if state == kBBMCoreServiceStateStopped || state == kBBMCoreServiceStateError {
      Watchers.untracked { setStarted(false) }
    }
    let token = service.model().globalAuthTokenState ?? kBBMAuthStateNeeded
    // An endpoint without a setup was reset, or was removed by another one: it waits for its user.
    let isSetUp = (service.model().globalSetupStateState ?? kBBMSetupStateNotRequested) != kBBMSetupStateNotRequested
    let needsAnother =
      wasTokenOk && token == kBBMAuthStateNeeded && auth.account != nil && isSetUp
      && state == kBBMCoreServiceStateStarted
    wasTokenOk = token == kBBMAuthStateOk
    // Whether the setup is through does not matter: the old token is over.
    if needsAnother { Watchers.untracked { tokenManager.signInSilently() } }
  }

  /// Another endpoint has removed this one: the service begins again, and waits for the user to sign in.
  private func deregistered() {
    tokenManager.signOut()
    startBBMEnterpriseService()
  }

  // MARK: signing in

  /// The account, the token's state, the setup and the local user's number; observable. Never nil.
  public var authState: BBMAuthState! {
    track("authState")
    return auth
  }

  /// Whether the service is started and the setup of this endpoint is through.
  public var startedAndAuthenticated: Bool { serviceStarted && authState.setupState == kBBMSetupStateSuccess }

  /// Signs in the user of the last run, if that needs no question. May come before the service is started.
  open func signInSilently() { tokenManager.signInSilently() }

  /// Forgets the account. Call ``BBMEnterpriseService/resetService()`` before, so that the endpoint's data goes as
  /// well.
  open func signOut() { tokenManager.signOut() }

  /// Notifies of every change. The delegate is held weakly.
  open func addDelegate(_ delegate: (any BBMAuthControllerDelegate)!) {
    guard let delegate else { return }
    delegates.removeAll { $0.delegate == nil || $0.delegate === delegate }
    delegates.append(WeakDelegate(delegate: delegate))
  }

  open func removeDelegate(_ delegate: (any BBMAuthControllerDelegate)!) {
    delegates.removeAll { $0.delegate == nil || $0.delegate === delegate }
  }

  /// The token manager has an account, or none any more. Errors are reported on standard error.
  open func localAuthDataChanged(_ account: BBMAuthenticatedAccount!, error: (any Error)!) {
    if let error { FileHandle.standardError.write(Data("BBMEnterprise: signing in failed. \(error)\n".utf8)) }
    guard let account = account as BBMAuthenticatedAccount? else {
      wasTokenOk = false
      service.dropToken()
      return enter(BBMAuthState())
    }
    service.sendAuthToken(account.accessToken, forUserName: account.accountId) { [weak self] token, setup, regId in
      let state = BBMAuthState()
      state.account = account
      state.authTokenState = token
      state.setupState = setup
      state.regId = regId
      self?.enter(state)
    }
  }

  private func enter(_ state: BBMAuthState) {
    auth = state
    if state.setupState == kBBMSetupStateSuccess, let account = state.account, state.regId != 0 {
      userManager.registerLocalUser(withAccount: account, regId: state.regId)
    }
    changed("authState")
    for each in delegates { each.delegate?.authStateChanged(state) }
  }

  /// The screen on which signing in may show its own.
  open func authController() -> UIViewController! { rootController }
}

/// Hears that this endpoint was removed.
@MainActor private final class DeregistrationListener: BBMIncomingMessageListener {
  private let call: @MainActor () -> Void

  init(_ call: @escaping @MainActor () -> Void) { self.call = call }

  func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) { call() }
}
