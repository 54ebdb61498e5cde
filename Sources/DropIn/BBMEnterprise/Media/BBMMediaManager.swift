// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation
import Messaging
import MessagingClient
public import ParleyViews
import Parley

/// Voice and video calls, of which there is one at a time, and data connections.
///
/// ```swift
/// let manager: BBMMediaManager = BBMEnterpriseService.shared().mediaManager()
/// manager.start(withLogPath: nil)
/// manager.add(self as BBMMediaDelegate)
/// manager.callRegId(regId, mediaMode: kVideo) { error in
///   if error != kMediaErrorNoError { print("no call: \(error.rawValue)") }
/// }
/// ```
///
/// Media flows over the server and is end-to-end encrypted: its secret is in the offer, sealed with the keys of both
/// identities. Properties can be observed by an ``ObservableMonitor``.
@preconcurrency @MainActor public final class BBMMediaManager: BBMObject {
  /// Played while an accepted call rings here; nil for silence.
  public var incomingRingtone: URL!
  /// Played while the other side rings; nil for silence.
  public var outgoingRingtone: URL!
  /// Played when a call has ended; nil for silence.
  public var callEndTone: URL!

  /// Whether ``start(withLogPath:)`` was called.
  var isStarted = false
  /// The call, ringing ones included; nil while there is none.
  public var currentCallInfo: BBMCall! { active?.info }
  @BBMObserved var active: ActiveCall?
  /// The local camera's video; nil while none is sent.
  public var outgoingVideoView: UIView! { outgoingView }
  @BBMObserved var outgoingView: CallVideoView?
  /// The switch of apps on phones. The output stays the one that the system chooses.
  @BBMObserved public internal(set) var isOnSpeakerPhone = false
  /// Whether ``toggleOutgoingVideo(_:)`` can be called.
  @BBMObserved public internal(set) var enableCameraAllowed = false
  /// Whether ``toggleCamera()`` can be called: video is sent, and there is another camera.
  @BBMObserved public internal(set) var toggleCameraAllowed = false
  /// Whether this module can do video: always.
  public var isVideoCallingSupported: Bool { true }

  /// Weak, since requests that are under way hold the manager alone.
  private(set) weak var service: BBMEnterpriseService?
  var devices = CallDevices()
  let stage = VideoStage()
  let tones = CallTones()
  private var delegates = WeakDelegates()
  var connections: [CallID: DataCall] = [:]
  /// Calls that the server has not taken yet.
  var placing: [Placement] = []
  /// The events of calls that are being placed.
  var early: [CallID: [CallEvent]] = [:]

  init(_ service: BBMEnterpriseService) {
    self.service = service
    super.init()
  }

  /// Begins to take calls. There is no log file, so the path is of no use here.
  public func start(withLogPath path: String!) { isStarted = true }

  /// The delegate is held weakly.
  public func add(_ delegate: (any BBMMediaDelegate)!) { if let delegate { delegates.add(delegate) } }
  public func remove(_ delegate: (any BBMMediaDelegate)!) { if let delegate { delegates.remove(delegate) } }
  /// The presenter is held weakly.
  public func add(_ presenter: (any BBMMediaVideoPresenter)!) { if let presenter { stage.add(presenter) } }
  public func remove(_ presenter: (any BBMMediaVideoPresenter)!) { if let presenter { stage.remove(presenter) } }

  func notify(_ body: (any BBMMediaDelegate) -> Void) {
    // A delegate may add or remove others.
    let delegates = delegates
    delegates.forEach(body)
  }

  /// Asks the user for microphone and camera. The system asks by itself here, where it does, so the answer is yes.
  public func requestMediaPermissions(callback: MediaPermissionsCallback!, mode: MediaMode) { callback?(true) }
}

/// The same by its name until release 7.
public typealias BBMEMediaManager = BBMMediaManager
