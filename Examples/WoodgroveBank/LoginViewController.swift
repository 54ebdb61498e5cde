import Foundation
import UIKit

/// Signing in to the bank. Any ID and password will do: the sample has no accounts.
class LoginViewController: UIViewController {
  private let bankID = BankField("Bank ID")
  private let password = BankField("Password")
  private let form = FormView()

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Sign in"
    view.backgroundColor = .white
    let name = BankLabel("Woodgrove Bank", font: .boldSystemFont(ofSize: 28), color: .bank)
    name.textAlignment = .center
    let hint = BankLabel("Your agent is one click away.", color: .bankGrey)
    hint.textAlignment = .center
    password.isSecureTextEntry = true
    password.addTarget(self, action: LoginViewController.signIn, for: .primaryActionTriggered)

    let signInButton = BankButton("Sign in")
    signInButton.addTarget(self, action: LoginViewController.signIn, for: .touchUpInside)
    let addButton = BankButton("Add meeting URL", isPrimary: false)
    addButton.addTarget(self, action: LoginViewController.addMeetingURL, for: .touchUpInside)
    let settingsButton = BankButton("Settings", isPrimary: false)
    settingsButton.addTarget(self, action: LoginViewController.showSettings, for: .touchUpInside)

    form.add(name, gap: 40)
    form.add(hint)
    form.add(bankID, gap: 36)
    form.add(password)
    form.add(signInButton, gap: 24)
    form.add(addButton)
    form.add(settingsButton)
    form.fill(view)
  }

  override func viewWillAppear(_ animated: Bool) {
    super.viewWillAppear(animated)
    navigationController?.isNavigationBarHidden = true
  }

  override func viewWillDisappear(_ animated: Bool) {
    super.viewWillDisappear(animated)
    navigationController?.isNavigationBarHidden = false
  }

  func signIn() {
    password.text = ""
    let isOnline = Settings.isOnline && !Settings.enablesPreview
    performSegue(withIdentifier: isOnline ? "signInOnline" : "signIn", sender: self)
  }

  func addMeetingURL() { performSegue(withIdentifier: "addMeetingURL", sender: self) }

  func showSettings() { performSegue(withIdentifier: "settings", sender: self) }
}
