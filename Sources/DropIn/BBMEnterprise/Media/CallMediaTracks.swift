import ParleyViews
import Parley

/// The tracks of one side of a call: microphone and camera, and the other side's audio and video.
@MainActor final class CallMediaTracks {
  /// A reason for which the camera does nothing.
  enum CameraError: Error {
    case noCamera
    /// The call ended, or the camera was turned off in the meantime.
    case superseded
  }

  private let meeting: Meeting
  private let devices: CallDevices
  private let stage: VideoStage
  private var microphone: LocalPublication?
  private var isMuted = false
  private var speaker: (any AudioSink)?
  private var isOver = false

  private(set) var cameras: [CallCamera] = []
  private var cameraIndex = 0
  private var source: SharedVideoSource?
  private var camera: LocalPublication?
  /// The other side's video that is shown, and the id of its publication.
  private var shown: RemoteVideoTrack?
  private var shownID: String?
  /// Videos of participants without keys, by publication: they can't be opened, and would be black.
  private var waiting: [String: Subscription] = [:]

  /// Whether the camera is on.
  var sendsVideo: Bool { camera != nil }

  init(_ meeting: Meeting, _ devices: CallDevices, _ stage: VideoStage) {
    self.meeting = meeting
    self.devices = devices
    self.stage = stage
  }

  // MARK: Audio

  /// Opens microphone and speaker. The call goes on without them where there are none.
  func startAudio(isMuted: Bool) {
    self.isMuted = isMuted
    Task {
      let track = LocalAudioTrack(devices.microphone())
      // Muted, since the user may mute it while it is being published.
      let published = try? await meeting.local.publish(track, as: .microphone, isMuted: true)
      guard !isOver else { return }
      microphone = published
      microphone?.setMuted(self.isMuted)
    }
    Task {
      let speaker = try? await devices.openSpeaker()
      guard !isOver else { return }
      self.speaker = speaker
      meeting.playSound(to: speaker)
    }
  }

  func setMuted(_ isMuted: Bool) {
    self.isMuted = isMuted
    microphone?.setMuted(isMuted)
  }

  // MARK: The camera

  /// Begins to send the front camera's video, and shows it.
  func startCamera() async throws {
    if cameras.isEmpty { cameras = await devices.cameras() }
    guard cameraIndex < cameras.count else { throw CameraError.noCamera }
    guard !isOver, camera == nil else { throw CameraError.superseded }
    let source = SharedVideoSource(cameras[cameraIndex].makeSource())
    let publication = try await meeting.local.publish(LocalVideoTrack(source), as: .camera)
    guard !isOver else {
      await publication.unpublish()
      throw CameraError.superseded
    }
    self.source = source
    camera = publication
    let view = CallVideoView(frame: .zero)
    view.isMirrored = true
    for sink in view.sinks { source.add(sink) }
    stage.setOutgoing(view)
  }

  func stopCamera() async {
    for sink in stage.outgoing?.sinks ?? [] { source?.remove(sink) }
    stage.setOutgoing(nil)
    let publication = camera
    camera = nil
    source = nil
    await publication?.unpublish()
  }

  /// Sends the next camera's video, without a break for the other side.
  func switchCamera() throws(CameraError) {
    guard let source, cameras.count > 1 else { throw .noCamera }
    cameraIndex = (cameraIndex + 1) % cameras.count
    source.use(cameras[cameraIndex].makeSource())
    stage.outgoing?.isMirrored = cameraIndex == 0
  }

  // MARK: The other side

  func show(_ subscription: Subscription) {
    let publication = subscription.publication
    guard publication.source == .camera, let track = subscription.video, track !== shown else { return }
    guard publication.participant?.identity != nil else {
      waiting[publication.id] = subscription
      return
    }
    waiting[publication.id] = nil
    hide()
    (shown, shownID) = (track, publication.id)
    let view = CallVideoView(frame: .zero)
    for sink in view.sinks { track.add(sink) }
    stage.setIncoming(view)
  }

  /// Shows a publication no longer. Another one may be shown in its place already.
  func hide(_ publication: RemotePublication) {
    waiting[publication.id] = nil
    if publication.id == shownID { hide() }
  }

  /// Shows the video of a participant whose keys have come.
  func showWaiting() {
    for subscription in waiting.values where subscription.publication.participant?.identity != nil {
      show(subscription)
    }
  }

  private func hide() {
    for sink in stage.incoming?.sinks ?? [] { shown?.remove(sink) }
    (shown, shownID) = (nil, nil)
    stage.setIncoming(nil)
  }

  /// Takes the views away; the meeting is left by its session.
  func end() {
    isOver = true
    waiting = [:]
    hide()
    for sink in stage.outgoing?.sinks ?? [] { source?.remove(sink) }
    stage.setOutgoing(nil)
    (camera, source, microphone, speaker) = (nil, nil, nil, nil)
    meeting.playSound(to: nil)
  }
}
