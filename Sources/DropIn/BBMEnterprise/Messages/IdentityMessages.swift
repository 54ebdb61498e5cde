// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation

/// Gives the service a token. ``BBMEnterpriseService/sendAuthToken(_:forUserName:setupStateBlock:)`` sends it.
@preconcurrency @MainActor open class BBMAuthTokenMessage: BBMJSONMessage {
  public var authToken: String! {
    get { self[text: "authToken"] }
    set { self[text: "authToken"] = newValue }
  }
  public var userId: String! {
    get { self[text: "userId"] }
    set { self[text: "userId"] = newValue }
  }

  /// A token of a user.
  public init!(authToken: String!, userId: String!) {
    super.init(name: "authToken")
    self.authToken = authToken
    self.userId = userId
  }
}

/// Goes on with the setup, after an endpoint was freed or when the user has agreed to the switch of the device.
@preconcurrency @MainActor open class BBMSetupRetryMessage: BBMJSONMessage {

  /// Ignored in other states.
  public override init() { super.init(name: "setupRetry") }
}

/// Gives the passcode of the identity's keys.
@preconcurrency @MainActor open class BBMSyncStartMessage: BBMJSONMessage {
  public var action: BBMSyncStartMessageAction {
    get { self[state: "action"] }
    set { self[state: "action"] = newValue }
  }
  public var passcode: String! {
    get { self[text: "passcode"] }
    set { self[text: "passcode"] = newValue }
  }

  /// Opens the keys that are there, unless ``action`` is set.
  public init!(passcode: String!) {
    super.init(name: "syncStart")
    self.passcode = passcode
  }
}

/// Changes the passcode. The app has to make sure before that it is the user who asks.
@preconcurrency @MainActor open class BBMSyncPasscodeChangeMessage: BBMJSONMessage {
  public var passcode: String! {
    get { self[text: "passcode"] }
    set { self[text: "passcode"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  public init!(passcode: String!) {
    super.init(name: "syncPasscodeChange")
    self.passcode = passcode
  }
}

@preconcurrency @MainActor open class BBMIdentitiesGetMessage: BBMJSONMessage {
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }
  /// By the app's names.
  public var appUserIds: [String]! {
    get { self[texts: "appUserIds"] }
    set { self[texts: "appUserIds"] = newValue }
  }
  public var regIds: [Any]! {
    get { self[list: "regIds"] }
    set { self[list: "regIds"] = newValue }
  }

  /// Asks for nobody yet: one of the two lists has to be set.
  public override init() { super.init(name: "identitiesGet") }
}

/// Asks for the PINs of identities.
@preconcurrency @MainActor open class BBMRequestPinMessage: BBMJSONMessage {
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }
  public var regIds: [Any]! {
    get { self[list: "regIds"] }
    set { self[list: "regIds"] = newValue }
  }

  public init!(regIds: [Any]!) {
    super.init(name: "requestPin")
    self.regIds = regIds
  }
}

/// Asks for the identity's endpoints.
@preconcurrency @MainActor open class BBMEndpointsGetMessage: BBMJSONMessage {
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  public init!(cookie: String!) {
    super.init(name: "endpointsGet")
    self.cookie = cookie
  }
}

/// Names this endpoint, so that the user knows it among others.
@preconcurrency @MainActor open class BBMEndpointUpdateMessage: BBMJSONMessage {
  /// `description` in the message, a name that Swift's objects have for something else.
  public var endpointDescription: String! {
    get { self[text: "description"] }
    set { self[text: "description"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }
  public var nickname: String! {
    get { self[text: "nickname"] }
    set { self[text: "nickname"] = newValue }
  }

  /// A description of at most 2,000 characters, and a nickname.
  public init!(cookie: String!, endpointDescription: String!, nickname: String!) {
    super.init(name: "endpointUpdate")
    self.cookie = cookie
    self.endpointDescription = endpointDescription
    self.nickname = nickname
  }
}

/// Removes an endpoint, which wipes its data.
@preconcurrency @MainActor open class BBMEndpointDeregisterMessage: BBMJSONMessage {
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }
  public var endpointId: String! {
    get { self[text: "endpointId"] }
    set { self[text: "endpointId"] = newValue }
  }

  public init!(cookie: String!, endpointId: String!) {
    super.init(name: "endpointDeregister")
    self.cookie = cookie
    self.endpointId = endpointId
  }
}

/// Tries at once what waits to be tried. Sent when the app comes to the foreground.
@preconcurrency @MainActor open class BBMRetryServerRequestsMessage: BBMJSONMessage {

  public override init() { super.init(name: "retryServerRequests") }
}

/// Searches the messages on this endpoint.
@preconcurrency @MainActor open class BBMSearchMessage: BBMJSONMessage {
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }
  public var text: String! {
    get { self[text: "text"] }
    set { self[text: "text"] = newValue }
  }
  public var suggestedMaxResults: NSNumber! {
    get { self[number: "suggestedMaxResults"] }
    set { self[number: "suggestedMaxResults"] = newValue }
  }

  public init!(text: String!, cookie: String!) {
    super.init(name: "search")
    self.text = text
    self.cookie = cookie
  }
}

/// Removes all data of this endpoint. ``BBMEnterpriseService/resetService()`` sends it.
@preconcurrency @MainActor open class BBMWipeMessage: BBMJSONMessage {

  public override init() { super.init(name: "wipe") }
}
