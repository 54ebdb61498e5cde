public import Basics
public import RTC

/// How a worker is set up.
public struct MediaWorkerConfiguration: Sendable {
  /// Certificate and SRTP profiles, one for the process.
  public var dtls: DTLSContext
  /// The formats accepted in offers.
  public var policy: MediaPolicy
  /// The UDP and TCP port; 0 for any free one.
  public var port: UInt16
  /// Its local addresses, and those that clients get.
  public var addresses: MediaAddressPolicy
  /// Called on the worker's thread with the addresses that clients are told, at the start and whenever they change.
  public var onAddresses: (@Sendable (MediaAddressReport) -> Void)?
  /// Whether IPv6 is used.
  public var usesIPv6: Bool
  /// Whether ICE-TCP is offered.
  public var usesTCP: Bool
  /// How long packets may be held, in large meetings and under load, to leave as bursts; zero to forward at once
  /// always.
  public var maximumHold: TimeSpan
  /// Most participants on one worker.
  public var maximumParticipants: Int
  /// The data channels that clients may open.
  public var data: DataChannelSettings
  /// How many voices are forwarded in a meeting with more voices than slots, 1 to 8.
  public var audioLoudest = 5
  /// Participants of one meeting on one worker before the pool takes the next worker for it.
  public var meetingSpread = 16
  /// Bytes of each of the two rings between two workers.
  public var ringBytes = 1 << 20

  /// A configuration with the usual settings.
  public init(
    dtls: DTLSContext, policy: MediaPolicy = .standard, port: UInt16 = 0,
    addresses: MediaAddressPolicy = MediaAddressPolicy(),
    usesIPv6: Bool = true, usesTCP: Bool = true, maximumHold: TimeSpan = .milliseconds(5),
    maximumParticipants: Int = 4_096, data: DataChannelSettings = DataChannelSettings()
  ) {
    self.dtls = dtls
    self.policy = policy
    self.port = port
    self.addresses = addresses
    self.usesIPv6 = usesIPv6
    self.usesTCP = usesTCP
    self.maximumHold = maximumHold
    self.maximumParticipants = maximumParticipants
    self.data = data
  }
}
