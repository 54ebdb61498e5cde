import CallKit
import CoreMedia
import Testing

@testable import OpenTok
@testable import OpenTokShapes

/// The shapes of apps' screens, calls and times that did not compile once do what they say.
@MainActor @Suite struct ShapesOfViewsTests {
  @Test("a stream has an observation while somebody observes it by name")
  func observing() {
    let (stream, screen) = (OTStream(), StreamWatcher())
    #expect(stream.observationInfo == nil)
    screen.watch(stream)
    #expect(stream.observationInfo != nil)
    screen.stop()
    screen.stop()
    #expect(stream.observationInfo == nil && screen.changes == ["hasVideo", "stopped"])
  }

  @Test("a screen knows whether it is pushed, covered, popped, presented or dismissed")
  func leaving() {
    let (first, pushed, presented) = (UIViewController(), LeavingScreen(), LeavingScreen())
    let navigation = UINavigationController(rootViewController: first)
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    window.rootViewController = navigation
    window.makeKeyAndVisible()
    defer { window.close() }
    navigation.pushViewController(pushed, animated: false)
    presented.modalPresentationStyle = .fullScreen
    pushed.present(presented, animated: false)
    presented.dismiss(animated: false)
    navigation.pushViewController(UIViewController(), animated: false)
    navigation.popViewController(animated: false)
    navigation.popViewController(animated: false)
    #expect(pushed.log == ["pushed", "covered", "back", "covered", "back", "popped"])
    #expect(presented.log == ["presented", "dismissed"])
  }

  @Test("copies of a layout's attributes have their own values, and a subclass's too")
  func attributes() throws {
    let attributes = SpeakerAttributes(forCellWith: IndexPath(item: 1, section: 0))
    (attributes.isSpeaking, attributes.alpha, attributes.zIndex) = (true, 0.25, 3)
    let copy = try #require(attributes.copy() as? SpeakerAttributes)
    attributes.alpha = 1
    #expect(copy.isSpeaking && copy.alpha == 0.25 && copy.zIndex == 3 && copy.indexPath.item == 1)
    let screen = TypingScreen()
    let frame = NSValue(cgRect: CGRect(x: 0, y: 0, width: 320, height: 216))
    screen.shown(Notification(name: .init("shown"), userInfo: [UIResponder.keyboardFrameEndUserInfoKey: frame]))
    #expect(screen.height == 216 && TintedScreen().ground == UIColor(red: 1, green: 0.5, blue: 0, alpha: 1))
  }

  @Test("times add up in the finer of two fractions, and not beyond 64 bits")
  func times() {
    let next = FrameClock.next(CMTime(value: 1, timescale: 600), framesPerSecond: 30)
    #expect(next == CMTime(value: 21, timescale: 600) && FrameClock.between(.zero, next) == 21.0 / 600)
    #expect(!CMTimeAdd(CMTime(value: .max, timescale: 1), next).isValid && !CMTimeSubtract(.zero, .invalid).isValid)
    #expect(VoiceUnits.find() != nil && VoiceUnits.format.mBytesPerFrame == 2)
    let (answer, end) = (CXAnswerCallAction(call: UUID()), CXEndCallAction(call: UUID()))
    answer.fulfill(withDateConnected: Date())
    end.fulfill(withDateEnded: Date())
    #expect(answer.isComplete && end.isComplete)
  }
}
