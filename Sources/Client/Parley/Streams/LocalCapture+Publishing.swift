import Basics
import Media

/// The tracks of a captured stream.
extension LocalCapture {
  /// Publishes the video. Returns nil when none is captured.
  ///
  /// - Parameters:
  ///   - bitrate: The most bits a second that the app allows; nil for what looks good at the video's size.
  ///   - name: The track's name for the others; nil for the participant's.
  @MainActor package func publishVideo(
    of kind: StreamKind, by local: LocalParticipant, bitrate: DataRate?, name: String?, isMuted: Bool
  ) async throws -> LocalPublication? {
    guard options.capturesVideo else { return nil }
    var video = VideoOptions(isScreen: await prefersDetail(isScreen: kind == .screen))
    if let bitrate { video.maximumBitrate = max(bitrate, .kilobits(10)) }
    video.simulcast = kind == .screen && options.screenSimulcast
    // For receivers that prefer fewer frames a second. An encoder of layers keeps less well to an app's bound.
    let hasLayers = bitrate == nil && (kind == .camera || video.simulcast)
    video.temporalLayers = hasLayers ? 3 : 1
    let track = LocalVideoTrack(self.video, options: video)
    return try await local.publish(track, as: kind.video, isMuted: isMuted, name: name)
  }

  /// Publishes the audio. Returns nil when none is captured.
  @MainActor package func publishAudio(
    of kind: StreamKind, by local: LocalParticipant, name: String?, isMuted: Bool
  ) async throws -> LocalPublication? {
    guard options.capturesAudio else { return nil }
    let track = LocalAudioTrack(audio, options: options.audio)
    return try await local.publish(track, as: kind.audio, isMuted: isMuted, name: name)
  }
}
