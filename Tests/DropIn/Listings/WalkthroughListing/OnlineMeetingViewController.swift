// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is half of the
// test.

import SkypeForBusiness
import UIKit

/// A screen that has a meeting made for it and joins it, in the shapes of the SDK's walkthrough: two requests, alerts
/// without a delegate, the licence looked up in the storyboard.
class OnlineMeetingViewController: UIViewController, MicrosoftLicenseViewControllerDelegate {
  var sfb: SfBApplication?
  fileprivate var conversation: SfBConversation?
  fileprivate var token: String?
  fileprivate var discoveryURI: String?

  let meetingUrl: UITextView! = UITextView(frame: CGRect(x: 10, y: 80, width: 300, height: 60))
  let displayName: UITextField! = UITextField(frame: CGRect(x: 10, y: 160, width: 300, height: 34))
  let join: UIButton! = UIButton(type: .system)
  let activityIndicator: UIActivityIndicatorView! = UIActivityIndicatorView(style: .medium)

  override func viewDidLoad() {
    super.viewDidLoad()
    sfb = SfBApplication.shared()
    meetingUrl.text = "Waiting for online meeting URL!"
    displayName.text = "Jake"
    join.setTitle("Join online meeting", for: .normal)
    join.titleLabel?.textAlignment = NSTextAlignment.center
    join.isEnabled = false
    for part in [meetingUrl, displayName, join, activityIndicator] as [UIView] { view.addSubview(part) }
  }

  override func viewWillAppear(_ animated: Bool) {
    super.viewWillAppear(animated)
    activityIndicator.startAnimating()
    requestMeeting()
  }

  func requestMeeting() {
    let defaults = UserDefaults.standard
    var request = URLRequest(url: URL(string: defaults.string(forKey: "OnlineMeetingRequestAPIURL")!)!)
    request.httpMethod = "POST"
    request.httpBody = "Subject=Loan&Description=Loan&AccessLevel=".data(using: String.Encoding.utf8)
    URLSession.shared.dataTask(with: request) { (data: Data?, response: URLResponse?, error: Error?) in
      DispatchQueue.main.async {
        do {
          guard error == nil, let data = data else { throw error! }
          let json = try JSONSerialization.jsonObject(with: data, options: []) as! [String: String]
          self.meetingUrl.text = json["JoinUrl"]
          self.requestToken()
        } catch {
          UIAlertView(
            title: "Getting meeting URL failed", message: "\(error)", delegate: nil, cancelButtonTitle: "OK"
          ).show()
        }
      }
    }.resume()
  }

  func requestToken() {
    let defaults = UserDefaults.standard
    var request = URLRequest(url: URL(string: defaults.string(forKey: "TokenAndDiscoveryURIRequestAPIURL")!)!)
    request.httpMethod = "POST"
    let meeting = meetingUrl.text!
    request.httpBody =
      "ApplicationSessionId=AnonMeeting&AllowedOrigins=http%3a%2f%2flocalhost%2f&MeetingUrl=\(meeting)"
      .data(using: String.Encoding.utf8)
    URLSession.shared.dataTask(with: request) { (data: Data?, response: URLResponse?, error: Error?) in
      DispatchQueue.main.async {
        do {
          guard error == nil, let data = data else { throw error! }
          let json = try JSONSerialization.jsonObject(with: data, options: []) as! [String: String]
          self.discoveryURI = json["DiscoverUri"]!
          self.token = json["Token"]
          self.join.isEnabled = true
          self.activityIndicator.stopAnimating()
        } catch {
          UIAlertView(
            title: "Getting Discover URL failed", message: "\(error)", delegate: nil, cancelButtonTitle: "OK"
          ).show()
        }
      }
    }.resume()
  }

  func joinPressed(_ sender: AnyObject) {
    let alertController: UIAlertController = UIAlertController(
      title: "Join online meeting", message: nil, preferredStyle: .actionSheet)
    alertController.addAction(
      UIAlertAction(
        title: "Join online chat", style: .default,
        handler: { (action: UIAlertAction) in
          if self.didJoinMeeting() { self.performSegue(withIdentifier: "joinOnlineChat", sender: nil) }
        }))
    alertController.addAction(
      UIAlertAction(
        title: "Join online video chat", style: .default,
        handler: { (action: UIAlertAction) in
          self.joinOnlineVideoChat()
        }))
    alertController.addAction(UIAlertAction(title: "Cancel", style: .cancel, handler: nil))
    self.present(alertController, animated: true, completion: nil)
  }

  func joinOnlineVideoChat() {
    let sfb: SfBApplication = SfBApplication.shared()
    let config: SfBConfigurationManager = sfb.configurationManager
    let key = "AcceptedVideoLicense"
    let defaults = UserDefaults.standard
    if defaults.bool(forKey: key) {
      config.setEndUserAcceptedVideoLicense()
      if didJoinMeeting() { self.performSegue(withIdentifier: "joinOnlineAudioVideoChat", sender: nil) }
    } else {
      let vc =
        self.storyboard?.instantiateViewController(withIdentifier: "MicrosoftLicenseViewController")
        as! MicrosoftLicenseViewController
      vc.delegate = self
      self.present(vc, animated: true, completion: nil)
    }
  }

  func controller(_ controller: MicrosoftLicenseViewController, didAcceptLicense acceptedLicense: Bool) {
    guard acceptedLicense, let sfb = sfb else { return }
    sfb.configurationManager.setEndUserAcceptedVideoLicense()
    if didJoinMeeting() { self.performSegue(withIdentifier: "joinOnlineAudioVideoChat", sender: nil) }
  }

  func didJoinMeeting() -> Bool {
    do {
      let session = try sfb!.joinMeetingAnonymous(
        withDiscover: URL(string: self.discoveryURI!)!, authToken: self.token!, displayName: self.displayName.text!)
      conversation = session.conversation
      return true
    } catch {
      UIAlertView(
        title: "Joining online meeting failed. Try again later!", message: "\(error)", delegate: nil,
        cancelButtonTitle: "OK"
      ).show()
      return false
    }
  }

  override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
    guard let destination = segue.destination as? OnlineChatViewController else { return }
    destination.isVideo = segue.identifier == "joinOnlineAudioVideoChat"
    destination.conversation = self.conversation
    conversation = nil
  }
}

/// Hears that the terms were accepted.
protocol MicrosoftLicenseViewControllerDelegate: AnyObject {
  func controller(_ controller: MicrosoftLicenseViewController, didAcceptLicense acceptedLicense: Bool)
}

/// The terms of the video codecs.
class MicrosoftLicenseViewController: UIViewController {
  weak var delegate: MicrosoftLicenseViewControllerDelegate?

  func acceptPressed(_ sender: AnyObject) {
    UserDefaults.standard.set(true, forKey: "AcceptedVideoLicense")
    self.dismiss(
      animated: true,
      completion: {
        self.delegate?.controller(self, didAcceptLicense: true)
      })
  }

  func closePressed(_ sender: AnyObject) { self.dismiss(animated: true, completion: nil) }
}

/// The screen of a conversation.
class OnlineChatViewController: UIViewController {
  var conversation: SfBConversation?
  var isVideo = false
}
