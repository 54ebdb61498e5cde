import Testing

@testable import ParleyViews

@MainActor
@Suite struct ViewTreeTests {
  private func box(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) -> UIView {
    UIView(frame: CGRect(x: x, y: y, width: width, height: height))
  }

  @Test func aViewLivesInOneSuperviewAtATime() {
    let (one, two, view) = (UIView(), UIView(), UIView())
    one.addSubview(view)
    two.addSubview(view)
    #expect(one.subviews.isEmpty)
    #expect(two.subviews == [view])
    #expect(view.superview === two)
  }

  @Test func aViewThatComesOrGoesLetsItsSuperviewLayOut() {
    final class Row: UIView {
      var layouts = 0
      override func layoutSubviews() { layouts += 1 }
    }
    let (one, two, view) = (Row(), Row(), UIView())
    for row in [one, two] { row.layoutIfNeeded() }
    let changes: [@MainActor () -> Void] = [
      { one.addSubview(view) }, { view.removeFromSuperview() }, { one.addSubview(view) }, { two.addSubview(view) },
    ]
    for (number, change) in changes.enumerated() {
      change()
      one.layoutIfNeeded()
      #expect(one.layouts == number + 2)
    }
    two.layoutIfNeeded()
    #expect(two.layouts == 2)
  }

  @Test func aViewIsNeverPutIntoItself() {
    let (outer, inner) = (UIView(), UIView())
    outer.addSubview(inner)
    inner.addSubview(outer)
    #expect(outer.superview == nil)
    #expect(inner.subviews.isEmpty)
  }

  @Test func subviewsKeepTheOrderThatWasAskedFor() {
    let root = UIView()
    let (a, b, c, d) = (UIView(), UIView(), UIView(), UIView())
    root.addSubview(a)
    root.insertSubview(b, at: 0)
    root.insertSubview(c, aboveSubview: b)
    root.insertSubview(d, belowSubview: b)
    #expect(root.subviews == [d, b, c, a])
    root.bringSubviewToFront(d)
    root.sendSubviewToBack(a)
    #expect(root.subviews == [a, b, c, d])
    root.insertSubview(d, at: 99)
    root.insertSubview(d, at: -1)
    #expect(root.subviews == [d, a, b, c])
  }

  @Test func theFrameFollowsCenterAndBounds() {
    let view = box(10, 20, 100, 50)
    view.center = CGPoint(x: 100, y: 100)
    #expect(view.frame == CGRect(x: 50, y: 75, width: 100, height: 50))
    view.bounds.size = CGSize(width: 20, height: 20)
    #expect(view.frame == CGRect(x: 90, y: 90, width: 20, height: 20))
    view.frame = CGRect(x: CGFloat.nan, y: .infinity, width: 10, height: 10)
    #expect(view.frame == CGRect(x: 0, y: 0, width: 10, height: 10))
  }

  @Test func flexibleWidthAndHeightFollowTheSuperview() {
    let root = box(0, 0, 100, 100)
    let view = box(10, 10, 80, 80)
    view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    root.addSubview(view)
    root.frame.size = CGSize(width: 300, height: 50)
    #expect(view.frame == CGRect(x: 10, y: 10, width: 280, height: 30))
  }

  @Test func flexibleMarginsShareTheChangeInProportion() {
    let root = box(0, 0, 100, 100)
    let middle = box(40, 40, 20, 20)
    middle.autoresizingMask = [
      .flexibleLeftMargin, .flexibleRightMargin, .flexibleTopMargin, .flexibleBottomMargin,
    ]
    let corner = box(70, 10, 20, 20)
    corner.autoresizingMask = .flexibleLeftMargin
    let fixed = box(5, 5, 5, 5)
    for view in [middle, corner, fixed] { root.addSubview(view) }
    root.frame.size = CGSize(width: 200, height: 100)
    #expect(middle.frame == CGRect(x: 90, y: 40, width: 20, height: 20))
    #expect(corner.frame == CGRect(x: 170, y: 10, width: 20, height: 20))
    #expect(fixed.frame == CGRect(x: 5, y: 5, width: 5, height: 5))
  }

  @Test func theFrontmostViewThatCanBeTouchedIsHit() {
    let root = box(0, 0, 100, 100)
    let (back, front, hidden) = (box(0, 0, 100, 100), box(50, 50, 50, 50), box(0, 0, 100, 100))
    hidden.isHidden = true
    for view in [back, front, hidden] { root.addSubview(view) }
    #expect(root.hitTest(CGPoint(x: 60, y: 60), with: nil) === front)
    #expect(root.hitTest(CGPoint(x: 10, y: 10), with: nil) === back)
    front.isUserInteractionEnabled = false
    #expect(root.hitTest(CGPoint(x: 60, y: 60), with: nil) === back)
    #expect(root.hitTest(CGPoint(x: 101, y: 0), with: nil) == nil)
  }

  @Test func pointsAreConvertedBetweenViewsOfATree() {
    let window = UIWindow(frame: CGRect(x: 500, y: 500, width: 200, height: 200))
    let (outer, inner) = (box(10, 20, 100, 100), box(5, 5, 10, 10))
    window.addSubview(outer)
    outer.addSubview(inner)
    outer.bounds.origin = CGPoint(x: 0, y: 50)
    #expect(inner.convert(CGPoint.zero, to: nil) == CGPoint(x: 15, y: -25))
    #expect(inner.convert(CGPoint(x: 15, y: -25), from: window) == .zero)
  }

  @Test func viewsAreFoundByTagAndKnowTheirWindow() {
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let (outer, inner) = (UIView(), UIView())
    inner.tag = 7
    outer.addSubview(inner)
    #expect(inner.window == nil)
    window.addSubview(outer)
    #expect(inner.window === window)
    #expect(window.viewWithTag(7) === inner)
    outer.removeFromSuperview()
    #expect(inner.window == nil)
  }

  @Test func aDragBeginsGoesOnAndEnds() {
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 200, height: 200))
    let view = box(0, 0, 200, 200)
    var seen: [String] = []
    view.addGestureRecognizer(
      UIPanGestureRecognizer { recognizer in
        guard let pan = recognizer as? UIPanGestureRecognizer else { return }
        seen.append("\(pan.state) \(pan.translation(in: view).x)")
      })
    window.isHidden = false
    window.addSubview(view)
    window.sendTouch(.began, at: CGPoint(x: 50, y: 50), time: 0)
    window.sendTouch(.moved, at: CGPoint(x: 55, y: 50), time: 0.1)
    window.sendTouch(.moved, at: CGPoint(x: 70, y: 50), time: 0.2)
    window.sendTouch(.moved, at: CGPoint(x: 80, y: 50), time: 0.3)
    window.sendTouch(.ended, at: CGPoint(x: 80, y: 50), time: 0.4)
    #expect(seen == ["began 20.0", "changed 30.0", "ended 30.0"])
  }

  private func drag(_ window: UIWindow, from start: CGPoint, by way: [CGPoint]) {
    window.sendTouch(.began, at: start, time: 0)
    for (place, step) in way.enumerated() {
      window.sendTouch(
        .moved, at: CGPoint(x: start.x + step.x, y: start.y + step.y), time: Double(place + 1) / 10)
    }
    let end = way.last ?? .zero
    window.sendTouch(.ended, at: CGPoint(x: start.x + end.x, y: start.y + end.y), time: 9)
  }

  @Test func aDragScrollsAndPressesNothingInTheView() {
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    window.isHidden = false
    let outer = UIScrollView(frame: window.bounds)
    outer.contentSize = CGSize(width: 100, height: 300)
    let inner = UIScrollView(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
    inner.contentSize = CGSize(width: 200, height: 50)
    let button = UIButton(frame: CGRect(x: 0, y: 60, width: 100, height: 40))
    var presses = 0
    button.addAction(UIAction { _ in presses += 1 }, for: .touchUpInside)
    outer.addSubview(inner)
    outer.addSubview(button)
    window.addSubview(outer)
    drag(window, from: CGPoint(x: 50, y: 90), by: [CGPoint(x: 0, y: -20), CGPoint(x: 0, y: -50)])
    #expect(outer.contentOffset == CGPoint(x: 0, y: 50) && presses == 0 && !outer.isDragging)
    drag(window, from: CGPoint(x: 50, y: 40), by: [CGPoint(x: 0, y: 30), CGPoint(x: 0, y: 900)])
    #expect(outer.contentOffset == .zero)
    // A small slip is a press still.
    drag(window, from: CGPoint(x: 50, y: 80), by: [CGPoint(x: 0, y: 4)])
    #expect(presses == 1 && outer.contentOffset == .zero)
    // Across the inner one goes on, down only the outer one can.
    drag(window, from: CGPoint(x: 50, y: 20), by: [CGPoint(x: -20, y: -5), CGPoint(x: -30, y: -40)])
    #expect(inner.contentOffset.x == 30 && outer.contentOffset == .zero)
    drag(window, from: CGPoint(x: 50, y: 20), by: [CGPoint(x: 5, y: -20), CGPoint(x: 30, y: -40)])
    #expect(inner.contentOffset.x == 30 && outer.contentOffset.y == 40)
    // A view that the app drags is not scrolled as well.
    outer.contentOffset = .zero
    let small = box(0, 60, 100, 40)
    var steps = 0
    small.addGestureRecognizer(UIPanGestureRecognizer { _ in steps += 1 })
    outer.addSubview(small)
    drag(window, from: CGPoint(x: 50, y: 90), by: [CGPoint(x: 0, y: -20), CGPoint(x: 0, y: -50)])
    #expect(steps == 3 && outer.contentOffset == .zero)
    small.removeFromSuperview()
    outer.isScrollEnabled = false
    drag(window, from: CGPoint(x: 50, y: 90), by: [CGPoint(x: 0, y: -20), CGPoint(x: 0, y: -50)])
    #expect(outer.contentOffset == .zero && presses == 1)
  }

  @Test func barsShowWhereAViewHasScrolledTo() throws {
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 104, height: 104))
    window.isHidden = false
    let view = UIScrollView(frame: window.bounds)
    view.backgroundColor = .white
    view.contentSize = CGSize(width: 104, height: 400)
    window.addSubview(view)
    #expect(view.bars == [.zero, .zero])
    window.sendScroll(by: CGPoint(x: 0, y: 100), at: CGPoint(x: 50, y: 50))
    #expect(view.bars[1] == .zero && view.bars[0].maxX == 102)
    let first = view.bars[0]
    #expect(first.minY > 2 && first.maxY < 60 && first.height >= 24)
    let picture = try window.snapshot()
    #expect(picture.color(x: 98, y: Int(first.midY)) != .white && picture.color(x: 98, y: 100) == .white)
    window.sendScroll(by: CGPoint(x: 0, y: 900), at: CGPoint(x: 50, y: 50))
    #expect(view.bars[0].maxY == 102)
    view.showsVerticalScrollIndicator = false
    #expect(view.bars == [.zero, .zero])
    // Nothing more to see, no bar.
    view.showsVerticalScrollIndicator = true
    view.contentSize.height = 80
    #expect(view.bars == [.zero, .zero])
  }

  @Test func theInnermostViewThatCanGoOnScrolls() {
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    window.isHidden = false
    let outer = UIScrollView(frame: window.bounds)
    outer.contentSize = CGSize(width: 100, height: 300)
    let inner = UIScrollView(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
    inner.contentSize = CGSize(width: 100, height: 80)
    inner.contentInset.bottom = 10
    outer.addSubview(inner)
    window.addSubview(outer)
    let over = CGPoint(x: 50, y: 20)
    window.sendScroll(by: CGPoint(x: 0, y: 30), at: over)
    #expect(inner.contentOffset.y == 30 && outer.contentOffset.y == 0)
    window.sendScroll(by: CGPoint(x: 0, y: 30), at: over)
    #expect(inner.contentOffset.y == 40 && outer.contentOffset.y == 0)
    window.sendScroll(by: CGPoint(x: 0, y: 30), at: over)
    #expect(inner.contentOffset.y == 40 && outer.contentOffset.y == 30)
    window.sendScroll(by: CGPoint(x: 0, y: 900), at: CGPoint(x: 50, y: 90))
    #expect(outer.contentOffset.y == 200)
    window.sendScroll(by: CGPoint(x: 30, y: 0), at: CGPoint(x: 50, y: 90))
    #expect(outer.contentOffset == CGPoint(x: 0, y: 200))
    outer.isScrollEnabled = false
    window.sendScroll(by: CGPoint(x: 0, y: -900), at: CGPoint(x: 50, y: 90))
    #expect(outer.contentOffset.y == 200)
    // An offset that an app has set beyond the end stays there.
    outer.isScrollEnabled = true
    outer.contentOffset.y = 250
    window.sendScroll(by: CGPoint(x: 0, y: 10), at: CGPoint(x: 50, y: 90))
    #expect(outer.contentOffset.y == 250)
  }
}
