// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// The account: how far the service, the token and the setup are, and a button that signs in or out.
class AccountViewController: UITableViewController, BBMConnectivityListener, BBMAuthControllerDelegate, AccountScreen {
  private enum Row: Int, CaseIterable {
    case service, setup, authToken, regId, domain, connectivity, user, button

    var title: String {
      switch self {
      case .service: "BBM Service State"
      case .setup: "SetupState"
      case .authToken: "AuthTokenState"
      case .regId: "RegId"
      case .domain: "Domain"
      case .connectivity: "Connectivity"
      case .user: "User Email"
      case .button: ""
      }
    }
  }

  /// Acts in place of a person.
  weak var visitor: Visitor?
  private let domain: String
  private var authController: BBMAuthController!
  private var values: [Row: String] = [:]
  private let signInButton = UIButton(type: .system)
  private let signOutButton = UIButton(type: .system)

  init(domain: String?) {
    self.domain = domain ?? ""
    super.init(nibName: nil, bundle: nil)
    title = "Quick Start"
  }

  required init?(coder: NSCoder) {
    domain = ""
    super.init(coder: coder)
  }

  override func viewDidLoad() {
    super.viewDidLoad()
    let tokenManager: BBMTokenManager.Type
    switch BBMConfigManager.default().type {
    case kGoogleSignIn:
      tokenManager = BBMGoogleTokenManager.self
      signInButton.setTitle("Google Sign In", for: .normal)
    case kAzureAD:
      tokenManager = BBMAzureTokenManager.self
      signInButton.setTitle("Azure AD Sign In", for: .normal)
    default:
      tokenManager = BBMTestTokenManager.self
      signInButton.setTitle("Sign In", for: .normal)
    }
    signOutButton.setTitle("Sign Out", for: .normal)
    signInButton.addTarget(self, action: AccountViewController.signIn, for: .touchUpInside)
    signOutButton.addTarget(self, action: AccountViewController.signOut, for: .touchUpInside)
    signInButton.isHidden = true
    signOutButton.isHidden = true
    values[.domain] = domain
    values[.service] = "Stopped"
    values[.connectivity] = "Disconnected"
    visitor?.configured(BBMConfigManager.default().type.rawValue, domain: domain)
    showRows()

    BBMEnterpriseService.shared().add(self)
    authController = BBMAuthController(
      tokenManager: tokenManager, userSource: nil, keyStorageProvider: nil, domain: domain,
      environment: BBMConfigManager.default().environment)
    authController.rootController = self
    authController.addDelegate(self)
    authStateChanged(authController.authState)
    authController.startBBMEnterpriseService()
    authController.signInSilently()
  }

  // MARK: what the service says

  func authStateChanged(_ authState: BBMAuthState) {
    values[.authToken] = authState.authTokenState ?? "No Token"
    values[.setup] = authState.setupState ?? "Setup Not Started"
    values[.regId] = authState.regId != nil && authState.regId != 0 ? authState.regId.stringValue : ""
    values[.user] = authState.account?.email ?? authState.account?.name ?? ""
    signInButton.isHidden = authController.startedAndAuthenticated
    signOutButton.isHidden = !authController.startedAndAuthenticated
    // In domains without key management an app stores the keys itself. This one has none to store.
    if !BBMConfigManager.default().isUsingBlackBerryKMS(), authState.setupState == kBBMSetupStateOngoing,
      BBMEnterpriseService.shared().model().globalProfileKeysState == kBBMKeyStateNotSynced
    {
      let element: [String: Any] = ["name": "profileKeysState", "value": "Synced"]
      BBMEnterpriseService.shared().sendMessage(
        toService: BBMRequestListChangeMessage(elements: [element], type: "global"))
    }
    if authState.authTokenState == kBBMAuthStateRejected || authState.setupState == kBBMSetupStateOngoing {
      signOutButton.isHidden = false
      signInButton.isHidden = true
    }
    // A product lets the user choose which endpoint is removed.
    if authState.setupState == kBBMSetupStateFull {
      authController.endpointManager.deregisterAnyEndpointAndContinueSetup()
    }
    showRows()
    visitor?.authStateChanged(authState)
  }

  func serviceStateChanged(_ serviceStarted: Bool) {
    values[.service] = serviceStarted ? "Started" : "Stopped"
    showRows()
    visitor?.serviceStateChanged(serviceStarted)
  }

  func connectivityStateChange(_ connected: Bool, strict connectedStrict: Bool) {
    values[.connectivity] = connected ? "Connected" : "Disconnected"
    showRows()
    visitor?.connectivityChanged(connected)
  }

  // MARK: what the user does

  func signIn() { authController.tokenManager.signIn!() }

  func signOut() {
    BBMEnterpriseService.shared().resetService()
    authController.signOut()
  }

  /// Questions come to this screen; without a window they are answered.
  override func present(
    _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
  ) {
    super.present(viewControllerToPresent, animated: flag, completion: completion)
    if let alert = viewControllerToPresent as? UIAlertController { visitor?.asked(alert) }
  }

  // MARK: rows

  private func showRows() {
    tableView.reloadData()
    let rows = values.map { ($0.title, $1) }
    let buttons = [signInButton, signOutButton].filter { !$0.isHidden }
    visitor?.shown(
      Dictionary(rows) { first, _ in first }, buttons: buttons.map { $0.currentTitle ?? "" })
  }

  override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { Row.allCases.count }

  override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = UITableViewCell(style: .value1, reuseIdentifier: nil)
    guard let row = Row(rawValue: indexPath.row) else { return cell }
    if row == .button {
      for button in [signInButton, signOutButton] {
        button.frame = CGRect(x: 16, y: 0, width: tableView.bounds.width - 32, height: tableView.rowHeight)
        cell.contentView.addSubview(button)
      }
    } else {
      cell.textLabel?.text = row.title
      cell.detailTextLabel?.text = values[row] ?? ""
    }
    return cell
  }
}
