public import Foundation
public import Observation

/// What one publisher sends. Its properties change while it lasts, on the ``OTSession/apiQueue`` of its session; they can be observed with
/// `withObservationTracking`, and by key path as on Apple systems.
// unchecked: open to subclasses; `owner` is set once, the rest is constant or `Guarded`.
open class OTStream: NSObject, Observable, @unchecked Sendable {
  /// The id, unique in the session.
  public let streamId: String
  /// Whose stream it is.
  public let connection: OTConnection
  /// When it was published, by the server's clock, to the millisecond.
  public let creationTime: Date
  /// Camera or screen.
  public let videoType: OTStreamVideoType
  /// Whether it has captions: never.
  public let hasCaptions = false
  /// Version 1: always `basic`.
  public let type = "basic"

  private weak var owner: OTSession?
  private let state: Guarded<Properties>
  private let registrar = ObservationRegistrar()
  let observers = KeyObservers()
  let named = NamedObservers()

  struct Properties: Equatable {
    var name: String?
    var hasAudio: Bool
    var hasVideo: Bool
    var videoDimensions = CGSize(width: 640, height: 480)
  }

  init(
    id: String, connection: OTConnection, creationTime: Date, videoType: OTStreamVideoType, properties: Properties,
    session: OTSession?
  ) {
    streamId = id
    self.connection = connection
    self.creationTime = creationTime
    self.videoType = videoType
    state = Guarded(properties)
    owner = session
    super.init()
  }

  /// The session that it is in; nil when the app has let go of it.
  // As the SDK's headers are imported: apps use it without unwrapping.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var session: OTSession! { owner }

  /// The name that its publisher gave.
  open var name: String? { value(\.name, as: \OTStream.name) }
  /// Whether sound is sent.
  open var hasAudio: Bool { value(\.hasAudio, as: \OTStream.hasAudio) }
  /// Whether a picture is sent.
  open var hasVideo: Bool { value(\.hasVideo, as: \OTStream.hasVideo) }
  /// The size of the picture: of an own stream that which is captured, of another one that which is received. 640 × 480 until one is known.
  open var videoDimensions: CGSize { value(\.videoDimensions, as: \OTStream.videoDimensions) }

  private func value<Value>(_ path: KeyPath<Properties, Value>, as key: KeyPath<OTStream, Value>) -> Value {
    registrar.access(self, keyPath: key)
    return state.read { $0[keyPath: path] }
  }

  var properties: Properties { state.read { $0 } }

  /// Takes what has changed, and tells who observes it.
  func take(_ new: Properties) {
    let old = properties
    guard old != new else { return }
    change(\.name, new, old, as: \OTStream.name)
    change(\.hasAudio, new, old, as: \OTStream.hasAudio)
    change(\.hasVideo, new, old, as: \OTStream.hasVideo)
    change(\.videoDimensions, new, old, as: \OTStream.videoDimensions)
  }

  private func change<Value: Equatable>(
    _ path: WritableKeyPath<Properties, Value>, _ new: Properties, _ old: Properties, as key: KeyPath<OTStream, Value>
  ) {
    guard new[keyPath: path] != old[keyPath: path] else { return }
    registrar.withMutation(of: self, keyPath: key) { state.update { $0[keyPath: path] = new[keyPath: path] } }
    observers.look()
  }
}

/// What a stream shows.
public enum OTStreamVideoType: Int32, Sendable {
  /// A camera.
  case camera = 1
  /// A screen.
  case screen = 2
  /// Never given: web pages that publish other things publish a camera here.
  case custom = 3
}
