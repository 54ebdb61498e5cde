// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverForceUnwrap

import BBMEnterprise
import Foundation
import UIKit

/// The first screen of an app: how far signing in is, in words, and a button that signs in or out. Once the user is
/// signed in, the app's main screen is before it.
public final class SignInViewController: UIViewController, AccountScreen {
  private let session: AppSession
  private let makeMain: () -> UIViewController
  private let nameLabel = UILabel()
  private let statusLabel = UILabel()
  private let button = UIButton(type: .system)
  private var monitor: ObservableMonitor?
  private var keyMonitor: ObservableMonitor?
  private var isSignedIn = false
  /// The users whose changed keys are being shown.
  private var shownKeys: Set<String> = []

  /// A screen before that which `makeMain` makes.
  public init(_ title: String, session: AppSession, makeMain: @escaping () -> UIViewController) {
    self.session = session
    self.makeMain = makeMain
    super.init(nibName: nil, bundle: nil)
    self.title = title
  }

  public required init?(coder: NSCoder) { nil }

  public override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = .white
    nameLabel.font = .boldSystemFont(ofSize: 20)
    statusLabel.numberOfLines = 0
    for label in [nameLabel, statusLabel] {
      label.textAlignment = .center
      view.addSubview(label)
    }
    button.addTarget(self, action: SignInViewController.pressed, for: .touchUpInside)
    view.addSubview(button)

    session.authController.rootController = self
    monitor = ObservableMonitor(activatedWithName: "account") { [weak self] () -> Void in self?.show() }
    keyMonitor = ObservableMonitor(activatedWithName: "keys") { [weak self] () -> Void in self?.showChangedKeys() }
    session.authController.startBBMEnterpriseService()
    session.authController.signInSilently()
  }

  public override func viewDidLayoutSubviews() {
    super.viewDidLayoutSubviews()
    let width = max(view.bounds.width - 32, 0)
    nameLabel.frame = CGRect(x: 16, y: 40, width: width, height: 28)
    statusLabel.frame = CGRect(x: 16, y: 80, width: width, height: 84)
    button.frame = CGRect(x: 16, y: 180, width: width, height: 44)
  }

  private func show() {
    let state = session.authController.authState!
    nameLabel.text = state.account?.name ?? ""
    statusLabel.text = words(state)
    let isOut = state.account == nil
    button.setTitle(isOut ? "Sign In" : "Sign Out", for: .normal)
    button.isEnabled = session.authController.serviceStarted
    let isReady = session.authController.startedAndAuthenticated
    guard isReady != isSignedIn else { return }
    isSignedIn = isReady
    navigationController?.popToRootViewController(animated: false)
    if isReady { navigationController?.pushViewController(makeMain(), animated: true) }
  }

  /// Says whose keys have changed, once the service has said the name.
  private func showChangedKeys() {
    for regId in session.keyChanges.regIds where !shownKeys.contains(regId) {
      let name = session.name(of: regId)
      guard name != regId else { continue }
      shownKeys.insert(regId)
      let alert = UIAlertController(
        title: "Keys have changed", message: KeyChanges.words(name), preferredStyle: .alert)
      alert.addAction(
        UIAlertAction(title: "OK", style: .cancel) { [weak self] _ in
          self?.shownKeys.remove(regId)
          self?.session.keyChanges.markRead(regId)
        })
      present(alert, animated: true)
    }
  }

  private func words(_ state: BBMAuthState) -> String {
    guard session.authController.serviceStarted else { return "The service isn't started." }
    guard state.account != nil else { return "You are signed out." }
    if state.authTokenState == kBBMAuthStateRejected {
      return "The server has refused the sign-in. Sign out, and in again."
    }
    if state.setupState == kBBMSetupStateSuccess { return "You are signed in." }
    if !session.isConnected { return "The server isn't reached. The app goes on trying." }
    switch state.setupState {
    case kBBMSetupStateFull: return "You are signed in on too many devices. One of them is signed out now."
    case kBBMSetupStateSyncRequired: return "Your keys are locked with your passcode."
    default: return "Signing in…"
    }
  }

  private func pressed() { if session.authController.authState.account == nil { signIn() } else { signOut() } }

  public func signIn() { session.authController.tokenManager.signIn!() }

  public func signOut() {
    BBMEnterpriseService.shared().resetService()
    session.authController.signOut()
  }

  /// Questions about the account come to this screen.
  public override func present(
    _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
  ) {
    super.present(viewControllerToPresent, animated: flag, completion: completion)
    if let alert = viewControllerToPresent as? UIAlertController { Visitor.current?.asked(alert) }
  }
}

extension UIViewController {
  /// Says what went wrong.
  @MainActor public func showProblem(_ text: String) {
    let alert = UIAlertController(title: "That did not work", message: text, preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "OK", style: .cancel))
    present(alert, animated: true)
    Visitor.current?.asked(alert)
  }
}
