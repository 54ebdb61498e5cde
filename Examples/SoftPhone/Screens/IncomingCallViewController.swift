import BBMEnterprise
import Foundation
import UIKit

/// The screen while it rings: the name of the caller, and whether to answer.
final class IncomingCallViewController: UIViewController {
  private let call: BBMCall
  private let calls: CallCenter
  private let nameLabel = UILabel()
  private let textLabel = UILabel()
  private let answerButton = UIButton(type: .system)
  private let videoButton = UIButton(type: .system)
  private let declineButton = UIButton(type: .system)
  private var monitor: ObservableMonitor?

  init(_ call: BBMCall, _ calls: CallCenter) {
    self.call = call
    self.calls = calls
    super.init(nibName: nil, bundle: nil)
    title = "Incoming Call"
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = .white
    navigationItem.hidesBackButton = true
    nameLabel.font = .boldSystemFont(ofSize: 24)
    nameLabel.textAlignment = .center
    textLabel.textAlignment = .center
    answerButton.setTitle("Answer", for: .normal)
    answerButton.addTarget(self, action: IncomingCallViewController.answer, for: .touchUpInside)
    videoButton.setTitle("Answer with Video", for: .normal)
    videoButton.addTarget(self, action: IncomingCallViewController.answerWithVideo, for: .touchUpInside)
    declineButton.setTitle("Decline", for: .normal)
    declineButton.setTitleColor(.systemRed, for: .normal)
    declineButton.addTarget(self, action: IncomingCallViewController.decline, for: .touchUpInside)
    for each in [nameLabel, textLabel, answerButton, videoButton, declineButton] as [UIView] { view.addSubview(each) }
    monitor = ObservableMonitor(activatedWithName: "incoming") { [weak self] () -> Void in
      guard let self else { return }
      nameLabel.text = calls.name(of: call)
      textLabel.text = calls.hasChangedKeys(call) ? "calls you, with other keys than before" : "calls you"
    }
  }

  override func viewDidLayoutSubviews() {
    super.viewDidLayoutSubviews()
    let width = max(view.bounds.width - 32, 0)
    for (index, each) in ([nameLabel, textLabel, answerButton, videoButton, declineButton] as [UIView]).enumerated() {
      each.frame = CGRect(x: 16, y: 60 + CGFloat(index) * 56, width: width, height: 44)
    }
  }

  private func answer() { calls.answer(video: false) }
  private func answerWithVideo() { calls.answer(video: true) }
  private func decline() { calls.decline() }
}
