// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation

/// The base of data models: kinds of elements by their names, kept as messages say.
@preconcurrency @MainActor public class BBMDSModel: BBMObject {
  public let connection: BBMConnection
  fileprivate(set) var tables: [String: ElementTable] = [:]
  /// Elements to ask for, by kind, until the turn is over.
  private var wanted: [(table: ElementTable, key: String)] = []
  /// The keys that were asked for, by the request's cookie.
  private var asked: [String: (table: ElementTable, keys: [String])] = [:]
  private var cookies: UInt64 = 0
  /// Runs what asks for elements after the current turn; tests run it at once.
  var schedule: (@escaping @MainActor () -> Void) -> Void = { work in Task { @MainActor in work() } }

  init(_ connection: BBMConnection) {
    self.connection = connection
    super.init()
  }

  /// All elements that are known, by kind.
  public var data: [AnyHashable: Any]! {
    Dictionary(uniqueKeysWithValues: tables.map { (AnyHashable($0), $1.elements.values.map(\.values)) })
  }

  /// A kind's list or map by its name; nil for none.
  public func value(forKey key: String) -> Any? { tables[key]?.map }

  /// Asks for everything again that was asked for before. The service's client does it by itself after each loss of the
  /// connection.
  public func resync() {
    asked = [:]
    for table in tables.values.sorted(by: { $0.name < $1.name }) { table.resync() }
  }

  // MARK: asking

  func nextCookie() -> String {
    cookies += 1
    return "model-\(cookies)"
  }

  func send(_ message: [String: Any]) { connection.send(message) }

  func fetch(_ key: String, of table: ElementTable) {
    wanted.append((table, key))
    if wanted.count == 1 { schedule { [weak self] in self?.sendWanted() } }
  }

  private func sendWanted() {
    let wanted = self.wanted
    self.wanted = []
    for table in tables.values.sorted(by: { $0.name < $1.name }) {
      var known: Set<String> = []
      let keys = wanted.filter { $0.table === table && known.insert($0.key).inserted }.map(\.key)
      guard !keys.isEmpty else { continue }
      let cookie = nextCookie()
      asked[cookie] = (table, keys)
      send([
        "requestListElements": ["type": table.name, "elements": keys.map { table.fields(of: $0) }, "cookie": cookie]
      ])
    }
  }

  /// The key of an element in its map; nil before the service has said it.
  func key(of element: BBMElement) -> String? {
    tables.values.first { $0.type == type(of: element) }?.key(of: element.values)
  }

  /// An element that was given to the app before its key was known; nil when the values are of none.
  func awaited(_ values: [String: Any], in table: ElementTable) -> BBMElement? { nil }

  // MARK: what messages do

  /// Applies a message of the core; false when it isn't one of the model.
  @discardableResult func apply(_ name: String, _ body: [String: Any]) -> Bool {
    guard let table = (body["type"] as? String).flatMap({ tables[$0] }) else { return false }
    let elements = body["elements"] as? [[String: Any]] ?? []
    let cookie = body["cookie"] as? String
    switch name {
    case "listAdd", "listChunk": for each in elements { table.take(each, isNew: true) }
    case "listChange": for each in elements { table.take(each, isNew: false) }
    case "listRemove": for each in elements { if let key = table.key(of: each) { table.remove(key) } }
    case "listElements":
      for each in elements { table.take(each, isNew: true) }
      if let cookie, let asked = asked.removeValue(forKey: cookie) {
        let found = Set(elements.compactMap { table.key(of: $0) })
        for key in asked.keys where !found.contains(key) { table.miss(key) }
      }
    case "listAll":
      for list in table.lists where cookie != nil && list.cookie == cookie { list.complete() }
    case "listResync": table.resync()
    default: return false
    }
    return true
  }

  fileprivate func define(_ name: String, keys: [String], _ type: BBMElement.Type, _ model: BBMDSGeneratedModel) {
    tables[name] = ElementTable(name, keys: keys, type, model)
  }

  /// Everything is gone, as after a reset.
  func wipe() {
    asked = [:]
    wanted = []
    for table in tables.values { table.wipe(keepsElements: table.name == "global") }
  }
}

/// The data model of the service: its chats, messages, participants and users, and the states of the setup.
@preconcurrency @MainActor public final class BBMDSGeneratedModel: BBMDSModel {
  /// Users whose number alone is known, which were given to the app.
  private var usersByRegId: [UInt64: BBMUser] = [:]
  /// Their numbers, by the cookie of the request for them.
  private var askedRegIds: [String: UInt64] = [:]

  override init(_ connection: BBMConnection) {
    super.init(connection)
    define("appMessage", keys: ["id"], BBMAppMessage.self, self)
    define("chat", keys: ["chatId"], BBMChat.self, self)
    define("chatMessage", keys: ["chatId", "messageId"], BBMChatMessage.self, self)
    define("chatMessageFileProgress", keys: ["chatId", "messageId"], BBMChatMessageFileProgress.self, self)
    define("chatParticipant", keys: ["chatId", "userUri"], BBMChatParticipant.self, self)
    define("global", keys: ["name"], BBMGlobal.self, self)
    define("stat", keys: ["name"], BBMStat.self, self)
    define("typing", keys: ["chatId", "userUri"], BBMTyping.self, self)
    define("user", keys: ["uri"], BBMUser.self, self)
    setFirstGlobals()
  }

  /// The globals are always there, and those that an app holds follow the next setup.
  private func setFirstGlobals() {
    for (name, value) in Self.firstGlobals { table("global").take(["name": name, "value": value], isNew: true) }
  }

  private func table(_ name: String) -> ElementTable {
    tables[name] ?? ElementTable(name, keys: ["id"], BBMAppMessage.self, self)
  }

  public var appMessage: BBMLiveList! { table("appMessage").wholeList }
  public var chat: BBMLiveList! { table("chat").wholeList }
  public var stat: BBMLiveList! { table("stat").wholeList }
  public var typing: BBMLiveList! { table("typing").wholeList }
  public var chatMessage: BBMLiveMap! { table("chatMessage").map }
  public var chatMessageFileProgress: BBMLiveMap! { table("chatMessageFileProgress").map }
  public var chatParticipant: BBMLiveMap! { table("chatParticipant").map }
  public var global: BBMLiveMap! { table("global").map }
  public var user: BBMLiveMap! { table("user").map }

  /// The chats that match.
  public func chat(with criteria: BBMChatCriteria!) -> BBMLiveList! {
    table("chat").list(matching: criteria?.fields ?? [:])
  }
  /// The messages of a chat that match: with a tag, of a sender, or that refer to another message.
  public func chatMessage(with criteria: BBMChatMessageCriteria!) -> BBMLiveList! {
    table("chatMessage").list(matching: criteria?.fields ?? [:])
  }
  /// The participants of a chat, without the local user.
  public func chatParticipant(with criteria: BBMChatParticipantCriteria!) -> BBMLiveList! {
    table("chatParticipant").list(matching: criteria?.fields ?? [:])
  }
  /// The users that match.
  public func user(with criteria: BBMUserCriteria!) -> BBMLiveList! {
    table("user").list(matching: criteria?.fields ?? [:])
  }

  /// The user of a number; pending until the service has said who that is.
  public func user(withRegId regId: NSNumber!) -> BBMUser! {
    guard let number = FieldValue.integer(regId) else { return nil }
    let users = table("user")
    let known = users.elements.values.first { FieldValue.integer($0.values["regId"]) == number }
    if let known = (known ?? usersByRegId[number]) as? BBMUser { return known }
    let user = BBMUser(["regId": "\(number)"], model: self)
    usersByRegId[number] = user
    requestUser(number)
    return user
  }

  private func requestUser(_ regId: UInt64) {
    let cookie = nextCookie()
    askedRegIds[cookie] = regId
    send(["requestListMatching": ["type": "user", "criteria": ["regId": "\(regId)"], "cookie": cookie]])
  }

  override func awaited(_ values: [String: Any], in table: ElementTable) -> BBMElement? {
    guard table.name == "user", let regId = FieldValue.integer(values["regId"]) else { return nil }
    return usersByRegId.removeValue(forKey: regId)
  }

  @discardableResult override func apply(_ name: String, _ body: [String: Any]) -> Bool {
    let isKnown = super.apply(name, body)
    if body["type"] as? String == "user" {
      // One that was asked for both by its address and by its number has two objects, which say the same.
      for each in body["elements"] as? [[String: Any]] ?? [] {
        FieldValue.integer(each["regId"]).flatMap { usersByRegId[$0] }?.merge(each)
      }
    }
    if name == "listAll", let cookie = body["cookie"] as? String, let regId = askedRegIds.removeValue(forKey: cookie) {
      if let user = usersByRegId[regId], user.uri == nil { user.enter(kBBMStateMissing) }
    }
    return isKnown
  }

  public override func resync() {
    askedRegIds = [:]
    super.resync()
    for regId in usersByRegId.keys.sorted() { requestUser(regId) }
  }

  override func wipe() {
    askedRegIds = [:]
    usersByRegId = [:]
    super.wipe()
    setFirstGlobals()
  }

  /// The globals before the service has said anything.
  static let firstGlobals: [(String, any Sendable)] = [
    ("setupState", ["state": kBBMSetupStateNotRequested]), ("authTokenState", kBBMAuthStateNeeded),
  ]

  // MARK: elements by their keys

  func user(uri: String?) -> BBMUser? { uri.flatMap { table("user").element($0) as? BBMUser } }
  /// The user of this endpoint, pending until the setup has come so far.
  var localUser: BBMUser? { user(uri: globalLocalUri ?? Self.localUri) }
  nonisolated static let localUri = "bbmpim://user/id/0"

  func chat(id: String?) -> BBMChat? { id.flatMap { table("chat").element($0) as? BBMChat } }

  // MARK: globals

  private func globalValue(_ name: String) -> Any? { (table("global").element(name) as? BBMGlobal)?.value }
  private func globalText(_ name: String) -> String! { globalValue(name) as? String }

  /// How far the setup is, such as ``kBBMSetupStateOngoing``.
  public var globalSetupStateState: String! { (globalValue("setupState") as? [String: Any])?["state"] as? String }
  /// The work of an ongoing setup: `Restoring`, `Transferring` or `Completing`.
  public var globalSetupStateProgressMessage: String! {
    (globalValue("setupState") as? [String: Any])?["progressMessage"] as? String
  }
  /// `Needed`, `Ok` or `Rejected`, independent of the setup.
  public var globalAuthTokenState: String! { globalText("authTokenState") }
  /// The passcode that the setup waits for: `None`, `New` or `Existing`.
  public var globalSyncPasscodeState: String! { globalText("syncPasscodeState") }
  public var globalProfileKeysState: String! { globalText("profileKeysState") }
  /// Whether the identity existed before this setup: `None`, `New` or `Existing`.
  public var globalSetupAccount: String! { globalText("setupAccount") }
  public var globalLocalUri: String! { globalText("localUri") }
  public var globalLocalPin: String! { globalText("localPin") }
  public var globalEndpointId: String! { globalText("endpointId") }
  /// A token, signed by the server, that shows which user has which number.
  public var globalRegistrationToken: String! { globalText("registrationToken") }
  /// Whether what happened without a connection is being fetched.
  public var globalSyncing: NSNumber! { FieldValue.number(globalValue("syncing")) }
  public var globalChatMessageFileAutoDownload: NSNumber! {
    FieldValue.number(globalValue("chatMessageFileAutoDownload"))
  }
}
