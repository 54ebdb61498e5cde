import Basics

/// The resolution and frame rate that suit a bit rate, for a source that is sent as one stream.
///
/// Video that gets too few bits is scaled down. It is scaled up again only when there is clearly more and it has been
/// calm for a while, so that it does not flap.
struct QualityLadder: Sendable {
  /// By what width and height are divided, from the best.
  static let scales: [Double] = [1, 1.5, 2, 3, 4]
  /// Going up takes this much more than staying.
  static let margin = 1.25
  /// Going down happens below this share of what the rung needs.
  static let tolerance = 0.8
  /// Calm time before going up, after going down and after going up.
  static let calmAfterDown = TimeSpan.seconds(5)
  static let calmAfterUp = TimeSpan.seconds(1)

  private var rung: Int?
  private var isHalved = false
  private var lastChange = Instant.zero
  private var wentDown = false

  /// The scale and the frame rate for `bitrate` now.
  mutating func choose(
    bitrate: DataRate, parameters: EncodingParameters, now: Instant
  ) -> (scaleDown: Double, framerate: Double) {
    guard parameters.width > 0, parameters.height > 0 else { return (1, parameters.framerate) }
    let rate = Double(bitrate.bitsPerSecond)
    let lowest = Self.scales.lastIndex { Double(min(parameters.width, parameters.height)) / $0 >= 90 } ?? 0
    let wanted = (0...lowest).first { rate >= Self.need($0, parameters) } ?? lowest
    if let old = rung {
      let current = min(old, lowest)
      if wanted > current, rate < Self.tolerance * Self.need(current, parameters) {
        move(to: wanted, now)
      } else if wanted < current, now - lastChange >= (wentDown ? Self.calmAfterDown : Self.calmAfterUp) {
        let target = (wanted..<current).first { rate >= Self.margin * Self.need($0, parameters) }
        if let target { move(to: target, now) }
      }
    } else {
      rung = wanted
      lastChange = now
    }
    let current = min(rung ?? 0, lowest)
    // Even the smallest picture looks better at half the frame rate when there is half of what it needs.
    let need = Self.need(current, parameters)
    if rate < need * 0.5 { isHalved = true } else if rate > need * 0.75 { isHalved = false }
    return (Self.scales[current], isHalved ? parameters.framerate / 2 : parameters.framerate)
  }

  private mutating func move(to target: Int, _ now: Instant) {
    wentDown = target > (rung ?? 0)
    rung = target
    lastChange = now
  }

  /// The least bits per second with which a rung looks better than the next smaller one.
  static func need(_ rung: Int, _ parameters: EncodingParameters) -> Double {
    let scale = scales[rung]
    let scaled = EncodingParameters.video(
      width: Int(Double(parameters.width) / scale), height: Int(Double(parameters.height) / scale))
    return Double(scaled.maximumBitrate.bitsPerSecond) * 0.28 * min(max(parameters.framerate, 10), 60) / 30
  }
}
