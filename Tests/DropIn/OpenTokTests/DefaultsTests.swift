import Foundation
import TestSupport
import Testing

@testable import OpenTok
@testable import OpenTokShapes

/// Properties begin as those of the SDK, and hold what those hold, by the list of its names.
@MainActor @Suite struct DefaultsTests {
  /// The names of the list that have words behind them, with the words.
  private func listed() throws -> [(name: String, words: String)] {
    try Repository.text(of: "docs/porting/opentok-names.txt").split(separator: "\n").compactMap { line in
      guard !line.hasPrefix("#"), let gap = line.firstRange(of: "  ") else { return nil }
      return (String(line[..<gap.lowerBound]), line[gap.upperBound...].trimmingCharacters(in: .whitespaces))
    }
  }

  /// A value as the list spells it, but without what divides digits.
  private nonisolated func spelled(_ value: Any?) -> String {
    switch value {
    case nil: "nil"
    case let text as String: "\"\(text)\""
    case let number as any BinaryFloatingPoint: "\(number)".replacing(/\.0$/, with: "")
    case let number as any BinaryInteger: "\(number)"
    case let flag as Bool: "\(flag)"
    case .some(let other): ".\(other)"
    }
  }

  @Test("every property begins with the value that the list has")
  func values() throws {
    let (kit, settings, audio) = (OTPublisherKitSettings(), OTPublisherSettings(), OTAudioFormat())
    let session = OTSessionSettings()
    let publisher = try #require(OTPublisherKit(delegate: nil))
    let camera = try #require(OTPublisher(delegate: nil, name: nil, audioTrack: false, videoTrack: false))
    let subscriber = try #require(OTSubscriber(stream: OTStream(), delegate: nil))
    let found: [String: Any?] = [
      "OTSessionSettings.connectionEventsSuppressed": session.connectionEventsSuppressed,
      "OTSessionSettings.ipWhitelist": session.ipWhitelist,
      "OTSessionSettings.singlePeerConnection": session.singlePeerConnection,
      "OTSessionSettings.sessionMigration": session.sessionMigration,
      "OTPublisherKit.name": publisher.name,
      "OTPublisherKit.publishAudio": publisher.publishAudio,
      "OTPublisherKit.publishVideo": publisher.publishVideo,
      "OTPublisherKit.publishCaptions": publisher.publishCaptions,
      "OTPublisherKit.videoType": publisher.videoType,
      "OTPublisherKit.audioFallbackEnabled": publisher.audioFallbackEnabled,
      "OTPublisherKit.videoBitratePreset": publisher.videoBitratePreset,
      "OTPublisherKit.maxVideoBitrate": publisher.maxVideoBitrate,
      "OTPublisher.viewScaleBehavior": camera.viewScaleBehavior,
      "OTPublisher.cameraZoomFactor": camera.cameraZoomFactor,
      "OTPublisherKitSettings.name": kit.name,
      "OTPublisherKitSettings.audioTrack": kit.audioTrack,
      "OTPublisherKitSettings.videoTrack": kit.videoTrack,
      "OTPublisherKitSettings.audioBitrate": kit.audioBitrate,
      "OTPublisherKitSettings.enableOpusDtx": kit.enableOpusDtx,
      "OTPublisherKitSettings.scalableScreenshare": kit.scalableScreenshare,
      "OTPublisherKitSettings.subscriberAudioFallbackEnabled": kit.subscriberAudioFallbackEnabled,
      "OTPublisherKitSettings.publisherAudioFallbackEnabled": kit.publisherAudioFallbackEnabled,
      "OTPublisherKitSettings.senderStatsTrack": kit.senderStatsTrack,
      "OTPublisherKitSettings.allowAudioCaptureWhileMuted": kit.allowAudioCaptureWhileMuted,
      "OTPublisherSettings.cameraResolution": settings.cameraResolution,
      "OTSubscriber.viewScaleBehavior": subscriber.viewScaleBehavior,
      "OTSubscriberKit.subscribeToAudio": subscriber.subscribeToAudio,
      "OTSubscriberKit.subscribeToVideo": subscriber.subscribeToVideo,
      "OTSubscriberKit.audioVolume": subscriber.audioVolume,
      "OTAudioFormat.sampleRate": audio.sampleRate,
      "OTAudioFormat.numChannels": audio.numChannels,
    ]
    let values = try listed().compactMap { name, words in
      words.firstRange(of: " = ").map { (name, words[$0.upperBound...].replacing("_", with: "")) }
    }
    let expected = Dictionary(uniqueKeysWithValues: values.map { ($0.0, String($0.1)) })
    let begins = found.mapValues { spelled($0) }
    #expect(begins == expected)
    // A screen doesn't fall back by itself.
    publisher.videoType = .screen
    #expect(!publisher.audioFallbackEnabled)
    publisher.audioFallbackEnabled = true
    #expect(publisher.audioFallbackEnabled)
  }

  @Test("delegates aren't kept, renderers and capturers are, as the list says")
  func ownership() throws {
    let session = try #require(OTSession(apiKey: "100", sessionId: "room", delegate: nil))
    let settings = OTPublisherSettings()
    let publisher = try #require(OTPublisherKit(delegate: nil))
    let subscriber = try #require(OTSubscriberKit(stream: OTStream(), delegate: nil))
    let found = [
      "OTSession.delegate": isKept(Notebook()) { session.delegate = $0 },
      "OTPublisherKit.delegate": isKept(Notebook()) { publisher.delegate = $0 },
      "OTPublisherKit.audioLevelDelegate": isKept(Notebook()) { publisher.audioLevelDelegate = $0 },
      "OTPublisherKit.networkStatsDelegate": isKept(Notebook()) { publisher.networkStatsDelegate = $0 },
      "OTPublisherKit.rtcStatsReportDelegate": isKept(Notebook()) { publisher.rtcStatsReportDelegate = $0 },
      "OTPublisherKit.videoCapture": isKept(ColourCapture()) { publisher.videoCapture = $0 },
      "OTPublisherKit.videoRender": isKept(FrameWatcher { _ in }) { publisher.videoRender = $0 },
      "OTPublisherSettings.videoCapture": isKept(ColourCapture()) { settings.videoCapture = $0 },
      "OTSubscriberKit.delegate": isKept(Notebook()) { subscriber.delegate = $0 },
      "OTSubscriberKit.captionsDelegate": isKept(Notebook()) { subscriber.captionsDelegate = $0 },
      "OTSubscriberKit.audioLevelDelegate": isKept(Notebook()) { subscriber.audioLevelDelegate = $0 },
      "OTSubscriberKit.networkStatsDelegate": isKept(Notebook()) { subscriber.networkStatsDelegate = $0 },
      "OTSubscriberKit.rtcStatsReportDelegate": isKept(Notebook()) { subscriber.rtcStatsReportDelegate = $0 },
      "OTSubscriberKit.videoRender": isKept(FrameWatcher { _ in }) { subscriber.videoRender = $0 },
    ]
    let names = try listed()
    let protocols = Set(names.filter { $0.words.hasPrefix("protocol") }.map(\.name))
    // Properties of classes whose value is an object of a protocol.
    let expected = names.filter { name, words in
      guard let dot = name.firstIndex(of: "."), !protocols.contains(String(name[..<dot])) else { return false }
      return !name.contains("(") && protocols.contains(words.replacing("weak ", with: "").replacing("?", with: ""))
    }
    #expect(found == Dictionary(uniqueKeysWithValues: expected.map { ($0.name, !$0.words.hasPrefix("weak ")) }))
  }

  /// Whether `keep` keeps an object that nobody else keeps.
  private func isKept<Object: AnyObject>(_ make: @autoclosure () -> Object, by keep: (Object) -> Void) -> Bool {
    weak var seen: Object?
    func hand(_ object: Object) {
      keep(object)
      seen = object
    }
    hand(make())
    return seen != nil
  }
}
