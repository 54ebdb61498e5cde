import Basics
import NetworkEmulator

@testable import RTC
@testable import SFU

/// Decides which frames of one video a receiver could show, when, and in which layer.
final class VideoJudge {
  struct Shown {
    var at: Instant
    var captured: Instant
    var layer: Int
  }

  private struct Frame {
    var fields: FrameFields
    var parts: Set<UInt8> = []
    var isKeyframe: Bool { fields.reference == fields.number }
    var isComplete: Bool { parts.count == Int(fields.packets) }
  }

  let ssrc: UInt32
  var nacks = NackGenerator()
  var lastReport: (middle: UInt32, at: Instant)?
  private(set) var shown: [Shown] = []
  private(set) var keyframeRequests = 0
  private let start: Instant
  private var report: ReceptionReport
  private var frames: [UInt64: Frame] = [:]
  /// The newest base frame that was decoded, by layer.
  private var decoded: (layer: UInt8, number: UInt32)?
  private var lastCaptured: UInt32 = 0
  private var lastLayer: UInt8 = 0
  private var lastShown: Instant
  private var lastArrival = Instant.zero
  private var nextRequest = Instant.distantFuture
  private static let patience = TimeSpan.milliseconds(700)

  init(ssrc: UInt32, start: Instant) {
    self.ssrc = ssrc
    self.start = start
    lastShown = start
    report = ReceptionReport(statistics: ReceiveStatistics(ssrc: SSRC(rawValue: ssrc), clockRate: 90_000))
  }

  func reportBlock(_ now: Instant) -> ReportBlock? { report.block(lastReport, now) }

  func receive(
    _ header: RTPHeader, _ sequence: SequenceNumber, _ payload: ArraySlice<UInt8>, isRetransmission: Bool, now: Instant
  ) {
    _ = nacks.receive(sequence, isRetransmission: isRetransmission, now: now)
    if !isRetransmission { report.statistics.receive(header, now: now) }
    lastArrival = now
    guard let fields = FrameFields(payload), isNews(fields) else { return }
    let key = UInt64(fields.layer) << 32 | UInt64(fields.number)
    frames[key, default: Frame(fields: fields)].parts.insert(fields.packet)
    if nextRequest == .distantFuture { nextRequest = lastShown + Self.patience }
    guard frames[key]?.isComplete == true else { return }
    decode(now)
  }

  /// Whether a frame is later than what was shown, or shows the same instant in another layer.
  private func isNews(_ fields: FrameFields) -> Bool {
    shown.isEmpty || fields.captured > lastCaptured || (fields.captured == lastCaptured && fields.layer != lastLayer)
  }

  private func decode(_ now: Instant) {
    var again = true
    while again {
      again = false
      // The oldest one that can be decoded; a keyframe always can.
      let next = frames.filter { _, frame in
        frame.isComplete
          && (frame.isKeyframe
            || decoded.map { $0.layer == frame.fields.layer && $0.number == frame.fields.reference } == true)
      }.min { $0.value.fields.captured < $1.value.fields.captured }
      guard let next else { break }
      again = true
      let fields = next.value.fields
      let isBase = next.value.isKeyframe || fields.number % 2 == 0
      if isBase { decoded = (fields.layer, fields.number) }
      lastCaptured = fields.captured
      lastLayer = fields.layer
      lastShown = now
      nextRequest = now + Self.patience
      shown.append(
        Shown(at: now, captured: start + .milliseconds(Int64(fields.captured)), layer: Int(fields.layer)))
      frames = frames.filter { isNews($0.value.fields) }
    }
    if frames.count > 400 { frames.removeAll() }
  }

  /// When a keyframe is to be asked for because nothing can be shown.
  var keyframeDeadline: Instant { nextRequest }

  func takeKeyframeRequest(now: Instant) -> Bool {
    guard nextRequest <= now else { return false }
    // While nothing comes there is nothing to ask for.
    guard now - lastArrival < .milliseconds(300) else {
      nextRequest = .distantFuture
      return false
    }
    nextRequest = now + Self.patience
    keyframeRequests += 1
    return true
  }

  // MARK: Figures

  /// When each frame is shown by a jitter buffer that waits as long as 19 of the last 20 frames (of five seconds)
  /// needed, at most 600 ms.
  private var played: [Instant] {
    var recent: [TimeSpan] = []
    var moments: [Instant] = []
    for frame in shown {
      let delay = frame.at - frame.captured
      recent.append(delay)
      if recent.count > 125 { recent.removeFirst() }
      let sorted = recent.sorted()
      let wait = min(sorted[sorted.count * 95 / 100], .milliseconds(600))
      moments.append(max(frame.at, frame.captured + wait, moments.last ?? start))
    }
    return moments
  }

  /// How long nothing new was shown between two moments, by the W3C's measure of a freeze (150 ms
  /// beyond the mean distance of 40 ms), as a share.
  func frozen(from: Double, to: Double) -> Double {
    freezes(from: from, to: to).reduce(0) { $0 + $1.length } / max(to - from, 0.001)
  }

  /// The freezes between two moments: when each began, and how long it was, in seconds.
  func freezes(from: Double, to: Double) -> [(at: Double, length: Double)] {
    let begin = start + TimeSpan(nanoseconds: Int64(from * 1e9))
    let end = start + TimeSpan(nanoseconds: Int64(to * 1e9))
    var last = begin
    var freezes: [(at: Double, length: Double)] = []
    for moment in played.filter({ $0 > begin && $0 <= end }) + [end] {
      let gap = (moment - last).seconds
      if gap > 0.19 { freezes.append(((last - start).seconds, gap)) }
      last = moment
    }
    return freezes
  }

  /// Pictures shown in a second.
  func frameRate(from: Double, to: Double) -> Double {
    let begin = start + TimeSpan(nanoseconds: Int64(from * 1e9))
    let end = start + TimeSpan(nanoseconds: Int64(to * 1e9))
    return Double(shown.count { $0.at > begin && $0.at <= end }) / max(to - from, 0.001)
  }

  /// The mean layer shown, 0 the smallest.
  func layer(from: Double, to: Double) -> Double {
    let begin = start + TimeSpan(nanoseconds: Int64(from * 1e9))
    let end = start + TimeSpan(nanoseconds: Int64(to * 1e9))
    let layers = shown.filter { $0.at > begin && $0.at <= end }.map(\.layer)
    return layers.isEmpty ? 0 : Double(layers.reduce(0, +)) / Double(layers.count)
  }

  /// How long after `from` seconds a frame of `layer` or better is shown first; nil when never.
  func recovery(of layer: Int, from: Double) -> Double? {
    let begin = start + TimeSpan(nanoseconds: Int64(from * 1e9))
    return shown.first { $0.at > begin && $0.layer >= layer }.map { ($0.at - begin).seconds }
  }
}
