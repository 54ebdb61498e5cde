import ParleyViews
import Testing

/// Screens as the seed systems' listings write them, in today's Swift: nothing here may need another spelling.
@MainActor
final class HelloController: UIViewController, UITextFieldDelegate, UITableViewDataSource, UITableViewDelegate,
  UIAlertViewDelegate
{
  let field = UITextField(frame: CGRect(x: 0, y: 500, width: 200, height: 34))
  var button = UIButton(type: .system)
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var list: UITableView!
  var log: [String] = []
  var rows = ["one", "two"]

  override func viewDidLoad() {
    super.viewDidLoad()
    log.append("loaded")
    let label = UILabel(frame: CGRect(x: 0, y: 0, width: 100, height: 20))
    label.text = UIDevice.current.name
    label.textAlignment = .center
    self.view.addSubview(label)
    view.addSubview(field)
    field.delegate = self
    button.setTitle("Join", for: .normal)
    button.frame = CGRect(x: 0, y: 540, width: 100, height: 44)
    button.addTarget(self, action: HelloController.join, for: .touchUpInside)
    button.addTarget(self, action: HelloController.pressed, for: .touchUpInside)
    view.addSubview(button)
    list = UITableView(frame: CGRect(x: 0, y: 100, width: view.bounds.width, height: 300), style: .plain)
    list.dataSource = self
    list.delegate = self
    list.register(UITableViewCell.self, forCellReuseIdentifier: "row")
    view.addSubview(list)
    let tap = UITapGestureRecognizer(target: self, action: HelloController.tapped)
    view.addGestureRecognizer(tap)
  }

  override func viewWillAppear(_ animated: Bool) {
    super.viewWillAppear(animated)
    log.append("will appear")
  }
  override func viewDidAppear(_ animated: Bool) { log.append("did appear") }
  override func viewWillDisappear(_ animated: Bool) { log.append("will disappear") }
  override func viewDidDisappear(_ animated: Bool) { log.append("did disappear") }

  func join() { log.append("join") }
  func pressed(_ sender: UIButton) { log.append("pressed \(sender.currentTitle ?? "")") }
  func tapped(_ recognizer: UITapGestureRecognizer) { log.append("tapped \(recognizer.location(in: view).x)") }

  func showAlert(_ string: String) {
    let alert = UIAlertView(
      title: "Message from video session", message: string, delegate: self, cancelButtonTitle: "OK")
    alert.show()
  }
  func alertView(_ alertView: UIAlertView, clickedButtonAt buttonIndex: Int) { log.append("alert \(buttonIndex)") }

  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { rows.count }
  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = tableView.dequeueReusableCell(withIdentifier: "row", for: indexPath)
    cell.textLabel?.text = rows[indexPath.row]
    return cell
  }
  func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
    log.append("row \(indexPath.row)")
    tableView.deselectRow(at: indexPath, animated: true)
  }

  func textFieldShouldReturn(_ textField: UITextField) -> Bool {
    log.append("return \(textField.text ?? "")")
    textField.resignFirstResponder()
    return true
  }
  func textField(_ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String)
    -> Bool
  { string != "x" }

  override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
    if segue.identifier == "next", let next = segue.destination as? NextController { next.text = sender as? String }
  }
}

@MainActor
final class NextController: UIViewController {
  var text: String?
}

/// A view of an app with initialisers of its own.
@MainActor
final class PlateView: UIView {
  let name: String
  init(name: String) {
    self.name = name
    super.init(frame: .zero)
  }
  required init?(coder aDecoder: NSCoder) { fatalError("init(coder:) has not been implemented") }
}

@MainActor
final class TargetView: UIView {
  override class var layerClass: AnyClass { return CAEAGLLayer.self }
}

/// Tests that share the app's windows, one after the other.
@Suite(.serialized) enum ScreenTests {}

extension ScreenTests {
  @MainActor
  @Suite struct ListingTests {
    func shown() -> (UIWindow, HelloController) {
      let window = UIWindow(frame: UIScreen.main.bounds)
      let controller = HelloController()
      window.rootViewController = controller
      window.makeKeyAndVisible()
      return (window, controller)
    }

    @Test func aScreenLoadsAndAppearsInOrder() {
      let (window, controller) = shown()
      #expect(controller.log == ["loaded", "will appear", "did appear"])
      window.close()
      #expect(controller.log.suffix(2) == ["will disappear", "did disappear"])
    }

    @Test func aPressCallsMethodsOfItsTargetsAndNotTheTapBehind() {
      let (window, controller) = shown()
      defer { window.close() }
      let point = controller.button.convert(CGPoint(x: 5, y: 5), to: nil)
      window.sendTouch(.began, at: point, time: 1)
      #expect(controller.button.isHighlighted)
      window.sendTouch(.ended, at: point, time: 1.1)
      #expect(controller.log.suffix(2) == ["join", "pressed Join"])
      window.sendTouch(.began, at: CGPoint(x: 300, y: 600), time: 3)
      window.sendTouch(.ended, at: CGPoint(x: 300, y: 600), time: 3.1)
      #expect(controller.log.last == "tapped 300.0")
    }

    @Test func typingAsksTheDelegate() {
      let (window, controller) = shown()
      defer { window.close() }
      #expect(controller.field.becomeFirstResponder())
      for letter in ["A", "n", "x", "n"] { controller.field.insertText(letter) }
      #expect(controller.field.text == "Ann")
      controller.field.deleteBackward()
      controller.field.insertText("\n")
      #expect(controller.log.last == "return An")
      #expect(!controller.field.isFirstResponder)
    }

    @Test func aListMakesItsRowsAndTellsWhichWasChosen() {
      let (window, controller) = shown()
      defer { window.close() }
      #expect(controller.list.visibleCells.map { $0.textLabel?.text } == ["one", "two"])
      controller.rows.append("three")
      controller.list.reloadData()
      #expect(controller.list.cellForRow(at: IndexPath(row: 2, section: 0))?.textLabel?.text == "three")
      // As on Apple systems, a tap that a view behind recognises takes the touch away from the row.
      controller.view.gestureRecognizers?.first?.cancelsTouchesInView = false
      let point = controller.list.convert(CGPoint(x: 20, y: 60), to: nil)
      window.sendTouch(.began, at: point, time: 1)
      window.sendTouch(.ended, at: point, time: 1.1)
      #expect(controller.log.suffix(2) == ["tapped 20.0", "row 1"])
    }

    @Test func anAlertViewIsShownAndItsAnswerReachesTheDelegate() throws {
      let (window, controller) = shown()
      defer { window.close() }
      controller.showAlert("Wrong key")
      let alert = try #require(UIApplication.shared.alerts.last)
      #expect(alert.message == "Wrong key")
      #expect(controller.presentedViewController === alert)
      alert.choose(try #require(alert.actions.first))
      #expect(controller.log.last == "alert 0")
      #expect(UIApplication.shared.alerts.isEmpty)
      #expect(controller.presentedViewController == nil)
    }

    @Test func aSheetOffersItsActionsAndCallsTheChosenOne() throws {
      let (window, controller) = shown()
      defer { window.close() }
      var chosen: [String] = []
      let sheet = UIAlertController(title: "Ask", message: nil, preferredStyle: .actionSheet)
      for title in ["Ask using Text Chat", "Ask using Video Chat"] {
        sheet.addAction(UIAlertAction(title: title, style: .default) { chosen.append($0.title ?? "") })
      }
      sheet.addAction(UIAlertAction(title: "Cancel", style: .cancel, handler: nil))
      controller.present(sheet, animated: true, completion: nil)
      sheet.choose(sheet.actions[1])
      #expect(chosen == ["Ask using Video Chat"])
      #expect(UIApplication.shared.alerts.isEmpty)
    }

    @Test func aSegueHandsOverAndBringsTheNextScreen() throws {
      let story = UIStoryboard(name: "Listing", bundle: nil)
      story.register("hello", isInitial: true, class: HelloController.self)
      story.register("NextController") { NextController() }
      story.registerSegue("next", from: "hello", to: "NextController")
      let first = try #require(story.instantiateInitialViewController() as? HelloController)
      let navigation = UINavigationController(rootViewController: first)
      let window = UIWindow(frame: UIScreen.main.bounds)
      window.rootViewController = navigation
      window.makeKeyAndVisible()
      defer { window.close() }
      first.performSegue(withIdentifier: "next", sender: "Ann")
      let next = try #require(navigation.topViewController as? NextController)
      #expect(next.text == "Ann")
      #expect(next.isViewLoaded && next.view.window === window)
      #expect(first.log == ["loaded", "will appear", "did appear", "will disappear", "did disappear"])
      navigation.popViewController(animated: true)
      #expect(navigation.topViewController === first)
      #expect(first.log.suffix(2) == ["will appear", "did appear"])
      #expect(UIStoryboard(name: "Listing", bundle: nil).viewController(withIdentifier: "nobody") == nil)
    }

    @Test func aPresentedScreenCoversTheOneBehindUntilItIsDismissed() {
      let (window, controller) = shown()
      defer { window.close() }
      let next = NextController()
      var isThere = false
      controller.present(next, animated: true) { isThere = true }
      #expect(isThere && next.view.window === window)
      #expect(controller.log.last == "did disappear")
      next.dismiss(animated: true)
      #expect(next.view.window == nil)
      #expect(controller.log.last == "did appear")
    }

    @Test func aSheetDarkensWhatIsBehindItAndKeepsTouchesFromIt() {
      let (window, controller) = shown()
      defer { window.close() }
      controller.button.frame = CGRect(x: 0, y: 0, width: 100, height: 40)
      let sheet = NextController()
      sheet.modalPresentationStyle = .pageSheet
      controller.present(sheet, animated: true)
      #expect(controller.log.last == "did appear")
      #expect(sheet.view.frame == CGRect(x: 0, y: 44, width: 375, height: 623))
      window.sendTouch(.began, at: CGPoint(x: 20, y: 20), time: 1)
      window.sendTouch(.ended, at: CGPoint(x: 20, y: 20), time: 1.1)
      #expect(!controller.log.contains("join") && !controller.log.contains { $0.hasPrefix("tapped") })
      sheet.dismiss(animated: true)
      #expect(window.subviews == [controller.view])
      window.sendTouch(.began, at: CGPoint(x: 20, y: 20), time: 3)
      window.sendTouch(.ended, at: CGPoint(x: 20, y: 20), time: 3.1)
      #expect(controller.log.last == "pressed Join")
    }

    @Test func escapeAndReturnAnswerAnAlertWithoutADesktop() throws {
      let (window, controller) = shown()
      defer { window.close() }
      var answers: [String] = []
      for (key, titles) in [("\u{1B}", ["Leave", "Stay"]), ("\r", ["Leave", "Stay"]), ("\u{1B}", ["Leave"])] {
        let alert = UIAlertController(title: "Leave?", message: nil, preferredStyle: .alert)
        for title in titles {
          alert.addAction(
            UIAlertAction(title: title, style: title == "Stay" ? .cancel : .default) { answers.append($0.title ?? "") })
        }
        controller.present(alert, animated: true)
        window.sendKey(UIKey(characters: key))
        #expect(UIApplication.shared.alerts.isEmpty)
      }
      #expect(answers == ["Stay", "Leave", "Leave"])
    }

    @Test func aLayerOfAnAppsOwnKindShowsVideo() {
      let view = TargetView(frame: CGRect(x: 0, y: 0, width: 10, height: 10))
      #expect(view.layer is CAEAGLLayer)
      #expect(PlateView(name: "Ann").name == "Ann")
    }

    @Test func aWindowWithoutADisplaySaysWhatIsMissingAndGoesOn() {
      // With a display, the other suite opens windows on it.
      guard ProcessInfo.processInfo.environment["DISPLAY"] == nil,
        ProcessInfo.processInfo.environment["WAYLAND_DISPLAY"] == nil
      else { return }
      let (window, controller) = shown()
      defer { window.close() }
      #expect { try window.present() } throws: { error in
        switch error as? ViewError {
        case .noDisplay, .missingLibrary: "\(error)".contains("headless") || "\(error)".contains("apt-get")
        case .noPicture, nil: false
        }
      }
      #expect(!window.isPresented)
      #expect(controller.log.last == "did appear")
    }
  }
}
