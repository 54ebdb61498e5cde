// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is half of the
// test.

import SkypeForBusiness
import UIKit

/// A video call with an agent, as the samples write it.
class AgentViewController: UIViewController, SfBConversationHelperDelegate, SfBAlertDelegate {
  var meetingUrl = ""
  var displayName = "Jake"

  let selfView = UIView(frame: CGRect(x: 0, y: 0, width: 120, height: 90))
  let participantView = ParticipantView(frame: CGRect(x: 0, y: 0, width: 320, height: 240))
  let endCallButton = UIButton(type: .system)
  let muteButton = UIButton(type: .system)
  var conversation: SfBConversation?
  var conversationHelper: SfBConversationHelper?
  var observations: [NSKeyValueObservation] = []
  var log: [String] = []
  var changes: [NSKeyValueChange] = []
  var observed: [SfBConversationState] = []
  private var kvo = 0

  override func viewDidLoad() {
    super.viewDidLoad()
    view.addSubview(participantView)
    view.addSubview(selfView)
    view.addSubview(endCallButton)
    view.addSubview(muteButton)
    endCallButton.isEnabled = false
    joinMeeting()
  }

  func joinMeeting() {
    let sfb: SfBApplication = SfBApplication.shared()
    let config = sfb.configurationManager
    config.maxVideoChannels = 1
    config.requireWifiForAudio = false
    config.requireWifiForVideo = false
    config.setEndUserAcceptedVideoLicense()
    sfb.devicesManager.selectedSpeaker.activeEndpoint = .loudspeaker
    sfb.alertDelegate = self
    do {
      let session = try sfb.joinMeetingAnonymous(withUri: URL(string: meetingUrl)!, displayName: displayName)
      conversation = session.conversation
      conversation!.alertDelegate = self
      conversation!.addObserver(self, forKeyPath: "state", options: [.initial, .new], context: &kvo)
      observations = [
        conversation!.observe(\.canLeave, options: [.initial]) { [weak self] conversation, _ in
          self?.endCallButton.isEnabled = conversation.canLeave
        },
        conversation!.observe(\.remoteParticipants, options: [.initial, .new]) { [weak self] _, change in
          self?.changes.append(change.kind)
        },
      ]
      conversationHelper = SfBConversationHelper(
        conversation: conversation!, delegate: self, devicesManager: sfb.devicesManager, outgoingVideoView: selfView,
        incomingVideoLayer: (participantView.layer as! CAEAGLLayer), userInfo: ["KeyPath": "canLeave"])
    } catch let error as NSError {
      let alertController = UIAlertController(
        title: "ERROR!", message: error.localizedDescription, preferredStyle: .alert)
      alertController.addAction(UIAlertAction(title: "Ok", style: .default, handler: { _ in self.log.append("Ok") }))
      self.present(alertController, animated: true, completion: nil)
    }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) {
    if keyPath == "state" {
      let value = change![.newKey] as! NSNumber
      observed.append(SfBConversationState(rawValue: value.int32Value)!)
    } else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
  }

  func stopObserving() {
    conversation?.removeObserver(self, forKeyPath: "state")
  }

  func endCall(_ sender: AnyObject) {
    do {
      try conversation?.leave()
    } catch {
      log.append("Could Not Leave Meeting")
    }
  }

  func toggleMute(_ sender: AnyObject) {
    do {
      try conversation?.audioService.toggleMute()
    } catch {
      log.append("\(error)")
    }
  }

  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, conversation: SfBConversation, didChange state: SfBConversationState
  ) {
    switch state {
    case .established: log.append("established")
    case .idle: log.append("idle")
    default: break
    }
  }

  func conversationHelper(_ conversationHelper: SfBConversationHelper, didSubscribeTo video: SfBParticipantVideo?) {
    participantView.isHidden = video == nil
    log.append(video == nil ? "no picture" : "picture")
  }

  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService, didChangeCanStart canStart: Bool
  ) {
    if canStart {
      selfView.isHidden = false
      try? videoService.start()
    }
  }

  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, audioService: SfBAudioService,
    didChangeMuted muted: SfBAudioServiceMuteState
  ) {
    muteButton.setTitle(muted == .unmuted ? "Mute" : "Unmute", for: .normal)
  }

  func didReceive(_ alert: SfBAlert) {
    log.append("alert \(alert.type)")
  }
}

/// An app's object that keeps a conversation and isn't a screen.
class MeetingManager: NSObject {
  static let shared = MeetingManager()
  var conversation: SfBConversation?
  var chat: ChatHandler?
  var states: [SfBConversationState] = []
  var status: UILabel?

  func join(_ address: String, name: String) throws {
    let session = try SfBApplication.shared().joinMeetingAnonymous(withUri: URL(string: address)!, displayName: name)
    conversation = session.conversation
    chat = ChatHandler(conversation: session.conversation, delegate: self, userInfo: nil)
  }

  func say(_ text: String) -> NSError? {
    var error: NSError?
    chat?.sendMessage(text, error: &error)
    return error
  }

  func leave() throws {
    try conversation?.leave()
  }
}

extension MeetingManager: ChatHandlerDelegate {
  func chatHandler(_ chatHandler: ChatHandler, conversation: SfBConversation, didChange state: SfBConversationState) {
    states.append(state)
  }

  func chatHandler(_ chatHandler: ChatHandler, didReceiveMessage message: SfBMessageActivityItem) {
    status?.text = message.text
  }
}
