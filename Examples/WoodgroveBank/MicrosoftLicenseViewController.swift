import Foundation
import UIKit

/// Hears that the terms of video were accepted.
@MainActor protocol MicrosoftLicenseViewControllerDelegate: AnyObject {
  func controller(_ controller: MicrosoftLicenseViewController, didAcceptLicense acceptedLicense: Bool)
}

/// The terms of the video codecs. Closing the screen accepts nothing.
class MicrosoftLicenseViewController: UIViewController {
  weak var delegate: MicrosoftLicenseViewControllerDelegate?

  private let terms = UITextView()
  private let spinner = UIActivityIndicatorView(style: .medium)
  private let acceptButton = BankButton("Accept to have a video call with your agent")
  private let form = FormView()

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Video licence"
    view.backgroundColor = .white
    terms.isEditable = false
    terms.accessibilityLabel = "Licence terms"
    acceptButton.isEnabled = false
    acceptButton.addTarget(self, action: MicrosoftLicenseViewController.accept, for: .touchUpInside)
    let closeButton = BankButton("Close", isPrimary: false)
    closeButton.addTarget(self, action: MicrosoftLicenseViewController.close, for: .touchUpInside)

    form.add(
      BankLabel(
        "Skype for Business App SDK Codec End User License Terms", font: .boldSystemFont(ofSize: 18), color: .bank))
    form.add(spinner, height: 24)
    form.addFlexible(terms, inset: 20)
    form.add(acceptButton)
    form.add(closeButton, gap: 4)
    form.fill(view)
    spinner.startAnimating()
  }

  override func viewDidAppear(_ animated: Bool) {
    super.viewDidAppear(animated)
    terms.text = Self.text
    spinner.stopAnimating()
    acceptButton.isEnabled = true
    form.setNeedsLayout()
  }

  func accept() {
    Settings.acceptedVideoLicense = true
    // The screen goes first, so that the next one is not behind it.
    dismiss(animated: true) { self.delegate?.controller(self, didAcceptLicense: true) }
  }

  func close() { dismiss(animated: true) }

  /// An app that is shipped has its own terms here.
  private static let text = """
    A video call uses codecs: programs that make pictures small enough to be sent, and that read them again. Some of the \
    methods they use are patented, in some countries, and may be used only under terms that you agree to.

    1. Your own use
    You may use the codecs in this app for calls with your bank, for yourself, and not to offer a service to others.

    2. As they are
    The codecs come without any promise. The bank is not liable for pictures that do not arrive.

    3. Nothing taken out
    You do not take the codecs out of this app to use them elsewhere.

    4. The sources
    This sample is built with OpenH264, libvpx and dav1d, whose own licences come with the app.

    Replace this text by the terms that hold for the codecs you ship. A chat without video needs none of it.
    """
}
