// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is half of the
// test.

import UIKit

typealias AnimationCompletion = (Bool) -> Void

/// Hears that the small picture is large again.
protocol PiPViewCoordinatorDelegate: AnyObject {
  func exitPictureInPicture()
}

/// Lays a view over the whole of another one, or small into a corner of it, where it is dragged and tapped. It isn't a
/// screen, and uses views all the same.
class PiPViewCoordinator {
  enum Position {
    case lowerRightCorner
    case upperRightCorner
    case lowerLeftCorner
    case upperLeftCorner
  }

  let view: UIView
  var dragBoundInsets: UIEdgeInsets = UIEdgeInsets(top: 25, left: 5, bottom: 5, right: 5)
  var initialPositionInSuperview = Position.lowerRightCorner
  weak var delegate: PiPViewCoordinatorDelegate?
  private(set) var isInPiP = false
  private(set) var exitPiPButton: UIButton?
  private var currentBounds: CGRect = CGRect.zero
  private lazy var tapGestureRecognizer = UITapGestureRecognizer(target: self, action: PiPViewCoordinator.toggleExitPiP)
  private lazy var panGestureRecognizer = UIPanGestureRecognizer(target: self, action: PiPViewCoordinator.dragged)

  init(withView view: UIView) {
    self.view = view
  }

  func configureAsStickyView(withParentView parentView: UIView? = nil) {
    guard let parentView = parentView ?? UIApplication.shared.keyWindow else { return }
    parentView.addSubview(view)
    currentBounds = parentView.bounds
    view.frame = currentBounds
    parentView.bringSubviewToFront(view)
  }

  func show(completion: AnimationCompletion? = nil) {
    if view.isHidden || view.alpha < 1 {
      view.isHidden = false
      view.alpha = 0
      animateTransition(animations: { [weak self] in self?.view.alpha = 1 }, completion: completion)
    }
  }

  func hide(completion: AnimationCompletion? = nil) {
    if view.isHidden || view.alpha > 0 {
      animateTransition(
        animations: { [weak self] in
          self?.view.alpha = 0
          self?.view.isHidden = true
        }, completion: completion)
    }
  }

  func enterPictureInPicture() {
    isInPiP = true
    animateViewChange()
    view.addGestureRecognizer(panGestureRecognizer)
    view.addGestureRecognizer(tapGestureRecognizer)
  }

  func exitPictureInPicture() {
    isInPiP = false
    animateViewChange()
    view.removeGestureRecognizer(panGestureRecognizer)
    view.removeGestureRecognizer(tapGestureRecognizer)
    exitPiPButton?.removeFromSuperview()
    exitPiPButton = nil
    delegate?.exitPictureInPicture()
  }

  func resetBounds(bounds: CGRect) {
    currentBounds = bounds
    animateViewChange()
  }

  func stopDragGesture() {
    view.removeGestureRecognizer(panGestureRecognizer)
  }

  func configureExitPiPButton() -> UIButton {
    let button = UIButton(type: .custom)
    button.setImage(UIImage(named: "image-resize"), for: .normal)
    button.backgroundColor = .gray
    button.frame.size = CGSize(width: 44, height: 44)
    button.layer.cornerRadius = 22
    button.center = CGPoint(x: view.bounds.midX, y: view.bounds.midY)
    button.addTarget(self, action: PiPViewCoordinator.exitPictureInPicture, for: .touchUpInside)
    return button
  }

  private func toggleExitPiP() {
    if exitPiPButton == nil {
      let button = configureExitPiPButton()
      view.addSubview(button)
      exitPiPButton = button
    } else {
      exitPiPButton?.removeFromSuperview()
      exitPiPButton = nil
    }
  }

  private func dragged(_ recognizer: UIPanGestureRecognizer) {
    guard let parent = view.superview else { return }
    let way = recognizer.translation(in: parent)
    view.center = CGPoint(x: view.center.x + way.x, y: view.center.y + way.y)
    recognizer.setTranslation(CGPoint.zero, in: parent)
    switch recognizer.state {
    case .ended, .cancelled:
      snap(velocity: recognizer.velocity(in: parent))
    default:
      break
    }
  }

  /// To the corner that it was thrown to, else to the nearest.
  private func snap(velocity: CGPoint) {
    let isRight = abs(velocity.x) > 20 ? velocity.x > 0 : view.center.x > currentBounds.midX
    let isLower = abs(velocity.y) > 20 ? velocity.y > 0 : view.center.y > currentBounds.midY
    switch (isRight, isLower) {
    case (true, true): initialPositionInSuperview = .lowerRightCorner
    case (true, false): initialPositionInSuperview = .upperRightCorner
    case (false, true): initialPositionInSuperview = .lowerLeftCorner
    case (false, false): initialPositionInSuperview = .upperLeftCorner
    }
    UIView.animate(
      withDuration: 0.5, delay: 0, usingSpringWithDamping: 0.9, initialSpringVelocity: 0,
      options: UIView.AnimationOptions.curveLinear, animations: { self.view.frame = self.changeViewRect() },
      completion: nil)
  }

  private func animateViewChange() {
    UIView.animate(withDuration: 0.25) {
      self.view.frame = self.changeViewRect()
      self.view.setNeedsLayout()
      self.view.layoutIfNeeded()
    }
  }

  private func changeViewRect() -> CGRect {
    guard isInPiP else { return currentBounds }
    let bounds = currentBounds.inset(by: dragBoundInsets)
    let size = CGSize(width: 150, height: 150)
    switch initialPositionInSuperview {
    case .lowerRightCorner:
      return CGRect(origin: CGPoint(x: bounds.maxX - size.width, y: bounds.maxY - size.height), size: size)
    case .upperRightCorner:
      return CGRect(origin: CGPoint(x: bounds.maxX - size.width, y: bounds.minY), size: size)
    case .lowerLeftCorner:
      return CGRect(origin: CGPoint(x: bounds.minX, y: bounds.maxY - size.height), size: size)
    case .upperLeftCorner:
      return CGRect(origin: bounds.origin, size: size)
    }
  }

  private func animateTransition(animations: @escaping () -> Void, completion: AnimationCompletion?) {
    UIView.animate(withDuration: 0.1, animations: animations, completion: completion)
  }
}
