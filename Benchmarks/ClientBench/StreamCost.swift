import Glibc
import Media
import Parley
import Synchronization

/// CPU of one published and one received 720p stream, each next to the codec doing the same work alone in the same run.
enum StreamCost {
  @MainActor static func run(_ url: String, server: BenchServer, seconds: Double) async throws {
    let settings = VideoEncoderSettings(width: 1_280, height: 720, framesPerSecond: 30, bitrate: .kilobits(1_500))
    let source = TestPictureSource(.waves, width: 1_280, height: 720, framesPerSecond: 30)
    // Pictures are painted before, so that painting is not measured.
    let pictures = try (0..<60).map { try source.frame(at: .zero + .milliseconds(Int64($0) * 1_000 / 30)) }
    let alone = try codecAlone(pictures, settings, seconds: min(seconds, 4))

    let publisher = try Meeting(url, name: "Publisher")
    let push = PushVideoSource()
    let options = VideoOptions(codec: .vp8, maximumBitrate: .kilobits(1_500))
    try await publisher.local.publish(LocalVideoTrack(push, options: options))
    try await publisher.join()
    let feeder = Feeder(pictures, into: push)
    let viewer = try server.watch(url)
    defer { viewer.terminate() }
    // The estimate needs some seconds to allow the full rate.
    try await Task.sleep(nanoseconds: 6_000_000_000)
    let publishing = try await measure(seconds)
    let outbound = await publisher.statistics()?.outbound.first

    let receiver = try await Meeting.join(url, name: "Receiver")
    let events = receiver.events
    let sink = NullSink()
    for await event in events {
      if case .subscribed(let subscription) = event { subscription.video?.add(sink) }
      if case .firstFrame = event { break }
    }
    let both = try await measure(seconds)
    let frames = sink.videoFrames
    feeder.stop()
    await receiver.leave()
    await publisher.leave()

    print("| 720p30 VP8 | CPU ms a second | codec alone | ratio |\n|---|---|---|---|")
    row("published (encode, packetize, encrypt, send)", publishing, alone.encode)
    row("received (receive, decrypt, jitter buffer, decode)", both - publishing, alone.decode)
    let rate =
      outbound.map {
        "\($0.targetBitrate.bitsPerSecond / 1_000) kb/s, \($0.video?.frameWidth ?? 0)×\($0.video?.frameHeight ?? 0)"
      } ?? "–"
    print("\nSent at \(rate); \(frames) frames decoded.")
    if let outbound {
      print(
        "\(outbound.bytesSent) bytes sent in \(outbound.packetsSent) packets, of \(outbound.video?.framesEncoded ?? 0) frames."
      )
    }
    print()
  }

  private static func row(_ name: String, _ cost: Double, _ alone: Double) {
    func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    print("| \(name) | \(text(cost * 1_000)) | \(text(alone * 1_000)) | \((cost / alone * 100).rounded() / 100) |")
  }

  /// CPU seconds a second of encoding and of decoding 30 frames a second, without anything else.
  private static func codecAlone(
    _ pictures: [VideoFrame], _ settings: VideoEncoderSettings, seconds: Double
  ) throws -> (encode: Double, decode: Double) {
    let encoder = try VideoCodecFactory.encoder(for: .vp8, settings: settings)
    let decoder = try VideoCodecFactory.decoder(for: .vp8)
    let count = Int(seconds * 30)
    var frames: [EncodedFrame] = []
    let start = cpu()
    for index in 0..<count {
      let picture = pictures[index % pictures.count].with(time: .zero + .milliseconds(Int64(index) * 1_000 / 30))
      if let frame = try encoder.encode(picture, forceKeyframe: index == 0) { frames.append(frame) }
    }
    let middle = cpu()
    for frame in frames { _ = try decoder.decode(frame) }
    let end = cpu()
    return ((middle - start) / seconds, (end - middle) / seconds)
  }

  private static func measure(_ seconds: Double) async throws -> Double {
    let start = cpu()
    let clock = MonotonicClock.now
    try await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
    return (cpu() - start) / (MonotonicClock.now - clock).seconds
  }

  private static func cpu() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}

/// Pushes pictures at 30 a second.
final class Feeder: Sendable {
  private let task: Task<Void, Never>

  init(_ pictures: [VideoFrame], into push: PushVideoSource) {
    task = Task.detached {
      let start = MonotonicClock.now
      var index = 0
      while !Task.isCancelled {
        push.push(pictures[index % pictures.count].with(time: MonotonicClock.now))
        index += 1
        let next = start + .milliseconds(Int64(index) * 1_000 / 30)
        try? await Task.sleep(nanoseconds: UInt64(max((next - MonotonicClock.now).nanoseconds, 0)))
      }
    }
  }

  func stop() { task.cancel() }
}
