import Parley
import ParleyViews
import TestSupport
import Testing

@testable import SkypeForBusiness
@testable import WalkthroughListing

extension ListingTests {
  private static let keys = ["OnlineMeetingRequestAPIURL", "TokenAndDiscoveryURIRequestAPIURL", "AcceptedVideoLicense"]

  /// The screens as a storyboard file has them.
  private func story() -> UIStoryboard {
    let story = UIStoryboard(name: "Walkthrough", bundle: nil)
    story.register("OnlineMeeting", isInitial: true) { OnlineMeetingViewController() }
    story.register("Chat") { OnlineChatViewController() }
    story.register("MicrosoftLicenseViewController") { MicrosoftLicenseViewController() }
    for segue in ["joinOnlineChat", "joinOnlineAudioVideoChat"] {
      story.registerSegue(segue, from: "OnlineMeeting", to: "Chat")
    }
    return story
  }

  private func shown() throws -> (UIWindow, UINavigationController, OnlineMeetingViewController) {
    let screen = try #require(story().instantiateInitialViewController() as? OnlineMeetingViewController)
    let navigation = UINavigationController(rootViewController: screen)
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    window.rootViewController = navigation
    window.makeKeyAndVisible()
    return (window, navigation, screen)
  }

  /// Answers the sheet or alert in front.
  private func answer(_ screen: UIViewController, _ title: String) throws {
    let alert = try #require(screen.navigationController?.presentedViewController as? UIAlertController)
    alert.choose(try #require(alert.actions.first { $0.title == title }))
  }

  // It shows the licence once, and joins by video and by text.
  @Test("the walkthrough's screen gets a meeting and a token, and joins")
  func walkthrough() async throws {
    let defaults = UserDefaults.standard
    defer { for key in Self.keys { defaults.removeObject(forKey: key) } }
    try await Office.run { office in
      let application: SfBApplication = SfBApplication.shared()
      application.devicesManager.usesTestDevices = true
      defer { application.devicesManager.usesTestDevices = false }
      defaults.set("\(office.url)/GetAdhocMeetingJob", forKey: Self.keys[0])
      defaults.set("\(office.url)/GetAnonTokenJob", forKey: Self.keys[1])
      defaults.removeObject(forKey: Self.keys[2])
      let (window, navigation, screen) = try shown()
      defer { window.close() }
      try await wait(for: "the token: \(screen.meetingUrl.text ?? "")") { screen.join.isEnabled }
      #expect(screen.meetingUrl.text?.hasPrefix(office.url) == true && !screen.activityIndicator.isAnimating)

      // Closing the licence accepts nothing; accepting it joins.
      screen.joinPressed(screen.join)
      try answer(screen, "Join online video chat")
      try #require(navigation.presentedViewController as? MicrosoftLicenseViewController).closePressed(screen)
      #expect(!defaults.bool(forKey: Self.keys[2]) && navigation.viewControllers.count == 1)
      screen.joinPressed(screen.join)
      try answer(screen, "Join online video chat")
      try #require(navigation.presentedViewController as? MicrosoftLicenseViewController).acceptPressed(screen)
      let video = try #require(navigation.topViewController as? OnlineChatViewController)
      #expect(defaults.bool(forKey: Self.keys[2]) && video.isVideo)
      let first = try #require(video.conversation)
      #expect(first.state == .establishing)
      try await wait(for: "the meeting: \(first.state)") { first.state == .established }

      // Back, and again with a new token: the licence is accepted already, and text never asks for it.
      navigation.popViewController(animated: false)
      try await wait(for: "a new token") { screen.join.isEnabled && !screen.activityIndicator.isAnimating }
      screen.joinPressed(screen.join)
      try answer(screen, "Join online chat")
      let chat = try #require(navigation.topViewController as? OnlineChatViewController)
      let second = try #require(chat.conversation)
      #expect(!chat.isVideo && first.state == .idle)
      try await wait(for: "the second meeting: \(second.state)") { second.state == .established }
      try second.leave()
      await application.everythingIsLeft()
    }
  }

  @Test("what goes wrong in the walkthrough is an alert in its words")
  func walkthroughFails() async throws {
    let defaults = UserDefaults.standard
    defer { for key in Self.keys { defaults.removeObject(forKey: key) } }
    for key in Self.keys.prefix(2) { defaults.set("http://127.0.0.1:9/job", forKey: key) }
    let (window, navigation, screen) = try shown()
    defer { window.close() }
    for title in ["Getting meeting URL failed", "Getting Discover URL failed"] {
      try await wait(for: title) { navigation.presentedViewController?.title == title }
      try answer(screen, "OK")
      #expect(navigation.presentedViewController == nil && !screen.join.isEnabled)
      // The first was asked for when the screen came.
      screen.requestToken()
    }
    // And what it is answered now.
    try await wait(for: "the last alert") { navigation.presentedViewController != nil }
    try answer(screen, "OK")
  }
}
