// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is the test.

import SkypeForBusiness
import UIKit

/// A request as the walkthrough writes it, answered on the main run loop, which goes on by itself in an app:
/// `UIApplication.run` runs it.
class MeetingRequestViewController: UIViewController {
  let meetingUrl: UITextView! = UITextView(frame: CGRect(x: 10, y: 80, width: 300, height: 60))

  func requestMeeting(_ address: String) {
    var request = URLRequest(url: URL(string: address)!)
    request.httpMethod = "POST"
    request.httpBody = "Subject=Loan&Description=Loan&AccessLevel=".data(using: String.Encoding.utf8)
    URLSession.shared.dataTask(with: request) { (data: Data?, response: URLResponse?, error: Error?) in
      RunLoop.main.perform {
        do {
          guard error == nil, let data = data else { throw error! }
          let json = try JSONSerialization.jsonObject(with: data, options: []) as! [String: String]
          self.meetingUrl.text = json["JoinUrl"]
        } catch {
          UIAlertView(
            title: "Getting meeting URL failed", message: "\(error)", delegate: nil, cancelButtonTitle: "OK"
          ).show()
        }
      }
    }.resume()
  }
}
