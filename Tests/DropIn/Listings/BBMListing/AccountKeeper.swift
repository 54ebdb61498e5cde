// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import UIKit

/// An authentication controller of an app's own, as the walkthrough shows how the support library's is made.
class AccountKeeper: BBMAuthenticationDelegate {
  var rootController: UIViewController?
  var serviceStarted = false
  var delegates: [BBMAuthControllerDelegate] = []
  private var _authState: BBMAuthState! = BBMAuthState.empty()

  var authState: BBMAuthState! {
    get {
      ObservableTracker.getterCalled(for: self, propertyName: "authState")
      return _authState
    }
    set {
      _authState = newValue
      ObservableTracker.setterCalled(for: self, propertyName: "authState")
    }
  }

  func start(_ domain: String) {
    BBMEnterpriseService.shared().start(
      domain, environment: kBBMConfig_Sandbox,
      completionBlock: { success in
        self.serviceStarted = success
        for delegate in self.delegates { delegate.serviceStateChanged(success) }
      })
  }

  func localAuthDataChanged(_ accountData: BBMAuthenticatedAccount!, error: Error!) {
    if error != nil {
      print("Sign in error \(error.localizedDescription)")
    }
    if accountData == nil {
      authState = BBMAuthState.emptyAuthState()
      for delegate in delegates { delegate.authStateChanged(authState) }
      return
    }
    let callback: SetupStateBlock = { authTokenState, setupState, regId in
      let authState = BBMAuthState()
      authState.account = accountData
      authState.authTokenState = authTokenState
      authState.setupState = setupState
      authState.regId = regId
      self.authState = authState
      for delegate in self.delegates { delegate.authStateChanged(authState) }
    }
    BBMEnterpriseService.shared().sendAuthToken(
      accountData.accessToken,
      forUserName: accountData.accountId,
      setupStateBlock: callback)
  }

  func authController() -> UIViewController! {
    return rootController
  }
}

/// A token manager of an app's own.
class DirectoryTokenManager: BBMTokenManager {
  weak var delegate: BBMAuthenticationDelegate!
  static var current: (id: String, token: String)?

  required init() {}

  func signIn() { directoryStateChanged(nil) }
  func signInSilently() { if DirectoryTokenManager.current != nil { directoryStateChanged(nil) } }
  func signOut() {
    DirectoryTokenManager.current = nil
    directoryStateChanged(nil)
  }

  func directoryStateChanged(_ error: Error?) {
    guard let user = DirectoryTokenManager.current else {
      delegate.localAuthDataChanged(nil, error: error)
      return
    }
    let accountData = BBMAuthenticatedAccount.accountData(
      withId: user.id,
      idToken: nil,
      accessToken: user.token,
      name: "Ann",
      email: "ann@example.com",
      avatarURL: URL(string: "https://example.com/ann.png"))
    delegate.localAuthDataChanged(accountData, error: error)
  }
}
