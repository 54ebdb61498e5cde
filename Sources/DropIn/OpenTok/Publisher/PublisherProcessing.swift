import Parley

/// The app's own changes and view of the media that a publisher sends.
final class PublisherProcessing: Sendable {
  struct State {
    var video: [OTVideoTransformer] = []
    var audio: [OTAudioTransformer] = []
    var render: (any OTVideoRender)?
  }

  let state = Guarded(State())

  /// Changes a frame, and gives the changed one to the app's renderer.
  func process(_ frame: VideoFrame) -> VideoFrame {
    var picture = frame
    let (changes, render) = state.read { ($0.video, $0.render) }
    if !changes.isEmpty {
      let changed = OTVideoFrame(frame)
      for change in changes { change.transformer.transform(changed) }
      picture = changed.picture(at: frame.time) ?? frame
    }
    render?.renderVideoFrame(OTVideoFrame(picture))
    return picture
  }

  /// Changes 10 ms of audio in their place.
  func process(_ frame: inout AudioFrame) {
    let changes = state.read { $0.audio }
    guard !changes.isEmpty else { return }
    let (channels, count) = (frame.channels, frame.samples.count / max(frame.channels, 1))
    frame.samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      let data = OTAudioData(base, rate: AudioFrame.sampleRate, channels: channels, count: count)
      for change in changes { change.transformer.transform(data) }
    }
  }
}

extension LocalCapture {
  convenience init(_ settings: OTPublisherKitSettings) {
    let camera = settings as? OTPublisherSettings
    let size = (camera?.cameraResolution ?? .medium).size
    var options = Options()
    (options.capturesAudio, options.capturesVideo) = (settings.audioTrack, settings.videoTrack)
    options.audio = AudioOptions(
      bitrate: DataRate(bitsPerSecond: Int64(settings.audioBitrate)), discontinuous: settings.enableOpusDtx)
    options.usesCamera = camera != nil
    options.size = FrameSize(width: size.width, height: size.height)
    options.framesPerSecond = Int((camera?.cameraFrameRate ?? .rate30FPS).rawValue)
    options.screenSimulcast = settings.scalableScreenshare
    self.init(options, capturer: camera?.videoCapture.map { CapturerAdapter($0) })
  }
}
