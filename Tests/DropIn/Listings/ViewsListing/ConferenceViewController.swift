// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is half of the
// test.

import UIKit

/// Stands for the view of a meeting SDK, which calls its delegate on any thread.
class ConferenceView: UIView {
  weak var delegate: ConferenceViewDelegate?
}

protocol ConferenceViewDelegate: AnyObject {
  func conferenceTerminated(_ data: [AnyHashable: Any]!)
  func enterPictureInPicture(_ data: [AnyHashable: Any]!)
}

/// A screen that lays a meeting over itself, lets it shrink, and turns with the device.
class ConferenceViewController: UIViewController {
  weak var videoButton: UIButton?
  fileprivate(set) var pipViewCoordinator: PiPViewCoordinator?
  fileprivate(set) var conferenceView: ConferenceView?

  override func viewDidLoad() {
    super.viewDidLoad()
    let button = UIButton(type: .system)
    button.setTitle("Video", for: .normal)
    button.frame = CGRect(x: 20, y: 40, width: 100, height: 44)
    button.addTarget(self, action: ConferenceViewController.openConference, for: .touchUpInside)
    view.addSubview(button)
    videoButton = button
  }

  override func viewWillTransition(to size: CGSize, with coordinator: UIViewControllerTransitionCoordinator) {
    super.viewWillTransition(to: size, with: coordinator)
    let rect = CGRect(origin: CGPoint.zero, size: size)
    pipViewCoordinator?.resetBounds(bounds: rect)
  }

  func openConference(sender: Any?) {
    cleanUp()
    let conferenceView = ConferenceView()
    conferenceView.delegate = self
    self.conferenceView = conferenceView
    pipViewCoordinator = PiPViewCoordinator(withView: conferenceView)
    pipViewCoordinator?.configureAsStickyView(withParentView: view)
    conferenceView.alpha = 0
    pipViewCoordinator?.show()
  }

  fileprivate func cleanUp() {
    conferenceView?.removeFromSuperview()
    conferenceView = nil
    pipViewCoordinator = nil
  }
}

extension ConferenceViewController: ConferenceViewDelegate {
  func conferenceTerminated(_ data: [AnyHashable: Any]!) {
    DispatchQueue.main.async {
      self.pipViewCoordinator?.hide { _ in
        self.cleanUp()
      }
    }
  }

  func enterPictureInPicture(_ data: [AnyHashable: Any]!) {
    DispatchQueue.main.async {
      self.pipViewCoordinator?.enterPictureInPicture()
    }
  }
}
