// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

public import ParleyViews

/// Is notified by a token manager: ``BBMAuthController`` is.
@preconcurrency @MainActor public protocol BBMAuthenticationDelegate: AnyObject {
  /// The account has changed; nil when nobody is signed in any more, or when signing in has failed.
  func localAuthDataChanged(_ account: BBMAuthenticatedAccount!, error: (any Error)!)
  /// The screen on which signing in may show its own.
  func authController() -> UIViewController!
}

/// The part of a token manager that shows something, which was optional: both `signIn()` and `signIn!()` call it.
@preconcurrency @MainActor public protocol BBMTokenManagerSignIn: AnyObject {
  /// Asks the user to sign in.
  func signIn()
}

extension BBMTokenManagerSignIn {
  /// ``signIn()`` as an optional method of Objective-C is called: `tokenManager.signIn!()`.
  public var signIn: (@MainActor () -> Void)? {
    {
      let call: () -> Void = self.signIn
      call()
    }
  }
}

/// Signs users in at an identity provider, and gets tokens for the service.
///
/// The controller makes one of the class that it is given. It reports accounts to its delegate; each new account's
/// access token goes to the service. The names of the methods besides ``BBMTokenManagerSignIn/signIn()`` are this
/// module's: those of the support library were never published.
@preconcurrency @MainActor public protocol BBMTokenManager: BBMTokenManagerSignIn {
  /// A manager that has signed nobody in yet.
  init()
  /// Gets the accounts; to be held weakly.
  var delegate: (any BBMAuthenticationDelegate)! { get set }
  /// Gets a token without asking the user, where that is possible; else nothing happens. Called when the app begins,
  /// and whenever the service needs a new token.
  func signInSilently()
  /// Forgets the account, and reports that there is none.
  func signOut()
}

extension BBMTokenManager {
  /// Does nothing, unless the manager implements it.
  public func signIn() {}
  /// Does nothing, unless the manager implements it.
  public func signInSilently() {}
}
