public import Basics

/// The limits of a ``MediaSender``.
public struct MediaSenderConfiguration: Hashable, Sendable {
  /// The estimate before anything is known.
  public var startBitrate: DataRate
  /// The estimate never goes below this.
  public var minimumBitrate: DataRate
  /// The estimate never goes above this.
  public var maximumBitrate: DataRate
  /// The largest protected RTP packet in bytes, without IP and UDP headers.
  public var maximumPacketSize: Int
  /// Payload bytes that one video stream keeps for retransmission at most; one audio stream keeps a sixteenth.
  public var retransmissionBytes: Int
  /// How long a packet is kept for retransmission, and may wait in the pacer before it is dropped.
  public var retransmissionAge: TimeSpan
  /// How many sent packets the bandwidth estimation remembers, 16 bytes each.
  public var history: Int
  /// The time between two sender reports.
  public var reportInterval: TimeSpan
  /// Keyframe requests that go on coming are answered once in this time; the first ones after a calm time up to five
  /// times as often.
  public var keyframeInterval: TimeSpan
  /// Whether the sender looks for more bandwidth by sending more than the media needs for a moment.
  public var probes: Bool

  /// A configuration; left out, each value is what a meeting wants.
  public init(
    startBitrate: DataRate = .kilobits(300), minimumBitrate: DataRate = .kilobits(30),
    maximumBitrate: DataRate = .kilobits(8_000), maximumPacketSize: Int = 1_200, retransmissionBytes: Int = 1 << 20,
    retransmissionAge: TimeSpan = .seconds(2), history: Int = 2_048, reportInterval: TimeSpan = .seconds(1),
    keyframeInterval: TimeSpan = .milliseconds(500), probes: Bool = true
  ) {
    self.startBitrate = startBitrate
    self.minimumBitrate = minimumBitrate
    self.maximumBitrate = maximumBitrate
    self.maximumPacketSize = min(max(maximumPacketSize, 256), 1_400)
    self.retransmissionBytes = min(max(retransmissionBytes, 1 << 16), 1 << 24)
    self.retransmissionAge = retransmissionAge
    self.history = history
    self.reportInterval = reportInterval
    self.keyframeInterval = keyframeInterval
    self.probes = probes
  }
}
