public import Basics
public import FoundationEssentials
public import Signaling
public import Observation

/// Oneself. Publish and mute tracks here.
///
/// ```swift
/// let camera = try await meeting.local.publish(LocalVideoTrack(TestPictureSource()))
/// camera.setMuted(true)
/// ```
@MainActor @Observable public final class LocalParticipant: Participant {
  /// The id in this meeting, `p_…`; empty before the meeting is joined.
  public internal(set) var id = ""

  /// The display name. Show it as text, never as markup.
  public internal(set) var name: String

  /// The role that the token or a host gave.
  public internal(set) var role = ParticipantRole.guest

  /// The join token's data about this participant, for the app: OpenTok's connection data. Nil when it says nothing.
  public internal(set) var data: String?

  /// When this participant came, in whole seconds by the server's clock; nil before that is known.
  public internal(set) var created: Date?

  /// The permissions: first the token's, then those that hosts give.
  public internal(set) var permissions: Set<ParticipantPermission> = []

  /// The place in the row of raised hands; nil while the hand is down.
  public internal(set) var hand: Int?

  /// How loud this participant speaks: 0 (silent) to 1.
  public internal(set) var audioLevel = 0.0

  /// How well media flows between this participant and the server.
  public internal(set) var quality = ConnectionQuality.excellent

  /// The tracks that this client publishes, in the order they were published.
  public internal(set) var publications: [LocalPublication] = []

  @ObservationIgnored weak var meeting: Meeting?
  /// A name that the server has not confirmed yet.
  @ObservationIgnored var wantedName: String?

  init(name: String) { self.name = name }

  /// The publication of a source; nil when it is not published.
  ///
  /// ```swift
  /// let isSharing = meeting.local.publication(.screen) != nil
  /// ```
  public func publication(_ source: TrackSource) -> LocalPublication? {
    publications.first { $0.source == source }
  }

  /// Publishes video. Before joining, the track is prepared and goes out with the first offer; afterwards this returns
  /// when the server has taken it.
  ///
  /// ```swift
  /// try await meeting.local.publish(LocalVideoTrack(CameraSource()))
  /// let screen = LocalVideoTrack(ScreenSource(), options: VideoOptions(isScreen: true))
  /// try await meeting.local.publish(screen, as: .screen)
  /// ```
  ///
  /// - Parameters:
  ///   - track: The track; its source is started here.
  ///   - source: The source. There is at most one track of a source; publishing another one replaces it.
  ///   - isMuted: Whether it starts muted.
  ///   - name: The name that the others see; nil for the participant's. Cut at 80 characters.
  /// - Throws: ``Media/MediaError`` when the source cannot be opened or the options are not possible, ``JoinError``
  ///   when the server does not take it.
  @discardableResult
  public func publish(
    _ track: LocalVideoTrack, as source: TrackSource = .camera, isMuted: Bool = false, name: String? = nil
  ) async throws -> LocalPublication {
    let publisher = try VideoPublisher(track, isMuted: isMuted)
    return try await publish(
      LocalPublication(source: source, name: name, publisher: publisher, isMuted: isMuted, owner: self))
  }

  /// Publishes audio; as for video.
  ///
  /// ```swift
  /// let microphone = try await meeting.local.publish(LocalAudioTrack(MicrophoneSource()), isMuted: true)
  /// ```
  @discardableResult
  public func publish(
    _ track: LocalAudioTrack, as source: TrackSource = .microphone, isMuted: Bool = false, name: String? = nil
  ) async throws -> LocalPublication {
    let publisher = try AudioPublisher(track, isMuted: isMuted)
    return try await publish(
      LocalPublication(source: source, name: name, publisher: publisher, isMuted: isMuted, owner: self))
  }

  /// Publishes media that is encoded already, over and over.
  ///
  /// ```swift
  /// if let loop = EncodedLoop(frames, duration: .seconds(4)) {
  ///   try await meeting.local.publish(loop, as: .camera)
  /// }
  /// ```
  @discardableResult
  public func publish(
    _ loop: EncodedLoop, as source: TrackSource, isMuted: Bool = false
  ) async throws -> LocalPublication {
    let publisher = EncodedPublisher(loop, isMuted: isMuted)
    return try await publish(LocalPublication(source: source, publisher: publisher, isMuted: isMuted, owner: self))
  }

  private func publish(_ publication: LocalPublication) async throws -> LocalPublication {
    if let meeting {
      if meeting.state == .ended { throw JoinError.ended }
      if publication.publisher.codecs(outOf: meeting.options.codecs).isEmpty {
        let names = meeting.options.codecs.map(\.name).joined(separator: ", ")
        throw MediaError.invalid(
          "The track \(publication.source.rawValue) cannot be encoded in any codec of the meeting (\(names)).")
      }
      if meeting.startsMuted(publication.source) { publication.setMuted(true) }
    }
    if let old = self.publication(publication.source) { await old.unpublish() }
    publications.append(publication)
    do {
      try publication.publisher.start { [weak meeting, weak publication] problem in
        Task { @MainActor in
          guard let meeting, let publication else { return }
          meeting.take(problem, of: publication)
        }
      }
      try await meeting?.takeUp(publication)
    } catch {
      publication.publisher.stop()
      publications.removeAll { $0 === publication }
      throw error
    }
    return publication
  }

  /// Changes the display name. In a meeting ``name`` follows when the server has confirmed it; where the token sets the
  /// name it does not, and ``MeetingEvent/problem(_:)`` says so.
  ///
  /// ```swift
  /// meeting.local.rename("Ann (in a train)")
  /// ```
  public func rename(_ name: String) {
    guard let meeting, meeting.state != .idle else {
      self.name = name
      return
    }
    wantedName = name
    meeting.send(.rename(name: name))
  }

  func remove(_ publication: LocalPublication) async {
    guard let index = publications.firstIndex(where: { $0 === publication }) else { return }
    publications.remove(at: index)
    publication.publisher.stop()
    await meeting?.giveUp(publication)
  }

  func stop() {
    for publication in publications { publication.publisher.stop() }
  }
}
