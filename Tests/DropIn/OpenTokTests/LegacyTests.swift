import Foundation
import OpenTok
import Parley
import ParleyViews
import TestSupport
import Testing

/// Names of version 1: their numbers, their environments, their views, and the calls spelled out.
@MainActor @Suite(.serialized) struct LegacyTests {
  // connectionCount counts, and both environments are the same server.
  @Test("didReceiveStream and didDropStream are called if an app spells them so")
  func spelledOut() async throws {
    try await LiveSession.run { live in
      let app = OldApp()
      let session = try #require(
        OTSession(sessionId: live.id, delegate: app, environment: OTSessionEnvironmentStaging))
      #expect(session.environment == .production && OTSessionEnvironmentProduction == .production)
      #expect(OTSessionEnvironmentStaging == OTSessionEnvironment.staging)
      session.connect(withApiKey: "100", token: "devtoken")
      try await wait(for: "the connection: \(app.lines)") { app.lines == ["connected 1"] }
      let ben = try await Meeting.join("\(live.url)/\(live.id)?jwt=devtoken", name: "Ben")
      try await ben.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120, framesPerSecond: 5)))
      try await wait(for: "Ben's stream: \(app.lines)") { app.lines.last == "didReceiveStream Ben" }
      #expect(session.connectionCount == 2 && session.streams.count == 1)
      let subscriber = try #require(OTSubscriber(stream: session.streams.values.first, delegate: app))
      try await wait(for: "his picture: \(app.lines)") { subscriber.picture.frameCount > 2 }
      await ben.leave()
      try await wait(for: "the drop: \(app.lines)") { app.lines.last == "didDropStream Ben" }
      try await wait(for: "one connection") { session.connectionCount == 1 }
      session.disconnect()
      try await wait(for: "the end: \(app.lines)") { app.lines.last == "disconnected" }
      #expect(session.connectionCount == 0)
    }
  }

  // A subscriber beyond it fails with OTInitializationFailure, a publisher with OTNoMediaPublished. A release makes
  // room.
  @Test(
    "OTStreamLimit.phone allows two streams, .tablet four",
    arguments: [(OTStreamLimit.phone, 2), (.tablet, 4)])
  func limits(limit: OTStreamLimit, count: Int) async throws {
    try await LiveSession.run { live in
      ParleyServer.streamLimit = limit
      defer { ParleyServer.streamLimit = .unlimited }
      let ben = try await Meeting.join("\(live.url)/\(live.id)?jwt=devtoken", name: "Ben")
      try await ben.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 120, framesPerSecond: 5)))
      let app = OldApp()
      let session = try #require(OTSession(sessionId: live.id, andDelegate: app))
      session.connect(withApiKey: "100", token: "devtoken")
      try await wait(for: "Ben's stream: \(app.lines)") { app.lines.contains("didReceiveStream Ben") }
      let stream = try #require(session.streams.values.first)
      var subscribers = (0..<count).map { _ in OTSubscriber(stream: stream, delegate: app) }
      let beyond = try #require(OTSubscriber(stream: stream, delegate: app))
      let full = OTLegacyErrorCode.Subscriber.initializationFailure.rawValue
      try await wait(for: "the limit: \(app.lines)") { app.lines.contains("subscriber failed \(full)") }
      #expect(full == 3 && !beyond.isSubscribed && subscribers.allSatisfy { $0?.session === session })
      let publisher = try #require(OTPublisher(delegate: app, name: "Ann"))
      session.publish(publisher)
      let nothing = OTLegacyErrorCode.Publisher.noMediaPublished.rawValue
      try await wait(for: "the publisher's limit: \(app.lines)") { app.lines.contains("publisher failed \(nothing)") }
      // Letting go of a subscriber ends it, its view leaves, and another one may begin at once.
      let superview = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 240))
      let view: UIView = try #require(subscribers.last??.view)
      superview.addSubview(view)
      subscribers.removeLast()
      let next = try #require(OTSubscriber(stream: stream, delegate: app))
      try await wait(for: "its picture: \(app.lines)") { next.picture.frameCount > 2 }
      #expect(superview.subviews.isEmpty)
      #expect(app.lines.count { $0 == "subscriber failed \(full)" } == 1)
      // One that is unsubscribed, in the same turn.
      session.unsubscribe(subscribers[0])
      let another = try #require(OTSubscriber(stream: stream, delegate: app))
      try await wait(for: "the other's picture: \(app.lines)") { another.picture.frameCount > 2 }
      // A publisher counts as well: with it there is room for one subscriber less.
      session.unsubscribe(another)
      session.publish(publisher)
      try await wait(for: "the own stream: \(app.lines)") { publisher.stream != nil }
      let late = try #require(OTSubscriber(stream: stream, delegate: app))
      try await wait(for: "the limit again: \(app.lines)") {
        app.lines.count { $0 == "subscriber failed \(full)" } == 2
      }
      #expect(!late.isSubscribed && next.session === session)
      session.disconnect()
      try await wait(for: "the end: \(app.lines)") { app.lines.last == "disconnected" }
      await ben.leave()
    }
  }

  @Test("a tap on an OTVideoView shows its name in the toolbarView, and hides it")
  func namePlate() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await ann.publish(try ann.publisher("Ann"))
      let subscriber = try await ben.subscribe(to: "Ann")
      let view: OTVideoView = try #require(subscriber.picture)
      #expect(view.name == "Ann" && view.videoView === view)
      let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      window.makeKeyAndVisible()
      defer { window.close() }
      window.addSubview(view)
      view.frame = CGRect(x: 0, y: 240, width: 320, height: 240)
      view.layoutSubviews()
      #expect(view.toolbarView.frame == CGRect(x: 0, y: 208, width: 320, height: 32) && view.toolbarView.isHidden)
      for (time, isHidden) in [(1.0, false), (3.0, true)] {
        window.sendTouch(.began, at: CGPoint(x: 100, y: 300), time: time)
        window.sendTouch(.ended, at: CGPoint(x: 100, y: 300), time: time + 0.1)
        #expect(view.toolbarView.isHidden == isHidden)
      }
      // A person without a pointer presses the button in the corner, which the tab key reaches.
      let handle = try #require(view.subviews.compactMap { $0 as? UIButton }.first)
      #expect(!handle.isHidden && view.toolbarView.frame.contains(handle.frame))
      for isHidden in [false, true] {
        handle.sendActions(for: .touchUpInside)
        #expect(view.toolbarView.isHidden == isHidden)
        #expect(handle.accessibilityLabel == "\(isHidden ? "Show" : "Hide") what belongs to the picture of Ann")
      }
      #expect(OTVideoView(frame: view.frame).subviews.allSatisfy { $0.isHidden }, "there is nothing to show")
      // There are buttons in version 1 alone.
      #expect(view.toolbarView.subviews.allSatisfy { !($0 is UIButton) || $0.isHidden })
      var image: UIImage?
      // The first pictures may be smaller, until it is known what the network takes.
      try await wait(for: "a whole picture: \(image?.size ?? .zero)") {
        view.getImageWithBlock { image = $0 }
        return image?.size == CGSize(width: 160, height: 120)
      }
      var (red, green) = (CGFloat(0), CGFloat(0))
      #expect(image?.color(x: 80, y: 60)?.getRed(&red, green: &green, blue: nil, alpha: nil) == true)
      #expect(red > 0.8 && green < 0.2)
      subscriber.viewScaleBehavior = OTVideoViewScaleBehavior.fit
      #expect(view.scaling == .fit)
      subscriber.viewScaleBehavior = .fill
      #expect(view.scaling == .fill)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test("version 1: the toolbarView mutes a publisher for all, a subscriber for one")
  func toolbarButtons() async throws {
    try await LiveSession.run { live in
      let device = ToneDevice(frequency: 600)
      OTAudioDeviceManager.setAudioDevice(device)
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let (app, ben) = (OldApp(), try await Guest(live))
      let session = try #require(OTSession(sessionId: live.id, andDelegate: app))
      session.connect(withApiKey: "100", token: "devtoken")
      try await wait(for: "the connection: \(app.lines)") { app.lines.first?.hasPrefix("connected") == true }
      let publisher = try #require(OTPublisher(delegate: app, name: "Ann"))
      session.publish(publisher)
      try await ben.publish(try ben.publisher("Ben", audio: true))
      let seen = try await ben.stream("Ann")
      try await wait(for: "Ben's stream: \(app.lines)") { app.lines.contains("didReceiveStream Ben") }
      let subscriber = try #require(
        session.streams.values.first { $0.name == "Ben" }.flatMap { OTSubscriber(stream: $0, delegate: app) })
      try await wait(for: "his picture: \(app.lines)") { subscriber.picture.frameCount > 2 }

      let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      window.makeKeyAndVisible()
      defer { window.close() }
      for (index, view) in [publisher.picture, subscriber.picture].enumerated() {
        let view: OTVideoView = try #require(view)
        window.addSubview(view)
        view.frame = CGRect(x: 0, y: CGFloat(index) * 240, width: 320, height: 240)
        tap(window, 100, 100 + index * 240, at: Double(index) * 10 + 1)
        view.layoutIfNeeded()
        #expect(!view.toolbarView.isHidden)
        let button = try #require(view.toolbarView.subviews.compactMap { $0 as? UIButton }.first { !$0.isHidden })
        #expect(button.currentTitle == "Mute")
        let place = view.convert(CGPoint(x: button.frame.midX, y: 208 + button.frame.midY), to: nil)
        for (step, isOn) in [(3.0, false), (5.0, true)] {
          tap(window, Int(place.x), Int(place.y), at: Double(index) * 10 + step)
          #expect(button.currentTitle == (isOn ? "Mute" : "Unmute") && !view.toolbarView.isHidden)
          if index == 0 {
            try await wait(for: "the sound at Ben's to be \(isOn ? "on" : "off")") { seen.hasAudio == isOn }
          } else {
            #expect(subscriber.subscribeToAudio == isOn)
          }
        }
      }
      // The app's own actions show on the button.
      publisher.publishAudio = false
      let button = try #require(publisher.picture.toolbarView.subviews.compactMap { $0 as? UIButton }.first)
      try await wait(for: "the button of a muted publisher") { button.currentTitle == "Unmute" }
      session.disconnect()
      try await wait(for: "the end: \(app.lines)") { app.lines.last == "disconnected" }
      try await ben.disconnect()
    }
  }

  private func tap(_ window: UIWindow, _ x: Int, _ y: Int, at time: Double) {
    window.sendTouch(.began, at: CGPoint(x: x, y: y), time: time)
    window.sendTouch(.ended, at: CGPoint(x: x, y: y), time: time + 0.1)
  }

  @Test("the numbers of version 1 are those of its headers")
  func numbers() {
    #expect(
      OTLegacyErrorCode.Session.allCases == [
        .authorizationFailure, .invalidSessionId, .connectionFailed, .noMessagingServer, .sdkUpdateRequired,
        .connectionRefused, .sessionStateFailed, .p2PSessionUnsupported, .unknownServerError, .p2PSessionRequired,
        .p2PSessionMaxParticipants, .sessionConnectionTimeout, .sessionCompatibilityMismatch,
      ])
    #expect(OTLegacyErrorCode.Session.allCases.map(\.rawValue) == Array(0...12))
    #expect(
      OTLegacyErrorCode.Publisher.allCases == [.noMediaPublished, .userDeniedCameraAccess, .sessionDisconnected])
    #expect(OTLegacyErrorCode.Publisher.allCases.map(\.rawValue) == [0, 1, 2])
    #expect(
      OTLegacyErrorCode.Subscriber.allCases == [
        .failedToConnect, .connectionTimedOut, .noStreamMedia, .initializationFailure, .invalidStreamType,
        .selfSubscribeFailure,
      ])
    #expect(OTLegacyErrorCode.Subscriber.allCases.map(\.rawValue) == Array(0...5))
  }
}

/// An app of version 1, whose delegate has the names of the headers in full.
// unchecked: everything is called on the main queue.
private final class OldApp: OTSessionDelegate, OTPublisherDelegate, OTSubscriberDelegate, @unchecked Sendable {
  private(set) var lines: [String] = []

  func sessionDidConnect(_ session: OTSession) { lines.append("connected \(session.connectionCount)") }
  func sessionDidDisconnect(_ session: OTSession) { lines.append("disconnected") }
  func session(_ session: OTSession, didFailWithError error: OTError) { lines.append("failed \(error.code)") }
  func session(_ session: OTSession, didReceiveStream stream: OTStream) {
    lines.append("didReceiveStream \(stream.name ?? "")")
  }
  func session(_ session: OTSession, didDropStream stream: OTStream) {
    lines.append("didDropStream \(stream.name ?? "")")
  }
  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) {
    lines.append("publisher failed \(error.code)")
  }
  func subscriberDidConnect(toStream subscriber: OTSubscriberKit) {}
  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError) {
    lines.append("subscriber failed \(error.code)")
  }
}
