// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

public import Foundation

/// How far signing in and the setup are, as ``BBMAuthController/authState`` has it.
@preconcurrency @MainActor public final class BBMAuthState {
  /// The account that the token manager has given; nil while nobody is signed in.
  public var account: BBMAuthenticatedAccount!
  /// Such as ``kBBMAuthStateOk``; nil before the first token.
  public var authTokenState: String!
  /// Such as ``kBBMSetupStateOngoing``; nil before the first token.
  public var setupState: String!
  /// The number of the local user, 0 before it is known; nil before the first token.
  public var regId: NSNumber!

  /// A state without an account.
  public init() {}

  /// The state while nobody is signed in.
  public class func empty() -> BBMAuthState! { BBMAuthState() }
  /// The same by its name in Objective-C.
  public class func emptyAuthState() -> BBMAuthState! { BBMAuthState() }
}

/// A user, as an identity provider describes them.
@preconcurrency @MainActor public final class BBMAuthenticatedAccount {
  /// The user's name at the provider, by which the service knows the identity.
  public let accountId: String!
  public let idToken: String!
  /// The token that the service gets.
  public let accessToken: String!
  public let name: String!
  public let email: String!
  public let avatarURL: URL!

  init(
    id: String!, idToken: String!, accessToken: String!, name: String!, email: String!, avatarURL: URL!
  ) {
    accountId = id
    self.idToken = idToken
    self.accessToken = accessToken
    self.name = name
    self.email = email
    self.avatarURL = avatarURL
  }

  /// An account; all but the id and the access token may be missing.
  public class func accountData(
    withId id: String!, idToken: String!, accessToken: String!, name: String!, email: String!, avatarURL: URL!
  ) -> BBMAuthenticatedAccount! {
    BBMAuthenticatedAccount(
      id: id, idToken: idToken, accessToken: accessToken, name: name, email: email, avatarURL: avatarURL)
  }
}
