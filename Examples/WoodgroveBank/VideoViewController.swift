import Foundation
import UIKit
import SkypeForBusiness

/// The view that the agent's video is drawn in.
final class GLView: UIView {
  override class var layerClass: AnyClass { CAEAGLLayer.self }
}

/// A conversation with picture and sound.
class VideoViewController: UIViewController {
  var conversation: SfBConversation?

  private let participantVideoView = GLView()
  private let selfVideoView = UIView()
  private let infoBar = UIView()
  private let infoLabel = BankLabel("", font: .boldSystemFont(ofSize: 14), color: .white)
  private let cameraButton = BankButton("Turn camera on")
  private let muteButton = BankButton("Unmute")
  private let endButton = BankButton("End", color: .bankRed)
  private var conversationHelper: SfBConversationHelper?
  private var observations: [NSKeyValueObservation] = []
  private var isInfoBarUp = false

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Video chat"
    view.backgroundColor = UIColor(white: 0.12, alpha: 1)
    navigationItem.hidesBackButton = true

    participantVideoView.accessibilityLabel = "Agent's picture"
    participantVideoView.isHidden = true
    selfVideoView.accessibilityLabel = "Your picture"
    selfVideoView.isHidden = true
    selfVideoView.clipsToBounds = true
    selfVideoView.layer.cornerRadius = 6
    infoBar.backgroundColor = .bank
    infoBar.clipsToBounds = true
    infoBar.addSubview(infoLabel)
    infoLabel.textAlignment = .center
    cameraButton.isHidden = true
    cameraButton.addTarget(self, action: VideoViewController.turnCameraOn, for: .touchUpInside)
    muteButton.isEnabled = false
    muteButton.addTarget(self, action: VideoViewController.toggleMute, for: .touchUpInside)
    endButton.isEnabled = false
    endButton.addTarget(self, action: VideoViewController.endCall, for: .touchUpInside)
    for each in [participantVideoView, selfVideoView, infoBar, cameraButton, muteButton, endButton] as [UIView] {
      view.addSubview(each)
    }
    tell("Waiting for an agent")

    guard let conversation, let sfb = SfBApplication.shared() else { return }
    conversation.alertDelegate = self
    observe(conversation)
    conversationHelper = SfBConversationHelper(
      conversation: conversation, delegate: self, devicesManager: sfb.devicesManager,
      outgoingVideoView: selfVideoView, incomingVideoLayer: participantVideoView.layer as? CAEAGLLayer,
      userInfo: ["displayName": Settings.displayName])
  }

  private func observe(_ conversation: SfBConversation) {
    observations = [
      conversation.observe(\.canLeave, options: .initial) { [weak self] conversation, _ in
        self?.endButton.isEnabled = conversation.canLeave
      },
      conversation.audioService.observe(\.canToggleMute, options: .initial) { [weak self] service, _ in
        self?.muteButton.isEnabled = service.canToggleMute
      },
      conversation.videoService.observe(\.canStop) { [weak self] _, _ in self?.showOwnPicture() },
      conversation.videoService.observe(\.canSetActiveCamera) { [weak self] _, _ in self?.showOwnPicture() },
      conversation.selfParticipant.video.observe(\.isPaused) { [weak self] _, _ in self?.showOwnPicture() },
      conversation.observe(\.remoteParticipants) { [weak self] conversation, _ in
        let names = conversation.remoteParticipants.map(\.person.displayName)
        self?.tell(names.isEmpty ? "Waiting for an agent" : "You talk to \(names.joined(separator: ", "))")
      },
    ]
  }

  override func viewDidLayoutSubviews() {
    super.viewDidLayoutSubviews()
    let size = view.bounds.size
    let stage = CGRect(x: 0, y: 0, width: size.width, height: max(size.height - 64, 0))
    participantVideoView.frame = stage
    // A low window leaves room for the agent, too.
    let own = max(min(size.width * 0.3, stage.height * 0.4, 200), 96)
    let bar: CGFloat = isInfoBarUp ? 36 : 0
    infoBar.frame = CGRect(x: 0, y: stage.maxY - bar, width: size.width, height: bar)
    infoLabel.frame = CGRect(x: 12, y: 0, width: max(size.width - 24, 0), height: 36)
    selfVideoView.frame = CGRect(
      x: size.width - own - 12, y: stage.maxY - 48 - own * 0.5625, width: own, height: own * 0.5625)
    cameraButton.frame = CGRect(x: size.width - 156, y: stage.maxY - 88, width: 144, height: 40)
    let width = min((size.width - 36) / 2, 240)
    let x = (size.width - 2 * width - 12) / 2
    muteButton.frame = CGRect(x: x, y: stage.maxY + 10, width: width, height: 44)
    endButton.frame = CGRect(x: x + width + 12, y: stage.maxY + 10, width: width, height: 44)
  }

  /// Says something on the info bar, which slides up for it.
  private func tell(_ text: String) {
    infoLabel.text = text
    isInfoBarUp = false
    view.setNeedsLayout()
    view.layoutIfNeeded()
    UIView.animate(withDuration: 0.4) {
      isInfoBarUp = true
      view.setNeedsLayout()
      view.layoutIfNeeded()
    }
  }

  /// Shows the customer's own video while it is sent. In its place is a button that sends it again, if a host or a
  /// missing camera has ended it and it may be sent.
  private func showOwnPicture() {
    guard let conversation else { return }
    let video = conversation.videoService
    let isSent = video.canStop && !conversation.selfParticipant.video.isPaused
    selfVideoView.isHidden = !isSent
    cameraButton.isHidden = isSent || !video.canSetActiveCamera
  }

  func turnCameraOn() {
    guard let video = conversation?.videoService else { return }
    do {
      if video.canSetPaused { try video.setPaused(false) } else { try video.start() }
    } catch {
      showAlert("ERROR!", error.localizedDescription, answer: "Ok")
    }
  }

  func toggleMute() {
    do {
      try conversation?.audioService.toggleMute()
    } catch {
      showAlert("ERROR!", error.localizedDescription, answer: "Ok")
    }
  }

  func endCall() {
    do {
      try conversation?.leave()
    } catch {
      // Only while canLeave is false, and then the button is disabled.
      showAlert("ERROR!", "Could Not Leave Meeting", answer: "Ok")
    }
  }

  /// The conversation is over, whoever ended it.
  private func close() {
    observations = []
    conversationHelper = nil
    navigationController?.popViewController(animated: true)
  }
}

extension VideoViewController: SfBConversationHelperDelegate {
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, conversation: SfBConversation, didChange state: SfBConversationState
  ) {
    Journal.note("conversation", ["state": "\(state)"])
    switch state {
    case .inLobby: tell("You are in the lobby: please wait.")
    case .idle: close()
    case .established where conversation.remoteParticipants.isEmpty: tell("Waiting for an agent")
    case .establishing, .established: break
    }
  }

  func conversationHelper(_ conversationHelper: SfBConversationHelper, didSubscribeTo video: SfBParticipantVideo?) {
    Journal.note("subscribed", ["to": video == nil ? "nobody" : "somebody"])
    participantVideoView.isHidden = video == nil
  }

  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService, didChangeCanStart canStart: Bool
  ) {
    Journal.note("canStart", ["value": "\(canStart)"])
    guard canStart else { return }
    do {
      try videoService.start()
    } catch {
      showAlert("ERROR!", error.localizedDescription, answer: "Ok")
    }
  }

  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, audioService: SfBAudioService,
    didChangeMuted muted: SfBAudioServiceMuteState
  ) {
    Journal.note("muted", ["state": "\(muted)"])
    muteButton.setTitle(muted == .muted ? "Unmute" : "Mute", for: .normal)
  }
}

extension VideoViewController: SfBAlertDelegate {
  func didReceive(_ alert: SfBAlert) { alert.show() }
}
