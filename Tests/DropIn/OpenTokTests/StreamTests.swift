import Foundation
import Observation
import OpenTok
import Parley
import ParleyViews
import TestSupport
import Testing

/// Streams: screens, and what changes of a stream while it lasts.
@MainActor @Suite(.serialized) struct StreamTests {
  // With videoType screen. A second screen gives 1015.
  @Test("a screen next to the camera is a stream of its own, and each ends alone")
  func screens() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let camera = try ann.publisher("Ann")
      let screen = try ann.publisher("Ann's screen", type: .screen)
      try await ann.publish(camera)
      try await ann.publish(screen)
      #expect(camera.stream?.videoType == .camera && screen.stream?.videoType == .screen)
      #expect(camera.stream?.streamId != screen.stream?.streamId && ann.session.streams.count == 2)
      let another = try ann.publisher("More", type: .screen)
      #expect(ann.code { ann.session.publish(another, error: $0) } == OTSessionErrorCode.OTSessionIllegalState.number)
      #expect(another.session == nil)

      try await wait(for: "both at Ben's: \(ben.book.lines)") { ben.book.streams.count == 2 }
      #expect(Set(ben.book.streams.map(\.videoType)) == [.camera, .screen])
      let stream = try #require(ben.book.streams.first { $0.videoType == .screen })
      #expect(stream.streamId == screen.stream?.streamId && stream.hasVideo && !stream.hasAudio)
      let subscriber = try #require(OTSubscriber(stream: stream, delegate: ben.book))
      ben.session.subscribe(subscriber, error: nil)
      try await wait(for: "the screen: \(ben.book.lines)") { ben.book.saw("subscriber videoDataReceived") }

      ann.session.unpublish(screen, error: nil)
      try await wait(for: "the screen's end: \(ben.book.lines)") {
        ben.book.lines.contains { $0.hasPrefix("streamDestroyed") }
      }
      #expect(ben.session.streams.values.map(\.videoType) == [.camera] && camera.stream != nil)
      #expect(!subscriber.isSubscribed)
      // The place is free again.
      try await ann.publish(another)
      try await wait(for: "the second screen: \(ben.book.lines)") { ben.book.streams.count == 3 }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // For its publisher, for present and later subscribers, and in the REST listing.
  @Test("creationTime is when the server accepted the stream, for everybody")
  func creationTime() async throws {
    try await LiveSession.run { live in
      let project = try await Project(live)
      let id = project.session()
      func guest() async throws -> Guest {
        try await Guest(live, id: id, key: project.key, token: try project.token(id))
      }
      let (ann, ben) = (try await guest(), try await guest())
      let camera = try ann.publisher("Ann", audio: true)
      let screen = try ann.publisher("Ann's screen", type: .screen)
      let start = Date()
      try await ann.publish(camera)
      try await ann.publish(screen)
      let own = [try #require(camera.stream), try #require(screen.stream)]
      #expect(own[0].creationTime < own[1].creationTime)
      #expect(own.allSatisfy { abs($0.creationTime.timeIntervalSince(start)) < 60 })
      let cem = try await guest()
      for guest in [ben, cem] {
        try await wait(for: "both streams: \(guest.book.lines)") { guest.book.streams.count == 2 }
        for stream in own { #expect(guest.session.streams[stream.streamId]?.creationTime == stream.creationTime) }
      }
      let listed = try await project.streams(of: id, live)
      #expect(listed == Dictionary(uniqueKeysWithValues: own.map { ($0.streamId, $0.creationTime) }))

      // A publisher that is published again has another stream, which began then.
      let before = own[0].creationTime
      ann.session.unpublish(camera, error: nil)
      try await wait(for: "the end: \(ann.book.lines)") { camera.session == nil }
      try await ann.publish(camera)
      let again = try #require(camera.stream)
      #expect(again.streamId == own[0].streamId && again.creationTime > before)
      try await wait(for: "the camera again: \(ben.book.lines)") { ben.book.streams.count == 3 }
      #expect(ben.session.streams[again.streamId]?.creationTime == again.creationTime)
      for guest in [ann, ben, cem] { try await guest.disconnect() }
    }
  }

  @Test("a publisher published again is seen again by those who subscribe again")
  func publishingAgain() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann")
      for round in 1...3 {
        try await ann.publish(publisher)
        let subscriber = try await ben.subscribe(to: "Ann", count: round)
        try await wait(for: "pictures in round \(round)") { subscriber.picture.frameCount > 3 }
        ann.session.unpublish(publisher, error: nil)
        try await wait(for: "the end of round \(round): \(ben.book.lines)") {
          ben.book.times("streamDestroyed Ann true") == round && publisher.session == nil
        }
        #expect(!subscriber.isSubscribed)
      }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test("who stops before the own stream was there takes nothing from who publishes next")
  func publishingAnotherAtOnce() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let (first, second) = (try ann.publisher("First"), try ann.publisher("Second"))
      ann.session.publish(first, error: nil)
      ann.session.unpublish(first, error: nil)
      try await wait(for: "the first to be free") { first.session == nil }
      try await ann.publish(second)
      let subscriber = try await ben.subscribe(to: "Second")
      let count = subscriber.picture.frameCount
      try await wait(for: "its pictures to go on") { subscriber.picture.frameCount > count + 10 }
      #expect(second.session === ann.session)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // They are observed, and didChangeVideoDimensions reports the size.
  @Test("hasAudio, hasVideo and videoDimensions follow the publisher")
  func properties() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann", audio: true)
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      let stream = try #require(subscriber.stream)
      let own = try #require(publisher.stream)
      #expect(stream.hasAudio && stream.hasVideo && own.hasAudio && own.hasVideo && stream.name == "Ann")
      #expect(stream.session === ben.session && own.session === ann.session)
      #expect(stream.type == "basic" && !stream.hasCaptions)
      try await wait(for: "the size: \(stream.videoDimensions)") {
        stream.videoDimensions == CGSize(width: 160, height: 120)
      }
      #expect(ben.book.dimensions.last == stream.videoDimensions)
      #expect(own.videoDimensions == CGSize(width: 160, height: 120), "known though nobody here subscribes to it")
      #expect(own.creationTime == stream.creationTime)

      let changes = Changes()
      withObservationTracking {
        _ = (stream.hasAudio, stream.hasVideo)
      } onChange: {
        changes.note()
      }
      publisher.publishAudio = false
      try await wait(for: "the muted sound") { !stream.hasAudio && !own.hasAudio }
      #expect(changes.count == 1 && stream.hasVideo)
      publisher.publishVideo = false
      try await wait(for: "no picture") { !stream.hasVideo && !own.hasVideo }
      #expect(ann.book.saw("publisher videoDisabled publisherPropertyChanged"))
      (publisher.publishAudio, publisher.publishVideo) = (true, true)
      try await wait(for: "both again") { stream.hasAudio && stream.hasVideo && own.hasAudio && own.hasVideo }
      #expect(ann.book.saw("publisher videoEnabled publisherPropertyChanged"))

      // Another capturer, of another shape, while it is published.
      publisher.videoCapture = ColourCapture(width: 320, height: 180)
      try await wait(for: "the new size: \(stream.videoDimensions)") {
        abs(stream.videoDimensions.width / stream.videoDimensions.height - 16.0 / 9.0) < 0.1
      }
      #expect(ben.book.dimensions.last == stream.videoDimensions && ben.book.dimensions.count > 1)
      #expect(own.videoDimensions == CGSize(width: 320, height: 180))
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // So have subscribers that were never subscribed.
  @Test("publishers without a track have usable views without video")
  func viewsWithoutPictures() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann", audio: true, capture: nil)
      try await ann.publish(publisher)
      #expect(publisher.stream?.hasVideo == false)
      let subscriber = try await ben.subscribe(to: "Ann")
      let root = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 240))
      for view in [publisher.picture, subscriber.picture] {
        let view = try #require(view)
        root.addSubview(view)
        view.frame = .zero
        view.layoutIfNeeded()
        var images: [UIImage?] = []
        view.getImageWithBlock { images.append($0) }
        #expect(images.count == 1 && images.allSatisfy { $0 == nil } && view.currentFrame == nil)
      }
      subscriber.viewScaleBehavior = .fit
      #expect(subscriber.viewScaleBehavior == .fit && publisher.viewScaleBehavior == .fill)
      publisher.cameraPosition = .back
      try await ann.disconnect()
      try await wait(for: "the stream's end: \(ben.book.lines)") { ben.book.saw("streamDestroyed Ann true") }
      // Its view can be asked for still, also that of a subscriber that never had one.
      #expect(subscriber.picture.superview == nil)
      root.addSubview(subscriber.picture)
      let late = try #require(OTSubscriber(stream: ben.book.streams[0], delegate: ben.book))
      ben.session.subscribe(late, error: nil)
      try await wait(for: "the gone stream: \(ben.book.lines)") {
        ben.book.saw(
          "subscriber failed \(OTSubscriberErrorDomain) \(OTSubscriberErrorCode.OTSubscriberServerCannotFindStream.number)"
        )
      }
      #expect(!late.isSubscribed && late.picture.currentFrame == nil)
      late.close()
      #expect(
        ben.code { ben.session.unsubscribe(late, error: $0) } == OTSessionErrorCode.OTSessionSubscriberNotFound.number)
      #expect(ben.code { ben.session.unpublish(nil, error: $0) } == 1011)
      #expect(ben.code { ben.session.unsubscribe(nil, error: $0) } == 1011)
      try await ben.disconnect()
    }
  }
}

/// Counts what was observed.
// unchecked: behind `lock`.
private final class Changes: @unchecked Sendable {
  private let lock = NSLock()
  private var noted = 0
  var count: Int { lock.withLock { noted } }
  func note() { lock.withLock { noted += 1 } }
}
