import Foundation
import UIKit
import SkypeForBusiness

/// Asks the bank's service for a meeting, then for a token, and joins with it.
class OnlineMeetingViewController: AskAgentViewController {
  private let meetingURLView = UITextView()
  private let tokenLabel = BankLabel("")
  private let spinner = UIActivityIndicatorView(style: .medium)
  private let displayName = BankField("Display name")
  private let joinButton = BankButton("Join online meeting")
  private let form = FormView()

  private var meetingURL: String?
  private var discoverURI: String?
  private var token: String?

  override var chatSegue: String { "joinOnlineChat" }
  override var videoSegue: String { "joinOnlineAudioVideoChat" }

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Online meeting"
    view.backgroundColor = .white
    meetingURLView.isEditable = false
    meetingURLView.accessibilityLabel = "Meeting URL"
    displayName.text = Settings.displayName
    joinButton.addTarget(self, action: OnlineMeetingViewController.joinOnlineMeeting, for: .touchUpInside)

    form.add(BankLabel("Meeting URL", font: .boldSystemFont(ofSize: 14)))
    form.add(meetingURLView, height: 58, gap: 2)
    form.add(BankLabel("Token and discovery URI", font: .boldSystemFont(ofSize: 14)))
    form.add(tokenLabel, gap: 4)
    form.add(spinner, height: 24)
    form.add(BankLabel("Your name for the agent", font: .boldSystemFont(ofSize: 14)))
    form.add(displayName, gap: 4)
    form.add(joinButton, gap: 24)
    form.fill(view)
  }

  override func viewDidAppear(_ animated: Bool) {
    super.viewDidAppear(animated)
    // A customer who comes back from the licence has it already.
    guard token == nil else { return }
    joinButton.isEnabled = false
    tokenLabel.text = "Waiting for token and discovery URI!"
    spinner.startAnimating()
    form.setNeedsLayout()
    // A customer who comes back from the meeting enters the same one, with a new token.
    if let meetingURL { requestToken(meetingURL) } else { requestMeeting() }
  }

  // MARK: The two calls

  private func requestMeeting() {
    meetingURLView.text = "Waiting for online meeting URL!"
    post("Subject=adhocMeeting&Description=adhocMeeting&AccessLevel=", to: Settings.meetingRequestURL) { answer in
      switch answer {
      case .success(let values):
        guard let url = values["JoinUrl"] else {
          return self.failed("Getting meeting URL failed", "It has no JoinUrl.")
        }
        self.meetingURL = url
        self.meetingURLView.text = url
        self.requestToken(url)
      case .failure(let error): self.failed("Getting meeting URL failed", error.localizedDescription)
      }
    }
  }

  private func requestToken(_ meetingURL: String) {
    let form =
      "ApplicationSessionId=AnonMeeting&AllowedOrigins=http%3a%2f%2flocalhost%2f&MeetingUrl=\(meetingURL)"
    post(form, to: Settings.tokenRequestURL) { answer in
      switch answer {
      case .success(let values):
        guard let discover = values["DiscoverUri"], let token = values["Token"] else {
          return self.failed("Getting Discover URI failed", "It has no DiscoverUri or no Token.")
        }
        (self.discoverURI, self.token) = (discover, token)
        self.spinner.stopAnimating()
        self.tokenLabel.text = "You have the token and the discovery URI: you can join now."
        self.joinButton.isEnabled = true
        self.form.setNeedsLayout()
      case .failure(let error): self.failed("Getting Discover URI failed", error.localizedDescription)
      }
    }
  }

  private func failed(_ what: String, _ why: String) {
    spinner.stopAnimating()
    showAlert("ERROR!", "\(what). Try again later!\n\(why)", answer: "Ok") { [weak self] in
      self?.navigationController?.popViewController(animated: true)
    }
  }

  // MARK: Joining

  func joinOnlineMeeting() {
    if let name = displayName.text, !name.isBlank { Settings.displayName = name }
    askHow(text: "Join online chat", video: "Join online video chat")
  }

  override func joinMeeting(_ sfb: SfBApplication) throws -> SfBAnonymousSession {
    guard let discoverURI, let url = URL(string: discoverURI), let token else {
      throw ServiceError(errorDescription: "There is no token.")
    }
    let session = try sfb.joinMeetingAnonymous(
      withDiscover: url, authToken: token, displayName: displayName.text ?? "")
    // The next time with a new one.
    self.token = nil
    return session
  }

  override func joiningFailed() { navigationController?.popViewController(animated: true) }
}
