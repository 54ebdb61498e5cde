import Testing

@testable import ParleyViews
@testable import ViewsListing

/// Apps' code of language mode 5, as it is: `Tests/DropIn/Listings/ViewsListing` imports UIKit and nothing else.
extension ScreenTests {
  @MainActor
  @Suite struct SeedListingTests {
    private func shown(_ controller: UIViewController) -> UIWindow {
      let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 400, height: 600))
      window.rootViewController = controller
      window.makeKeyAndVisible()
      return window
    }

    private func tap(_ window: UIWindow, _ x: Int, _ y: Int, at time: Double) {
      window.sendTouch(.began, at: CGPoint(x: x, y: y), time: time)
      window.sendTouch(.ended, at: CGPoint(x: x, y: y), time: time + 0.1)
    }

    /// Waits for turns of the main queue.
    private func wait(_ what: String, _ condition: () -> Bool) async throws {
      for _ in 0..<2_000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
      #expect(condition(), "\(what) did not come")
    }

    @Test func theListingOfASmallPictureShrinksIsDraggedThrownAndFollowsRotation() async throws {
      let controller = ConferenceViewController()
      let window = shown(controller)
      defer { window.close() }
      tap(window, 60, 60, at: 1)
      let meeting = try #require(controller.conferenceView)
      let coordinator = try #require(controller.pipViewCoordinator)
      #expect(meeting.alpha == 1 && meeting.frame == window.bounds && controller.view.subviews.last === meeting)
      window.resize(to: CGSize(width: 600, height: 400))
      #expect(meeting.frame == CGRect(x: 0, y: 0, width: 600, height: 400))
      controller.enterPictureInPicture([:])
      try await wait("the small picture") { coordinator.isInPiP }
      #expect(meeting.frame == CGRect(x: 445, y: 245, width: 150, height: 150))

      // Thrown to the left and upwards; turned; thrown to the left and down.
      for (steps, corner) in [
        ([(500, 300), (400, 290), (300, 270)], CGPoint(x: 5, y: 25)),
        ([(80, 60), (80, 160), (80, 260)], CGPoint(x: 5, y: 445)),
      ] {
        for (index, (x, y)) in steps.enumerated() {
          window.sendTouch(
            index == 0 ? .began : .moved, at: CGPoint(x: x, y: y), time: 2 + corner.y + CGFloat(index) / 10)
        }
        let last = steps[steps.count - 1]
        window.sendTouch(.ended, at: CGPoint(x: last.0, y: last.1), time: 2.3 + corner.y)
        if corner.y == 25 {
          window.resize(to: CGSize(width: 400, height: 600))
          #expect(meeting.frame.origin == corner)
        } else {
          #expect(meeting.frame.origin == corner)
        }
      }
      // A tap brings the button, and the button makes it large.
      tap(window, 30, 460, at: 900)
      #expect(coordinator.exitPiPButton?.superview === meeting)
      tap(window, 80, 520, at: 901)
      #expect(!coordinator.isInPiP && meeting.frame == window.bounds && meeting.gestureRecognizers?.isEmpty != false)
      controller.conferenceTerminated([:])
      try await wait("the end") { controller.conferenceView == nil && meeting.superview == nil }
    }

    @Test func theListingThatSignsInAsksFromAnObjectThatIsNoScreen() throws {
      let controller = AccountViewController()
      let window = shown(controller)
      defer { window.close() }
      tap(window, 60, 60, at: 1)
      let question = try #require(controller.prompt.question)
      #expect(UIApplication.shared.alerts.last === question && question.textFields?.last?.isSecureTextEntry == true)
      question.textFields?.first?.insertText("ann")
      question.choose(question.actions[0])
      #expect(controller.domainLabel.text == "ann" && controller.signInButton.isHidden)
      #expect(controller.prompt.question == nil && UIApplication.shared.alerts.isEmpty)
      tap(window, 60, 60, at: 3)
      #expect(!controller.signInButton.isHidden && controller.signOutButton.isHidden)
    }

    @Test func theListingOfAChatHasPlainRowsAndButtonsInItsBarThatAreToldWhichWasPressed() throws {
      let controller = MessagesViewController()
      let navigation = UINavigationController(rootViewController: controller)
      let window = shown(navigation)
      defer { window.close() }
      let right = try #require(controller.navigationItem.rightBarButtonItems).map(\.button)
      let shown = right.filter { $0.superview === navigation.navigationBar && !$0.isHidden }
      #expect(shown.map(\.currentTitle) == ["Mute", "Refresh", "Add"])
      // Room between two of them is wider than between the others.
      let gaps = zip(shown, shown.dropFirst()).map { $0.frame.minX - $1.frame.maxX }
      #expect(gaps.count == 2 && gaps[0] > gaps[1] && gaps[1] > 0, "\(gaps)")
      let left = try #require(controller.navigationItem.leftBarButtonItem?.button)
      for (time, button) in (shown + [left]).enumerated() {
        let middle = button.convert(CGPoint(x: 5, y: 5), to: nil)
        tap(window, Int(middle.x), Int(middle.y), at: Double(2 * time))
      }
      #expect(controller.pressed == ["mute", "refresh", "add true", "done"])
      #expect(controller.muteButton.title == "Unmute")
      let rows = controller.tableView.visibleCells
      #expect(rows.count == 3 && rows[0].frame.height == 44 && rows[0].style == .default)
      #expect((rows[2] as? MessageCell)?.bubble.text == "New")
      #expect((rows[2].accessoryView as? UIButton)?.buttonType == .system)
      let high = UITableViewCell(frame: CGRect(x: 0, y: 0, width: 200, height: 80))
      #expect(high.bounds.size == CGSize(width: 200, height: 80) && high.reuseIdentifier == nil)
      // A target that is gone is not called, and does not stay for its button.
      weak var gone: MessagesViewController?
      var item: UIBarButtonItem?
      do {
        let other = MessagesViewController()
        gone = other
        item = UIBarButtonItem(barButtonSystemItem: .add, target: other, action: MessagesViewController.add)
      }
      #expect(gone == nil)
      item?.button.sendActions(for: .touchUpInside)
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

    @Test("an app of calls may capture, sees no calls of others, and is observed by nobody")
    func callWatcher() async throws {
      let watcher = CallWatcher()
      #expect(try watcher.isReady() && watcher.changes == 0 && UIViewController().observationInfo == nil)
      #expect(await withCheckedContinuation { answer in watcher.ask { answer.resume(returning: $0) } })
    }
  }
}
