public import Foundation

/// Something that a call is to do. Who performs it says that it is done, or that it can't be.
open class CXAction: NSObject {
  /// Its id.
  public let uuid = UUID()
  /// Whether it was done, or could not be.
  public internal(set) var isComplete = false
  /// By when it should be done.
  public let timeoutDate = Date(timeIntervalSinceNow: 60)
  var done: ((Bool) -> Void)?

  /// An action.
  public override init() { super.init() }

  /// It is done.
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
  /// Which call.
  public let callUUID: UUID

  /// Of this call.
  public init(call callUUID: UUID) {
    self.callUUID = callUUID
    super.init()
  }
}

/// The user calls somebody.
open class CXStartCallAction: CXCallAction {
  /// Whom.
  open var handle: CXHandle
  /// Whether with pictures.
  open var isVideo = false
  /// Who that is in the user's contacts.
  open var contactIdentifier: String?

  /// A call to somebody.
  public init(call callUUID: UUID, handle: CXHandle) {
    self.handle = handle
    super.init(call: callUUID)
  }
}

/// The user answers a call.
open class CXAnswerCallAction: CXCallAction {}

/// The user ends a call.
open class CXEndCallAction: CXCallAction {}

/// The user lets a call wait.
open class CXSetHeldCallAction: CXCallAction {
  /// Whether it waits.
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
  /// The actions.
  public private(set) var actions: [CXAction]

  /// These actions.
  public init(actions: [CXAction] = []) { self.actions = actions }
  /// One action.
  public convenience init(action: CXAction) { self.init(actions: [action]) }

  /// Adds one.
  open func addAction(_ action: CXAction) { actions.append(action) }
}
