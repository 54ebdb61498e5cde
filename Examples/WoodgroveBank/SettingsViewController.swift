import Foundation
import UIKit
import SkypeForBusiness

/// How meetings are made and joined.
class SettingsViewController: UIViewController {
  private let online = SwitchRow("Skype for Business Online")
  private let preview = SwitchRow("Enable preview features")
  private let meetingURL = BankField("Meeting URL")
  private let tokenURL = BankField("Token and discovery URI request API URL")
  private let requestURL = BankField("Online meeting request API URL")
  private let displayName = BankField("Display name")
  private let form = FormView()

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Settings"
    view.backgroundColor = .white
    online.isOn = Settings.isOnline
    preview.isOn = Settings.enablesPreview
    meetingURL.text = Settings.meetingURL
    tokenURL.text = Settings.tokenRequestURL
    requestURL.text = Settings.meetingRequestURL
    displayName.text = Settings.displayName

    let saveButton = BankButton("Save")
    saveButton.addTarget(self, action: SettingsViewController.save, for: .touchUpInside)
    let cancelButton = BankButton("Cancel", isPrimary: false)
    cancelButton.addTarget(self, action: SettingsViewController.cancel, for: .touchUpInside)
    let documentationButton = BankButton("What do these settings mean?", isPrimary: false)
    documentationButton.addTarget(self, action: SettingsViewController.showDocumentation, for: .touchUpInside)

    form.add(BankLabel("Settings", font: .boldSystemFont(ofSize: 22), color: .bank))
    form.add(online)
    form.add(preview, gap: 4)
    for field in [meetingURL, tokenURL, requestURL, displayName] {
      form.add(BankLabel(field.placeholder ?? "", font: .boldSystemFont(ofSize: 14)))
      form.add(field, gap: 4)
    }
    form.add(saveButton, gap: 20)
    form.add(cancelButton, gap: 8)
    form.add(documentationButton, gap: 4)
    form.fill(view)
  }

  func save() {
    // None is as good as it was at the beginning: it is asked for when a meeting is joined by it.
    let text = meetingURL.text ?? ""
    let meeting = Settings.url(text)
    if meeting == nil, !text.isBlank {
      return showAlert("Alert!", Settings.invalidMeetingURL, answer: "Close")
    }
    for field in [tokenURL, requestURL] where online.isOn && Settings.url(field.text ?? "") == nil {
      return showAlert("Alert!", "\(field.placeholder ?? ""): please enter a valid URL.", answer: "Close")
    }
    Settings.isOnline = online.isOn
    Settings.enablesPreview = preview.isOn
    Settings.meetingURL = meeting?.absoluteString ?? ""
    Settings.tokenRequestURL = tokenURL.text ?? ""
    Settings.meetingRequestURL = requestURL.text ?? ""
    if let name = displayName.text, !name.isBlank { Settings.displayName = name }
    SfBApplication.shared()?.configurationManager.enablePreviewFeatures = preview.isOn
    dismiss(animated: true)
  }

  func cancel() { dismiss(animated: true) }

  func showDocumentation() { performSegue(withIdentifier: "documentation", sender: self) }
}

/// The meaning of the settings.
class DocumentationViewController: UIViewController {
  private let form = FormView()

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "About the settings"
    view.backgroundColor = .white
    let text = UITextView()
    text.isEditable = false
    text.text = Self.text
    let closeButton = BankButton("Close")
    closeButton.addTarget(self, action: DocumentationViewController.close, for: .touchUpInside)
    form.add(BankLabel("About the settings", font: .boldSystemFont(ofSize: 22), color: .bank))
    form.addFlexible(text, inset: 20)
    form.add(closeButton)
    form.fill(view)
  }

  func close() { dismiss(animated: true) }

  private static let text = """
    Skype for Business Online
    On: the bank asks its service for a new meeting, then for a token, and joins with the token.
    Off: the bank joins the meeting whose URL stands here.

    Enable preview features
    On: the meeting's URL is used, also online.

    Meeting URL
    The address of a meeting on your server, such as \(Settings.server)/bank.

    Token and discovery URI request API URL
    The service that exchanges a meeting's URL for a token: \(Settings.server)/GetAnonTokenJob.

    Online meeting request API URL
    The service that makes a meeting: \(Settings.server)/GetAdhocMeetingJob.

    Display name
    What the agent calls you.
    """
}
