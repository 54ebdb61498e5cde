public import Foundation
public import ParleyViews

/// Watches a conversation for an app: reports changes to its delegate, shows the guest's own video, and subscribes to
/// that of the active speaker.
///
/// The SDK had this class as source that apps compiled themselves; here it is part of the module.
@preconcurrency @MainActor open class SfBConversationHelper: NSObject {
  open private(set) var conversation: SfBConversation
  open private(set) weak var delegate: (any SfBConversationHelperDelegate)?
  /// The cameras and the speaker.
  open private(set) var devicesManager: SfBDevicesManager
  /// The app's own object, as given to the initialiser.
  open private(set) var userInfo: Any?
  /// Draws the watched video, unless the app is in the background; paused while nobody is watched.
  open private(set) lazy var displayLink: CADisplayLink = {
    let refresh = Refresh()
    refresh.helper = self
    let link = CADisplayLink(target: refresh, selector: Refresh.draw)
    link.preferredFramesPerSecond = 30
    link.isPaused = true
    link.add(to: .main, forMode: .common)
    return link
  }()

  /// Whether anything of the app is seen. On a phone an active app only is; a window without the focus is seen all the
  /// same.
  var isSeen: @MainActor () -> Bool = { UIApplication.shared.applicationState != .background }

  private let layer: CAEAGLLayer?
  private var observations: [NSKeyValueObservation] = []
  private var ofParticipant: [NSKeyValueObservation] = []
  private var watched: SfBParticipant?
  private var stream: SfBVideoStream?
  private var wasSending = false

  /// Begins to watch. The delegate gets the present state before this returns.
  ///
  /// - Parameters:
  ///   - conversation: The conversation to watch.
  ///   - delegate: Is notified. It is not kept alive.
  ///   - devicesManager: The application's.
  ///   - outgoingVideoView: Shows the participant's own video.
  ///   - incomingVideoLayer: Shows the video of the active speaker.
  ///   - userInfo: Anything, kept in ``userInfo``.
  public init(
    conversation: SfBConversation, delegate: any SfBConversationHelperDelegate, devicesManager: SfBDevicesManager,
    outgoingVideoView: UIView, incomingVideoLayer: CAEAGLLayer, userInfo: Any?
  ) {
    self.conversation = conversation
    self.delegate = delegate
    self.devicesManager = devicesManager
    self.userInfo = userInfo
    layer = incomingVideoLayer
    super.init()
    begin(in: outgoingVideoView)
  }

  /// Without somebody to notify, a view or a layer, where the app has none.
  @_disfavoredOverload public init(
    conversation: SfBConversation, delegate: (any SfBConversationHelperDelegate)?, devicesManager: SfBDevicesManager,
    outgoingVideoView: UIView?, incomingVideoLayer: CAEAGLLayer?, userInfo: Any?
  ) {
    self.conversation = conversation
    self.delegate = delegate
    self.devicesManager = devicesManager
    self.userInfo = userInfo
    layer = incomingVideoLayer
    super.init()
    begin(in: outgoingVideoView)
  }

  private func begin(in outgoingVideoView: UIView?) {
    // Without a licence there is no preview, and the rest goes on.
    _ = try? conversation.videoService.showPreview(on: outgoingVideoView)
    observeServices()
    observePeople()
  }

  /// The display link's target, so that the link does not keep the helper alive.
  @MainActor private final class Refresh {
    weak var helper: SfBConversationHelper?

    func draw() {
      if let helper, helper.isSeen() { try? helper.stream?.render() }
    }
  }

  // MARK: Actions of buttons

  /// Changes between the loudspeaker and the other output.
  open func changeSpeakerEndpoint() {
    let speaker = devicesManager.selectedSpeaker
    speaker.activeEndpoint = speaker.activeEndpoint == .loudspeaker ? .nonLoudspeaker : .loudspeaker
  }

  /// Takes the next camera, or the first when none is in use.
  open func changeActiveCamera() throws {
    let cameras = devicesManager.cameras
    let present = conversation.videoService.activeCamera.flatMap { cameras.firstIndex(of: $0) }
    let next = present.map { ($0 + 1) % cameras.count } ?? 0
    try conversation.videoService.setActiveCamera(cameras.indices.contains(next) ? cameras[next] : nil)
  }

  /// Pauses the guest's own video, or resumes it.
  open func toggleVideoPaused() throws {
    try conversation.videoService.setPaused(!conversation.selfParticipant.video.isPaused)
  }

  /// Mutes or unmutes; before version 1.0 of the SDK this was the helper's.
  open func toggleAudioMuted() throws { try conversation.audioService.toggleMute() }

  // MARK: Observing

  private func observe<Object: SfBKeyValueObservable, Value: Equatable>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>,
    _ tell: @escaping @MainActor (SfBConversationHelper, any SfBConversationHelperDelegate, Value) -> Void
  ) {
    observations.append(
      object.observe(keyPath, options: [.initial, .new]) { [weak self] _, change in
        guard let self, let delegate = self.delegate, let value = change.newValue else { return }
        tell(self, delegate, value)
      })
  }

  private func observeServices() {
    let (conversation, myself) = (conversation, conversation.selfParticipant)
    observe(conversation, \.state) { helper, delegate, state in
      delegate.conversationHelper(helper, conversation: conversation, didChange: state)
      delegate.conversationHelper(helper, conversation: conversation, didChangeState: state)
    }
    observe(conversation.chatService, \.canSendMessage) { helper, delegate, can in
      delegate.conversationHelper(helper, chatService: conversation.chatService, didChangeCanSendMessage: can)
    }
    observe(myself.audio, \.state) { helper, delegate, state in
      delegate.conversationHelper(helper, selfAudio: myself.audio, didChange: state)
      delegate.conversationHelper(helper, selfAudio: myself.audio, didChangeState: state)
    }
    observe(conversation.audioService, \.muted) { helper, delegate, muted in
      delegate.conversationHelper(helper, audioService: conversation.audioService, didChangeMuted: muted)
    }
    observe(myself.audio, \.isMuted) { helper, delegate, isMuted in
      delegate.conversationHelper(helper, selfAudio: myself.audio, didChangeIsMuted: isMuted)
    }
    let speaker = devicesManager.selectedSpeaker
    observe(speaker, \.activeEndpoint) { helper, delegate, endpoint in
      delegate.conversationHelper(helper, speaker: speaker, didChangeActiveEndpoint: endpoint)
    }
    observe(conversation.videoService, \.canStart) { helper, delegate, can in
      delegate.conversationHelper(helper, videoService: conversation.videoService, didChangeCanStart: can)
    }
    observe(conversation.videoService, \.activeCamera) { helper, delegate, camera in
      let video = conversation.videoService
      if let camera { delegate.conversationHelper(helper, videoService: video, didChangeActiveCamera: camera) }
      delegate.conversationHelper(helper, videoService: video, didChangeActiveCamera: camera)
    }
    observe(myself.video, \.state) { helper, delegate, state in
      delegate.conversationHelper(helper, selfVideo: myself.video, didChange: state)
      delegate.conversationHelper(helper, selfVideo: myself.video, didChangeState: state)
    }
    observe(myself.video, \.isPaused) { helper, delegate, isPaused in
      delegate.conversationHelper(helper, selfVideo: myself.video, didChangeIsPaused: isPaused)
    }
    observations.append(
      conversation.historyService.observe(\.activityItems, options: .new) { [weak self] _, change in
        guard let self, change.kind == .insertion else { return }
        for case let item as SfBMessageActivityItem in change.newValue ?? [] where item.direction == .incoming {
          self.delegate?.conversationHelper(self, didReceiveMessage: item)
        }
      })
  }

  // MARK: The watched participant

  /// The first who comes is watched, then whoever speaks; when they leave, the first who is left.
  private func observePeople() {
    observations.append(
      conversation.observe(\.remoteParticipants, options: .initial) { [weak self] conversation, _ in
        guard let self else { return }
        // Participants in the lobby have no video.
        let people = conversation.remoteParticipants.filter { $0.state == .connected }
        if self.watched.map({ people.contains($0) }) != true { self.watch(people.first) }
      })
    observations.append(
      conversation.observe(\.dominantSpeaker, options: .initial) { [weak self] conversation, _ in
        guard let self, let speaker = conversation.dominantSpeaker, !speaker.isSelf else { return }
        self.watch(speaker)
      })
    // Nobody is watched yet, and the delegate gets the present state.
    if watched == nil { tellWatched(nil) }
  }

  private func watch(_ participant: SfBParticipant?) {
    guard participant !== watched else { return }
    ofParticipant = []
    drop()
    watched = participant
    wasSending = false
    guard let video = participant?.video else { return tellWatched(nil) }
    ofParticipant = [
      video.observe(\.canSubscribe, options: .initial) { [weak self] video, _ in
        if video.canSubscribe { self?.subscribe(video) } else { self?.drop() }
        self?.lookWhetherSending(video)
      },
      video.observe(\.state) { [weak self] video, _ in self?.lookWhetherSending(video) },
      video.observe(\.isPaused) { [weak self] video, _ in self?.lookWhetherSending(video) },
    ]
    // A participant who sends already was reported.
    if !wasSending { tellWatched(nil) }
  }

  private func subscribe(_ video: SfBParticipantVideo) {
    guard stream == nil, let stream = try? video.subscribe(layer) else { return }
    self.stream = stream
    displayLink.isPaused = false
  }

  private func drop() {
    guard stream != nil else { return }
    displayLink.isPaused = true
    stream = nil
    try? watched?.video.unsubscribe()
  }

  private func lookWhetherSending(_ video: SfBParticipantVideo) {
    let isSending = video.state == .connected && !video.isPaused && video.canSubscribe
    guard isSending != wasSending else { return }
    wasSending = isSending
    tellWatched(isSending ? video : nil)
  }

  private func tellWatched(_ video: SfBParticipantVideo?) {
    delegate?.conversationHelper(self, didSubscribeTo: video)
    delegate?.conversationHelper(self, didSubscribeToVideo: video)
  }
}
