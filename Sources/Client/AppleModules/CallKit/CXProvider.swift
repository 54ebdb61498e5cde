public import Dispatch
public import Foundation
public import ParleyViews

/// The person at the other end of a call.
public final class CXHandle: NSObject, Sendable {
  /// The kind of the value.
  public enum HandleType: Int, Sendable {
    case generic = 1
    case phoneNumber = 2
    case emailAddress = 3
  }

  public let type: HandleType
  /// The name, number or address.
  public let value: String

  public init(type: HandleType, value: String) { (self.type, self.value) = (type, value) }
}

/// The known details of a call.
open class CXCallUpdate: NSObject {
  /// The person at the other end.
  open var remoteHandle: CXHandle?
  open var localizedCallerName: String?
  open var hasVideo = false
  /// Whether it can wait.
  open var supportsHolding = false
  /// Whether it can become a group.
  open var supportsGrouping = false
  /// Whether it can leave a group.
  open var supportsUngrouping = false
  /// Whether tones can be sent.
  open var supportsDTMF = false

  public override init() { super.init() }
}

/// How an app's calls are shown. It is kept: the desktop shows an alert for a call that comes.
open class CXProviderConfiguration: NSObject {
  public let localizedName: String?
  /// The ringtone of incoming calls.
  open var ringtoneSound: String?
  open var iconTemplateImageData: Data?
  /// The most groups of calls.
  open var maximumCallGroups = 2
  /// The most calls of a group.
  open var maximumCallsPerCallGroup = 5
  /// Whether calls are remembered.
  open var includesCallsInRecents = true
  open var supportsVideo = false
  /// How somebody can be named.
  open var supportedHandleTypes: Set<CXHandle.HandleType> = []

  /// Of an app of this name.
  public init(localizedName: String) { self.localizedName = localizedName }
  /// Without a localised name.
  public override init() { localizedName = nil }
}

/// Why a call ended.
public enum CXCallEndedReason: Int, Sendable {
  /// It could not be connected.
  case failed = 1
  /// The other one ended it.
  case remoteEnded = 2
  /// Nobody answered the call.
  case unanswered = 3
  /// It was answered elsewhere.
  case answeredElsewhere = 4
  /// It was declined elsewhere.
  case declinedElsewhere = 5
}

/// Performs what the user asks of the app's calls.
public protocol CXProviderDelegate: AnyObject {
  /// Every call is gone.
  func providerDidReset(_ provider: CXProvider)
  func providerDidBegin(_ provider: CXProvider)
  /// A call is to be made.
  func provider(_ provider: CXProvider, perform action: CXStartCallAction)
  /// A call is answered.
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
  /// A call is ended.
  func provider(_ provider: CXProvider, perform action: CXEndCallAction)
  /// A call is to wait.
  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
  /// A call is to be muted.
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
  /// An action took too long; never called here.
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
  /// The audio session belongs to the call.
  func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)
  /// It is no longer.
  func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession)
}

extension CXProviderDelegate {
  public func providerDidBegin(_ provider: CXProvider) {}
  /// Fulfills the action at once.
  public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fulfill() }
  /// Fulfills the action at once.
  public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fulfill() }
  /// Fulfills the action at once.
  public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fulfill() }
  /// Fulfills the action at once.
  public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fulfill() }
  /// Fulfills the action at once.
  public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { action.fulfill() }
  public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
  public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {}
  public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {}
}

/// The app's calls, as the system sees them. A desktop has no such system: an incoming call is shown as an alert of the
/// app.
open class CXProvider: NSObject {
  /// How its calls are shown.
  open var configuration: CXProviderConfiguration
  private let lock = NSLock()
  private weak var delegate: (any CXProviderDelegate)?
  private var queue = DispatchQueue.main
  private var calls: Set<UUID> = []
  private weak var alert: UIAlertController?

  /// The latest one, which takes what a ``CXCallController`` asks for.
  nonisolated(unsafe) private static weak var latest: CXProvider?
  private static let latestLock = NSLock()
  static var current: CXProvider? { latestLock.withLock { latest } }

  /// The calls of an app.
  public init(configuration: CXProviderConfiguration) {
    self.configuration = configuration
    super.init()
    Self.latestLock.withLock { Self.latest = self }
  }

  /// Sets who performs the actions, and on which queue; nil is the main queue.
  open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
    lock.withLock { (self.delegate, self.queue) = (delegate, queue ?? .main) }
    tell { $0.providerDidBegin($1) }
  }

  /// A call comes: an alert of the app asks whether it is answered.
  open func reportNewIncomingCall(with UUID: UUID, update: CXCallUpdate, completion: @escaping ((any Error)?) -> Void) {
    lock.withLock { _ = calls.insert(UUID) }
    let name = update.localizedCallerName ?? update.remoteHandle?.value ?? "Somebody"
    let done = Handed(value: completion)
    DispatchQueue.main.async {
      done.value(nil)
      MainActor.assumeIsolated { self.ask(UUID, name) }
    }
  }

  @MainActor private func ask(_ call: UUID, _ name: String) {
    let alert = UIAlertController(title: name, message: configuration.localizedName, preferredStyle: .alert)
    alert.addAction(
      UIAlertAction(title: "Decline", style: .cancel) { [weak self] _ in self?.perform(CXEndCallAction(call: call)) })
    alert.addAction(
      UIAlertAction(title: "Answer", style: .default) { [weak self] _ in self?.perform(CXAnswerCallAction(call: call)) }
    )
    self.alert = alert
    UIApplication.shared.keyWindow?.rootViewController?.present(alert, animated: true)
  }

  /// The details of a call have changed; nothing here shows them.
  open func reportCall(with UUID: UUID, updated update: CXCallUpdate) {}
  /// A call that is made begins to connect; nothing here shows it.
  open func reportOutgoingCall(with UUID: UUID, startedConnectingAt dateStartedConnecting: Date?) {}
  /// A call that is made is connected; nothing here shows it.
  open func reportOutgoingCall(with UUID: UUID, connectedAt dateConnected: Date?) {}

  /// A call has ended otherwise than by the user.
  open func reportCall(with UUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) { end(UUID) }

  /// Takes no more calls.
  open func invalidate() { lock.withLock { delegate = nil } }

  private func end(_ call: UUID) {
    let isLast = lock.withLock { calls.remove(call) != nil && calls.isEmpty }
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        self.alert?.dismiss(animated: true)
        self.alert = nil
      }
    }
    if isLast { tell { $0.provider($1, didDeactivate: .sharedInstance()) } }
  }

  private func tell(_ body: @escaping (any CXProviderDelegate, CXProvider) -> Void) {
    let (delegate, queue) = lock.withLock { (self.delegate, self.queue) }
    guard let delegate else { return }
    let handed = Handed(value: (body, delegate))
    queue.async { handed.value.0(handed.value.1, self) }
  }

  /// Has the delegate perform the action. The audio session belongs to the call once one is made or answered.
  func perform(_ action: CXAction) {
    switch action {
    case let action as CXStartCallAction:
      lock.withLock { _ = calls.insert(action.callUUID) }
      action.done = { [weak self] isDone in if isDone { self?.activate() } }
      tell { $0.provider($1, perform: action) }
    case let action as CXAnswerCallAction:
      action.done = { [weak self] isDone in if isDone { self?.activate() } }
      tell { $0.provider($1, perform: action) }
    case let action as CXEndCallAction:
      action.done = { [weak self] _ in self?.end(action.callUUID) }
      tell { $0.provider($1, perform: action) }
    case let action as CXSetHeldCallAction: tell { $0.provider($1, perform: action) }
    case let action as CXSetMutedCallAction: tell { $0.provider($1, perform: action) }
    default: action.fail()
    }
  }

  private func activate() { tell { $0.provider($1, didActivate: .sharedInstance()) } }
}

// unchecked: what changes is touched under the lock. Not in language mode 5: a subclass would have to restate it.
@available(swift, introduced: 6)
extension CXProvider: @unchecked Sendable {}

/// Asks for what the user wants of the app's calls.
open class CXCallController: NSObject {
  private let queue: DispatchQueue

  /// Answers on the main queue.
  public override init() { queue = .main }
  /// Answers on a queue.
  public init(queue: DispatchQueue) { self.queue = queue }

  /// Asks the provider's delegate to do it; the error says that there is no provider.
  open func request(_ transaction: CXTransaction, completion: @escaping ((any Error)?) -> Void) {
    let provider = CXProvider.current
    for action in transaction.actions { provider?.perform(action) }
    let problem = provider == nil ? NSError(domain: CXErrorDomainRequestTransaction, code: 2) : nil
    let handed = Handed(value: completion)
    queue.async { handed.value(problem) }
  }
}

extension CXCallController {
  /// Asks for one action.
  public func requestTransaction(with action: CXAction, completion: @escaping ((any Error)?) -> Void) {
    request(CXTransaction(action: action), completion: completion)
  }
  /// Asks for several actions together.
  public func requestTransaction(with actions: [CXAction], completion: @escaping ((any Error)?) -> Void) {
    request(CXTransaction(actions: actions), completion: completion)
  }
}

/// The domain of errors of ``CXCallController/request(_:completion:)``.
public let CXErrorDomainRequestTransaction = "com.apple.CallKit.error.requesttransaction"

/// Carries what the compiler cannot see to be safe onto the queue that the app has chosen.
// unchecked: it is used once, there.
struct Handed<Value>: @unchecked Sendable {
  let value: Value
}
