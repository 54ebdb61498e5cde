import ParleyViews
import Testing

// Code as the seed systems' listings write it, in today's Swift. That it compiles as it stands is half of the test.

private let acceptedVideoLicense = "AcceptedVideoLicense"

/// The licence screen: looked up by its identifier, tells its delegate.
@MainActor
private protocol MicrosoftLicenseViewControllerDelegate: AnyObject {
  func controller(_ controller: MicrosoftLicenseViewController, didAcceptLicense accepted: Bool)
}

@MainActor
private final class MicrosoftLicenseViewController: UIViewController {
  weak var delegate: (any MicrosoftLicenseViewControllerDelegate)?
  func accept(_ sender: AnyObject) {
    UserDefaults.standard.set(true, forKey: acceptedVideoLicense)
    delegate?.controller(self, didAcceptLicense: true)
  }
}

/// The online-meeting screen: two requests to a service, then a sheet, then a segue.
@MainActor
private final class OnlineMainViewController: UIViewController, MicrosoftLicenseViewControllerDelegate,
  UIAlertViewDelegate
{
  var requests: [URLRequest] = []
  var segues: [String] = []
  let meetingUrlTextView = UITextView(frame: CGRect(x: 0, y: 0, width: 300, height: 80))
  let activityIndicator = UIActivityIndicatorView(style: .medium)

  override func viewDidLoad() {
    super.viewDidLoad()
    self.view.addSubview(meetingUrlTextView)
    self.view.addSubview(activityIndicator)
    activityIndicator.startAnimating()
    meetingUrlTextView.text = "Waiting for online meeting URL!"
    self.title = "Online Meeting"
  }

  func sendPostRequestForOnlineMeeting() throws {
    let userDefaults = UserDefaults.standard
    guard let text = userDefaults.object(forKey: "OnlineMeetingRequestAPIURL") as? String, let url = URL(string: text)
    else {
      let alert = UIAlertView(
        title: "Getting meeting URL failed", message: "Try again later!", delegate: self, cancelButtonTitle: "Ok")
      return alert.show()
    }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONSerialization.data(withJSONObject: [
      "Subject": "adhocMeeting", "AccessLevel": "Everyone",
    ])
    requests.append(request)
    let task = URLSession.shared.dataTask(with: request) { data, response, error in
      DispatchQueue.main.async { _ = (data, response as? HTTPURLResponse, error) }
    }
    task.cancel()
  }

  func ask(_ sender: AnyObject) {
    let alertController = UIAlertController(title: "Ask Agent", message: nil, preferredStyle: .actionSheet)
    alertController.addAction(
      UIAlertAction(
        title: "Ask using Text Chat", style: .default,
        handler: { (action: UIAlertAction) in
          self.performSegue(withIdentifier: "askAgentText", sender: self)
        }))
    alertController.addAction(
      UIAlertAction(title: "Ask using Video Chat", style: .default) { _ in self.askAgentVideo() })
    alertController.addAction(UIAlertAction(title: "Cancel", style: .cancel, handler: nil))
    self.present(alertController, animated: true, completion: nil)
  }

  func askAgentVideo() {
    if UserDefaults.standard.bool(forKey: acceptedVideoLicense) {
      return self.performSegue(withIdentifier: "askAgentVideo", sender: nil)
    }
    let story = UIStoryboard(name: "SeedListing", bundle: nil)
    guard
      let license = story.instantiateViewController(withIdentifier: "MicrosoftLicenseViewController")
        as? MicrosoftLicenseViewController
    else { return }
    license.delegate = self
    self.present(license, animated: true, completion: nil)
  }

  fileprivate func controller(_ controller: MicrosoftLicenseViewController, didAcceptLicense accepted: Bool) {
    controller.dismiss(animated: true, completion: nil)
    performSegue(withIdentifier: "askAgentVideo", sender: nil)
  }

  override func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool { true }
  override func prepare(for segue: UIStoryboardSegue, sender: Any?) { segues.append(segue.identifier ?? "") }
}

/// A small picture in a corner, dragged and tapped, that follows rotation.
@MainActor
private final class PiPViewCoordinator {
  let view: UIView
  var dragBoundInsets = UIEdgeInsets(top: 25, left: 5, bottom: 5, right: 5)
  private(set) var isInPiP = false
  private(set) var taps = 0
  private lazy var pan = UIPanGestureRecognizer(target: self, action: PiPViewCoordinator.dragged)
  private lazy var tap = UITapGestureRecognizer(target: self, action: PiPViewCoordinator.tapped)

  init(withView view: UIView) { self.view = view }

  func configureAsStickyView(withParentView parentView: UIView? = nil) {
    guard let parentView = parentView ?? UIApplication.shared.keyWindow else { return }
    parentView.addSubview(view)
    parentView.bringSubviewToFront(view)
    view.frame = parentView.bounds
    view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    view.layer.cornerRadius = 0
  }

  func show() {
    guard view.isHidden || view.alpha < 1 else { return }
    view.isHidden = false
    UIView.animate(withDuration: 0.1) { self.view.alpha = 1 }
  }

  func enterPictureInPicture() {
    isInPiP = true
    view.addGestureRecognizer(pan)
    view.addGestureRecognizer(tap)
    UIView.animate(withDuration: 0.25, animations: { self.view.frame = self.frame() })
  }

  func exitPictureInPicture() {
    isInPiP = false
    view.removeGestureRecognizer(pan)
    view.removeGestureRecognizer(tap)
    view.frame = view.superview?.bounds ?? .zero
  }

  private func frame() -> CGRect {
    let bounds = (view.superview?.bounds ?? .zero).inset(by: dragBoundInsets)
    return CGRect(x: bounds.maxX - 150, y: bounds.maxY - 150, width: 150, height: 150)
  }

  private func tapped(_ recognizer: UITapGestureRecognizer) { taps += 1 }

  private func dragged(_ recognizer: UIPanGestureRecognizer) {
    let way = recognizer.translation(in: view.superview)
    view.center = CGPoint(x: view.center.x + way.x, y: view.center.y + way.y)
    recognizer.setTranslation(.zero, in: view.superview)
    guard recognizer.state == .ended else { return }
    let velocity = recognizer.velocity(in: view.superview)
    UIView.animate(
      withDuration: 0.5, delay: 0, usingSpringWithDamping: 0.9, initialSpringVelocity: 0, options: .curveLinear,
      animations: { if velocity.x <= 0 { self.view.frame = self.frame() } }, completion: nil)
  }
}

extension ScreenTests {
  @MainActor
  @Suite struct SeedListingTests {
    private func story() -> UIStoryboard {
      let story = UIStoryboard(name: "SeedListing", bundle: nil)
      story.register("main", isInitial: true) { OnlineMainViewController() }
      story.register("chat") { UIViewController() }
      story.register("video") { UIViewController() }
      story.register("MicrosoftLicenseViewController") { MicrosoftLicenseViewController() }
      story.registerSegue("askAgentText", from: "main", to: "chat")
      story.registerSegue("askAgentVideo", from: "main", to: "video")
      return story
    }

    @Test func theBankingListingRunsFromItsRequestToItsLicence() throws {
      let defaults = UserDefaults.standard
      for key in [acceptedVideoLicense, "OnlineMeetingRequestAPIURL"] { defaults.removeObject(forKey: key) }
      defer { for key in [acceptedVideoLicense, "OnlineMeetingRequestAPIURL"] { defaults.removeObject(forKey: key) } }
      let main = try #require(story().instantiateInitialViewController() as? OnlineMainViewController)
      let navigation = UINavigationController(rootViewController: main)
      let window = UIWindow(frame: UIScreen.main.bounds)
      window.rootViewController = navigation
      window.makeKeyAndVisible()
      defer { window.close() }
      try main.sendPostRequestForOnlineMeeting()
      let failure = try #require(UIApplication.shared.alerts.last)
      #expect(failure.title == "Getting meeting URL failed" && main.requests.isEmpty)
      failure.choose(failure.actions[0])
      defaults.set("http://127.0.0.1:1/GetAdhocMeetingJob", forKey: "OnlineMeetingRequestAPIURL")
      try main.sendPostRequestForOnlineMeeting()
      #expect(main.requests.first?.httpMethod == "POST" && UIApplication.shared.alerts.isEmpty)

      // Video: the licence comes first, once.
      main.ask(main)
      let sheet = try #require(UIApplication.shared.alerts.last)
      sheet.choose(sheet.actions[1])
      let license = try #require(main.presentedViewController ?? navigation.presentedViewController)
      try #require(license as? MicrosoftLicenseViewController).accept(main)
      #expect(defaults.bool(forKey: acceptedVideoLicense) && main.segues == ["askAgentVideo"])
      #expect(navigation.viewControllers.count == 2)
      navigation.popViewController(animated: false)
      main.askAgentVideo()
      #expect(main.segues == ["askAgentVideo", "askAgentVideo"])
      navigation.popViewController(animated: false)
      main.ask(main)
      let again = try #require(UIApplication.shared.alerts.last)
      again.choose(again.actions[0])
      #expect(main.segues.last == "askAgentText")
    }

    @Test func theListingOfASmallPictureShrinksIsDraggedAndFollowsRotation() {
      let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 400, height: 600))
      window.rootViewController = UIViewController()
      window.makeKeyAndVisible()
      defer { window.close() }
      let meeting = UIView()
      meeting.alpha = 0
      let coordinator = PiPViewCoordinator(withView: meeting)
      coordinator.configureAsStickyView()
      coordinator.show()
      #expect(meeting.alpha == 1 && meeting.frame == window.bounds && window.subviews.last === meeting)
      window.frame.size = CGSize(width: 600, height: 400)
      #expect(meeting.frame == CGRect(x: 0, y: 0, width: 600, height: 400))
      coordinator.enterPictureInPicture()
      #expect(meeting.frame == CGRect(x: 445, y: 245, width: 150, height: 150))
      for (phase, place, time) in [
        (UITouch.Phase.began, 500, 1.0), (.moved, 400, 1.1), (.moved, 300, 1.2), (.ended, 300, 1.3),
      ] { window.sendTouch(phase, at: CGPoint(x: place, y: 300), time: time) }
      #expect(meeting.frame == CGRect(x: 445, y: 245, width: 150, height: 150) && coordinator.taps == 0)
      window.sendTouch(.began, at: CGPoint(x: 500, y: 300), time: 3)
      window.sendTouch(.ended, at: CGPoint(x: 500, y: 300), time: 3.1)
      #expect(coordinator.taps == 1 && coordinator.isInPiP)
      coordinator.exitPictureInPicture()
      #expect(meeting.frame == window.bounds && meeting.gestureRecognizers?.isEmpty != false)
    }

    @Test func theListingsOfOpenTokPlaceTheirViewsAndAnswerInAlerts() throws {
      // Two pictures one above the other; a stream that drops takes its view away.
      let (widgetWidth, widgetHeight) = (CGFloat(320), CGFloat(240))
      let controller = UIViewController()
      let (publisher, subscriber) = (UIView(), UIView())
      publisher.frame = CGRect(x: 0, y: 0, width: widgetWidth, height: widgetHeight)
      subscriber.frame = CGRect(x: 0, y: widgetHeight, width: widgetWidth, height: widgetHeight)
      controller.view.addSubview(publisher)
      controller.view.insertSubview(subscriber, belowSubview: publisher)
      #expect(controller.view.subviews == [subscriber, publisher])
      subscriber.removeFromSuperview()
      #expect(subscriber.superview == nil && controller.view.subviews == [publisher])
      let plate = UILabel(frame: subscriber.bounds)
      plate.text = UIDevice.current.name
      #expect(!(plate.text ?? "").isEmpty)
      plate.isHidden = true
      plate.backgroundColor = UIColor(white: 0, alpha: 0.5)
      publisher.addSubview(plate)
      publisher.addGestureRecognizer(UITapGestureRecognizer { _ in plate.isHidden.toggle() })
      let alert = UIAlertController(title: "Error", message: "There was an error", preferredStyle: .alert)
      alert.addAction(UIAlertAction(title: "OK", style: .default, handler: nil))
      let window = UIWindow(frame: UIScreen.main.bounds)
      window.rootViewController = controller
      window.makeKeyAndVisible()
      defer { window.close() }
      window.sendTouch(.began, at: CGPoint(x: 100, y: 100), time: 1)
      window.sendTouch(.ended, at: CGPoint(x: 100, y: 100), time: 1.1)
      #expect(!plate.isHidden)
      controller.present(alert, animated: true, completion: nil)
      window.sendKey(UIKey(characters: "\r"))
      #expect(UIApplication.shared.alerts.isEmpty)
    }
  }
}
