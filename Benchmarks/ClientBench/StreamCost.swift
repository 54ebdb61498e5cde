import Glibc
import Media
import Parley
import Synchronization

/// CPU of one published and one received 720p stream, each next to the codec doing the same work alone in the same run.
struct StreamCost {
  /// CPU seconds a second.
  private(set) var published = 0.0, received = 0.0, encoding = 0.0, decoding = 0.0
  private(set) var kilobits = 0.0, bytesPerFrame = 0.0, packetsPerFrame = 0.0

  @MainActor static func measure(_ url: String, server: BenchServer, seconds: Double) async throws -> Self {
    let settings = VideoEncoderSettings(width: 1_280, height: 720, framesPerSecond: 30, bitrate: .kilobits(1_500))
    let source = TestPictureSource(.waves, width: 1_280, height: 720, framesPerSecond: 30)
    // Pictures are painted before, so that painting is not measured.
    let pictures = try (0..<60).map { try source.frame(at: .zero + .milliseconds(Int64($0) * 1_000 / 30)) }
    var cost = Self()
    (cost.encoding, cost.decoding) = try codecAlone(pictures, settings, seconds: min(seconds, 4))

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
    let before = await publisher.statistics()?.outbound.first
    cost.published = try await cpu(during: seconds)
    if let before, let after = await publisher.statistics()?.outbound.first {
      let frames = Double((after.video?.framesEncoded ?? 0) - (before.video?.framesEncoded ?? 0))
      cost.kilobits = Double(after.bytesSent - before.bytesSent) * 8 / seconds / 1_000
      cost.bytesPerFrame = Double(after.bytesSent - before.bytesSent) / max(frames, 1)
      cost.packetsPerFrame = Double(after.packetsSent - before.packetsSent) / max(frames, 1)
    }

    let receiver = try await Meeting.join(url, name: "Receiver")
    let events = receiver.events
    for await event in events {
      if case .subscribed(let subscription) = event { subscription.video?.add(NullSink()) }
      if case .firstFrame = event { break }
    }
    cost.received = try await cpu(during: seconds) - cost.published
    feeder.stop()
    await receiver.leave()
    await publisher.leave()
    return cost
  }

  static func print(_ modes: [Mode]) {
    func median(_ mode: Mode, _ value: (Self) -> Double) -> Double {
      let values = mode.costs.map(value).sorted()
      return values.isEmpty ? 0 : values[values.count / 2]
    }
    func row(_ name: String, _ value: (Self) -> Double) {
      Swift.print("| \(name) | \(modes.map { text(median($0, value)) }.joined(separator: " | ")) |")
    }
    let titles = modes.map { modes.count > 1 ? $0.title : "CPU ms a second" }
    Swift.print("| 720p30 VP8, CPU ms a second | \(titles.joined(separator: " | ")) |")
    Swift.print("|---|\(String(repeating: "---|", count: modes.count))")
    row("published (encode, packetize, encrypt, send)") { $0.published * 1_000 }
    row("encoding alone") { $0.encoding * 1_000 }
    row("published ÷ encoding alone") { $0.published / $0.encoding }
    row("received (receive, decrypt, jitter buffer, decode)") { $0.received * 1_000 }
    row("decoding alone") { $0.decoding * 1_000 }
    row("received ÷ decoding alone") { $0.received / $0.decoding }
    row("sent, kb/s", \.kilobits)
    row("bytes a frame", \.bytesPerFrame)
    row("packets a frame", \.packetsPerFrame)
    Swift.print()
  }

  private static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

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

  private static func cpu(during seconds: Double) async throws -> Double {
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
