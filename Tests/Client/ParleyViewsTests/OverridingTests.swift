import Foundation
// Without @testable, which would let everything be overridden.
import ParleyViews
import Testing

/// Overrides of apps made for UIKit. That this file is compiled is half of the test.
@MainActor
@Suite struct OverridingTests {
  @Test func aViewHearsOfEverythingThatIsDoneToItsTree() {
    let view = Witness(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let (one, two, three) = (UIView(), UIView(), UIView())
    let recognizer = UITapGestureRecognizer { _ in }
    let steps: [(String, @MainActor () -> Void)] = [
      ("addSubview", { view.addSubview(one) }),
      ("insertSubview at", { view.insertSubview(two, at: 0) }),
      ("insertSubview above", { view.insertSubview(three, aboveSubview: two) }),
      ("insertSubview below", { view.insertSubview(three, belowSubview: two) }),
      ("exchangeSubview", { view.exchangeSubview(at: 0, withSubviewAt: 1) }),
      ("bringSubviewToFront", { view.bringSubviewToFront(three) }),
      ("sendSubviewToBack", { view.sendSubviewToBack(three) }),
      ("isDescendant", { _ = view.isDescendant(of: view) }),
      ("viewWithTag", { _ = view.viewWithTag(7) }),
      ("addGestureRecognizer", { view.addGestureRecognizer(recognizer) }),
      ("removeGestureRecognizer", { view.removeGestureRecognizer(recognizer) }),
      ("endEditing", { _ = view.endEditing(true) }),
      ("setNeedsLayout", { view.setNeedsLayout() }),
      ("layoutIfNeeded", { view.layoutIfNeeded() }),
      ("sizeToFit", { view.sizeToFit() }),
      ("convert", { _ = view.convert(CGPoint.zero, to: one) }),
      ("removeFromSuperview", { view.removeFromSuperview() }),
    ]
    for (name, step) in steps {
      view.heard = []
      step()
      #expect(view.heard.contains(name), "\(name)")
    }
    #expect(view.subviews == [three, two, one])
    #expect(view.gestureRecognizers?.isEmpty == true)
  }

  /// The override is asked by the module itself, too: whatever takes a view away, the view hears of it.
  @Test func aViewHearsThatItsScreenIsLeft() {
    let (first, second, view) = (UIViewController(), UIViewController(), Witness())
    second.view = view
    let navigation = UINavigationController(rootViewController: first)
    navigation.loadViewIfNeeded()
    navigation.pushViewController(second, animated: false)
    view.heard = []
    navigation.popViewController(animated: false)
    #expect(view.heard.contains("removeFromSuperview"))
    #expect(view.superview == nil)
  }

  /// A tree without an end would hang every walk through it, whatever a subclass answers.
  @Test func aViewThatDeniesItsPlaceIsNotPutIntoItselfEither() {
    final class Liar: UIView {
      override func isDescendant(of view: UIView) -> Bool { false }
    }
    let (outer, inner) = (Liar(), Liar())
    outer.addSubview(inner)
    inner.addSubview(outer)
    #expect(outer.superview == nil && inner.subviews.isEmpty)
  }

  @Test func aScreenHearsOfItsWaysAndItsContainers() {
    final class Screen: UIViewController {
      var heard: [String] = []
      lazy var item = UINavigationItem(title: "Mine")
      override var navigationItem: UINavigationItem { item }
      override var navigationController: UINavigationController? {
        heard.append("navigationController"); return super.navigationController
      }
      override func loadViewIfNeeded() { heard.append("loadViewIfNeeded"); super.loadViewIfNeeded() }
      override func performSegue(withIdentifier identifier: String, sender: Any?) {
        heard.append("performSegue \(identifier)")
        super.performSegue(withIdentifier: identifier, sender: sender)
      }
    }
    let screen = Screen()
    let navigation = UINavigationController(rootViewController: screen)
    navigation.loadViewIfNeeded()
    screen.registerSegue("call") { UIViewController() }
    screen.performSegue(withIdentifier: "call", sender: nil)
    #expect(["loadViewIfNeeded", "performSegue call", "navigationController"].allSatisfy(screen.heard.contains))
    #expect(navigation.viewControllers.count == 2)
    #expect(screen.navigationItem.title == "Mine")
  }

  @Test func aControlAndARecogniserMayAddToWhatTheyDo() {
    final class Key: UIButton {
      var sent: [UIControl.Event] = []
      override func sendActions(for events: UIControl.Event) { sent.append(events); super.sendActions(for: events) }
      override func addAction(_ action: UIAction, for events: UIControl.Event) {
        super.addAction(action, for: .touchDown)
      }
    }
    final class DoubleTap: UITapGestureRecognizer {
      override var numberOfTapsRequired: Int {
        get { 2 }
        set {}
      }
    }
    var (pressed, tapped) = (0, 0)
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let key = Key(frame: CGRect(x: 0, y: 0, width: 50, height: 50))
    window.isHidden = false
    window.addSubview(key)
    key.addAction(UIAction { _ in pressed += 1 }, for: .touchUpInside)
    window.sendTouch(.began, at: CGPoint(x: 20, y: 20), time: 1)
    #expect(key.sent == [.touchDown] && pressed == 1)
    window.sendTouch(.ended, at: CGPoint(x: 20, y: 20), time: 1.05)

    window.addGestureRecognizer(DoubleTap { _ in tapped += 1 })
    for (count, time) in [(0, 3.0), (1, 3.2)] {
      window.sendTouch(.began, at: CGPoint(x: 80, y: 80), time: time)
      window.sendTouch(.ended, at: CGPoint(x: 80, y: 80), time: time + 0.05)
      #expect(tapped == count)
    }
  }
}

/// A view that keeps what was done to it.
private final class Witness: UIView {
  var heard: [String] = []

  override var window: UIWindow? { super.window }
  override var subviews: [UIView] { super.subviews }
  override func addSubview(_ view: UIView) {
    heard.append("addSubview")
    super.addSubview(view)
  }
  override func insertSubview(_ view: UIView, at index: Int) {
    heard.append("insertSubview at")
    super.insertSubview(view, at: index)
  }
  override func insertSubview(_ view: UIView, aboveSubview sibling: UIView) {
    heard.append("insertSubview above")
    super.insertSubview(view, aboveSubview: sibling)
  }
  override func insertSubview(_ view: UIView, belowSubview sibling: UIView) {
    heard.append("insertSubview below")
    super.insertSubview(view, belowSubview: sibling)
  }
  override func exchangeSubview(at index1: Int, withSubviewAt index2: Int) {
    heard.append("exchangeSubview")
    super.exchangeSubview(at: index1, withSubviewAt: index2)
  }
  override func bringSubviewToFront(_ view: UIView) {
    heard.append("bringSubviewToFront")
    super.bringSubviewToFront(view)
  }
  override func sendSubviewToBack(_ view: UIView) {
    heard.append("sendSubviewToBack")
    super.sendSubviewToBack(view)
  }
  override func removeFromSuperview() {
    heard.append("removeFromSuperview")
    super.removeFromSuperview()
  }
  override func isDescendant(of view: UIView) -> Bool {
    heard.append("isDescendant")
    return super.isDescendant(of: view)
  }
  override func viewWithTag(_ tag: Int) -> UIView? {
    heard.append("viewWithTag")
    return super.viewWithTag(tag)
  }
  override func addGestureRecognizer(_ recognizer: UIGestureRecognizer) {
    heard.append("addGestureRecognizer")
    super.addGestureRecognizer(recognizer)
  }
  override func removeGestureRecognizer(_ recognizer: UIGestureRecognizer) {
    heard.append("removeGestureRecognizer")
    super.removeGestureRecognizer(recognizer)
  }
  override func endEditing(_ force: Bool) -> Bool {
    heard.append("endEditing")
    return super.endEditing(force)
  }
  override func setNeedsLayout() {
    heard.append("setNeedsLayout")
    super.setNeedsLayout()
  }
  override func layoutIfNeeded() {
    heard.append("layoutIfNeeded")
    super.layoutIfNeeded()
  }
  override func sizeToFit() {
    heard.append("sizeToFit")
    super.sizeToFit()
  }
  override func convert(_ point: CGPoint, to view: UIView?) -> CGPoint {
    heard.append("convert")
    return super.convert(point, to: view)
  }
}
