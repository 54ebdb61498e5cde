// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// A call: the other side's video with the user's own in its corner, how long it lasts, and what can be done in it.
final class CallViewController: UIViewController, BBMMediaVideoPresenter {
  private let call: BBMCall
  private let calls: CallCenter
  private let theirView = UIView()
  private let ownView = UIView()
  private let nameLabel = UILabel()
  private let statusLabel = UILabel()
  private let muteButton = UIButton(type: .system)
  private let speakerButton = UIButton(type: .system)
  private let videoButton = UIButton(type: .system)
  private let cameraButton = UIButton(type: .system)
  private let endButton = UIButton(type: .system)
  private var monitor: ObservableMonitor?
  private var timer: Timer?

  init(_ call: BBMCall, _ calls: CallCenter) {
    self.call = call
    self.calls = calls
    super.init(nibName: nil, bundle: nil)
    title = "Call"
  }

  required init?(coder: NSCoder) { nil }

  private var manager: BBMMediaManager { BBMEnterpriseService.shared().mediaManager()! }

  override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = UIColor(white: 0.12, alpha: 1)
    navigationItem.hidesBackButton = true
    theirView.accessibilityLabel = "Other video"
    ownView.accessibilityLabel = "Own video"
    for label in [nameLabel, statusLabel] {
      label.textColor = .white
      label.textAlignment = .center
    }
    nameLabel.font = .boldSystemFont(ofSize: 20)
    muteButton.addTarget(self, action: CallViewController.toggleMute, for: .touchUpInside)
    speakerButton.addTarget(self, action: CallViewController.toggleSpeaker, for: .touchUpInside)
    videoButton.addTarget(self, action: CallViewController.toggleVideo, for: .touchUpInside)
    cameraButton.addTarget(self, action: CallViewController.switchCamera, for: .touchUpInside)
    cameraButton.setTitle("Switch Camera", for: .normal)
    endButton.addTarget(self, action: CallViewController.end, for: .touchUpInside)
    endButton.setTitle("End Call", for: .normal)
    for button in [muteButton, speakerButton, videoButton, cameraButton, endButton] {
      // The others keep the system's colour, which can be read on the system's button.
      if button === endButton { button.setTitleColor(.systemRed, for: .normal) }
    }
    for each in [theirView, ownView, nameLabel, statusLabel] as [UIView] { view.addSubview(each) }
    for each in [muteButton, speakerButton, videoButton, cameraButton, endButton] { view.addSubview(each) }
    manager.add(self as BBMMediaVideoPresenter)
    monitor = ObservableMonitor(activatedWithName: "call") { [weak self] () -> Void in self?.show() }
    timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
      MainActor.assumeIsolated { self?.showTime() }
    }
  }

  /// The call is over: the screen follows nothing any more.
  func close() {
    timer?.invalidate()
    monitor?.deActivate()
    manager.remove(self as BBMMediaVideoPresenter)
  }

  override func viewDidLayoutSubviews() {
    super.viewDidLayoutSubviews()
    let size = view.bounds.size
    let stage = CGRect(x: 0, y: 0, width: size.width, height: max(size.height - 168, 0))
    theirView.frame = stage
    let own = min(max(size.width * 0.3, 96), 180)
    ownView.frame = CGRect(x: size.width - own - 10, y: stage.maxY - own * 0.75 - 10, width: own, height: own * 0.75)
    nameLabel.frame = CGRect(x: 8, y: stage.maxY + 4, width: max(size.width - 16, 0), height: 26)
    statusLabel.frame = CGRect(x: 8, y: stage.maxY + 30, width: max(size.width - 16, 0), height: 22)
    let width = max((size.width - 24) / 2, 0)
    for (index, button) in [muteButton, speakerButton, videoButton, cameraButton].enumerated() {
      button.frame = CGRect(
        x: 8 + CGFloat(index % 2) * (width + 8), y: stage.maxY + 56 + CGFloat(index / 2) * 34, width: width, height: 32)
    }
    endButton.frame = CGRect(x: 8, y: stage.maxY + 126, width: max(size.width - 16, 0), height: 38)
  }

  // MARK: what the service says

  private func show() {
    nameLabel.text = calls.name(of: call)
    muteButton.setTitle(call.muted ? "Unmute" : "Mute", for: .normal)
    speakerButton.setTitle(manager.isOnSpeakerPhone ? "Speaker Off" : "Speaker On", for: .normal)
    videoButton.setTitle(manager.outgoingVideoView == nil ? "Start Video" : "Stop Video", for: .normal)
    videoButton.isEnabled = manager.isVideoCallingSupported && manager.enableCameraAllowed
    cameraButton.isEnabled = manager.toggleCameraAllowed
    showTime()
  }

  private func showTime() {
    let state =
      call.connectedTime > 0
      ? BBMUtilities.duration(asString: Date().timeIntervalSince1970 - call.connectedTime) ?? ""
      : calls.rings(call) ? "Ringing…" : "Connecting…"
    statusLabel.text = calls.hasChangedKeys(call) ? "\(state) · other keys than before" : state
  }

  func incomingVideoContainer() -> UIView! { theirView }
  func outgoingVideoContainer() -> UIView! { ownView }

  func incomingVideoReady(_ view: (UIView & BBMVideoView)!) { report("other", .zero) }
  func outgoingVideoReady(_ view: (UIView & BBMVideoView)!) { report("own", .zero) }
  func incomingVideoDisabled() { report("other", nil) }
  func outgoingVideoDisabled() { report("own", nil) }

  func videoView(_ view: (UIView & BBMVideoView)!, didChangeVideoSize size: CGSize) {
    report(view.superview === theirView ? "other" : "own", size)
  }

  private func report(_ side: String, _ size: CGSize?) {
    (Visitor.current as? PhoneVisitor)?.videoChanged(side, size)
  }

  /// A picture of one side's video.
  func picture(of side: String) -> UIImage? { try? (side == "own" ? ownView : theirView).snapshot() }

  // MARK: what the user does

  func toggleMute() { manager.setMutingEnabled(!call.muted) }
  func toggleVideo() { manager.toggleOutgoingVideo(true) }
  func switchCamera() { manager.toggleCamera() }
  private func toggleSpeaker() { manager.setSpeakerPhoneEnabled(!manager.isOnSpeakerPhone) }
  private func end() { calls.hangUp() }
}
