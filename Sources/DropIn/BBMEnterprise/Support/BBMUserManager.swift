// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

public import Foundation

/// A user as the app knows it.
@preconcurrency @MainActor public final class BBMAppUser {
  /// The user's name at the identity provider.
  public let uid: String!
  public let regId: NSNumber!
  public let name: String!
  public let email: String!
  public let avatarUrl: String!

  /// A user; all but the number may be missing.
  public init(uid: String!, regId: NSNumber!, name: String!, email: String!, avatarUrl: String!) {
    self.uid = uid
    self.regId = regId
    self.name = name
    self.email = email
    self.avatarUrl = avatarUrl
  }
}

/// An identity as the service knows it.
@preconcurrency @MainActor public final class BBMUserIdentity {
  public let regId: NSNumber!
  /// The user's name at the identity provider.
  public let appUserId: String!

  init(regId: NSNumber?, appUserId: String?) {
    self.regId = regId
    self.appUserId = appUserId
  }
}

/// A source of the app's users. The names of its methods are this module's.
@preconcurrency @MainActor public protocol BBMAppUserSource: AnyObject {
  /// A source that knows nobody yet.
  init()
  /// Takes the users, each time they have changed.
  var usersChanged: (@MainActor ([BBMAppUser]) -> Void)? { get set }
  /// The local user is signed in.
  func registerLocalUser(_ user: BBMAppUser)
}

/// Users that this endpoint has seen: the local one, and those who were looked up.
@preconcurrency @MainActor public final class BBMLocalCachedUserSource: BBMAppUserSource {
  /// Takes the users, each time they have changed.
  public var usersChanged: (@MainActor ([BBMAppUser]) -> Void)?
  private var users: [BBMAppUser] = []

  /// A source that knows nobody yet.
  public init() {}

  /// Takes the local user.
  public func registerLocalUser(_ user: BBMAppUser) { add(user) }

  func add(_ user: BBMAppUser) {
    users.removeAll { $0.regId == user.regId }
    users.append(user)
    usersChanged?(users)
  }
}

/// Is notified of the app's users.
@preconcurrency @MainActor public protocol BBMAppUserListener: AnyObject {
  /// All users, as they are now.
  func usersChanged(_ users: [BBMAppUser]!)
}

/// Finds users by their names and numbers.
@preconcurrency @MainActor public final class BBMUserManager {
  private let service: BBMEnterpriseService
  private let source: any BBMAppUserSource
  private var users: [BBMAppUser] = []
  private var listeners: [WeakListener] = []
  private var messageListener: MessageListener?
  /// By the bytes of the user's name: the service keeps different spellings of Unicode apart.
  private var identities: [[UInt8]: BBMUserIdentity] = [:]
  private var waiting: [String: (user: String, callback: @MainActor (BBMUserIdentity?, Bool) -> Void)] = [:]

  private struct WeakListener {
    weak var listener: (any BBMAppUserListener)?
  }

  /// A manager with a source; nil is ``BBMLocalCachedUserSource``.
  public convenience init(source: (any BBMAppUserSource)?) { self.init(source: source, service: .shared()) }

  init(source: (any BBMAppUserSource)?, service: BBMEnterpriseService) {
    self.service = service
    self.source = source ?? BBMLocalCachedUserSource()
    let listener = MessageListener { [weak self] in self?.receive($0) }
    messageListener = listener
    service.add(listener, forMessageNames: ["identities"])
    self.source.usersChanged = { [weak self] in self?.take($0) }
  }

  private func take(_ users: [BBMAppUser]) {
    self.users = users
    for each in listeners { each.listener?.usersChanged(users) }
  }

  /// The user of a number; nil when the app does not know it.
  public func user(forRegId regId: NSNumber!) -> BBMAppUser! { users.first { $0.regId == regId } }

  /// Whether a user other than that of the number has a name that looks like this one.
  func isShared(_ name: String, by regId: NSNumber) -> Bool {
    let look = Self.look(name)
    return users.contains { user in user.regId != regId && user.name.map { Self.look($0) } == look }
  }

  /// The same for names that differ in spaces, in case, or in the spelling of the same letters.
  private static func look(_ name: String) -> String {
    name.precomposedStringWithCompatibilityMapping.lowercased().split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }

  /// Notifies of the users. The listener is held weakly.
  public func addUserListener(_ listener: (any BBMAppUserListener)!) {
    if let listener { listeners.append(WeakListener(listener: listener)) }
  }

  public func removeUserListener(_ listener: (any BBMAppUserListener)!) {
    listeners.removeAll { $0.listener == nil || $0.listener === listener }
  }

  /// Gives the source the user who has signed in.
  public func registerLocalUser(withAccount account: BBMAuthenticatedAccount!, regId: NSNumber!) {
    guard let account, let regId, user(forRegId: regId) == nil else { return }
    source.registerLocalUser(
      BBMAppUser(
        uid: account.accountId, regId: regId, name: account.name, email: account.email,
        avatarUrl: account.avatarURL?.absoluteString))
  }

  /// Looks a user up by the name at the identity provider. The callback gets the identity, nil for none, and whether
  /// the service has answered.
  public func getRegId(
    forUserId userId: String!, callback: (@MainActor (BBMUserIdentity?, Bool) -> Void)!
  ) {
    guard let userId = userId as String?, let callback else { return }
    if let known = identities[Array(userId.utf8)] { return callback(known, true) }
    let cookie = UUID().uuidString
    waiting[cookie] = (userId, callback)
    let message = BBMIdentitiesGetMessage()
    message.cookie = cookie
    message.appUserIds = [userId]
    service.sendMessage(toService: message)
  }

  private func receive(_ message: BBMJSONMessage) {
    guard let answer = message as? BBMIdentitiesMessage, let cookie = answer.cookie as String?,
      let asked = waiting.removeValue(forKey: cookie)
    else { return }
    let info = (answer.fields["info"] as? [[String: Any]] ?? []).first { each in
      (each["appUserId"] as? String)?.utf8.elementsEqual(asked.user.utf8) == true
    }
    guard let info, let regId = FieldValue.number(info["regId"]) else {
      return asked.callback(nil, answer.result == "Success")
    }
    let identity = BBMUserIdentity(regId: regId, appUserId: asked.user)
    identities[Array(asked.user.utf8)] = identity
    (source as? BBMLocalCachedUserSource)?.add(
      BBMAppUser(uid: asked.user, regId: regId, name: asked.user, email: nil, avatarUrl: nil))
    asked.callback(identity, true)
  }
}
