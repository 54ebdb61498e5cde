public import Foundation
public import Observation

/// The audio and video of one publisher. Its properties change while it lasts, on the ``OTSession/apiQueue`` of its
/// session. They can be observed with `withObservationTracking`, and by key path as on Apple systems.
open class OTStream: NSObject, Observable {
  /// The id, unique in the session.
  open internal(set) var streamId = ""
  /// The connection of its publisher.
  open internal(set) var connection = OTConnection()
  /// When it was published, by the server's clock, to the millisecond.
  open internal(set) var creationTime = Date(timeIntervalSince1970: 0)
  open internal(set) var videoType = OTStreamVideoType.camera
  /// Whether it has captions: never.
  open var hasCaptions: Bool { false }
  /// Version 1: always `basic`.
  open var type: String { "basic" }

  private(set) weak var owner: OTSession?
  private var sessionId = ""
  private let state = Guarded(Properties())
  private let registrar = ObservationRegistrar()
  let observers = KeyObservers()
  let named = NamedObservers()

  struct Properties: Equatable {
    var name: String?
    var hasAudio = false
    var hasVideo = false
    var videoDimensions = CGSize(width: 640, height: 480)
  }

  /// A stream of nobody, for subclasses.
  public override init() { super.init() }

  convenience init(
    id: String, connection: OTConnection, creationTime: Date, videoType: OTStreamVideoType, properties: Properties,
    session: OTSession?
  ) {
    self.init()
    (streamId, self.connection) = (id, connection)
    (self.creationTime, self.videoType) = (creationTime, videoType)
    state.update { $0 = properties }
    (owner, sessionId) = (session, session?.sessionId ?? "")
  }

  /// The session that it is in; one that is connected to nothing when the app has let go of that.
  open var session: OTSession { owner ?? .detached(sessionId) }

  /// The name that its publisher gave.
  open var name: String? { value(\.name, as: \OTStream.name) }
  /// Whether audio is sent.
  open var hasAudio: Bool { value(\.hasAudio, as: \OTStream.hasAudio) }
  /// Whether video is sent.
  open var hasVideo: Bool { value(\.hasVideo, as: \OTStream.hasVideo) }
  /// The size of the video: captured, of an own stream; received, of another one. 640 × 480 until one is known.
  open var videoDimensions: CGSize { value(\.videoDimensions, as: \OTStream.videoDimensions) }

  private func value<Value>(_ path: KeyPath<Properties, Value>, as key: KeyPath<OTStream, Value>) -> Value {
    registrar.access(self, keyPath: key)
    return state.read { $0[keyPath: path] }
  }

  var properties: Properties { state.read { $0 } }

  /// Applies the changes, and notifies the observers.
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

/// The content of a stream's video.
public enum OTStreamVideoType: Int32, Sendable {
  case camera = 1
  case screen = 2
  /// Never given: web pages that publish other things publish a camera here.
  case custom = 3
}
