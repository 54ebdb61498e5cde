// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

/// Is notified when the connection to the server comes and goes.
@preconcurrency @MainActor public protocol BBMConnectivityListener: AnyObject {
  /// `strict` is true once everything that was missed has come as well.
  func connectivityStateChange(_ connected: Bool, strict connectedStrict: Bool)
}

/// Gets messages of the service.
@preconcurrency @MainActor public protocol BBMIncomingMessageListener: AnyObject {
  /// A message that has a class of its own, or a ``BBMJSONMessage``.
  func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!)
  /// The same message as the service has sent it: its fields under its name.
  func receivedJSONIncomingMessage(_ message: [String: Any]!)
}

extension BBMIncomingMessageListener {
  /// Does nothing, unless the listener implements it.
  public func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) {}
  /// Does nothing, unless the listener implements it.
  public func receivedJSONIncomingMessage(_ message: [String: Any]!) {}
}

/// The listeners of the service. All are held weakly.
@MainActor final class ServiceListeners {
  struct Entry {
    weak var listener: (any BBMIncomingMessageListener)?
    let id: ObjectIdentifier
    var types: Set<String> = []
    var names: Set<String> = []
  }

  private struct Connectivity {
    weak var listener: (any BBMConnectivityListener)?
    let id: ObjectIdentifier
  }

  private var entries: [Entry] = []
  private var connectivity: [Connectivity] = []
  private var last: (connected: Bool, strict: Bool) = (false, false)

  func add(_ listener: any BBMConnectivityListener) {
    remove(listener)
    connectivity.removeAll { $0.listener == nil }
    connectivity.append(Connectivity(listener: listener, id: ObjectIdentifier(listener)))
  }

  /// Only compares: the listener may be about to be deallocated.
  func remove(_ listener: any BBMConnectivityListener) {
    let id = ObjectIdentifier(listener)
    connectivity.removeAll { $0.id == id }
  }

  func change(
    _ listener: any BBMIncomingMessageListener, _ list: WritableKeyPath<Entry, Set<String>>, add: [String],
    remove: [String]
  ) {
    let id = ObjectIdentifier(listener)
    let index = entries.firstIndex { $0.id == id }
    var entry = index.map { entries[$0] } ?? Entry(listener: nil, id: id)
    if let index { entries.remove(at: index) }
    entry[keyPath: list].formUnion(add)
    entry[keyPath: list].subtract(remove)
    guard !entry.types.isEmpty || !entry.names.isEmpty else { return }
    if !add.isEmpty { entry.listener = listener }
    entries.append(entry)
  }

  func setConnected(_ connected: Bool, strict: Bool) {
    guard last != (connected, strict) else { return }
    last = (connected, strict)
    for each in connectivity { each.listener?.connectivityStateChange(connected, strict: strict) }
  }

  func report(_ name: String, _ body: [String: Any]) {
    let type = body["type"] as? String
    let wanting = entries.filter { $0.names.contains(name) || type.map($0.types.contains) == true }
    guard !wanting.isEmpty else { return }
    let message = BBMJSONMessage.message(name, body)
    for entry in wanting {
      entry.listener?.receivedIncomingMessage(message)
      entry.listener?.receivedJSONIncomingMessage([name: body])
    }
  }
}

extension BBMEnterpriseService {
  /// Notifies of the connection. The listener is held weakly, and hears of the next change first.
  public func add(_ listener: (any BBMConnectivityListener)!) { if let listener { listeners.add(listener) } }
  public func remove(_ listener: (any BBMConnectivityListener)!) { if let listener { listeners.remove(listener) } }

  /// Gives messages about the lists of these names, such as `chat`.
  public func add(_ listener: (any BBMIncomingMessageListener)!, forMessageTypes types: [String]!) {
    if let listener { listeners.change(listener, \.types, add: types ?? [], remove: []) }
  }
  /// Gives messages of these names, such as `syncError`.
  public func add(_ listener: (any BBMIncomingMessageListener)!, forMessageNames names: [String]!) {
    if let listener { listeners.change(listener, \.names, add: names ?? [], remove: []) }
  }
  /// Gives messages about these lists no more.
  public func remove(_ listener: (any BBMIncomingMessageListener)!, forMessageTypes types: [String]!) {
    if let listener { listeners.change(listener, \.types, add: [], remove: types ?? []) }
  }
  /// Gives messages of these names no more.
  public func remove(_ listener: (any BBMIncomingMessageListener)!, forMessageNames names: [String]!) {
    if let listener { listeners.change(listener, \.names, add: [], remove: names ?? []) }
  }
}
