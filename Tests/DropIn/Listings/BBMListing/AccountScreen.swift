// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is half of the
// test.

import BBMEnterprise
import UIKit

/// The Quick Start as it is written for Objective-C: its own controller, and delegates.
class DelegatingScreen: UIViewController, BBMConnectivityListener, BBMAuthControllerDelegate {
  var authController: BBMAuthController!
  var connectivity = "Disconnected"
  var service = "Stopped"
  var states: [String] = []
  let signInButton = UIButton(type: .system)
  let signOutButton = UIButton(type: .system)
  var domain = "A-DOMAIN"

  override func viewDidLoad() {
    super.viewDidLoad()
    BBMEnterpriseService.service().add(self)

    let tokenManager: BBMTokenManager.Type
    if BBMConfigManager.default().type == kGoogleSignIn {
      tokenManager = BBMGoogleTokenManager.self
    } else if BBMConfigManager.default().type == kAzureAD {
      tokenManager = BBMAzureTokenManager.self
    } else {
      tokenManager = BBMTestTokenManager.self
    }
    authController = BBMAuthController(
      tokenManager: tokenManager,
      userSource: nil,
      keyStorageProvider: nil,
      domain: domain,
      environment: BBMConfigManager.default().environment)
    authController.rootController = self
    authController.addDelegate(self)

    authController.startBBMEnterpriseService()
    authController.signInSilently()
  }

  func connectivityStateChange(_ connected: Bool, strict connectedStrict: Bool) {
    connectivity = connected ? "Connected" : "Disconnected"
  }

  func authStateChanged(_ authState: BBMAuthState) {
    let token: String = authState.authTokenState ?? "No Token"
    let setup: String = authState.setupState ?? "Setup Not Started"
    let regId = authState.regId != nil && authState.regId.intValue != 0 ? authState.regId.stringValue : ""
    states.append([token, setup, regId, authState.account?.email ?? ""].joined(separator: ","))
    signInButton.isHidden = authController.startedAndAuthenticated
    signOutButton.isHidden = !authController.startedAndAuthenticated
    if !BBMConfigManager.default().isUsingBlackBerryKMS() && authState.setupState == kBBMSetupStateOngoing
      && BBMEnterpriseService.service().model().globalProfileKeysState == kBBMKeyStateNotSynced
    {
      let element: [AnyHashable: Any] = ["name": "profileKeysState", "value": "Synced"]
      let syncProfileKey: BBMRequestListChangeMessage = BBMRequestListChangeMessage(elements: [element], type: "global")
      BBMEnterpriseService.service().sendMessage(toService: syncProfileKey)
    }
    if authState.authTokenState == kBBMAuthStateRejected {
      signOutButton.isHidden = false
    }
    if authState.setupState == kBBMSetupStateFull {
      authController.endpointManager.deregisterAnyEndpointAndContinueSetup()
    }
  }

  func serviceStateChanged(_ serviceStarted: Bool) {
    service = serviceStarted ? "Started" : "Stopped"
  }

  @IBAction func signOut(_ sender: Any?) {
    BBMEnterpriseService.service().resetService()
    authController.signOut()
  }

  @IBAction func signIn(_ sender: Any?) {
    authController.tokenManager.signIn!()
  }
}

/// The Quick Start as it is written for Swift: the controller belongs to the app, and a monitor shows its states.
class ListingApp {
  private let _authController: BBMAuthController = BBMAuthController(
    tokenManager: BBMTestTokenManager.self,
    domain: "A-DOMAIN",
    environment: kBBMConfig_Sandbox)
  lazy private var _endpointManager: BBMEndpointManager = BBMEndpointManager()

  private static let appInstance: ListingApp = {
    let instance = ListingApp()
    instance.authController().startBBMEnterpriseService()
    return instance
  }()

  class func app() -> ListingApp {
    return appInstance
  }

  func authController() -> BBMAuthController {
    return _authController
  }

  func endpointManager() -> BBMEndpointManager {
    return _endpointManager
  }
}

class MonitoringScreen: UITableViewController, BBMConnectivityListener {
  var serviceMonitor: ObservableMonitor!
  var shown: [String] = []
  var connectivity = ""

  override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
    super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    begin()
  }

  required init?(coder aDecoder: NSCoder) {
    super.init(coder: aDecoder)
    begin()
  }

  func begin() {
    BBMEnterpriseService.shared().add(self)
    ListingApp.app().authController().rootController = self
    serviceMonitor = ObservableMonitor(name: "ServiceStateMonitor") {
      [weak self]
      () -> Void in

      if let weakSelf = self {
        weakSelf.serviceStateChanged(ListingApp.app().authController().serviceStarted)
        weakSelf.authStateChanged(ListingApp.app().authController().authState)
      }
    }
    ListingApp.app().authController().signInSilently()
  }

  deinit {
    ListingApp.app().authController().rootController = nil
    BBMEnterpriseService.shared().remove(self)
  }

  override func viewWillAppear(_ animated: Bool) {
    super.viewWillAppear(animated)
    serviceMonitor.activate()
  }

  override func viewWillDisappear(_ animated: Bool) {
    super.viewWillDisappear(animated)
    serviceMonitor.deActivate()
  }

  public func connectivityStateChange(_ connected: Bool, strict connectedStrict: Bool) {
    connectivity = connected ? "Connected" : "Disconnected"
  }

  func authStateChanged(_ authState: BBMAuthState) {
    shown.append(authState.setupState != nil ? authState.setupState! : "Setup Not Started")
    if authState.setupState != nil && authState.setupState == kBBMSetupStateFull {
      ListingApp.app().endpointManager().deregisterAnyEndpointAndContinueSetup()
    }
  }

  func serviceStateChanged(_ serviceStarted: Bool) {
    shown.append(serviceStarted ? "Started" : "Stopped")
  }
}
