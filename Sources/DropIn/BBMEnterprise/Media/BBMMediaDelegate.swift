// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

/// Is notified of calls and data connections, on the main thread. Every method may be left out.
@preconcurrency @MainActor public protocol BBMMediaDelegate: AnyObject {
  /// Somebody calls. Nothing rings until ``BBMMediaManager/acceptCall()``.
  func incomingCallDidArrive(_ call: BBMCall!)
  /// The server has taken the call.
  func outgoingCallInitiated(_ call: BBMCall!)
  /// An endpoint of the other side rings.
  func outgoingCallRinging(_ call: BBMCall!)
  /// Media flows. Comes on both sides.
  func callConnected(_ call: BBMCall!)
  /// The call is over, however it ended; ``BBMCall/logType`` says how.
  func callEnded(_ call: BBMCall!)
  /// The call ends by an error. ``callEnded(_:)`` follows.
  func callDidFail(_ call: BBMCall!)
  func cameraOperationSuccess(_ operation: CameraOperation, call: BBMCall!)
  func cameraOperationFailed(_ operation: CameraOperation, call: BBMCall!)

  /// Somebody offers a data connection. Nothing happens until ``BBMMediaManager/dataConnectionSetupComplete(_:)``.
  func incomingDataConnectionOffered(_ connection: BBMDataConnection!)
  /// The connection can be accepted.
  func incomingDataConnectionAvailable(_ connection: BBMDataConnection!)
  /// Data flows. Comes on both sides.
  func dataConnectionAccepted(_ connection: BBMDataConnection!)
  func dataConnectionEnded(_ connection: BBMDataConnection!)
  /// The connection ends by an error. ``dataConnectionEnded(_:)`` follows.
  func dataConnectionFailed(_ connection: BBMDataConnection!)
}

extension BBMMediaDelegate {
  /// Does nothing, unless the delegate implements it.
  public func incomingCallDidArrive(_ call: BBMCall!) {}
  /// Does nothing, unless the delegate implements it.
  public func outgoingCallInitiated(_ call: BBMCall!) {}
  /// Does nothing, unless the delegate implements it.
  public func outgoingCallRinging(_ call: BBMCall!) {}
  /// Does nothing, unless the delegate implements it.
  public func callConnected(_ call: BBMCall!) {}
  /// Does nothing, unless the delegate implements it.
  public func callEnded(_ call: BBMCall!) {}
  /// Does nothing, unless the delegate implements it.
  public func callDidFail(_ call: BBMCall!) {}
  /// Does nothing, unless the delegate implements it.
  public func cameraOperationSuccess(_ operation: CameraOperation, call: BBMCall!) {}
  /// Does nothing, unless the delegate implements it.
  public func cameraOperationFailed(_ operation: CameraOperation, call: BBMCall!) {}
  /// Does nothing, unless the delegate implements it.
  public func incomingDataConnectionOffered(_ connection: BBMDataConnection!) {}
  /// Does nothing, unless the delegate implements it.
  public func incomingDataConnectionAvailable(_ connection: BBMDataConnection!) {}
  /// Does nothing, unless the delegate implements it.
  public func dataConnectionAccepted(_ connection: BBMDataConnection!) {}
  /// Does nothing, unless the delegate implements it.
  public func dataConnectionEnded(_ connection: BBMDataConnection!) {}
  /// Does nothing, unless the delegate implements it.
  public func dataConnectionFailed(_ connection: BBMDataConnection!) {}
}

/// The same by its name until release 7.
public typealias BBMEMediaDelegate = BBMMediaDelegate

/// Holds delegates weakly, in the order in which they came.
@MainActor struct WeakDelegates {
  private struct Entry {
    weak var delegate: (any BBMMediaDelegate)?
    let id: ObjectIdentifier
  }

  private var entries: [Entry] = []

  mutating func add(_ delegate: any BBMMediaDelegate) {
    remove(delegate)
    entries.removeAll { $0.delegate == nil }
    entries.append(Entry(delegate: delegate, id: ObjectIdentifier(delegate)))
  }

  mutating func remove(_ delegate: any BBMMediaDelegate) {
    let id = ObjectIdentifier(delegate)
    entries.removeAll { $0.id == id }
  }

  func forEach(_ body: (any BBMMediaDelegate) -> Void) {
    for entry in entries { if let delegate = entry.delegate { body(delegate) } }
  }
}
