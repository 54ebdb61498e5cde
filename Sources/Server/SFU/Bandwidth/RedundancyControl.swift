import Basics
import RTC

/// Decides how many earlier payloads the server adds to each audio packet of a receiver that loses some (RED, RFC
/// 2198).
///
/// Begins as soon as the loss is felt and ends when it has been gone for a while: one more payload in each packet is
/// cheap, a gap is heard.
struct RedundancyControl: Sendable {
  /// From this share lost on, one payload is added.
  static let lowLoss = 0.025
  /// From this share lost on, two are.
  static let highLoss = 0.07
  /// For this long the loss must have been low before less is added.
  static let calm = TimeSpan.seconds(10)

  /// How many earlier payloads each packet carries, 0 to 2.
  private(set) var level: UInt8 = 0
  /// The receiver's payload type for redundant audio.
  private(set) var payloadType = PayloadType(rawValue: 0)
  private var loss = 0.0
  private var lowSince: Instant?

  /// Audio may take this share of the path's capacity.
  static let maximumShare = 0.25

  /// Whether to leave out the earlier payload that a publisher adds by itself: the path loses next to nothing, and
  /// `sound`, the rate of what is sent now, takes too much of `room`. Without, it takes about half, so it comes back
  /// where twice as much has room.
  static func omits(loss: Double, sound: DataRate, room: DataRate, isOmitted: Bool) -> Bool {
    loss < lowLoss
      && Double(sound.bitsPerSecond) * (isOmitted ? 2 : 1) > maximumShare * Double(room.bitsPerSecond)
  }

  /// Adds less where audio, at `rate` now, would take too much of `estimate`.
  mutating func bound(to rate: DataRate, of estimate: DataRate) {
    guard level > 0 else { return }
    if Double(rate.bitsPerSecond) > Self.maximumShare * Double(estimate.bitsPerSecond) { level &-= 1 }
  }

  /// Takes a measurement of the share of packets lost. `payloadType`: nil for a receiver that takes no redundancy.
  mutating func update(loss sample: Double, payloadType: PayloadType?, now: Instant) {
    guard let payloadType else {
      level = 0
      return
    }
    self.payloadType = payloadType
    loss += (sample > loss ? 0.5 : 0.2) * (sample - loss)
    let due: UInt8 = loss >= Self.highLoss ? 2 : loss >= Self.lowLoss ? 1 : 0
    if due >= level {
      level = due
      lowSince = nil
      return
    }
    // Half of what it began at.
    guard loss < (level == 2 ? Self.highLoss : Self.lowLoss) / 2 else {
      lowSince = nil
      return
    }
    guard let since = lowSince else {
      lowSince = now
      return
    }
    if now - since >= Self.calm {
      level &-= 1
      lowSince = now
    }
  }
}
