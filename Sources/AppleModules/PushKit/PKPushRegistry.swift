public import Dispatch
public import Foundation

/// What a push is for.
public struct PKPushType: RawRepresentable, Hashable, Sendable {
  /// Its name.
  public let rawValue: String
  /// A type by its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A call.
  public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
}

/// What a server needs to push to this app.
public final class PKPushCredentials: NSObject, Sendable {
  /// What for.
  public let type: PKPushType
  /// Who this app is.
  public let token: Data

  init(type: PKPushType, token: Data) { (self.type, self.token) = (type, token) }
}

/// What was pushed.
public final class PKPushPayload: NSObject {
  /// What for.
  public let type: PKPushType
  /// What the server said.
  public let dictionaryPayload: [AnyHashable: Any]

  init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
    (self.type, self.dictionaryPayload) = (type, dictionaryPayload)
  }
}

/// Is told of pushes. Nothing is pushed to a desktop, so that nothing is ever told.
public protocol PKPushRegistryDelegate: AnyObject {
  /// This app can be pushed to.
  func pushRegistry(_ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)
  /// Something was pushed.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping () -> Void)
  /// Something was pushed, as older apps are told.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType)
  /// It can't be pushed to any more.
  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
  /// Does nothing.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping () -> Void
  ) {}
  /// Does nothing.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType
  ) {}
  /// Does nothing.
  public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}

/// Asks for pushes. A desktop gives none.
open class PKPushRegistry: NSObject {
  /// Who is told.
  open weak var delegate: (any PKPushRegistryDelegate)?
  /// What is wanted.
  open var desiredPushTypes: Set<PKPushType>?

  /// Tells on a queue.
  public init(queue: DispatchQueue?) { super.init() }

  /// What a server needs; nil.
  open func pushToken(for type: PKPushType) -> Data? { nil }
}
