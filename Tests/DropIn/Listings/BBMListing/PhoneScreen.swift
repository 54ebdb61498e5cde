// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import UIKit

/// A phone as apps of the SDK write it: one class is delegate and presenter, and a monitor follows the call.
class PhoneScreen: UIViewController, BBMMediaDelegate, BBMMediaVideoPresenter {
  var mediaManager: BBMMediaManager!
  var callMonitor: ObservableMonitor!
  var heard: [String] = []
  var muteTitle = ""
  var canSwitchCamera = false
  var problem: BBMMediaError?
  let incomingContainer = UIView()
  let outgoingContainer = UIView()

  override func viewDidLoad() {
    super.viewDidLoad()
    mediaManager = BBMEnterpriseService.shared().mediaManager()
    mediaManager.start(withLogPath: NSTemporaryDirectory())
    mediaManager.incomingRingtone = nil
    mediaManager.outgoingRingtone = nil
    mediaManager.callEndTone = nil
    mediaManager.add(self as BBMMediaDelegate)
    mediaManager.add(self as BBMMediaVideoPresenter)
    callMonitor = ObservableMonitor(activatedWithName: "callMonitor") {
      [weak self] () -> Void in
      guard let screen = self else { return }
      let call: BBMCall? = screen.mediaManager.currentCallInfo
      screen.muteTitle = call != nil && call!.muted ? "UNMUTE" : "MUTE"
      screen.canSwitchCamera = screen.mediaManager.toggleCameraAllowed && screen.mediaManager.outgoingVideoView != nil
    }
  }

  func call(_ regId: String, video: Bool) {
    let mode = video ? kVideo : kVoice
    mediaManager.requestMediaPermissions(
      callback: { granted in
        guard granted else { return }
        self.mediaManager.callRegId(NSNumber(value: Int64(regId)!), mediaMode: mode) { error in
          if error != kMediaErrorNoError {
            self.problem = error
          }
        }
      }, mode: mode)
  }

  @IBAction func mute(_ sender: Any?) {
    if let call = mediaManager.currentCallInfo {
      mediaManager.setMutingEnabled(!call.muted)
    }
  }

  @IBAction func speaker(_ sender: Any?) {
    mediaManager.setSpeakerPhoneEnabled(!mediaManager.isOnSpeakerPhone)
  }

  @IBAction func video(_ sender: Any?) {
    if mediaManager.isVideoCallingSupported && mediaManager.enableCameraAllowed {
      mediaManager.toggleOutgoingVideo(true)
    }
  }

  @IBAction func camera(_ sender: Any?) {
    if mediaManager.toggleCameraAllowed {
      mediaManager.toggleCamera()
    }
  }

  @IBAction func end(_ sender: Any?) {
    mediaManager.hangup()
  }

  // MARK: BBMMediaDelegate

  func incomingCallDidArrive(_ call: BBMCall!) {
    heard.append("incoming " + call.peerRegId)
    mediaManager.acceptCall()
    mediaManager.answer()
  }

  func outgoingCallInitiated(_ call: BBMCall!) { heard.append("initiated") }
  func outgoingCallRinging(_ call: BBMCall!) { heard.append("ringing") }
  func callConnected(_ call: BBMCall!) { heard.append("connected") }

  func callEnded(_ call: BBMCall!) {
    if call.logType == kCallLogCompletedElsewhere || call.logType == kCallLogDeclinedElsewhere {
      return
    }
    let seconds = call.connectedTime == 0 ? 0 : Date().timeIntervalSince1970 - call.connectedTime
    heard.append("ended " + BBMUtilities.duration(asString: seconds))
  }

  func callDidFail(_ call: BBMCall!) { heard.append(call.failed ? "failed" : "?") }

  // MARK: BBMMediaVideoPresenter

  func incomingVideoContainer() -> UIView! { return incomingContainer }
  func outgoingVideoContainer() -> UIView! { return outgoingContainer }
  func videoPresenterPriority() -> Int { return 1 }

  func videoView(_ view: (UIView & BBMVideoView)!, didChangeVideoSize size: CGSize) {
    guard size.height > 0 else { return }
    let width = incomingContainer.bounds.size.width
    view.frame = CGRect(x: 0, y: 0, width: width, height: width * size.height / size.width)
  }
}
