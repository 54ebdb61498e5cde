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
  /// How many times as many bytes it may send in a meeting for few participants.
  public var smallMeetingFactor: Int
  /// Bytes that may wait for one receiver in one channel. Beyond, lossy messages are dropped and a reliable channel is
  /// closed.
  public var maximumBuffer: Int
  /// Messages of one meeting that may wait to be passed on; more are dropped.
  public var maximumBacklog: Int

  /// Settings; the defaults serve tests.
  public init(
    labels: [DataDelivery: String] = [.reliable: "reliable", .lossy: "lossy"],
    maximumMessage: [DataDelivery: Int] = [.reliable: 72 * 1_024, .lossy: 8 * 1_024], messagesPerSecond: Int = 200,
    messageBurst: Int = 400, bytesPerSecond: Int = 1 << 20, byteBurst: Int = 2 << 20,
    smallMeetingFactor: Int = 1, maximumBuffer: Int = 1 << 20, maximumBacklog: Int = 1_024
  ) {
    self.labels = labels
    self.maximumMessage = maximumMessage
    self.messagesPerSecond = messagesPerSecond
    self.messageBurst = messageBurst
    self.bytesPerSecond = bytesPerSecond
    self.byteBurst = byteBurst
    self.smallMeetingFactor = smallMeetingFactor
    self.maximumBuffer = maximumBuffer
    self.maximumBacklog = maximumBacklog
  }
}
