import Basics
public import FoundationEssentials
public import Signaling
public import Observation
import RTC

/// A track that this client publishes.
///
/// ```swift
/// let camera: LocalPublication = try await meeting.local.publish(LocalVideoTrack(CameraSource()))
/// camera.setMuted(true)
/// await camera.unpublish()
/// ```
@MainActor @Observable public final class LocalPublication {
  /// The id that the server gave, `t_…`; empty until then.
  public internal(set) var id = ""

  /// When it was published, by the server's clock, to the millisecond; nil until the server has said so, and from
  /// servers that do not.
  public internal(set) var created: Date?

  /// The source, such as the camera.
  public let source: TrackSource

  /// The name that the others see; without one they see the participant's.
  public let name: String?

  /// Whether it is muted: nothing is encoded or sent, and everybody sees that.
  public private(set) var isMuted: Bool

  /// Whether it was a host who muted it.
  public internal(set) var isMutedByHost = false

  /// The receivers that can't decode it, and so don't get it; nil where everybody can. Hidden participants aren't
  /// counted.
  public internal(set) var undecodableFor: UndecodableReceivers?

  @ObservationIgnored let publisher: any Publisher
  /// The m-section that carries it in the connection under way.
  @ObservationIgnored var mid: MID?
  /// The connection that it was added to, or is being.
  @ObservationIgnored weak var addedTo: MediaConnection?
  @ObservationIgnored private weak var owner: LocalParticipant?

  init(source: TrackSource, name: String? = nil, publisher: any Publisher, isMuted: Bool, owner: LocalParticipant) {
    self.source = source
    self.name = name
    self.publisher = publisher
    self.isMuted = isMuted
    self.owner = owner
  }

  public var kind: MediaKind { publisher.kind }

  /// Mutes or unmutes. Takes effect with the next frame; others hear of it by signalling.
  ///
  /// ```swift
  /// microphone.setMuted(!microphone.isMuted)
  /// ```
  public func setMuted(_ muted: Bool) {
    guard muted != isMuted else { return }
    isMuted = muted
    isMutedByHost = false
    publisher.setMuted(muted)
    if let mid { owner?.meeting?.send(.mute(mid: mid.rawValue, muted: muted)) }
  }

  /// Mutes, and returns when the server has notified everybody. Nothing is encoded or sent from the first moment on.
  ///
  /// ```swift
  /// try await camera.mute()
  /// print("Nobody sees you any more, and everybody knows it.")
  /// ```
  ///
  /// - Throws: ``JoinError/unreachable(_:)`` while the connection is lost: the server hears of it once it is back, and
  ///   may be asked again then.
  public func mute() async throws(JoinError) {
    if !isMuted { isMutedByHost = false }
    isMuted = true
    publisher.setMuted(true)
    try await tellServer()
  }

  /// Unmutes, and returns when the server has notified everybody. Until then, media reaches nobody where a host has
  /// forbidden it.
  ///
  /// ```swift
  /// do throws(JoinError) {
  ///   try await microphone.unmute()
  /// } catch {
  ///   print("You stay muted: \(error)")
  /// }
  /// ```
  ///
  /// - Throws: ``JoinError/refused(code:message:)`` where hosts let nobody unmute: it stays muted.
  ///   ``JoinError/unreachable(_:)`` while the connection is lost: the server hears of it once it is back, and may be
  ///   asked again then.
  public func unmute() async throws(JoinError) {
    isMuted = false
    isMutedByHost = false
    publisher.setMuted(false)
    try await tellServer()
  }

  /// Has the server notify everybody whether it is muted.
  private func tellServer() async throws(JoinError) {
    guard let meeting = owner?.meeting, meeting.state != .idle else { return }
    // A track that was published while the connection was being brought back.
    if mid == nil { try await meeting.takeUp(self) }
    guard let mid else { throw .unreachable("The track is not sent just now. Try again when the connection is back.") }
    // As it is now, and not as it was before the wait.
    let isMuted = isMuted
    try await meeting.request { id in
      if !isMuted { meeting.requests.addUnmuting(id, of: self) }
      return .mute(mid: mid.rawValue, muted: isMuted, id: id)
    }
  }

  /// The server lets nobody unmute, or not this track.
  func unmuteWasRefused(byHost: Bool) {
    isMuted = true
    isMutedByHost = byHost
    publisher.setMuted(true)
  }

  /// Stops publishing. The track's source is stopped; the track may be published again.
  ///
  /// ```swift
  /// await meeting.local.publication(.screen)?.unpublish()
  /// ```
  public func unpublish() async { await owner?.remove(self) }
}
