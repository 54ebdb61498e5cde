public import Foundation

/// Receives a stream, without a view. ``OTSubscriber`` has one.
///
/// In a session made as in version 1 it begins at once; otherwise when it is given to
/// ``OTSession/subscribe(_:error:)``.
open class OTSubscriberKit: NSObject {
  let state: Guarded<State>

  struct State {
    weak var delegate: (any OTSubscriberKitDelegate)?
    weak var audioLevelDelegate: (any OTSubscriberKitAudioLevelDelegate)?
    weak var networkStatsDelegate: (any OTSubscriberKitNetworkStatsDelegate)?
    weak var rtcStatsReportDelegate: (any OTSubscriberKitRtcStatsReportDelegate)?
    weak var captionsDelegate: (any OTSubscriberKitCaptionsDelegate)?
    var render: (any OTVideoRender)?
    var membership = Membership()
    var stream: OTStream?
    /// The number of the time that counts among the streams that its session may have; nil when none does.
    var place: Int?
    var wanted = WantedStream()
    var subscribeToCaptions = false
  }

  /// The wanted size and rate of the stream.
  struct WantedStream: Equatable, Sendable {
    var audio = true
    var video = true
    var volume = 100.0
    var resolution: CGSize?
    var frameRate = Float.greatestFiniteMagnitude

    /// The wanted frame rate; nil for all frames, which zero and invalid numbers mean, too.
    var framesPerSecond: Int? { frameRate > 0 && frameRate <= 240 ? Int(frameRate.rounded(.up)) : nil }
  }

  /// A subscriber of a stream; never nil.
  public init?(stream: OTStream, delegate: (any OTSubscriberKitDelegate)?) {
    state = Guarded(State(delegate: delegate, stream: stream))
    super.init()
    if let session = stream.owner, session.isLegacy, let problem = session.begin(self) {
      fail(problem.ofSubscriber, session)
    }
  }

  deinit {
    let id = ObjectIdentifier(self)
    let (session, number) = state.read { ($0.membership.session, $0.membership.number) }
    guard let session else { return }
    session.leavePlace(self, number)
    onMain { session.engine.forget(id, number, in: session) }
  }

  /// Version 1: receives the stream no longer, and takes the view out of its superview.
  open func close() {
    if let currentSession { _ = currentSession.end(self) }
  }

  // MARK: State

  /// Receives its events. Held weakly.
  open var delegate: (any OTSubscriberKitDelegate)? {
    get { state.delegate }
    set { state.delegate = newValue }
  }

  /// Receives its audio level. Held weakly; nothing is measured without.
  open var audioLevelDelegate: (any OTSubscriberKitAudioLevelDelegate)? {
    get { state.audioLevelDelegate }
    set {
      state.audioLevelDelegate = newValue
      wantedChanged()
    }
  }

  /// Receives its counts once a second. Held weakly.
  open var networkStatsDelegate: (any OTSubscriberKitNetworkStatsDelegate)? {
    get { state.networkStatsDelegate }
    set { state.networkStatsDelegate = newValue }
  }

  /// Receives the reports of ``getRtcStatsReport(_:)``. Held weakly.
  open var rtcStatsReportDelegate: (any OTSubscriberKitRtcStatsReportDelegate)? {
    get { state.rtcStatsReportDelegate }
    set { state.rtcStatsReportDelegate = newValue }
  }

  /// Never called, since there are no captions. Held weakly.
  open var captionsDelegate: (any OTSubscriberKitCaptionsDelegate)? {
    get { state.captionsDelegate }
    set { state.captionsDelegate = newValue }
  }

  /// The session that it is subscribed in, or being so, or that its stream is in.
  open var session: OTSession { currentSession ?? stream?.session ?? .detached("") }

  /// The session that it is subscribed in, or being so; nil when it is subscribed in none.
  var currentSession: OTSession? { state.read { $0.membership.session } }
  open var stream: OTStream? { state.stream }

  /// Whether the audio is heard.
  open var subscribeToAudio: Bool {
    get { state.wanted.audio }
    set { change { $0.audio = newValue } }
  }

  /// Whether the video is received.
  open var subscribeToVideo: Bool {
    get { state.wanted.video }
    set { change { $0.video = newValue } }
  }

  /// Without effect: there are no captions.
  open var subscribeToCaptions: Bool {
    get { state.subscribeToCaptions }
    set { state.subscribeToCaptions = newValue }
  }

  /// How loud it is played, 0 to 100; anything else counts as the nearest of them.
  open var audioVolume: Double {
    get { state.wanted.volume }
    set { change { $0.volume = newValue.isNaN ? 100 : min(max(newValue, 0), 100) } }
  }

  /// The wanted size of the video; zero for the largest.
  open var preferredResolution: CGSize {
    get { state.read { $0.wanted.resolution ?? .zero } }
    set {
      let isSize = newValue.width.isFinite && newValue.height.isFinite && newValue.width > 0 && newValue.height > 0
      change { $0.resolution = isSize ? newValue : nil }
    }
  }

  /// The most frames a second that are wanted, unlimited at first. A sender that codes in temporal layers, as
  /// publishers here and browsers do with cameras, can send a half or a quarter of the frames.
  open var preferredFrameRate: Float {
    get { state.wanted.frameRate }
    set { change { $0.frameRate = newValue } }
  }

  /// Shows the frames, too. Held strongly, so that an app needn't keep it.
  open var videoRender: (any OTVideoRender)? {
    get { state.render }
    set {
      state.exchange(\.render, with: newValue)
      wantedChanged()
    }
  }

  /// Asks for a report, which comes to ``rtcStatsReportDelegate``. `error` is 1010 while it is not subscribed.
  open func getRtcStatsReport(_ error: UnsafeMutablePointer<OTError?>?) {
    guard let session = currentSession else {
      return OTError.put(OTError(.OTSubscriberSessionDisconnected, "The subscriber is not subscribed."), error)
    }
    onMain { [self] in session.engine.report(of: self, in: session) }
  }

  /// Asks for a report. Nothing comes while it is not subscribed.
  open func getRtcStatsReport() { getRtcStatsReport(nil) }

  private func change(_ body: (inout WantedStream) -> Void) {
    state.update { body(&$0.wanted) }
    wantedChanged()
  }

  private func wantedChanged() {
    guard let session = currentSession else { return }
    onMain { [self] in session.engine.wantedChanged(of: self, in: session) }
  }

  // MARK: For the session

  /// Takes it for a session; see ``Membership``.
  func claim(for session: OTSession) -> Int? { state.update { $0.membership.begin(session) } }

  func release(_ number: Int) { state.update { $0.membership.end(number) } }

  /// Reports an error on the session's queue.
  func fail(_ problem: OTError, _ session: OTSession) {
    let error = session.isLegacy ? problem.asLegacy() : problem
    session.tell { _ in self.delegate?.subscriber(self, didFailWithError: error) }
  }
}

// The headers of version 1 did not say what may be nil, and apps of its time hand over what may be.
extension OTSubscriberKit {
  /// A subscriber of a stream; nil without a stream.
  @_disfavoredOverload public convenience init?(stream: OTStream?, delegate: (any OTSubscriberKitDelegate)?) {
    guard let stream else { return nil }
    self.init(stream: stream, delegate: delegate)
  }
}
