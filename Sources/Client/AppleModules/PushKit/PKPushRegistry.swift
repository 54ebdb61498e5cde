public import Dispatch
public import Foundation

/// The purpose of a push.
public struct PKPushType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  /// A type by its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
}

/// The data that a server needs to push to this app.
public final class PKPushCredentials: NSObject, Sendable {
  public let type: PKPushType
  /// The identity of this app for its server.
  public let token: Data

  init(type: PKPushType, token: Data) { (self.type, self.token) = (type, token) }
}

public final class PKPushPayload: NSObject {
  public let type: PKPushType
  /// The message that the server sent.
  public let dictionaryPayload: [AnyHashable: Any]

  init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
    (self.type, self.dictionaryPayload) = (type, dictionaryPayload)
  }
}

/// Is notified of pushes. Nothing is pushed to a desktop, so no method is ever called.
public protocol PKPushRegistryDelegate: AnyObject {
  /// This app can be pushed to.
  func pushRegistry(_ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping () -> Void)
  /// Something was pushed; the form for older apps.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType)
  /// It can't be pushed to any more.
  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping () -> Void
  ) {}
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType
  ) {}
  public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}

/// Asks for pushes. A desktop gives none.
open class PKPushRegistry: NSObject {
  open weak var delegate: (any PKPushRegistryDelegate)?
  open var desiredPushTypes: Set<PKPushType>?

  public init(queue: DispatchQueue?) { super.init() }

  /// Always nil, since nothing is pushed.
  open func pushToken(for type: PKPushType) -> Data? { nil }
}
