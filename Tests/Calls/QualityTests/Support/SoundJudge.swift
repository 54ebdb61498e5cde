import Basics
import NetworkEmulator

@testable import RTC
@testable import SFU

/// Decides which sounds of a receiver come in time for an adaptive jitter buffer, those that came as redundancy
/// included.
final class SoundJudge {
  let ssrc: UInt32
  var lastReport: (middle: UInt32, at: Instant)?
  /// Finds what is missing, where lost sound is asked for.
  var nacks = NackGenerator()
  /// How long after it was captured each sound came, by its number.
  private(set) var delays: [UInt32: TimeSpan] = [:]
  private(set) var redundantPackets = 0
  private(set) var packets = 0
  private let start: Instant
  private var report: ReceptionReport

  init(ssrc: UInt32, start: Instant) {
    self.ssrc = ssrc
    self.start = start
    report = ReceptionReport(statistics: ReceiveStatistics(ssrc: SSRC(rawValue: ssrc), clockRate: 48_000))
  }

  func reportBlock(_ now: Instant) -> ReportBlock? { report.block(lastReport, now) }

  func receive(_ header: RTPHeader, _ payload: ArraySlice<UInt8>, now: Instant) {
    packets += 1
    _ = nacks.receive(header.sequenceNumber, now: now)
    report.statistics.receive(header, now: now)
    if header.payloadType.rawValue != 63 {
      heard(payload, now)
      return
    }
    redundantPackets += 1
    let bytes = Array(payload)
    guard let red = try? RED.parse(bytes.span) else { return }
    var blocks = red.blocks
    while let block = blocks.next(in: bytes.span) { heard(bytes[block.range], now) }
  }

  /// Takes a sound that came again because it was asked for (RFC 4588).
  func receive(repaired original: SequenceNumber, _ payload: ArraySlice<UInt8>, now: Instant) {
    _ = nacks.receive(original, isRetransmission: true, now: now)
    heard(payload, now)
  }

  private func heard(_ sound: ArraySlice<UInt8>, _ now: Instant) {
    guard sound.count >= 4 else { return }
    let number = sound.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if delays[number] == nil { delays[number] = now - start - .milliseconds(Int64(number) * 20) }
  }

  /// The share of audio packets between two moments that were concealed: lost permanently, or later than a buffer that
  /// follows the last two seconds would wait.
  func concealed(from: Double, to: Double) -> Double {
    let first = UInt32(from * 50)
    let last = UInt32(to * 50)
    guard last > first else { return 0 }
    var made = 0
    var recent: [(UInt32, Double)] = []
    for number in (first > 100 ? first - 100 : 0)..<last {
      recent.removeAll { $0.0 + 100 < number }
      let wait = min((recent.map(\.1).max() ?? 0.2) + 0.02, 1)
      let delay = delays[number]?.seconds
      if number >= first, (delay ?? .infinity) > wait { made += 1 }
      if let delay { recent.append((number, delay)) }
    }
    return Double(made) / Double(last - first)
  }
}
