import Foundation
import OpenTok
import Parley
import ParleyViews
import TestSupport
import Testing

/// An app's settings of a publisher, seen and heard at a subscriber.
@MainActor @Suite(.serialized) struct PublishingTests {
  /// The two colours of a picture's middle.
  private func colour(_ view: OTVideoView) -> (u: Int, v: Int) {
    guard let frame = view.currentFrame else { return (0, 0) }
    let place = frame.uvHeight / 2 * frame.uvStride + frame.uvWidth / 2
    return frame.withPlanes { _, u, v in (Int(u[place]), Int(v[place])) }
  }

  // In I420, NV12 and ARGB, by their orientation.
  @Test(
    "frames with gaps between rows keep their colour and are turned",
    arguments: [OTPixelFormat.I420, .NV12, .ARGB])
  func pixelFormats(format: OTPixelFormat) async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let capture = FrameCapture(format)
      let publisher = try ann.publisher("Ann", capture: capture)
      #expect(publisher.videoCapture === capture)
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      try await wait(for: "blue: \(colour(subscriber.picture))") {
        let seen = colour(subscriber.picture)
        return seen.u > 210 && (80...140).contains(seen.v)
      }
      let frame = try #require(subscriber.picture.currentFrame)
      #expect(frame.width < frame.height, "\(frame.width) x \(frame.height)")
      for hint in [OTVideoContentHint.motion, .detail, .text, .none] {
        capture.videoContentHint = hint
        #expect(publisher.videoCapture?.videoContentHint == hint)
      }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // videoTransformers and audioTransformers.
  @Test("transformers change sent media in order, and the frames of a videoRender")
  func transformers() async throws {
    try await LiveSession.run { live in
      let device = ToneDevice(frequency: 600)
      OTAudioDeviceManager.setAudioDevice(device)
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      #expect(OTAudioDeviceManager.currentAudioDevice() === device)
      #expect(OTAudioDeviceManager.currentAudioSessionManager() == nil)
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann", audio: true)
      let render = PlaneReader()
      publisher.videoRender = render
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      try await wait(for: "red: \(colour(subscriber.picture))") { colour(subscriber.picture).v > 200 }
      try await wait(for: "the tone: \(device.loudness)") { device.loudness > 3_500 }

      let (painter, quieter) = (Painter(), Quieter())
      let paints = try #require(OTVideoTransformer(name: "paint", transformer: painter))
      let quietens = try #require(OTAudioTransformer(name: "quiet", transformer: quieter))
      #expect(paints.name == "paint" && quietens.name == "quiet")
      publisher.videoTransformers = [paints]
      publisher.audioTransformers = [quietens, quietens]
      try await wait(for: "blue: \(colour(subscriber.picture))") { colour(subscriber.picture).u > 210 }
      try await wait(for: "a quarter of the tone: \(device.loudness)") { (700...1_400).contains(device.loudness) }
      let heard = try #require(quieter.last)
      #expect(heard.bitsPerSample == 16 && heard.sampleRate == 48_000 && heard.numberOfChannels == 1)
      #expect(heard.numberOfSamples == 480)
      try await wait(for: "blue at the app's own renderer: \(render.seen)") { render.seen.u == 240 }
      let shown = render.seen
      #expect(shown.planes == 3 && shown.seconds > 0)

      (publisher.videoTransformers, publisher.audioTransformers) = ([], [])
      try await wait(for: "red again: \(colour(subscriber.picture))") { colour(subscriber.picture).v > 200 }
      try await wait(for: "the tone again: \(device.loudness)") { device.loudness > 3_500 }
      #expect(OTVideoTransformer(name: "BackgroundReplacement", properties: "{}") == nil)
      #expect(OTAudioTransformer(name: "NoiseSuppression", properties: "") == nil)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // low, medium, high and high1080p.
  @Test(
    "cameraResolution sets the size of frames, and their shape at a subscriber",
    arguments: [
      (OTCameraCaptureResolution.low, 352, 288), (.medium, 640, 480), (.high, 1_280, 720), (.high1080p, 1_920, 1_080),
    ])
  func resolutions(resolution: OTCameraCaptureResolution, width: Int, height: Int) async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      #expect(OTPublisherSettings().cameraResolution == .medium)
      let publisher = try #require(
        OTPublisher(delegate: ann.book, name: "Ann", cameraResolution: resolution, cameraFrameRate: .rate15FPS))
      try await ann.publish(publisher)
      try await wait(for: "the preview") { publisher.picture.currentFrame != nil }
      let frame = try #require(publisher.picture.currentFrame)
      #expect(frame.width == width && frame.height == height)
      let stream = try #require(try await ben.subscribe(to: "Ann").stream)
      try await wait(for: "the shape: \(stream.videoDimensions)") {
        abs(stream.videoDimensions.width / stream.videoDimensions.height - Double(width) / Double(height)) < 0.05
      }
      #expect(stream.videoDimensions.width <= Double(width))
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // rate15FPS, rate7FPS and rate1FPS.
  @Test(
    "cameraFrameRate isn't exceeded, and rate30FPS is the default",
    arguments: [(OTCameraCaptureFrameRate.rate15FPS, 15.0), (.rate7FPS, 7), (.rate1FPS, 1)])
  func frameRates(rate: OTCameraCaptureFrameRate, most: Double) async throws {
    #expect(OTPublisherSettings().cameraFrameRate == .rate30FPS)
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try #require(
        OTPublisher(delegate: ann.book, name: "Ann", cameraResolution: .low, cameraFrameRate: rate))
      try await ann.publish(publisher)
      let view = try #require(try await ben.subscribe(to: "Ann").picture)
      // By when the pictures were taken, and not by when a busy machine brings them.
      let own = try #require(publisher.picture)
      try await wait(for: "the preview") { own.currentFrame != nil }
      let (before, shown) = (own.frameCount, view.frameCount)
      let first = try #require(own.currentFrame)
      let wanted = max(Int(most), 2)
      try await wait(for: "\(wanted) pictures more") {
        own.frameCount >= before + wanted && view.frameCount >= shown + wanted
      }
      let last = try #require(own.currentFrame)
      let count = own.frameCount - before
      let seconds = (last.time - first.time).seconds
      // Between two pictures the first may be nearly over when it is looked at.
      #expect(seconds > Double(count - 1) / most * 0.9, "\(count) pictures in \(seconds) s")
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test(
    "cameraPosition switches the camera and notifies; torch and zoom stay as they are")
  func cameraPosition() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try #require(OTPublisher(delegate: ann.book, name: "Ann"))
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      #expect(publisher.cameraPosition == AVCaptureDevice.Position.front)
      publisher.cameraPosition = .back
      try await wait(for: "the change: \(ann.book.lines)") { ann.book.saw("publisher cameraPosition back") }
      #expect(publisher.cameraPosition == .back)
      let count = subscriber.picture.frameCount
      try await wait(for: "pictures of the other camera") { subscriber.picture.frameCount > count + 5 }
      publisher.cameraTorch = true
      publisher.cameraZoomFactor = 2
      #expect(!publisher.cameraTorch && publisher.cameraZoomFactor == 1)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  /// The bits of a second between the first and the last count.
  private func rate(_ counts: [(bytes: Int64, milliseconds: Double)]) -> Double {
    guard let first = counts.first, let last = counts.last, last.milliseconds > first.milliseconds else { return 0 }
    return Double(last.bytes - first.bytes) * 8_000 / (last.milliseconds - first.milliseconds)
  }

  // bwSaver, extraBwSaver and custom. Values out of range are ignored.
  @Test("maxVideoBitrate and videoBitratePreset bound the rate of noisy video")
  func videoBitrates() async throws {
    try await LiveSession.run { live in
      // A picture that nobody subscribes to is not sent.
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      var round = 0
      let publisher = try ann.publisher("Ann", capture: FrameCapture(.I420, width: 320, height: 240, isNoise: true))
      publisher.networkStatsDelegate = ann.book
      #expect(publisher.videoBitratePreset == .default && publisher.maxVideoBitrate == 0)
      for wrong: Int32 in [4_999, 10_000_001, -1] {
        publisher.maxVideoBitrate = wrong
        #expect(publisher.maxVideoBitrate == 0 && publisher.videoBitratePreset == .default)
      }
      var rates: [OTVideoBitratePreset: Double] = [:]
      for (preset, most) in [(OTVideoBitratePreset.custom, 100_000.0), (.extraBwSaver, 250_000), (.bwSaver, 600_000)] {
        if preset == .custom {
          publisher.maxVideoBitrate = 100_000
          #expect(publisher.videoBitratePreset == .custom)
        } else {
          publisher.videoBitratePreset = preset
        }
        try await ann.publish(publisher)
        round += 1
        _ = try await ben.subscribe(to: "Ann", count: round)
        ann.book.forgetStats()
        try await wait(for: "four counts at \(preset)") { ann.book.stats.videoSent.count > 3 }
        let rate = rate(ann.book.stats.videoSent.map { ($0.videoBytesSent, $0.timestamp) })
        // Repairs and headers come on top of what is encoded.
        #expect(rate > 0 && rate < most * 1.5, "\(preset): \(rate)")
        rates[preset] = rate
        ann.session.unpublish(publisher, error: nil)
        try await wait(for: "the end at \(preset)") { publisher.session == nil }
      }
      #expect(rates[.custom] ?? 0 < rates[.bwSaver] ?? 0, "\(rates)")
      publisher.maxVideoBitrate = 0
      #expect(publisher.videoBitratePreset == .default)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  // In stereo too.
  @Test("audioBitrate sets the audio's rate, and enableOpusDtx saves silence")
  func audioBitrates() async throws {
    try await LiveSession.run { live in
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let ann = try await Guest(live)
      func packets(_ device: ToneDevice, bitrate: Int32, dtx: Bool) async throws -> (size: Double, aSecond: Double) {
        OTAudioDeviceManager.setAudioDevice(device)
        let settings = OTPublisherKitSettings()
        (settings.name, settings.videoTrack, settings.audioBitrate) = ("Ann", false, bitrate)
        settings.enableOpusDtx = dtx
        let publisher = try #require(OTPublisherKit(delegate: ann.book, settings: settings))
        publisher.networkStatsDelegate = ann.book
        ann.session.publish(publisher, error: nil)
        try await wait(for: "the own stream: \(ann.book.lines)") { publisher.stream != nil }
        ann.book.forgetStats()
        try await wait(for: "four counts") { ann.book.stats.audioSent.count > 3 }
        let stats = ann.book.stats.audioSent
        ann.session.unpublish(publisher, error: nil)
        try await wait(for: "the end") { publisher.session == nil }
        let (first, last) = (try #require(stats.first), try #require(stats.last))
        let count = Double(last.audioPacketsSent - first.audioPacketsSent)
        return (
          Double(last.audioBytesSent - first.audioBytesSent) / max(count, 1),
          count * 1_000 / max(last.timestamp - first.timestamp, 1)
        )
      }
      #expect(OTPublisherKitSettings().audioBitrate == 40_000 && !OTPublisherKitSettings().enableOpusDtx)
      let tone = ToneDevice(frequency: 600, channels: 2)
      let low = try await packets(tone, bitrate: 6_000, dtx: false)
      let high = try await packets(tone, bitrate: 256_000, dtx: false)
      #expect(high.size > low.size * 1.5, "\(low) \(high)")
      let silence = ToneDevice(frequency: 600, amplitude: 0)
      let full = try await packets(silence, bitrate: 40_000, dtx: false)
      let saving = try await packets(silence, bitrate: 40_000, dtx: true)
      #expect(saving.aSecond < full.aSecond / 2, "\(full) \(saving)")
      try await ann.disconnect()
    }
  }

  @Test(
    "scalableScreenshare sends a screen in sizes that preferredResolution can choose")
  func preferredResolution() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let settings = OTPublisherSettings()
      (settings.name, settings.audioTrack, settings.scalableScreenshare) = ("Slides", false, true)
      settings.videoCapture = ColourCapture(width: 640, height: 480)
      let publisher = try #require(OTPublisher(delegate: ann.book, settings: settings))
      publisher.videoType = .screen
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Slides")
      let stream = try #require(subscriber.stream)
      #expect(subscriber.preferredResolution == .zero && stream.videoType == .screen)
      try await wait(for: "the large picture: \(stream.videoDimensions)") { stream.videoDimensions.width == 640 }
      subscriber.preferredResolution = CGSize(width: 160, height: 120)
      #expect(subscriber.preferredResolution == CGSize(width: 160, height: 120))
      try await wait(for: "a small picture: \(stream.videoDimensions)") { stream.videoDimensions.width < 640 }
      subscriber.preferredResolution = CGSize(width: -1, height: Double.nan)
      #expect(subscriber.preferredResolution == .zero)
      try await wait(for: "the large picture again: \(stream.videoDimensions)") { stream.videoDimensions.width == 640 }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test("preferredFrameRate thins a camera's frames, and unlimited brings all back")
  func preferredFrameRate() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let settings = OTPublisherSettings()
      (settings.name, settings.audioTrack, settings.videoCapture) = ("Ann", false, ColourCapture())
      try await ann.publish(try #require(OTPublisher(delegate: ann.book, settings: settings)))
      let subscriber = try await ben.subscribe(to: "Ann")
      #expect(subscriber.preferredFrameRate == .greatestFiniteMagnitude)
      /// The pictures a second, of the next eight.
      @MainActor func rate() async throws -> Double {
        let (start, count) = (MonotonicClock.now, subscriber.picture.frameCount)
        try await wait(for: "eight pictures") { subscriber.picture.frameCount >= count + 8 }
        return 8 / (MonotonicClock.now - start).seconds
      }
      // The camera makes fifteen.
      try await wait(for: "all pictures") { (try? await rate()) ?? 0 > 10 }
      subscriber.preferredFrameRate = 5
      #expect(subscriber.preferredFrameRate == 5)
      try await wait(for: "a quarter of them") { (try? await rate()) ?? 99 < 6 }
      for unlimited in [Float.greatestFiniteMagnitude, 0, -1, .nan, .infinity] {
        subscriber.preferredFrameRate = unlimited
        try await wait(for: "all pictures with \(unlimited)") { (try? await rate()) ?? 0 > 10 }
      }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test(
    "a screen has its publisher's name, also for later joiners, and a camera its own")
  func screenName() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await ann.publish(try ann.publisher("Ann"))
      try await ann.publish(try ann.publisher("Slides of May", type: .screen))
      let cem = try await Guest(live)
      for guest in [ben, cem] {
        let (camera, screen) = (try await guest.stream("Ann"), try await guest.stream("Slides of May"))
        #expect(camera.videoType == .camera && screen.videoType == .screen)
      }
      _ = try await cem.subscribe(to: "Slides of May")
      for guest in [ann, ben, cem] { try await guest.disconnect() }
    }
  }
}
