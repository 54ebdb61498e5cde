// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

import Foundation
import ParleyViews

/// Asks for a user id and makes an unsigned token of it, for domains of the sandbox whose authentication is disabled.
@preconcurrency @MainActor public final class BBMTestTokenManager: BBMTokenManager {
  public weak var delegate: (any BBMAuthenticationDelegate)!
  private static let file = "test-account.json"

  /// A manager that remembers the user of the last run.
  public init() {}

  /// Asks for a user id: any text.
  public func signIn() {
    guard let screen = delegate?.authController() as UIViewController? else { return }
    let alert = UIAlertController(
      title: "Sign In", message: "Enter a user ID: any text that names a user of this domain.", preferredStyle: .alert)
    alert.addTextField { field in
      field.placeholder = "User ID"
      field.accessibilityLabel = "User ID"
      field.autocapitalizationType = .none
      field.autocorrectionType = .no
    }
    alert.addAction(UIAlertAction(title: "Cancel", style: .cancel))
    let sign = UIAlertAction(title: "Sign In", style: .default) { [weak self, weak alert] _ in
      let user = alert?.textFields?.first?.text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
      // Without an id there is nobody to sign in.
      if user.isEmpty { self?.signIn() } else { self?.use(user) }
    }
    alert.addAction(sign)
    alert.preferredAction = sign
    screen.present(alert, animated: true)
  }

  /// Signs in the user of the last run, if there is one.
  public func signInSilently() {
    if let user = AppFolder.read(Self.file)?["userId"] { use(user) }
  }

  public func signOut() {
    AppFolder.write(Self.file, nil)
    delegate?.localAuthDataChanged(nil, error: nil)
  }

  private func use(_ user: String) {
    AppFolder.write(Self.file, ["userId": user])
    let token = BBMTestToken(userId: user)
    delegate?.localAuthDataChanged(
      BBMAuthenticatedAccount(
        id: user, idToken: token.token, accessToken: token.token, name: user, email: nil, avatarURL: nil), error: nil)
  }
}

/// A token that nobody has signed (RFC 7519 section 6), which is good for an hour.
public struct BBMTestToken: Sendable {
  /// The token: header and claims in base64url, and an empty signature.
  public let token: String

  /// A token of a user, from a minute ago on: clocks differ.
  public init(userId: String) { self.init(userId: userId, now: Date(), id: UUID().uuidString) }

  init(userId: String, now: Date, id: String) {
    let seconds = Int(now.timeIntervalSince1970)
    let claims: [String: Any] = ["jti": id, "sub": userId, "iat": seconds - 60, "exp": seconds + 3_600]
    token =
      [["alg": "none"], claims].map { part in
        let data = (try? JSONSerialization.data(withJSONObject: part, options: .sortedKeys)) ?? Data()
        return data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
          .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
      }.joined(separator: ".") + "."
  }
}
