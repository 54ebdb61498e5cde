public import Basics

/// Which of a participant's two data channels a message came or goes over.
public enum DataDelivery: Sendable, Hashable, CaseIterable {
  /// Every message, in order.
  case reliable
  /// Each message once; it may be lost.
  case lossy
}

/// What a worker reports about the data channels of a meeting.
public enum MeetingDataEvent: Sendable, Hashable {
  /// A message of a participant, as it came: nobody has looked into it.
  case message(from: ParticipantID, DataDelivery, [UInt8])
  /// A participant sent more than it may, and a message on its reliable channel was dropped. At most once a second.
  case tooFast(ParticipantID)
  /// A participant does not take what is sent to it; its reliable channel was closed.
  case slowReader(ParticipantID)
}

/// The data channels that clients may open, and their bounds.
public struct DataChannelSettings: Sendable {
  /// The label of each channel that is served; channels with others are closed.
  public var labels: [DataDelivery: String]
  /// The most bytes of a message; larger ones are dropped.
  public var maximumMessage: [DataDelivery: Int]
  /// Messages a second that a participant may send on average.
  public var messagesPerSecond: Int
  /// Messages that it may send at once.
  public var messageBurst: Int
  /// Bytes a second that a participant may send on average.
  public var bytesPerSecond: Int
  /// Bytes that it may send at once.
  public var byteBurst: Int
  /// Bytes that may wait for one receiver in one channel. Beyond, lossy messages are dropped and a reliable channel is closed.
  public var maximumBuffer: Int
  /// Messages of one meeting that may wait to be passed on; more are dropped.
  public var maximumBacklog: Int

  /// Settings; the defaults serve tests.
  public init(
    labels: [DataDelivery: String] = [.reliable: "reliable", .lossy: "lossy"],
    maximumMessage: [DataDelivery: Int] = [.reliable: 72 * 1_024, .lossy: 8 * 1_024], messagesPerSecond: Int = 200,
    messageBurst: Int = 400, bytesPerSecond: Int = 1 << 20, byteBurst: Int = 2 << 20, maximumBuffer: Int = 1 << 20,
    maximumBacklog: Int = 1_024
  ) {
    self.labels = labels
    self.maximumMessage = maximumMessage
    self.messagesPerSecond = messagesPerSecond
    self.messageBurst = messageBurst
    self.bytesPerSecond = bytesPerSecond
    self.byteBurst = byteBurst
    self.maximumBuffer = maximumBuffer
    self.maximumBacklog = maximumBacklog
  }
}

/// Why a data message was dropped. Each is counted (``DataCounters``).
public enum DataDrop: UInt8, Sendable, CaseIterable {
  /// Its sender sends more than it may.
  case tooFast
  /// It is larger than a message may be.
  case tooLarge
  /// It came as text, or over a channel that is not served.
  case unexpected
  /// Too many messages of its meeting wait to be passed on.
  case overload
  /// Its receiver does not take what is sent to it fast enough.
  case slowReader
}

/// What a worker's data channels did, for `/metrics`. Counters only grow and wrap.
public struct DataCounters: Sendable {
  /// Messages received from participants and passed on.
  public var messagesReceived: UInt64 = 0
  /// Bytes of them.
  public var bytesReceived: UInt64 = 0
  /// Messages queued for participants, one for each receiver.
  public var messagesSent: UInt64 = 0
  /// Bytes of them.
  public var bytesSent: UInt64 = 0
  /// Reliable channels that were closed because their reader was too slow.
  public var channelsClosed: UInt64 = 0
  /// What was dropped, by reason; the index is ``DataDrop``'s raw value.
  private var drops = [UInt64](repeating: 0, count: DataDrop.allCases.count)

  /// All zero.
  public init() {}

  /// How many were dropped for `reason`.
  public subscript(reason: DataDrop) -> UInt64 { drops[Int(reason.rawValue)] }

  mutating func count(_ reason: DataDrop) { drops[Int(reason.rawValue)] &+= 1 }
}

/// How fast one participant may send: a bucket of messages and one of bytes, which fill up by and by.
struct DataRateLimit {
  private let settings: DataChannelSettings
  private var messages: Double
  private var bytes: Double
  private var last: Instant

  init(_ settings: DataChannelSettings, now: Instant) {
    self.settings = settings
    messages = Double(settings.messageBurst)
    bytes = Double(settings.byteBurst)
    last = now
  }

  /// Takes a message of `count` bytes; false when either bucket is too empty, and then nothing is taken.
  mutating func take(_ count: Int, now: Instant) -> Bool {
    let seconds = max(0, (now - last).seconds)
    last = now
    messages = min(Double(settings.messageBurst), messages + seconds * Double(settings.messagesPerSecond))
    bytes = min(Double(settings.byteBurst), bytes + seconds * Double(settings.bytesPerSecond))
    guard messages >= 1, bytes >= Double(count) else { return false }
    messages -= 1
    bytes -= Double(count)
    return true
  }
}
