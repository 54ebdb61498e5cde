// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

public import Foundation
import ParleyViews

/// Is called with a user's name.
public typealias UserNameResolverCallback = @MainActor (String?) -> Void
/// Is called with the address of a user's avatar.
public typealias UserAvatarResolverCallback = @MainActor (URL?) -> Void

/// How a call of a ``BBMMediaCallManager`` ended. The names of its cases are this module's.
public struct BBMCallCompletionResult: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// A result by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Both sides were in it.
public let kBBMCallCompletionCompleted = BBMCallCompletionResult(rawValue: 0)
/// It was never answered here: missed, declined, cancelled, busy, or answered elsewhere.
public let kBBMCallCompletionUnanswered = BBMCallCompletionResult(rawValue: 1)
/// It ended by an error.
public let kBBMCallCompletionFailed = BBMCallCompletionResult(rawValue: 2)

/// The settings of a ``BBMMediaCallManager``.
@preconcurrency @MainActor public final class BBMMediaCallManagerConfig {
  /// The title of its alerts.
  public var applicationName: String!

  /// Settings with the program's name.
  public init() { applicationName = ProcessInfo.processInfo.processName }

  /// Settings with the program's name.
  public class func `default`() -> BBMMediaCallManagerConfig! { BBMMediaCallManagerConfig() }
  /// The same by its name in Objective-C.
  public class func defaultConfig() -> BBMMediaCallManagerConfig! { BBMMediaCallManagerConfig() }
}

/// Asks the user about calls with alerts, and keeps the log of outgoing ones.
///
/// The log is a convention of apps: the caller alone posts a message `Call_Event` to the one-to-one chat, with
/// `callEndTime` and `callDuration` in whole seconds and `callLogReason`. An app that posts them itself turns
/// ``postsCallEvents`` off.
@preconcurrency @MainActor public final class BBMMediaCallManager: BBMMediaDelegate {
  /// The tag of messages about calls.
  public static let callEventTag = "Call_Event"

  /// Gets the number of a caller, and calls back with the name to show.
  public var userNameResolver: (@MainActor (NSNumber?, UserNameResolverCallback?) -> Void)!
  /// Kept, and never called: alerts have no avatars.
  public var avatarResolver: (@MainActor (NSNumber?, UserAvatarResolverCallback?) -> Void)!
  public var callResultCallback: (@MainActor (BBMCallCompletionResult) -> Void)!
  /// Whether outgoing calls are logged to chats.
  public var postsCallEvents = true

  private let configuration: BBMMediaCallManagerConfig
  private let service: BBMEnterpriseService
  private lazy var creator = BBMChatCreator(service: service)
  private var alert: UIAlertController?

  /// A manager for the shared service.
  public convenience init(configuration: BBMMediaCallManagerConfig!) {
    self.init(configuration ?? BBMMediaCallManagerConfig(), service: .shared())
  }

  init(_ configuration: BBMMediaCallManagerConfig, service: BBMEnterpriseService) {
    self.configuration = configuration
    self.service = service
  }

  private var media: BBMMediaManager { service.mediaManager() }

  /// Asks about incoming calls from now on.
  public func startListening() {
    media.start(withLogPath: nil)
    media.add(self)
  }

  /// Calls an identity. The callback gets whether the server has taken the call.
  public func startCall(_ mode: MediaMode, regId: NSNumber!, callback: (@MainActor (Bool) -> Void)!) {
    media.callRegId(regId, mediaMode: mode) { callback?($0 == kMediaErrorNoError) }
  }

  // MARK: Calls

  public func incomingCallDidArrive(_ call: BBMCall!) {
    guard let call else { return }
    media.acceptCall()
    resolve(call) { [weak self] name in
      guard let self, media.currentCallInfo === call else { return }
      ask("Incoming call from \(name)", accept: "Answer", refuse: "Decline")
    }
  }

  public func outgoingCallInitiated(_ call: BBMCall!) {
    guard let call else { return }
    resolve(call) { [weak self] name in
      guard let self, media.currentCallInfo === call, call.connectedTime == 0 else { return }
      ask("Calling \(name)", accept: nil, refuse: "End Call")
    }
  }

  public func callConnected(_ call: BBMCall!) {
    guard let call else { return }
    resolve(call) { [weak self] name in
      guard let self, media.currentCallInfo === call else { return }
      ask("In a call with \(name)", accept: nil, refuse: "End Call")
    }
  }

  public func callEnded(_ call: BBMCall!) {
    dismiss()
    guard let call else { return }
    if !call.incoming, postsCallEvents { post(call) }
    callResultCallback?(
      call.failed
        ? kBBMCallCompletionFailed
        : call.connectedTime > 0 ? kBBMCallCompletionCompleted : kBBMCallCompletionUnanswered)
  }

  private func resolve(_ call: BBMCall, _ body: @escaping @MainActor (String) -> Void) {
    let number: String = call.peerRegId
    guard let userNameResolver else { return body(number) }
    userNameResolver(UInt64(number).map { NSNumber(value: $0) }) { body($0 ?? number) }
  }

  private func ask(_ message: String, accept: String?, refuse: String) {
    dismiss()
    let alert = UIAlertController(
      title: configuration.applicationName, message: message, preferredStyle: .alert)
    if let accept {
      alert.addAction(
        UIAlertAction(title: accept, style: .default) { [weak self] _ in
          self?.alert = nil
          self?.media.answer()
        })
    }
    alert.addAction(
      UIAlertAction(title: refuse, style: .destructive) { [weak self] _ in
        self?.alert = nil
        self?.media.decline()
      })
    self.alert = alert
    UIApplication.shared.keyWindow?.rootViewController?.present(alert, animated: true)
  }

  private func dismiss() {
    alert?.dismiss(animated: true)
    alert = nil
  }

  // MARK: The log

  private func post(_ call: BBMCall) {
    let end = Date().timeIntervalSince1970
    let duration = call.connectedTime > 0 ? end - call.connectedTime : 0
    let event: [AnyHashable: Any] = [
      "callEndTime": Int(end), "callDuration": Int(max(duration, 0)), "callLogReason": Self.text(call.logType),
    ]
    creator.startChat(withRegId: UInt64(call.peerRegId ?? "").map { NSNumber(value: $0) }, subject: "") {
      [service] chatId, _ in
      guard let chatId, !chatId.isEmpty else { return }
      let message = BBMChatMessageSendMessage(chatId: chatId, tag: Self.callEventTag)
      message?.data = event
      service.sendMessage(toService: message)
    }
  }

  /// The reason as apps on Apple's systems write it.
  static func text(_ type: BBMCallLogType) -> String {
    switch type {
    case kCallLogEnded: "Call Ended"
    case kCallLogDisconnected: "Call Disconnected"
    case kCallLogMissed: "Call Missed"
    case kCallLogBusy: "Busy"
    case kCallLogUnavailable: "Unavailable"
    case kCallLogCancelled: "Call Cancelled"
    case kCallLogDeclined: "Call Declined"
    case kCallLogConnectionError: "Connection Error"
    case kCallLogCompletedElsewhere: "Call Completed Elsewhere"
    case kCallLogDeclinedElsewhere: "Call Declined Elsewhere"
    default: ""
    }
  }
}
