import Foundation
import UIKit
import SkypeForBusiness

/// A screen from which an agent is asked: by text at once, by video behind the gate of the licence.
class AskAgentViewController: UIViewController, MicrosoftLicenseViewControllerDelegate {
  /// The segues to the two kinds of conversation.
  var chatSegue: String { "askAgentText" }
  var videoSegue: String { "askAgentVideo" }

  /// Joins the meeting; screens say which.
  func joinMeeting(_ sfb: SfBApplication) throws -> SfBAnonymousSession {
    throw ServiceError(errorDescription: "This screen joins no meeting.")
  }

  /// The meeting could not be joined, and the person has read why.
  func joiningFailed() {}

  /// A sheet of the two ways.
  func askHow(text: String, video: String) {
    let sheet = UIAlertController(title: title, message: nil, preferredStyle: .actionSheet)
    sheet.addAction(UIAlertAction(title: text, style: .default) { [weak self] _ in self?.startText() })
    sheet.addAction(UIAlertAction(title: video, style: .default) { [weak self] _ in self?.startVideo() })
    sheet.addAction(UIAlertAction(title: "Cancel", style: .cancel))
    present(sheet, animated: true)
  }

  func startText() { join(chatSegue) }

  func startVideo() {
    if Settings.acceptedVideoLicense { return joinWithVideo() }
    let screen = UIStoryboard(name: "Main", bundle: nil)
      .instantiateViewController(withIdentifier: "MicrosoftLicenseViewController")
    guard let license = screen as? MicrosoftLicenseViewController else { return }
    license.delegate = self
    present(license, animated: true)
  }

  func controller(_ controller: MicrosoftLicenseViewController, didAcceptLicense acceptedLicense: Bool) {
    if acceptedLicense { joinWithVideo() }
  }

  private func joinWithVideo() {
    // The SDK does not remember it from the last start of the app.
    SfBApplication.shared()?.configurationManager.setEndUserAcceptedVideoLicense()
    join(videoSegue)
  }

  private func join(_ segue: String) {
    guard let sfb = SfBApplication.shared() else { return }
    do {
      let conversation = try joinMeeting(sfb).conversation
      performSegue(withIdentifier: segue, sender: conversation)
    } catch {
      showAlert(
        "ERROR!", "Joining online meeting failed. Try again later!\n\(error.localizedDescription)", answer: "Ok"
      ) { [weak self] in self?.joiningFailed() }
    }
  }

  override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
    guard let conversation = sender as? SfBConversation else { return }
    (UIApplication.shared.delegate as? AppDelegate)?.conversation = conversation
    (segue.destination as? ChatViewController)?.conversation = conversation
    (segue.destination as? VideoViewController)?.conversation = conversation
  }
}
