import OpenTok
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import OpenTokListing

/// Apps' code of language mode 5, as it is, against a live server.
@MainActor @Suite(.serialized) struct ListingTests {
  private func show(_ controller: UIViewController) -> UIWindow {
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    window.rootViewController = controller
    window.makeKeyAndVisible()
    return window
  }

  // In the types of version 1 it publishes, shows its own stream below, hears of everything in order, and reports
  // errors.
  @Test("the tutorial's controller of version 1 runs as it is")
  func hello() async throws {
    try await LiveSession.run { live in
      let controller = HelloViewController()
      (controller.kApiKey, controller.kSessionId) = ("100", live.id)
      let window = show(controller)
      defer { window.close() }
      try await wait(for: "the own picture: \(controller.alerts)") {
        controller.subscriber?.picture.superview === controller.view
          && controller.subscriber?.picture.frameCount ?? 0 > 2
          && controller.log.contains("picture")
      }
      #expect(controller.log == ["connected", "started true", "received", "subscribed true", "picture"])
      #expect(controller.publisher.picture.superview === controller.view && controller.alerts.isEmpty)
      #expect(controller.subscriber?.stream?.connection.connectionId == controller.session.connection?.connectionId)
      let stream = try #require(controller.subscriber.stream)
      controller.session.disconnect()
      try await wait(for: "the end: \(controller.alerts)") { controller.alerts.count == 1 }
      #expect(controller.view.subviews.isEmpty && controller.log.dropFirst(5) == ["stopped", "dropped"])
      // Calls on a session that is over.
      controller.session.publish(controller.publisher)
      let late = try #require(OTSubscriber(stream: stream, delegate: controller))
      try await wait(for: "both failures: \(controller.alerts)") { controller.alerts.count == 3 }
      #expect(!late.isSubscribed)
      #expect(
        controller.alerts.suffix(2) == [
          "There was an error publishing: \(OTLegacyErrorCode.Publisher.sessionDisconnected.rawValue)",
          "There was an error subscribing to stream \(stream.streamId): \(OTLegacyErrorCode.Subscriber.failedToConnect.rawValue)",
        ])
    }
    let wrong = HelloViewController()
    let window = show(wrong)
    defer { window.close() }
    try await wait(for: "the failure: \(wrong.alerts)") { wrong.alerts.count == 1 }
    #expect(wrong.alerts.first?.hasSuffix(": 0") == true, "\(wrong.alerts)")
  }

  @Test(
    "the tutorial without subscribeToSelf shows another's stream, then the next one")
  func helloToOthers() async throws {
    try await LiveSession.run { live in
      let controller = HelloViewController()
      (controller.kApiKey, controller.kSessionId, controller.subscribeToSelf) = ("100", live.id, false)
      let window = show(controller)
      defer { window.close() }
      try await wait(for: "the own stream: \(controller.log)") { controller.log.last == "received" }
      #expect(controller.subscriber == nil)
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await ann.publish(try ann.publisher("Ann"))
      try await wait(for: "Ann's picture: \(controller.log)") { controller.subscriber?.picture.frameCount ?? 0 > 2 }
      #expect(
        controller.subscriber.stream?.name == "Ann" && controller.subscriber.picture.superview === controller.view)
      try await ben.publish(try ben.publisher("Ben"))
      try await wait(for: "Ben's stream: \(controller.log)") { controller.session.streams.count == 3 }
      try await ann.disconnect()
      try await wait(for: "Ben's picture: \(controller.log)") {
        controller.subscriber?.stream?.name == "Ben" && controller.subscriber.picture.frameCount > 2
      }
      #expect(controller.view.subviews.count == 2 && controller.alerts.isEmpty)
      controller.session.disconnect()
      try await ben.disconnect()
      try await wait(for: "the end: \(controller.alerts)") { controller.alerts.count == 1 }
    }
  }

  @Test("a controller of version 2 and a plain object see each other's session")
  func chat() async throws {
    try await LiveSession.run { live in
      let controller = ChatViewController()
      (controller.kApiKey, controller.kSessionId, controller.kToken) = ("100", live.id, "devtoken")
      let window = show(controller)
      defer { window.close() }
      try await wait(for: "the own stream: \(controller.log)") { controller.log == ["connected", "published"] }
      let container = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 240))
      let manager = CallManager()
      manager.start(apiKey: "100", sessionId: live.id, token: "devtoken", in: container)
      try await wait(for: "the picture at the other's") {
        manager.subscriber?.picture.superview === container && manager.subscriber?.picture.frameCount ?? 0 > 2
      }
      let other = try await Meeting.join("\(live.url)/\(live.id)?jwt=devtoken", name: "Ben")
      try await other.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120, framesPerSecond: 5)))
      try await wait(for: "Ben's picture: \(controller.log)") { controller.subscriber?.picture.frameCount ?? 0 > 2 }
      await other.leave()
      try await wait(for: "Ben's end: \(controller.log)") { controller.subscriber == nil }
      manager.end()
      controller.session.disconnect(nil)
      try await wait(for: "the end: \(controller.log)") { controller.log.last == "disconnected" }
    }
  }

  @Test(
    "a plain controller of many observes streams by key path, draws and signals")
  func multiparty() async throws {
    try await LiveSession.run { live in
      let ann = try await Guest(live)
      let camera = try ann.publisher("Ann")
      try await ann.publish(camera)
      let controller = MultipartyViewController()
      (controller.kApiKey, controller.kSessionId, controller.kToken) = ("100", live.id, "devtoken")
      let window = show(controller)
      defer { window.close() }
      let told = ["picture true", "data of Ann", "published"]
      try await wait(for: "Ann's picture: \(controller.log)") { Set(controller.log) == Set(told) }
      #expect(controller.log.first == told[0] && controller.view.subviews.count == 2 && controller.error == nil)
      let seen = try await ann.subscribe(to: UIDevice.current.name)
      try await wait(for: "the screen, with what is drawn into it: \(String(describing: seen.picture.currentFrame))") {
        seen.picture.currentFrame.map { $0.width == 64 && $0.height == 48 } == true
      }
      camera.publishVideo = false
      try await wait(for: "Ann's picture to be off: \(controller.log)") { controller.log.last == "picture false" }
      controller.say("Hello", to: ann.session.connection)
      try await wait(for: "both signals: \(ann.book.lines)") { ann.book.times("signal chat Hello from other") == 2 }
      try await ann.disconnect()
      try await wait(for: "Ann's end: \(controller.log)") { controller.subscribers.isEmpty }
      #expect(controller.status() == "connected" && controller.view.subviews.count == 1)
      controller.endCallAction(controller)
      try await wait(for: "the end: \(controller.log)") { controller.log.last == "disconnected" }
    }
  }

  @Test("in language mode 6 a controller conforms with @preconcurrency")
  func languageMode6() async throws {
    let controller = SixController()
    let window = show(controller)
    defer { window.close() }
    try await wait(for: "the failure: \(controller.codes)") { controller.codes == [1004] }
  }
}

/// A screen of language mode 6.
private final class SixController: UIViewController {
  private var session: OTSession?
  private(set) var codes: [Int] = []

  override func viewDidLoad() {
    super.viewDidLoad()
    session = OTSession(apiKey: "", sessionId: "x", delegate: self)
    session?.connect(withToken: "devtoken", error: nil)
  }
}

extension SixController: @preconcurrency OTSessionDelegate {
  func sessionDidConnect(_ session: OTSession) {}
  func sessionDidDisconnect(_ session: OTSession) {}
  func session(_ session: OTSession, didFailWithError error: OTError) { codes.append(error.code) }
}
