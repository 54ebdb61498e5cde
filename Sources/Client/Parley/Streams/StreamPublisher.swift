package import Basics

/// A stream of this client in the meeting: the tracks of a ``LocalCapture``, as the app and the hosts want them.
@MainActor package final class StreamPublisher {
  /// The stream as the app wants it sent.
  package struct Wanted: Sendable {
    package var sendsAudio: Bool
    package var sendsVideo: Bool
    /// The stream's name for the others; nil for the participant's.
    package var name: String?
    /// The most bits a second of the video; nil for what looks good at its size.
    package var bitrate: DataRate?

    package init(sendsAudio: Bool, sendsVideo: Bool, name: String?, bitrate: DataRate?) {
      (self.sendsAudio, self.sendsVideo, self.name, self.bitrate) = (sendsAudio, sendsVideo, name, bitrate)
    }
  }

  /// A capturer or an audio device that gives nothing, and why.
  package struct CaptureFailure: Error {
    package let reason: String
  }

  package let kind: StreamKind
  package let capture: LocalCapture
  private let wanted: @MainActor () -> Wanted
  /// Set when it isn't published any more; work under way then takes its tracks back.
  package var isOver = false
  /// The publications made for it. The same sources may be another stream's by the time that it is over.
  private var publications: [LocalPublication] = []
  /// The publishing under way; the next stream of these sources waits for it.
  private var sending: Task<Void, Never>?
  /// Sources that a host has ended. They come again when the app turns them on and may send them.
  package private(set) var stopped: Set<TrackSource> = []
  /// Waits for what else a host ends at the same time.
  private var settling: Task<Void, Never>?

  package init(_ kind: StreamKind, _ capture: LocalCapture, wanted: @escaping @MainActor () -> Wanted) {
    (self.kind, self.capture, self.wanted) = (kind, capture, wanted)
  }

  /// Publishes both tracks in one offer.
  ///
  /// - Parameters:
  ///   - withdrawal: The end of earlier streams, which is waited for: they may be of the same sources.
  ///   - isCurrent: Whether the meeting is still the app's. If not, the tracks are withdrawn without a report.
  ///   - completion: Gets nil, or why nothing is published: a ``CaptureFailure`` or the server's refusal.
  package func publish(
    in meeting: Meeting, after withdrawal: Task<Void, Never>?, isCurrent: @escaping @MainActor () -> Bool,
    completion: @escaping @MainActor ((any Error)?) -> Void
  ) {
    capture.startAudio()
    sending = Task {
      await withdrawal?.value
      guard !isOver else { return }
      do {
        if let reason = await capture.videoProblem() { throw CaptureFailure(reason: reason) }
        if let reason = await capture.audioProblem() { throw CaptureFailure(reason: reason) }
        guard !isOver else { return }
        try await send(by: meeting.local)
        guard isCurrent(), !isOver else { return await withdraw() }
        completion(nil)
      } catch {
        guard isCurrent(), !isOver else { return }
        completion(error)
      }
    }
  }

  private func send(by local: LocalParticipant) async throws {
    let wanted = wanted()
    let first = Task { try await sendVideo(by: local, isMuted: !wanted.sendsVideo) }
    let second = Task { try await sendAudio(by: local, isMuted: !wanted.sendsAudio) }
    let results = [await first.result, await second.result]
    publications = results.compactMap { try? $0.get() }
    do {
      for result in results { _ = try result.get() }
    } catch {
      await withdraw()
      throw error
    }
  }

  private func sendVideo(by local: LocalParticipant, isMuted: Bool) async throws -> LocalPublication? {
    let wanted = wanted()
    return try await capture.publishVideo(
      of: kind, by: local, bitrate: wanted.bitrate, name: wanted.name, isMuted: isMuted)
  }

  private func sendAudio(by local: LocalParticipant, isMuted: Bool) async throws -> LocalPublication? {
    try await capture.publishAudio(of: kind, by: local, name: wanted().name, isMuted: isMuted)
  }

  private func withdraw() async {
    for publication in publications { await publication.unpublish() }
  }

  /// Ends the tracks, after the publishing under way and earlier withdrawals.
  package func withdraw(after earlier: Task<Void, Never>?) -> Task<Void, Never> {
    let sending = sending
    return Task {
      await earlier?.value
      await sending?.value
      await withdraw()
    }
  }

  // MARK: Muting

  /// Mutes and unmutes the tracks as the app wants them. Returns whether the video was turned on or off.
  package func applyMutes(by local: LocalParticipant, sendsAudio: Bool, sendsVideo: Bool) -> Bool {
    local.publication(kind.audio)?.setMuted(!sendsAudio)
    guard let video = local.publication(kind.video), video.isMuted == sendsVideo else { return false }
    video.setMuted(!sendsVideo)
    return true
  }

  /// Whether a track is of this stream; during the publishing it is known by its source.
  package func owns(_ publication: LocalPublication) -> Bool {
    guard kind.audio == publication.source || kind.video == publication.source else { return false }
    return publications.isEmpty || publications.contains { $0 === publication }
  }

  // MARK: Stopped by a host

  /// Whether nothing is left to send.
  package var isStopped: Bool {
    (!capture.options.capturesAudio || stopped.contains(kind.audio))
      && (!capture.options.capturesVideo || stopped.contains(kind.video))
  }

  /// A host has ended a track, or withdrawn the permission to send it.
  ///
  /// A host who withdraws the permission to publish at all ends camera and microphone in two messages. An app is to
  /// hear of one end, so `completion` is called once for both.
  package func markStopped(_ source: TrackSource, completion: @escaping @MainActor () -> Void) {
    stopped.insert(source)
    guard settling == nil else { return }
    settling = Task {
      try? await Task.sleep(nanoseconds: StreamPairing.span)
      await sending?.value
      settling = nil
      completion()
    }
  }

  /// Publishes a track again that a host has ended, muted. Returns false when the participant may not send it.
  ///
  /// - Parameters:
  ///   - isCurrent: As in ``publish(in:after:isCurrent:completion:)``.
  ///   - completion: Gets whether it is sent.
  package func restart(
    _ source: TrackSource, in meeting: Meeting, isCurrent: @escaping @MainActor () -> Bool,
    completion: @escaping @MainActor (Bool) -> Void
  ) -> Bool {
    guard meeting.local.permissions.contains(source.permission) else { return false }
    stopped.remove(source)
    let before = sending
    sending = Task {
      await before?.value
      guard !isOver else { return }
      do {
        // Muted, so that turning it on is reported as ever.
        let new =
          source == kind.audio
          ? try await sendAudio(by: meeting.local, isMuted: true)
          : try await sendVideo(by: meeting.local, isMuted: true)
        if let new { publications.append(new) }
        guard isCurrent(), !isOver else { return await withdraw() }
        completion(true)
      } catch {
        guard isCurrent(), !isOver else { return }
        stopped.insert(source)
        completion(false)
      }
    }
    return true
  }
}

extension TrackSource {
  /// The permission to send it.
  fileprivate var permission: ParticipantPermission {
    switch self {
    case .microphone: .publishAudio
    case .camera: .publishVideo
    case .screen, .screenAudio: .publishScreen
    }
  }
}
