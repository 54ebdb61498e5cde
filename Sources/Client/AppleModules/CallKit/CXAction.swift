public import Foundation

/// Something that a call is to do. The code that performs it reports that it's done, or that it can't be.
open class CXAction: NSObject {
  public let uuid = UUID()
  /// Whether it was done, or could not be.
  public internal(set) var isComplete = false
  /// By when it should be done.
  public let timeoutDate = Date(timeIntervalSinceNow: 60)
  var done: ((Bool) -> Void)?

  public override init() { super.init() }

  /// Reports that the action is done.
  open func fulfill() { complete(true) }
  /// It can't be done.
  open func fail() { complete(false) }

  private func complete(_ isFulfilled: Bool) {
    guard !isComplete else { return }
    isComplete = true
    done?(isFulfilled)
    done = nil
  }
}

/// Something that one call is to do.
open class CXCallAction: CXAction {
  public let callUUID: UUID

  public init(call callUUID: UUID) {
    self.callUUID = callUUID
    super.init()
  }
}

/// The user calls somebody.
open class CXStartCallAction: CXCallAction {
  open var handle: CXHandle
  /// Whether the call has video.
  open var isVideo = false
  /// The callee's id in the user's contacts.
  open var contactIdentifier: String?

  /// Reports that the call has begun, at a time that nobody is shown here.
  open func fulfill(withDateStarted dateStarted: Date) { fulfill() }

  /// A call to somebody.
  public init(call callUUID: UUID, handle: CXHandle) {
    self.handle = handle
    super.init(call: callUUID)
  }
}

/// The user answers a call.
open class CXAnswerCallAction: CXCallAction {
  /// Reports that the call is answered, at a time that nobody is shown here.
  open func fulfill(withDateConnected dateConnected: Date) { fulfill() }
}

/// The user ends a call.
open class CXEndCallAction: CXCallAction {
  /// Reports that the call has ended, at a time that nobody is shown here.
  open func fulfill(withDateEnded dateEnded: Date) { fulfill() }
}

/// The user lets a call wait.
open class CXSetHeldCallAction: CXCallAction {
  open var isOnHold: Bool

  /// A call waits, or goes on.
  public init(call callUUID: UUID, onHold: Bool) {
    isOnHold = onHold
    super.init(call: callUUID)
  }
}

/// The user mutes a call.
open class CXSetMutedCallAction: CXCallAction {
  /// Whether it is muted.
  open var isMuted: Bool

  /// A call is muted, or not any more.
  public init(call callUUID: UUID, muted: Bool) {
    isMuted = muted
    super.init(call: callUUID)
  }
}

/// Actions that are asked for together.
open class CXTransaction: NSObject {
  public private(set) var actions: [CXAction]

  public init(actions: [CXAction] = []) { self.actions = actions }
  public convenience init(action: CXAction) { self.init(actions: [action]) }

  open func addAction(_ action: CXAction) { actions.append(action) }
}
