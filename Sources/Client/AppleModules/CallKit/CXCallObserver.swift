public import Dispatch
public import Foundation

/// A call of the machine.
open class CXCall: NSObject {
  public let uuid: UUID
  /// Whether this side has made it.
  public let isOutgoing: Bool
  public let isOnHold: Bool
  /// Whether both sides are there.
  public let hasConnected: Bool
  public let hasEnded: Bool

  init(uuid: UUID, isOutgoing: Bool, isOnHold: Bool, hasConnected: Bool, hasEnded: Bool) {
    (self.uuid, self.isOutgoing, self.isOnHold) = (uuid, isOutgoing, isOnHold)
    (self.hasConnected, self.hasEnded) = (hasConnected, hasEnded)
  }
}

/// Is notified of the calls of other apps: never, since a desktop has none.
public protocol CXCallObserverDelegate: AnyObject {
  /// A call has begun or changed.
  func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall)
}

/// Watches the machine's calls, of which a desktop has none.
open class CXCallObserver: NSObject {
  /// The calls that go on; none here.
  open var calls: [CXCall] { [] }
  private weak var delegate: (any CXCallObserverDelegate)?

  public override init() { super.init() }

  /// Keeps the delegate, which is never called.
  open func setDelegate(_ delegate: (any CXCallObserverDelegate)?, queue: DispatchQueue?) { self.delegate = delegate }
}
