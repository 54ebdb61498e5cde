import Foundation
import OpenTok
import Parley
import ParleyViews
import TestSupport
import Testing

/// Names that wrappers and version 1 spell in their own way.
@MainActor @Suite(.serialized) struct SpellingTests {
  // publisherVideoDisabled and videoDisabled, publisherVideoEnabled and videoEnabled, with publisherPropertyChanged;
  // warnings are not.
  @Test("both spellings of video events are called, with their reason")
  func publisher() async throws {
    try await LiveSession.run { live in
      let (headers, wrapper) = (HeaderNames(), WrapperNames())
      for delegate in [headers, wrapper] as [any OTPublisherKitDelegate & Telling] {
        let ann = try await Guest(live)
        let publisher = try ann.publisher("Ann")
        publisher.delegate = delegate
        try await ann.publish(publisher)
        for (count, isOn) in [(1, false), (2, true)] {
          publisher.publishVideo = isOn
          try await wait(for: "\(count): \(delegate.told)") { delegate.told.count == count }
        }
        #expect(delegate.told.map(\.name) == ["disabled", "enabled"])
        #expect(delegate.told.allSatisfy { $0.reason == OTPublisherVideoEventReason.publisherPropertyChanged })
        try await ann.disconnect()
      }
      #expect(headers.warnings == 0 && wrapper.warnings == 0)
    }
  }

  @Test("every delegate method is called once in the types of version 1, too")
  func typesOfVersion1() async throws {
    try await LiveSession.run { live in
      let old = OldTypes()
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann")
      publisher.delegate = old
      try await ann.publish(publisher)
      let stream = try await ben.stream("Ann")
      let subscriber = try #require(OTSubscriber(stream: stream, delegate: old))
      ben.session.subscribe(subscriber, error: nil)
      try await wait(for: "the picture: \(old.told)") { old.told.last == "first picture" }
      publisher.publishVideo = false
      try await wait(for: "the picture to go: \(old.told)") { old.told.contains("no picture publisherPropertyChanged") }
      publisher.publishVideo = true
      try await wait(for: "the picture to come: \(old.told)") {
        old.told.contains("a picture publisherPropertyChanged")
      }
      ann.session.unpublish(publisher, error: nil)
      try await wait(for: "the end: \(old.told)") { old.told.last == "ended" }
      try await wait(for: "the end at Ben's: \(ben.book.lines)") { ben.book.saw("streamDestroyed Ann true") }
      ben.session.subscribe(subscriber, error: nil)
      try await wait(for: "the failure: \(old.told)") { old.told.last == "subscriber failed 1604" }
      #expect(
        old.told == [
          "created", "connected", "first picture", "off", "no picture publisherPropertyChanged", "on",
          "a picture publisherPropertyChanged", "ended", "subscriber failed 1604",
        ])
      // The callbacks of a slow network, a moderator or a broken camera, as the session calls them.
      old.told = []
      let (first, second): (any OTPublisherKitDelegate, any OTSubscriberKitDelegate) = (old, old)
      first.publisher(publisher, didFailWithError: OTError(domain: "x", code: 7))
      first.muteForced(publisher)
      first.publisherVideoDisableWarning(publisher)
      first.publisherVideoDisableWarningLifted(publisher)
      first.publisherDidStartStreaming(publisher)
      first.publisherDidStopStreaming(publisher)
      second.subscriberVideoDisableWarning(subscriber)
      second.subscriberVideoDisableWarningLifted(subscriber)
      second.subscriberDidDisconnect(fromStream: subscriber)
      second.subscriberDidReconnect(toStream: subscriber)
      #expect(
        old.told == [
          "publisher failed 7", "muted", "publisher warned", "publisher well", "started", "stopped", "warned", "well",
          "interrupted", "back",
        ])
      // A publisher without a view isn't one of version 1: nobody is notified of it.
      old.told = []
      first.muteForced(try #require(OTPublisherKit(delegate: old)))
      second.subscriberDidConnect(toStream: try #require(OTSubscriberKit(stream: stream, delegate: old)))
      #expect(old.told.isEmpty)
      // A delegate without any of the methods gets no calls, and nothing loops.
      let silent = Silent()
      (silent as any OTPublisherKitDelegate).publisherDidStartStreaming(publisher)
      (silent as any OTSubscriberKitDelegate).subscriberDidConnect(toStream: subscriber)
      silent.subscriberDidReconnect(toStream: subscriber)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // disconnected is version 1's name of notConnected.
  @Test("a subscriber's reasons and a frame's metadata are those of the headers")
  func values() throws {
    #expect(OTPublisherVideoEventReason.publisherPropertyChanged.rawValue == 1)
    #expect(OTPublisherVideoEventReason.qualityChanged.rawValue == 3)
    let reasons: [OTSubscriberVideoEventReason] = [
      .publisherPropertyChanged, .subscriberPropertyChanged, .qualityChanged, .codecNotSupported,
    ]
    #expect(reasons.map(\.rawValue) == [1, 2, 3, 4])
    let frame = OTVideoFrame(format: OTVideoFormat(i420WithWidth: 16, height: 16))
    frame.setMetadata(Data([1, 2, 3]), error: nil)
    #expect(frame.metadata == Data([1, 2, 3]))
    let session = try #require(OTSession(apiKey: "100", sessionId: "x", delegate: nil))
    #expect(session.sessionConnectionStatus == OTSessionConnectionStatus.disconnected)
    // As apps of CallKit call it, and it does no harm.
    OTAudioDeviceManager.setAudioDevice(nil)
    OTAudioDeviceManager.currentAudioSessionManager()?.enableCallingServicesMode()
    let manager: any OTAudioSessionManager = try #require(OTAudioDeviceManager.currentAudioSessionManager())
    for mode in [AVAudioSession.Mode.default, .voiceChat, .videoChat] {
      manager.preconfigureAudioSessionForCall(withMode: mode)
    }
    manager.preconfigureAudioSessionForCall(withMode: nil)
    manager.audioSessionDidActivate(AVAudioSession.sharedInstance())
    manager.audioSessionDidDeactivate(AVAudioSession.sharedInstance())
    let positions: [AVCaptureDevice.Position] = [.unspecified, .back, .front]
    #expect(positions.map(\.rawValue) == [0, 1, 2])
  }
}

/// A delegate of both kinds without a method.
private final class Silent: OTPublisherDelegate, OTSubscriberDelegate {}

/// Every method in the types of version 1.
// unchecked: everything is called on the main queue.
private final class OldTypes: OTPublisherDelegate, OTSubscriberDelegate, @unchecked Sendable {
  var told: [String] = []

  func publisher(_ publisher: OTPublisher, didFailWithError error: OTError) {
    told.append("publisher failed \(error.code)")
  }
  func publisher(_ publisher: OTPublisher, streamCreated stream: OTStream) { told.append("created") }
  func publisher(_ publisher: OTPublisher, streamDestroyed stream: OTStream) { told.append("ended") }
  func muteForced(_ publisher: OTPublisher) { told.append("muted") }
  func publisherVideoDisabled(_ publisher: OTPublisher, reason: OTPublisherVideoEventReason) { told.append("off") }
  func publisherVideoEnabled(_ publisher: OTPublisher, reason: OTPublisherVideoEventReason) { told.append("on") }
  func publisherVideoDisableWarning(_ publisher: OTPublisher) { told.append("publisher warned") }
  func publisherVideoDisableWarningLifted(_ publisher: OTPublisher) { told.append("publisher well") }
  func publisherDidStartStreaming(_ publisher: OTPublisher) { told.append("started") }
  func publisherDidStopStreaming(_ publisher: OTPublisher) { told.append("stopped") }

  func subscriberDidConnect(toStream subscriber: OTSubscriber) { told.append("connected") }
  func subscriber(_ subscriber: OTSubscriber, didFailWithError error: OTError) {
    told.append("subscriber failed \(error.code)")
  }
  func subscriberVideoDataReceived(_ subscriber: OTSubscriber) { told.append("first picture") }
  func subscriberVideoDisabled(_ subscriber: OTSubscriber, reason: OTSubscriberVideoEventReason) {
    told.append("no picture \(reason)")
  }
  func subscriberVideoEnabled(_ subscriber: OTSubscriber, reason: OTSubscriberVideoEventReason) {
    told.append("a picture \(reason)")
  }
  func subscriberVideoDisableWarning(_ subscriber: OTSubscriber) { told.append("warned") }
  func subscriberVideoDisableWarningLifted(_ subscriber: OTSubscriber) { told.append("well") }
  func subscriberDidDisconnect(fromStream subscriber: OTSubscriber) { told.append("interrupted") }
  func subscriberDidReconnect(toStream subscriber: OTSubscriber) { told.append("back") }
}

/// A delegate that notes its calls about a publisher's video.
private protocol Telling: AnyObject, Sendable {
  var told: [(name: String, reason: OTPublisherVideoEventReason)] { get }
}

/// As the headers spell it.
// unchecked: everything is called on the main queue.
private final class HeaderNames: OTPublisherKitDelegate, Telling, @unchecked Sendable {
  private(set) var told: [(name: String, reason: OTPublisherVideoEventReason)] = []
  private(set) var warnings = 0

  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) {}
  func publisherVideoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    told.append(("disabled", reason))
  }
  func publisherVideoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    told.append(("enabled", reason))
  }
  func publisherVideoDisableWarning(_ publisher: OTPublisherKit) { warnings += 1 }
  func publisherVideoDisableWarningLifted(_ publisher: OTPublisherKit) { warnings += 1 }
}

/// As wrappers spell it.
// unchecked: everything is called on the main queue.
private final class WrapperNames: OTPublisherKitDelegate, Telling, @unchecked Sendable {
  private(set) var told: [(name: String, reason: OTPublisherVideoEventReason)] = []
  private(set) var warnings = 0

  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) {}
  func videoDisabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    told.append(("disabled", reason))
  }
  func videoEnabled(_ publisher: OTPublisherKit, reason: OTPublisherVideoEventReason) {
    told.append(("enabled", reason))
  }
  func videoDisableWarning(_ publisher: OTPublisherKit) { warnings += 1 }
  func videoDisableWarningLifted(_ publisher: OTPublisherKit) { warnings += 1 }
}
