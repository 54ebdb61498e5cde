import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// The main screen: a field for the user to call, and the way to the history. Other screens come over it while there is
/// a call.
final class PhoneViewController: UIViewController, CallCenterDelegate {
  private let calls: CallCenter
  private let field = UITextField()
  private let voiceButton = UIButton(type: .system)
  private let videoButton = UIButton(type: .system)
  private let statusLabel = UILabel()
  private var monitor: ObservableMonitor?
  /// Whether a user is being looked up, or the server asked for a call.
  private var isPlacing = false
  /// The screen of the call, while there is one.
  private(set) var callScreen: CallViewController?

  init(_ calls: CallCenter) {
    self.calls = calls
    super.init(nibName: nil, bundle: nil)
    title = "Phone"
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = .white
    navigationItem.rightBarButtonItem = UIBarButtonItem(
      title: "History", style: .plain, target: self, action: PhoneViewController.showHistory)
    field.placeholder = "User ID"
    field.accessibilityLabel = "User ID"
    field.borderStyle = .roundedRect
    field.autocapitalizationType = .none
    field.autocorrectionType = .no
    voiceButton.setTitle("Voice Call", for: .normal)
    voiceButton.addTarget(self, action: PhoneViewController.callVoice, for: .touchUpInside)
    videoButton.setTitle("Video Call", for: .normal)
    videoButton.addTarget(self, action: PhoneViewController.callVideo, for: .touchUpInside)
    statusLabel.numberOfLines = 0
    statusLabel.textAlignment = .center
    statusLabel.textColor = .darkGray
    statusLabel.text = "Enter the user ID of somebody to call."
    for each in [field, voiceButton, videoButton, statusLabel] as [UIView] { view.addSubview(each) }
    calls.delegate = self
    calls.start()
    monitor = ObservableMonitor(activatedWithName: "phone") { [weak self] () -> Void in self?.show() }
  }

  override func viewDidLayoutSubviews() {
    super.viewDidLayoutSubviews()
    let width = max(view.bounds.width - 32, 0)
    field.frame = CGRect(x: 16, y: 32, width: width, height: 40)
    let half = max((width - 12) / 2, 0)
    voiceButton.frame = CGRect(x: 16, y: 88, width: half, height: 44)
    videoButton.frame = CGRect(x: 28 + half, y: 88, width: half, height: 44)
    statusLabel.frame = CGRect(x: 16, y: 148, width: width, height: 84)
  }

  private func show() {
    let isFree = calls.current == nil && calls.session.isConnected && !isPlacing
    voiceButton.isEnabled = isFree
    videoButton.isEnabled = isFree
    if !calls.session.isConnected { statusLabel.text = "The server isn't reached. Calls aren't possible now." }
  }

  private func callVoice() { callEnteredUser(video: false) }
  private func callVideo() { callEnteredUser(video: true) }

  private func callEnteredUser(video: Bool) {
    let user = (field.text ?? "").trimmingCharacters(in: .whitespaces)
    guard !user.isEmpty else { return statusLabel.text = "Enter the user ID of somebody to call." }
    call(user, video: video)
  }

  func call(_ user: String, video: Bool) {
    statusLabel.text = "Calling \(user)…"
    isPlacing = true
    show()
    calls.call(user, video: video) { [weak self] problem in
      self?.isPlacing = false
      self?.show()
      guard let problem else { return }
      self?.statusLabel.text = ""
      self?.showProblem(problem)
    }
  }

  private func showHistory() {
    navigationController?.pushViewController(HistoryViewController(calls.session.names), animated: true)
  }

  // MARK: calls

  private func showOver(_ screen: UIViewController) {
    _ = navigationController?.popToViewController(self, animated: false)
    navigationController?.pushViewController(screen, animated: true)
  }

  private func showCall(_ call: BBMCall) {
    let screen = CallViewController(call, calls)
    callScreen = screen
    showOver(screen)
  }

  func incomingCall(_ call: BBMCall) { showOver(IncomingCallViewController(call, calls)) }
  func outgoingCall(_ call: BBMCall) { showCall(call) }
  func callAnswered(_ call: BBMCall) { showCall(call) }

  func callEnded(_ call: BBMCall, _ reason: String) {
    callScreen?.close()
    callScreen = nil
    statusLabel.text = reason
    _ = navigationController?.popToViewController(self, animated: true)
  }
}
