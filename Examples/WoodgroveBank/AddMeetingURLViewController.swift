import Foundation
import UIKit

/// The meeting that is joined by its address, and the name of whoever joins.
class AddMeetingURLViewController: UIViewController {
  private let displayName = BankField("Display name")
  private let meetingURL = BankField("Meeting URL")
  private let form = FormView()

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Add meeting URL"
    view.backgroundColor = .white
    displayName.text = Settings.displayName
    meetingURL.text = Settings.meetingURL
    meetingURL.keyboardType = .URL
    meetingURL.autocapitalizationType = .none

    let saveButton = BankButton("Save")
    saveButton.addTarget(self, action: AddMeetingURLViewController.save, for: .touchUpInside)
    let cancelButton = BankButton("Cancel", isPrimary: false)
    cancelButton.addTarget(self, action: AddMeetingURLViewController.cancel, for: .touchUpInside)

    form.add(BankLabel("Add meeting URL", font: .boldSystemFont(ofSize: 22), color: .bank))
    form.add(BankLabel("The address of a meeting, as your agent has sent it to you.", color: .bankGrey))
    form.add(BankLabel("Display name", font: .boldSystemFont(ofSize: 14)), gap: 20)
    form.add(displayName, gap: 4)
    form.add(BankLabel("Meeting URL", font: .boldSystemFont(ofSize: 14)))
    form.add(meetingURL, gap: 4)
    form.add(saveButton, gap: 24)
    form.add(cancelButton)
    form.fill(view)
  }

  func save() {
    guard let url = Settings.url(meetingURL.text ?? "") else {
      return showAlert("Alert!", Settings.invalidMeetingURL, answer: "Close")
    }
    Settings.meetingURL = url.absoluteString
    if let name = displayName.text, !name.isBlank { Settings.displayName = name }
    showAlert("SAVED!", "The meeting is kept for the next time you ask an agent.", answer: "OK") { [weak self] in
      self?.dismiss(animated: true)
    }
  }

  func cancel() { dismiss(animated: true) }
}
