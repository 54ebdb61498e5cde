// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation
import MessagingClient
import ParleyViews

/// Is called with the state of the token, the state of the setup, and the number of the local user, 0 before it is
/// known.
public typealias SetupStateBlock = @MainActor (String, String, NSNumber) -> Void

/// The beginning of the SDK: the service that an app starts, gives tokens to, and reads its chats from.
///
/// ```swift
/// let service = BBMEnterpriseService.shared()
/// service.start(domain, environment: kBBMConfig_Sandbox) { started in print(started) }
/// service.sendAuthToken(token, forUserName: "ann") { authTokenState, setupState, regId in
///   print(authTokenState, setupState, regId)
/// }
/// ```
///
/// A token that comes before the service is started is sent when it is. Monitors of its properties outlast every start,
/// stop and reset.
@preconcurrency @MainActor public final class BBMEnterpriseService: BBMObject {
  private static let only = BBMEnterpriseService()

  public class func shared() -> BBMEnterpriseService { only }
  /// The same by its name in Objective-C.
  public class func service() -> BBMEnterpriseService { only }

  /// Held while the model is written; see ``ObservableTracker``.
  public nonisolated var readWriteLock: NSLock { BBMConnection.sharedLock }

  let connection = BBMConnection()
  private let dataModel: BBMDSGeneratedModel
  private lazy var media = BBMMediaManager(self)
  /// The server, which has the meetings of calls, too.
  private(set) var server = ServerAddress.current
  /// Makes the core when the service is first started.
  private var makeCore: @MainActor () -> any ServiceCore
  private var core: (any ServiceCore)?
  private var state = kBBMCoreServiceStateNotStarted
  private var isStarting = false
  private var isConnected = false
  private var isWipeDue = false
  private var starts: [@MainActor (Bool) -> Void] = []
  /// The token that waits for the start.
  private var token: (text: String, user: String)?
  private var setupWatch: BlockWatch?
  let listeners = ServiceListeners()
  private var logMode = kBBMLogModeFile
  private var logLevel = kLogLevelInfo
  /// Writes a line of the log; tests read it.
  var writeLog: (String) -> Void = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }

  init(makeCore: @escaping @MainActor () -> any ServiceCore = { MessagingCore() }) {
    self.makeCore = makeCore
    dataModel = BBMDSGeneratedModel(connection)
    super.init()
  }

  /// From the next start on the service has another core, as tests need it.
  func useCore(_ make: @escaping @MainActor () -> any ServiceCore) {
    makeCore = make
    core = nil
    isWipeDue = false
  }

  /// Whether the service runs.
  public var serviceState: BBMCoreServiceState {
    track("serviceState")
    return state
  }

  /// The data model, empty until the service is started.
  public func model() -> BBMDSGeneratedModel! { dataModel }

  /// Calls and data connections.
  public func mediaManager() -> BBMMediaManager! { media }

  /// The client that signals calls, while the service is started.
  var signaling: (any CallSignaling)? { state == kBBMCoreServiceStateStarted ? core?.signaling : nil }

  // MARK: starting and stopping

  /// Starts the service with what this endpoint has stored. The block is called once, on the main thread; at once when
  /// it is started already.
  public func start(
    _ domain: String!, environment: BBMConfigEnvironment, completionBlock: (@MainActor (Bool) -> Void)!
  ) {
    let completion = (completionBlock as (@MainActor (Bool) -> Void)?) ?? { _ in }
    if state == kBBMCoreServiceStateStarted { return completion(true) }
    starts.append(completion)
    guard !isStarting else { return }
    guard let domain = domain as String?, !domain.isEmpty else {
      enter(kBBMCoreServiceStateError)
      return completeStarts(false)
    }
    isStarting = true
    server = .current
    let core = self.core ?? makeCore()
    self.core = core
    core.deliver = { [weak self] in self?.receive($0) }
    core.connectivityChanged = { [weak self] in self?.setConnected($0, strict: $1) }
    core.callChanged = { [weak self] in self?.media.receive($0) }
    core.start(domain: domain, environment: environment) { [weak self] in self?.started($0) }
  }

  private func started(_ isStarted: Bool) {
    guard isStarting else { return }
    isStarting = false
    guard isStarted, let core else {
      enter(kBBMCoreServiceStateError)
      return completeStarts(false)
    }
    if isWipeDue {
      isWipeDue = false
      core.wipe()
    }
    connection.sendToCore = { [weak self, weak core] message in
      self?.log(message, "sends")
      core?.send(message)
    }
    Watchers.batch {
      enter(kBBMCoreServiceStateStarted)
      dataModel.resync()
    }
    completeStarts(true)
    sendToken()
  }

  private func completeStarts(_ isStarted: Bool) {
    let starts = self.starts
    self.starts = []
    for completion in starts { completion(isStarted) }
  }

  /// Ends the connection. The data that this endpoint has stored stays, and so do the model's elements. The state is
  /// `kBBMCoreServiceStateStopping` until the server has heard of it; a program that ends waits for that.
  public func stop() {
    guard state == kBBMCoreServiceStateStarted || isStarting else { return }
    isStarting = false
    // Calls are hung up while that can be signalled.
    media.serviceStopped()
    enter(kBBMCoreServiceStateStopping)
    leaveCore { [weak self] in
      guard let self, state == kBBMCoreServiceStateStopping else { return }
      enter(kBBMCoreServiceStateStopped)
    }
    completeStarts(false)
  }

  private func leaveCore(completion: @escaping @MainActor () -> Void = {}) {
    connection.sendToCore = nil
    media.serviceStopped()
    setConnected(false, strict: false)
    if let core { core.stop(completion: completion) } else { completion() }
  }

  /// Removes all that this endpoint has stored, and signs out. The service is started again by itself when it was
  /// before.
  public func resetService() {
    // The block belongs to the user who is signed out.
    forgetUser()
    guard let core, state == kBBMCoreServiceStateStarted else {
      isWipeDue = true
      connection.write { dataModel.wipe() }
      return
    }
    media.serviceStopped()
    enter(kBBMCoreServiceStateRestarting)
    core.wipe()
    Watchers.batch {
      connection.write { dataModel.wipe() }
      enter(kBBMCoreServiceStateStarted)
      dataModel.resync()
    }
  }

  private func forgetUser() {
    token = nil
    setupWatch?.end()
    setupWatch = nil
  }

  private func enter(_ new: BBMCoreServiceState) {
    guard state != new else { return }
    state = new
    changed("serviceState")
  }

  // MARK: tokens

  /// Gives the service a token of the identity provider. The first one begins the setup of this endpoint; the block is
  /// called with each change until another token comes, or the service is reset.
  public func sendAuthToken(
    _ authToken: String!, forUserName userName: String!, setupStateBlock: SetupStateBlock!
  ) {
    token = (authToken ?? "", userName ?? "")
    setupWatch?.end()
    setupWatch = nil
    if let block = setupStateBlock as SetupStateBlock? { observeSetup(block) }
    sendToken()
  }

  /// As ``sendAuthToken(_:forUserName:setupStateBlock:)``, by its later name.
  public func sendAuthToken(
    _ authToken: String!, userIdentifier: String!, setupStateBlock: SetupStateBlock!
  ) {
    sendAuthToken(authToken, forUserName: userIdentifier, setupStateBlock: setupStateBlock)
  }

  /// Forgets a token that waits for the start: its user has signed out.
  func dropToken() { token = nil }

  private func sendToken() {
    guard state == kBBMCoreServiceStateStarted, let token else { return }
    self.token = nil
    connection.send(["authToken": ["authToken": token.text, "userId": token.user]])
  }

  private struct Setup: Equatable {
    var token: String
    var setup: String
    var progress: String?
    var regId: NSNumber
  }

  private func observeSetup(_ block: @escaping SetupStateBlock) {
    var last = Setup(token: kBBMAuthStateNeeded, setup: kBBMSetupStateNotRequested, progress: nil, regId: 0)
    func look(_ watch: BlockWatch) {
      let now = watch.follow { [dataModel] in
        Setup(
          token: dataModel.globalAuthTokenState ?? kBBMAuthStateNeeded,
          setup: dataModel.globalSetupStateState ?? kBBMSetupStateNotRequested,
          progress: dataModel.globalSetupStateProgressMessage, regId: dataModel.localUser?.regId ?? 0)
      }
      guard now != last else { return }
      last = now
      block(now.token, now.setup, now.regId)
    }
    let watch = BlockWatch(look)
    setupWatch = watch
    look(watch)
  }

  // MARK: messages

  /// Sends any message to the service; it is dropped while the service isn't started.
  public func sendMessage(toService message: BBMJSONMessage!) {
    guard let message = message as BBMJSONMessage?, let request = message.request else { return }
    if message is BBMWipeMessage { return resetService() }
    connection.send(request)
  }

  private func receive(_ message: [String: Any]) {
    guard state == kBBMCoreServiceStateStarted || isStarting else { return }
    log(message, "receives")
    for (name, body) in message.sorted(by: { $0.key < $1.key }) {
      let body = body as? [String: Any] ?? [:]
      connection.write { dataModel.apply(name, body) }
      if name == "endpointDeregistered" { endpointDeregistered() }
      listeners.report(name, body)
    }
  }

  /// Another endpoint has removed this one: its data is gone, and the app has to start again and sign in.
  private func endpointDeregistered() {
    forgetUser()
    leaveCore()
    Watchers.batch {
      connection.write { dataModel.wipe() }
      enter(kBBMCoreServiceStateStopped)
    }
  }

  private func setConnected(_ connected: Bool, strict: Bool) { listeners.setConnected(connected, strict: strict) }

  // MARK: logging

  /// Whether the service writes its log to standard error as well.
  public func setLoggingMode(_ mode: BBMLogMode) { logMode = mode }
  /// How much the service writes to its log.
  public func setLogLevel(_ level: BBMLogLevel) { logLevel = level }

  /// Names alone: contents are nobody's business, and tokens and passcodes are among them.
  private func log(_ message: [String: Any], _ verb: String) {
    guard logMode == kBBMLogModeFileAndConsole, logLevel == kLogLevelVerbose else { return }
    let names = message.keys.sorted().joined(separator: ", ")
    writeLog("BBMEnterprise \(verb) \(names)")
  }
}
