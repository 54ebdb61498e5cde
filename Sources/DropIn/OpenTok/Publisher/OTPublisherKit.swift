public import Foundation
import Parley

/// Sends audio and video to a session: those of a capturer of the app's own, without a view. ``OTPublisher`` has a
/// camera and a view.
open class OTPublisherKit: NSObject {
  let media: LocalCapture
  private let processing = PublisherProcessing()
  let state: Guarded<State>

  struct State {
    weak var delegate: (any OTPublisherKitDelegate)?
    weak var audioLevelDelegate: (any OTPublisherKitAudioLevelDelegate)?
    weak var networkStatsDelegate: (any OTPublisherKitNetworkStatsDelegate)?
    weak var rtcStatsReportDelegate: (any OTPublisherKitRtcStatsReportDelegate)?
    var membership = Membership()
    var stream: OTStream?
    var name: String?
    var publishAudio = true
    var publishVideo = true
    var publishCaptions = false
    var videoType = OTPublisherKitVideoType.camera
    /// Nil leaves it to the type of the video.
    var audioFallbackEnabled: Bool?
    var degradationPreference = OTDegradationPreference.notSet
    var bitratePreset = OTVideoBitratePreset.default
    var maxVideoBitrate: Int32 = 0
  }

  // Every initialiser is a designated one, as those of the SDK are, so that subclasses can call any of them.

  /// A publisher. Its capturing begins at once.
  public init?(delegate: (any OTPublisherKitDelegate)?, settings: OTPublisherKitSettings) {
    (state, media) = (Guarded(State(delegate: delegate, name: settings.name ?? "")), LocalCapture(settings))
    super.init()
    start()
  }

  /// A publisher with the default settings.
  public init?(delegate: (any OTPublisherKitDelegate)?) {
    let settings = Self.settings()
    (state, media) = (Guarded(State(delegate: delegate, name: "")), LocalCapture(settings))
    super.init()
    start()
  }

  /// A publisher with a name.
  public init?(delegate: (any OTPublisherKitDelegate)?, name: String?) {
    let settings = Self.settings()
    (state, media) = (Guarded(State(delegate: delegate, name: name ?? "")), LocalCapture(settings))
    super.init()
    start()
  }

  /// A publisher with a name and these tracks.
  public init?(delegate: (any OTPublisherKitDelegate)?, name: String?, audioTrack: Bool, videoTrack: Bool) {
    let settings = Self.settings()
    (settings.audioTrack, settings.videoTrack) = (audioTrack, videoTrack)
    (state, media) = (Guarded(State(delegate: delegate, name: name ?? "")), LocalCapture(settings))
    super.init()
    start()
  }

  /// Of the kind that has no camera, or of that which has one.
  class func settings() -> OTPublisherKitSettings { OTPublisherKitSettings() }

  private func start() {
    media.changeHooks { hooks in
      hooks.processVideo = { [processing] in processing.process($0) }
      hooks.processAudio = { [processing] in processing.process(&$0) }
      hooks.onProblem = { [weak self] problem in
        onMain {
          guard let self, let session = self.session else { return }
          session.engine.captureFailed(self, problem, in: session)
        }
      }
      hooks.onSize = { [weak self] size in
        onMain {
          guard let self, let session = self.session else { return }
          session.engine.captured(CGSize(size), by: self, in: session)
        }
      }
    }
    media.start()
  }

  deinit {
    media.end()
    // The tracks that use `processing` may last a moment longer.
    processing.state.exchange(\.render, with: nil)
  }

  // MARK: State

  /// Receives its events. Held weakly.
  open var delegate: (any OTPublisherKitDelegate)? {
    get { state.delegate }
    set { state.delegate = newValue }
  }

  /// Receives its audio level. Held weakly.
  open var audioLevelDelegate: (any OTPublisherKitAudioLevelDelegate)? {
    get { state.audioLevelDelegate }
    set { state.audioLevelDelegate = newValue }
  }

  /// Receives its counts once a second. Held weakly.
  open var networkStatsDelegate: (any OTPublisherKitNetworkStatsDelegate)? {
    get { state.networkStatsDelegate }
    set { state.networkStatsDelegate = newValue }
  }

  /// Receives the reports of ``getRtcStatsReport()``. Held weakly.
  open var rtcStatsReportDelegate: (any OTPublisherKitRtcStatsReportDelegate)? {
    get { state.rtcStatsReportDelegate }
    set { state.rtcStatsReportDelegate = newValue }
  }

  /// The session that it is published in, or being published.
  open var session: OTSession? { state.read { $0.membership.session } }
  /// Its stream; nil while it is not published.
  open var stream: OTStream? { state.stream }

  /// The stream's name for the others; empty without one. Set it before publishing, as version 1 let it be set.
  open var name: String? {
    get { state.name }
    set { state.name = newValue }
  }

  /// Whether audio is sent; the others see it.
  open var publishAudio: Bool {
    get { state.publishAudio }
    set {
      state.publishAudio = newValue
      applyMutes()
    }
  }

  /// Whether video is sent; the others see it.
  open var publishVideo: Bool {
    get { state.publishVideo }
    set {
      state.publishVideo = newValue
      applyMutes()
    }
  }

  /// Without effect: there are no captions.
  open var publishCaptions: Bool {
    get { state.publishCaptions }
    set { state.publishCaptions = newValue }
  }

  private func applyMutes() {
    guard let session else { return }
    onMain { [self] in session.engine.applyMutes(of: self, in: session) }
  }

  /// Camera or screen. Set it before publishing.
  open var videoType: OTPublisherKitVideoType {
    get { state.videoType }
    set { state.videoType = newValue }
  }

  /// Whether subscribers with a slow network may be left with the audio alone. Unless it is set, it is true of a camera
  /// and false of a screen. The server always does.
  open var audioFallbackEnabled: Bool {
    get { state.read { $0.audioFallbackEnabled ?? ($0.videoType == .camera) } }
    set { state.audioFallbackEnabled = newValue }
  }

  /// The property of video that suffers first when bandwidth is short. Without effect: the video's content hint
  /// decides.
  open var degradationPreference: OTDegradationPreference {
    get { state.degradationPreference }
    set { state.degradationPreference = newValue }
  }

  /// The bit rate of the video. Set it before publishing.
  open var videoBitratePreset: OTVideoBitratePreset {
    get { state.bitratePreset }
    set { state.bitratePreset = newValue }
  }

  /// The most bits a second of the video, 5,000 to 10,000,000; 0 for no limit of the app's, anything else is ignored.
  /// Set it before publishing.
  open var maxVideoBitrate: Int32 {
    get { state.maxVideoBitrate }
    set {
      guard newValue == 0 || (5_000...10_000_000).contains(newValue) else { return }
      state.update { ($0.maxVideoBitrate, $0.bitratePreset) = (newValue, newValue == 0 ? .default : .custom) }
    }
  }

  /// The source of the video; setting it replaces the capturer that runs. One that does not start ends publishing, with
  /// ``OTPublisherErrorCode/publisherWebRTCError``: at once, or when it is published.
  open var videoCapture: (any OTVideoCapture)? {
    get { (media.capturer as? CapturerAdapter)?.capture }
    set { media.setCapturer(newValue.map { CapturerAdapter($0) }) }
  }

  /// Shows the sent frames, too. Held strongly, so that an app needn't keep it.
  open var videoRender: (any OTVideoRender)? {
    get { processing.state.render }
    set { processing.state.exchange(\.render, with: newValue) }
  }

  /// The transformers of each frame, in order: objects of ``OTVideoTransformer``. Others are left out.
  open var videoTransformers: [Any] {
    get { processing.state.read { $0.video } }
    set {
      let transformers = Carried(value: newValue.compactMap { $0 as? OTVideoTransformer })
      processing.state.update { $0.video = transformers.value }
    }
  }

  /// The transformers of the audio, in order: objects of ``OTAudioTransformer``. Others are left out.
  open var audioTransformers: [Any] {
    get { processing.state.read { $0.audio } }
    set {
      let transformers = Carried(value: newValue.compactMap { $0 as? OTAudioTransformer })
      processing.state.update { $0.audio = transformers.value }
    }
  }

  /// Asks for a report, which comes to ``rtcStatsReportDelegate``. Nothing comes while it is not published.
  open func getRtcStatsReport() {
    guard let session else { return }
    onMain { [self] in session.engine.report(of: self, in: session) }
  }

  // MARK: For the session

  /// Takes it for a session; see ``Membership``.
  func claim(for session: OTSession) -> Int? { state.update { $0.membership.begin(session) } }

  func release(_ number: Int) { state.update { $0.membership.end(number) } }

  /// Reports an error on the session's queue.
  func fail(_ problem: OTError, _ session: OTSession) {
    let error = session.isLegacy ? problem.asLegacy() : problem
    session.tell { _ in self.delegate?.publisher(self, didFailWithError: error) }
  }

  /// The most bits a second of the video; nil for what looks good at its size.
  var bitrateLimit: Int64? {
    state.read { state in
      switch state.bitratePreset {
      case .default: nil
      case .bwSaver: 600_000
      case .extraBwSaver: 250_000
      case .custom: state.maxVideoBitrate == 0 ? nil : Int64(state.maxVideoBitrate)
      }
    }
  }
}
