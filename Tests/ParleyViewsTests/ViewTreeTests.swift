import Foundation
import ParleyViews
import Testing

@MainActor
@Suite struct ViewTreeTests {
  @Test func aViewLivesInOneSuperviewAtATime() {
    let (one, two, view) = (UIView(), UIView(), UIView())
    one.addSubview(view)
    two.addSubview(view)
    #expect(one.subviews.isEmpty)
    #expect(two.subviews == [view])
    #expect(view.superview === two)
  }
}
