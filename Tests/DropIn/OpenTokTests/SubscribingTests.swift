import Foundation
import NetworkGate
import Parley
import TestSupport
import Testing

@testable import OpenTok
@testable import OpenTokShapes

/// An app's settings of a subscriber, and its reports about the media.
@MainActor @Suite(.serialized) struct SubscribingTests {
  // Values out of range count as the nearest.
  @Test("audioVolume changes the loudness, subscribeToAudio silences a stream")
  func volume() async throws {
    try await LiveSession.run { live in
      let device = ToneDevice(frequency: 600)
      OTAudioDeviceManager.setAudioDevice(device)
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await ann.publish(try ann.publisher("Ann", audio: true, capture: nil))
      let subscriber = try await ben.subscribe(to: "Ann")
      #expect(subscriber.audioVolume == 100)
      subscriber.audioLevelDelegate = ben.book
      // The tone has an amplitude of 6,000: its mean is 4,243.
      try await wait(for: "the tone: \(device.loudness)") { device.loudness > 3_500 }
      try await wait(for: "its level: \(ben.book.level)") { ben.book.level > 0.05 }
      subscriber.audioVolume = 25
      try await wait(for: "a quarter of it: \(device.loudness)") { (700...1_400).contains(device.loudness) }
      subscriber.audioVolume = -5
      #expect(subscriber.audioVolume == 0)
      try await wait(for: "silence: \(device.loudness)") { device.loudness < 20 }
      subscriber.audioVolume = 1_000
      #expect(subscriber.audioVolume == 100)
      subscriber.audioVolume = .nan
      #expect(subscriber.audioVolume == 100)
      try await wait(for: "the tone again: \(device.loudness)") { device.loudness > 3_500 }
      subscriber.subscribeToAudio = false
      try await wait(for: "silence: \(device.loudness)") { device.loudness < 20 }
      subscriber.subscribeToAudio = true
      try await wait(for: "the tone at last: \(device.loudness)") { device.loudness > 3_500 }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test("subscribeToVideo ends and resumes video with subscriberPropertyChanged")
  func video() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await ann.publish(try ann.publisher("Ann"))
      let subscriber = try await ben.subscribe(to: "Ann")
      let render = Render()
      subscriber.videoRender = render
      try await wait(for: "frames of the app's own renderer") { render.count > 2 }
      #expect(render.size == CGSize(width: 160, height: 120))
      subscriber.subscribeToVideo = false
      try await wait(for: "no picture: \(ben.book.lines)") {
        ben.book.saw("subscriber videoDisabled \(OTSubscriberVideoEventReason.subscriberPropertyChanged)")
      }
      // It is not sent any more either: second after second nothing comes.
      subscriber.networkStatsDelegate = ben.book
      try await wait(for: "an end of the packets: \(ben.book.packets)") {
        ben.book.packets.count > 1 && ben.book.packets.suffix(2).first == ben.book.packets.last
      }
      let count = render.count
      #expect(ben.book.streams[0].hasVideo, "the stream has a picture still")
      subscriber.subscribeToVideo = true
      try await wait(for: "the picture: \(ben.book.lines)") {
        ben.book.saw("subscriber videoEnabled subscriberPropertyChanged")
      }
      try await wait(for: "frames") { render.count > count + 2 }
      #expect(ben.book.times("subscriber videoDataReceived") == 1)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test("a renderer held only by its subscriber or publisher gets frames and goes with it")
  func heldRenderers() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      var publisher: OTPublisher? = try ann.publisher("Ann")
      let (sent, received) = (Render(), Render())
      HeldRenderers.watch(publisher) { sent.renderVideoFrame($0) }
      try await ann.publish(try #require(publisher))
      var subscriber: OTSubscriber? = try await ben.subscribe(to: "Ann")
      HeldRenderers.watch(subscriber) { received.renderVideoFrame($0) }
      try await wait(for: "frames of both") { sent.count > 2 && received.count > 2 }
      let (mine, theirs) = (Held(publisher?.videoRender), Held(subscriber?.videoRender))
      #expect(mine.object is FrameWatcher && theirs.object is FrameWatcher)

      // Another one takes its place: the first is released, and gets no more.
      HeldRenderers.watch(subscriber) { _ in }
      try await wait(for: "the first one's end") { theirs.object == nil }
      let last = Held(subscriber?.videoRender)
      ben.session.unsubscribe(try #require(subscriber), error: nil)
      ann.session.unpublish(try #require(publisher), error: nil)
      (subscriber, publisher) = (nil, nil)
      try await wait(for: "the end of both") { last.object == nil && mine.object == nil }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test("an undecodable stream is connected, its video off with codecNotSupported")
  func codecNotSupported() async throws {
    try await LiveSession.run { live in
      let ben = try await Guest(live) { $0.engine.codecs = [.opus, .vp8] }
      var options = JoinOptions()
      options.codecs = [.opus, .vp9]
      let ann = try await Meeting.join("\(live.url)/\(live.id)#jwt=devtoken", name: "Ann", options: options)
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 90)))
      let stream = try await ben.stream("Ann")
      let subscriber = try #require(OTSubscriber(stream: stream, delegate: ben.book))
      ben.session.subscribe(subscriber, error: nil)
      let (connected, off) = ("subscriber connected", "subscriber videoDisabled codecNotSupported")
      try await wait(for: "both lines: \(ben.book.lines)") { ben.book.saw(connected) && ben.book.saw(off) }
      #expect(ben.book.lines.filter { [connected, off].contains($0) } == [connected, off])
      #expect(stream.hasVideo, "its publisher sends one")
      await ann.leave()
      try await ben.disconnect()
    }
  }

  // Also for video that is there before the stream is complete.
  @Test("subscriberDidConnect comes before subscriberVideoDataReceived")
  func firstPicture() async throws {
    try await LiveSession.run { live in
      let ann = try await Guest(live)
      let engine = ann.session.engine
      // A stream of this client, of which nothing is sent yet: it is connected to as soon as something is.
      let own = try #require(engine.own)
      let stream = engine.makeEntry(own.connectionId, .camera, own, name: "Ann", ann.session).stream
      let subscriber = try #require(OTSubscriber(stream: stream, delegate: ann.book))
      ann.session.subscribe(subscriber, error: nil)
      try await wait(for: "the subscriber in the engine") { !engine.subscribed.isEmpty }
      let work = try #require(engine.subscribed.values.first)
      work.sink.receive(VideoFrame(width: 16, height: 16, time: MonotonicClock.now) { _, _, _ in })
      // The consequences of the frame are done when this comes.
      await withCheckedContinuation { done in onMain { done.resume() } }
      #expect(work.isConnecting && !ann.book.lines.contains { $0.hasPrefix("subscriber") }, "\(ann.book.lines)")
      try await ann.publish(try ann.publisher("Ann"))
      try await wait(for: "both: \(ann.book.lines)") { ann.book.saw("subscriber videoDataReceived") }
      #expect(
        ann.book.lines.filter { $0.hasPrefix("subscriber") } == [
          "subscriber connected", "subscriber videoDataReceived",
        ])
      try await ann.disconnect()
    }
  }

  @Test(
    "rtcStatsReport has both ends' reports as JSON; statistics count both media")
  func statistics() async throws {
    try await LiveSession.run { live in
      OTAudioDeviceManager.setAudioDevice(ToneDevice(frequency: 600))
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann", audio: true)
      // Nothing comes before it is published.
      publisher.rtcStatsReportDelegate = ann.book
      publisher.networkStatsDelegate = ann.book
      publisher.getRtcStatsReport()
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      subscriber.rtcStatsReportDelegate = ben.book
      subscriber.networkStatsDelegate = ben.book
      let names = ["videoBytes", "videoPackets", "audioBytes", "audioPackets"]
      try await wait(for: "counts of both ends") {
        names.allSatisfy { ann.book.count($0 + "Sent") > 0 && ben.book.count($0 + "Received") > 0 }
      }
      #expect(ann.book.rtcStats.isEmpty)
      let (mine, theirs) = (ann.book.stats, ben.book.stats)
      let (picture, sound) = (try #require(mine.videoSent.last), try #require(mine.audioSent.last))
      // The server passes everything on: there is one element, of nobody in particular.
      #expect(picture.connectionId.isEmpty && picture.subscriberId.isEmpty && sound.subscriberId.isEmpty)
      #expect(picture.videoPacketsLost >= 0 && sound.audioPacketsLost >= 0)
      let now = Date().timeIntervalSince1970 * 1_000
      for (start, time) in [(picture.startTime, picture.timestamp), (sound.startTime, sound.timestamp)] {
        #expect(start < time && time <= now && now - start < 120_000)
      }
      let (seen, heard) = (try #require(theirs.videoReceived.last), try #require(theirs.audioReceived.last))
      #expect(seen.videoPacketsLost < seen.videoPacketsReceived && heard.audioPacketsLost < heard.audioPacketsReceived)
      #expect(abs(now - seen.timestamp) < 10_000 && abs(now - heard.timestamp) < 10_000)
      publisher.getRtcStatsReport()
      subscriber.getRtcStatsReport()
      try await wait(for: "both reports") { ann.book.rtcStats.count == 1 && ben.book.rtcStats.count == 1 }
      for (text, type, bytes, frames) in [
        (ann.book.rtcStats[0], "outbound-rtp", "bytesSent", "framesEncoded"),
        (ben.book.rtcStats[0], "inbound-rtp", "bytesReceived", "framesDecoded"),
      ] {
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(Set(rows.compactMap { $0["kind"] as? String }) == ["audio", "video"], "\(text)")
        #expect(rows.allSatisfy { $0["type"] as? String == type && ($0[bytes] as? Int ?? 0) > 0 }, "\(text)")
        // The members of every object: its time in milliseconds, and its stream, each another one.
        let asked = Date().timeIntervalSince1970 * 1_000
        #expect(rows.allSatisfy { abs(($0["timestamp"] as? Double ?? 0) - asked) < 60_000 }, "\(text)")
        #expect(Set(rows.compactMap { $0["timestamp"] as? Double }).count == 1, "\(text)")
        let streams = rows.compactMap { ($0["ssrc"] as? Int).flatMap(UInt32.init(exactly:)) }
        #expect(!streams.contains(0) && Set(streams).count == rows.count, "\(text)")
        #expect(Set(rows.compactMap { $0["id"] as? String }).count == rows.count, "\(text)")
        let video = try #require(rows.first { $0["kind"] as? String == "video" })
        #expect(video[frames] as? Int ?? 0 > 0 && video["frameWidth"] as? Int == 160, "\(text)")
      }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // videoDisableWarning and its lifting; videoDisabled and videoEnabled with the reason qualityChanged.
  @Test("a bad network warns and lifts the warning, or disables and enables video")
  func quality() async throws {
    try await LiveSession.runBehindAGate { live, gate in
      let ann = try await Meeting.join("\(live.url)/\(live.id)?jwt=devtoken", name: "Ann")
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 640, height: 360, framesPerSecond: 15)))
      let ben = try await Guest(live, through: gate)
      _ = try await ben.subscribe(to: "Ann")
      #expect(!ben.book.lines.contains { $0.contains("Warning") })
      try await gate.slowDown("loss=25%")
      try await wait(for: "the warning: \(ben.book.lines)") {
        ben.book.saw("subscriber videoDisableWarning")
      }
      try await gate.slowDown("perfect")
      try await wait(for: "its end: \(ben.book.lines)") {
        ben.book.saw("subscriber videoDisableWarningLifted")
      }
      try await gate.slowDown("rate=20k")
      try await wait(for: "the picture to go: \(ben.book.lines)") {
        ben.book.saw("subscriber videoDisabled \(OTSubscriberVideoEventReason.qualityChanged)")
      }
      #expect(ben.book.streams[0].hasVideo)
      try await gate.slowDown("perfect")
      try await wait(for: "the picture: \(ben.book.lines)") {
        ben.book.saw("subscriber videoEnabled qualityChanged")
      }
      // Every warning is lifted, or comes true.
      try await wait(for: "calm: \(ben.book.lines)") {
        let told = ben.book.lines.filter { $0.contains("Warning") || $0.contains("qualityChanged") }
        return told.last != "subscriber videoDisableWarning"
      }
      let told = ben.book.lines.filter { $0.contains("Warning") || $0.contains("videoDisabled") }
      for (line, next) in zip(told, told.dropFirst()) where line == "subscriber videoDisableWarning" {
        #expect(next != line, "\(told)")
      }
      await ann.leave()
      try await ben.disconnect()
    }
  }
}

/// An object that something else may hold.
@MainActor private final class Held {
  private(set) weak var object: AnyObject?
  init(_ object: AnyObject?) { self.object = object }
}

/// A renderer of an app's own.
// unchecked: behind `lock`.
private final class Render: OTVideoRender, @unchecked Sendable {
  private let lock = NSLock()
  private var frames = 0
  private var latest = CGSize.zero
  var count: Int { lock.withLock { frames } }
  var size: CGSize { lock.withLock { latest } }

  func renderVideoFrame(_ frame: OTVideoFrame) {
    let size = frame.format.map { CGSize(width: Int($0.imageWidth), height: Int($0.imageHeight)) } ?? .zero
    lock.withLock {
      frames += 1
      latest = size
    }
  }
}
