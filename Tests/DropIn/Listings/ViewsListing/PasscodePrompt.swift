// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is half of the
// test.

import UIKit

/// The screen that hosts questions while signing in.
protocol SignInDelegate: AnyObject {
  func signInController() -> UIViewController
  func signedIn(_ account: String?)
}

/// Asks for a name and a passcode, and isn't a screen.
class PasscodePrompt: NSObject {
  weak var delegate: SignInDelegate?
  private(set) var question: UIAlertController?

  func signIn() {
    let alert = UIAlertController(title: "Sign in", message: "Any name will do.", preferredStyle: .alert)
    alert.addTextField { (field: UITextField) in
      field.placeholder = "User ID"
    }
    alert.addTextField { (field: UITextField) in
      field.placeholder = "Passcode"
      field.isSecureTextEntry = true
    }
    alert.addAction(
      UIAlertAction(title: "OK", style: .default) { [weak self, weak alert] _ in
        self?.finish(alert?.textFields?.first?.text)
      })
    alert.addAction(UIAlertAction(title: "Cancel", style: .cancel) { [weak self] _ in self?.finish(nil) })
    question = alert
    delegate?.signInController().present(alert, animated: true, completion: nil)
  }

  private func finish(_ account: String?) {
    question = nil
    delegate?.signedIn(account)
  }
}

/// Shows who is signed in; buttons come and go with that.
class AccountViewController: UIViewController, SignInDelegate {
  let prompt = PasscodePrompt()
  let signInButton = UIButton(type: .system)
  let signOutButton = UIButton(type: .system)
  let domainLabel = UILabel()

  override func viewDidLoad() {
    super.viewDidLoad()
    prompt.delegate = self
    domainLabel.text = UIDevice.current.name
    signInButton.setTitle("Sign In", for: .normal)
    signOutButton.setTitle("Sign Out", for: .normal)
    signInButton.addTarget(self, action: AccountViewController.signIn, for: .touchUpInside)
    signOutButton.addTarget(self, action: AccountViewController.signOut, for: .touchUpInside)
    signInButton.frame = CGRect(x: 20, y: 40, width: 120, height: 44)
    signOutButton.frame = signInButton.frame
    signOutButton.isHidden = true
    for part in [domainLabel, signInButton, signOutButton] { view.addSubview(part) }
  }

  func signIn(_ sender: Any) { prompt.signIn() }
  func signOut(_ sender: Any) { signedIn(nil) }

  func signInController() -> UIViewController { return self }

  func signedIn(_ account: String?) {
    signInButton.isHidden = account != nil
    signOutButton.isHidden = account == nil
    domainLabel.text = account
  }
}
