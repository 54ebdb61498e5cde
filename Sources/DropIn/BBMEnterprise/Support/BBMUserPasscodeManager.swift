// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

public import ParleyViews

/// Asks the user for passcodes, with alerts on a screen of the app.
///
/// During the setup the questions cannot be cancelled; that for a change can. A new passcode has at least ten
/// characters and is entered twice.
@preconcurrency @MainActor public final class BBMUserPasscodeManager: BBMPasscodeManager {
  /// The screen on which the alerts are shown. A question that comes before it is set waits.
  public weak var rootController: UIViewController? { didSet { showWaiting() } }
  /// The fewest characters of a new passcode, as the server's vault asks for.
  static let leastCharacters = 10

  private var alert: UIAlertController?
  private var waiting: (@MainActor () -> Void)?

  /// A manager that has no screen yet.
  public init() {}

  /// Asks for a new passcode, twice.
  public func provideNewPasscode(_ error: BBMPasscodeError, completion: @escaping @MainActor (String) -> Void) {
    askTwice("New Passcode", "It protects your keys. Nobody can restore it for you.", Self.text(error), false) {
      if let passcode = $0 { completion(passcode) }
    }
  }

  /// Asks for a passcode in place of the one in use, twice.
  public func provideChangedPasscode(_ error: BBMPasscodeError, completion: @escaping @MainActor (String?) -> Void) {
    askTwice("Change Passcode", "It replaces your passcode on all your devices.", Self.text(error), true, completion)
  }

  /// Asks for the passcode in use. Forgetting it has to be confirmed.
  public func provideExistingPasscode(
    _ error: BBMPasscodeError, completion: @escaping @MainActor (BBMPasscodeAnswer) -> Void
  ) {
    let text = "Enter the passcode that protects your keys."
    show { [weak self] in
      let alert = UIAlertController(
        title: "Passcode", message: [Self.text(error), text].compactMap(\.self).joined(separator: "\n"),
        preferredStyle: .alert)
      Self.addField(alert, "Passcode")
      let unlock = UIAlertAction(title: "Unlock", style: .default) { [weak alert] _ in
        self?.alert = nil
        let passcode = alert?.textFields?.first?.text ?? ""
        guard !passcode.isEmpty else {
          self?.provideExistingPasscode(error, completion: completion)
          return
        }
        completion(.passcode(passcode))
      }
      alert.addAction(
        UIAlertAction(title: "Forgot Passcode", style: .destructive) { _ in
          self?.alert = nil
          self?.confirm(error, completion)
        })
      alert.addAction(unlock)
      alert.preferredAction = unlock
      return alert
    }
  }

  /// Takes the alert away.
  public func cancelRequests() {
    waiting = nil
    if let alert { alert.dismiss(animated: true) }
    alert = nil
  }

  private func confirm(_ error: BBMPasscodeError, _ completion: @escaping @MainActor (BBMPasscodeAnswer) -> Void) {
    show { [weak self] in
      let alert = UIAlertController(
        title: "Forgot Passcode",
        message: "With new keys you are logged out on your other devices, and all your chats are lost.",
        preferredStyle: .alert)
      alert.addAction(
        UIAlertAction(title: "Make New Keys", style: .destructive) { _ in
          self?.alert = nil
          completion(.forgotten)
        })
      alert.addAction(
        UIAlertAction(title: "Back", style: .cancel) { _ in
          self?.alert = nil
          self?.provideExistingPasscode(error, completion: completion)
        })
      return alert
    }
  }

  private func askTwice(
    _ title: String, _ text: String, _ problem: String?, _ canCancel: Bool,
    _ completion: @escaping @MainActor (String?) -> Void
  ) {
    show { [weak self] in
      let alert = UIAlertController(
        title: title, message: [problem, text].compactMap(\.self).joined(separator: "\n"), preferredStyle: .alert)
      Self.addField(alert, "Passcode")
      Self.addField(alert, "Repeat passcode")
      if canCancel {
        alert.addAction(
          UIAlertAction(title: "Cancel", style: .cancel) { _ in
            self?.alert = nil
            completion(nil)
          })
      }
      let use = UIAlertAction(title: "OK", style: .default) { [weak alert] _ in
        self?.alert = nil
        let entered = alert?.textFields?.map { $0.text ?? "" } ?? []
        if let problem = Self.problem(entered) {
          self?.askTwice(title, text, problem, canCancel, completion)
        } else {
          completion(entered.first)
        }
      }
      alert.addAction(use)
      alert.preferredAction = use
      return alert
    }
  }

  private static func addField(_ alert: UIAlertController, _ name: String) {
    alert.addTextField { field in
      field.placeholder = name
      field.accessibilityLabel = name
      field.isSecureTextEntry = true
    }
  }

  private static func problem(_ entered: [String]) -> String? {
    guard let passcode = entered.first, passcode.count >= leastCharacters else {
      return "The passcode needs at least \(leastCharacters) characters."
    }
    return entered.allSatisfy { $0 == passcode } ? nil : "The two passcodes differ."
  }

  private static func text(_ error: BBMPasscodeError) -> String? {
    switch error {
    case .none: nil
    case .incorrect: "The passcode is wrong."
    case .timedOut: "The server did not answer in time."
    case .failed: "The keys could not be synchronized."
    case .temporary: "That did not work. Try again."
    case .weak: "Passcodes like this one are tried first. Take four words that have nothing to do with each other."
    case .locked: "There were too many wrong passcodes. Try again in some hours."
    }
  }

  // MARK: showing

  private func show(_ make: @escaping @MainActor () -> UIAlertController) {
    waiting = { [weak self] in
      guard let self, let screen = rootController else { return }
      waiting = nil
      let alert = make()
      self.alert = alert
      screen.present(alert, animated: true)
    }
    showWaiting()
  }

  private func showWaiting() { if rootController != nil { waiting?() } }
}
