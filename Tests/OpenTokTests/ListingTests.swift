import OpenTok
import Parley
import ParleyViews
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

  @Test("the tutorial's plain controller of version 1 publishes, and shows its own stream below, and says what fails")
  func hello() async throws {
    try await LiveSession.run { live in
      let controller = HelloViewController()
      (controller.kApiKey, controller.kSessionId) = ("100", live.id)
      let window = show(controller)
      defer { window.close() }
      try await wait(for: "the own picture: \(controller.alerts)") {
        controller.subscriber?.view.superview === controller.view && controller.subscriber?.view.frameCount ?? 0 > 2
      }
      #expect(controller.publisher.view.superview === controller.view && controller.alerts.isEmpty)
      #expect(controller.subscriber?.stream?.connection.connectionId == controller.session.connection?.connectionId)
      controller.session.disconnect()
      try await wait(for: "the end: \(controller.alerts)") { controller.alerts.count == 1 }
      #expect(controller.view.subviews.isEmpty)
    }
    let wrong = HelloViewController()
    let window = show(wrong)
    defer { window.close() }
    try await wait(for: "the failure: \(wrong.alerts)") { wrong.alerts.count == 1 }
    #expect(wrong.alerts.first?.hasSuffix(": 0") == true, "\(wrong.alerts)")
  }

  @Test("a plain controller of version 2 and a plain object that is no screen see each other's session")
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
        manager.subscriber?.view.superview === container && manager.subscriber?.view.frameCount ?? 0 > 2
      }
      let other = try await Meeting.join("\(live.url)/\(live.id)?jwt=devtoken", name: "Ben")
      try await other.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120, framesPerSecond: 5)))
      try await wait(for: "Ben's picture: \(controller.log)") { controller.subscriber?.view.frameCount ?? 0 > 2 }
      await other.leave()
      try await wait(for: "Ben's end: \(controller.log)") { controller.subscriber == nil }
      manager.end()
      controller.session.disconnect(nil)
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
