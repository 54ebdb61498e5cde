// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

/// The elements of one kind by their keys, each of which is fetched when it is first asked for.
///
/// ```swift
/// let key = BBMChatMessageKey(chatId: chat.chatId, messageId: chat.lastMessage)
/// let message = BBMEnterpriseService.shared().model().chatMessage[key] as! BBMChatMessage
/// ```
///
/// An element is pending first, and becomes current or missing; a monitor that has read it runs then.
@preconcurrency @MainActor public final class BBMLiveMap: BBMObject {
  private unowned let table: ElementTable
  private var listeners: [WeakListener] = []

  private struct WeakListener {
    weak var listener: (any BBMLiveListener)?
  }

  init(_ table: ElementTable) {
    self.table = table
    super.init()
  }

  /// The element of a key; pending where it isn't known yet. Nil when the key has another form than the map's.
  public subscript(key: Any!) -> Any! { value(forKey: key) }

  /// The element of a key, as the subscript gives it.
  public func value(forKey key: Any!) -> Any! {
    guard let text = FieldValue.key(key), !text.isEmpty else { return nil }
    return table.element(text)
  }

  /// The elements of several keys.
  public func values(forKeys keys: [Any]!) -> [Any]! {
    (keys as [Any]?)?.compactMap { value(forKey: $0) as Any? }
  }

  /// The keys that were asked for, or have come by themselves.
  public var allKeys: [Any]! {
    track("allKeys")
    return table.elements.keys.sorted()
  }

  /// The elements that were asked for, or have come by themselves, by their keys' order.
  public var allValues: [Any]! {
    track("allKeys")
    return table.elements.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Pending while an element is.
  public var state: BBMElementState {
    track("allKeys")
    return table.elements.values.contains { $0.bbmState == kBBMStatePending } ? kBBMStatePending : kBBMStateCurrent
  }

  /// Asks the service for all known elements again.
  public func resync() { table.resync() }

  /// Notifies when elements come or go. The listener is held weakly.
  public func addListener(_ listener: (any BBMLiveListener)!) {
    if let listener { listeners.append(WeakListener(listener: listener)) }
  }

  /// Notifies the listener no more.
  public func removeListener(_ listener: (any BBMLiveListener)!) {
    listeners.removeAll { $0.listener == nil || $0.listener === listener }
  }

  func keysChanged() {
    changed("allKeys")
    for each in listeners { each.listener?.liveMapChanged(self) }
  }
}
