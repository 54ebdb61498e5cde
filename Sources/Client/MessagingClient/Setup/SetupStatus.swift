package import Messaging

/// How far the setup of an endpoint is, and what it waits for.
package enum SetupState: String, Sendable, Hashable {
  case notRequested, ongoing
  /// The identity has as many endpoints as it may have: free one, then retry.
  case full
  /// Kept for apps that ask for it; this service never requires a switch.
  case deviceSwitchRequired
  /// The passcode of the vault is needed; ``SetupStatus/syncPasscode`` has which one.
  case syncRequired
  case syncStarted, success
}

/// The setup as an app sees it.
package struct SetupStatus: Sendable, Hashable {
  /// The state of the identity provider's token. Independent of ``SetupState``: a rejected token blocks, and changes
  /// nothing else.
  package enum AuthToken: String, Sendable { case needed, ok, rejected }
  /// The passcode that is asked for. In ``SetupState/syncRequired``, `none` waits for another endpoint, which has
  /// forgotten the passcode and is choosing a new one.
  package enum SyncPasscode: String, Sendable { case none, new, existing }
  /// Whether the identity's keys are on this endpoint.
  package enum ProfileKeys: String, Sendable { case notSynced, synced }
  /// Whether the identity was made by this setup.
  package enum Account: String, Sendable { case none, new, existing }
  /// The work of an ongoing setup.
  package enum Progress: String, Sendable { case none, restoring, transferring, completing }

  package var state = SetupState.notRequested
  package var progress = Progress.none
  package var authToken = AuthToken.needed
  package var syncPasscode = SyncPasscode.none
  package var profileKeys = ProfileKeys.notSynced
  package var account = Account.none
  package var regId: RegID?
  package var appUserId: String?
  package var pin: String?
  package var endpoint: EndpointID?
  /// A statement of the service, signed, that the user id belongs to the number.
  package var registrationToken: String?
  /// Whether the service has welcomed the present connection.
  package var isConnected = false

  package init() {}
}

/// Why the passcode was of no use.
package enum SyncError: Sendable, Hashable {
  case incorrectPasscode
  /// Too many wrong tries; a try counts again after so many seconds.
  case locked(seconds: Int)
  case timeout
  /// The passcode is too weak for new keys.
  case weakPasscode
  /// The service gave an older record than this endpoint has seen, or one that does not open.
  case tampered
  case failure
}

/// The use of a passcode.
package enum SyncAction: String, Sendable { case new, existing }

/// A token of the identity provider, and the user that it is for.
package struct AuthToken: Sendable, Hashable {
  package let userId: String
  package let token: String

  package init(userId: String, token: String) {
    self.userId = userId
    self.token = token
  }
}

/// An endpoint comes back with these, without a token.
package struct EndpointCredentials: Sendable, Hashable {
  package let endpoint: EndpointID
  package let secret: String
}

/// The installation as other endpoints of the identity see it.
package struct EndpointDescription: Sendable, Hashable {
  package var description: String
  package var nickname: String
  /// Whether it counts in the quota of persistent endpoints.
  package var isPersistent: Bool

  package init(description: String = "", nickname: String = "", isPersistent: Bool = true) {
    self.description = description
    self.nickname = nickname
    self.isPersistent = isPersistent
  }
}
