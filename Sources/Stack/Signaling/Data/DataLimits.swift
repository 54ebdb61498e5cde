/// The bounds of data messages. The server holds clients to them; a client keeps them by itself, since what is beyond
/// is dropped.
public enum DataLimits {
  /// The version byte that each message begins with.
  public static let version: UInt8 = 1
  /// Bytes of payload on the reliable channel.
  public static let reliablePayload = 64 * 1_024
  /// Bytes of payload on the lossy channel. An SCTP packet in a DTLS record of 1,200 bytes has room for 1,132 bytes of
  /// message, so that with this payload 108 stay for the header: a message in one packet is lost only when that packet
  /// is.
  public static let lossyPayload = 1_024
  /// Bytes of the header: 100 recipients and a topic of 128 bytes fit, however they are escaped.
  public static let header = 4_096
  /// Bytes of a topic in UTF-8.
  public static let topic = 128
  /// Recipients that one message can name.
  public static let recipients = 100
  /// Messages a second that a participant may send on average.
  public static let messagesPerSecond = 200
  /// Messages that it may send at once.
  public static let messageBurst = 400
  /// Bytes a second, headers included, that a participant may send on average.
  public static let bytesPerSecond = 1_024 * 1_024
  /// Bytes that it may send at once.
  public static let byteBurst = 2 * 1_024 * 1_024
  /// The capacity up to which a meeting is a small one: what a sender may send reaches so few others.
  public static let smallMeeting = 4
  /// How many times as many bytes a participant of a small meeting may send.
  public static let smallMeetingFactor = 8
}
