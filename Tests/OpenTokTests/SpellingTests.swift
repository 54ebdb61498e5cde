import Foundation
import OpenTok
import Parley
import Testing

/// Names that wrappers and version 1 spell in their own way.
@MainActor @Suite(.serialized) struct SpellingTests {
  @Test(
    "publisherVideoDisabled and videoDisabled, publisherVideoEnabled and videoEnabled are told alike, with the reason publisherPropertyChanged; warnings are not"
  )
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

  @Test(
    "a subscriber's reasons and the frame's metadata are those of the headers, and disconnected is what version 1 calls notConnected"
  )
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
    let positions: [AVCaptureDevice.Position] = [.unspecified, .back, .front]
    #expect(positions.map(\.rawValue) == [0, 1, 2])
  }
}

/// What a delegate was told of the own picture.
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
