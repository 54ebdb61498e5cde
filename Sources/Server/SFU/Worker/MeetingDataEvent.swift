public import Basics

/// The data channel of a message, one of a participant's two.
public enum DataDelivery: Sendable, Hashable, CaseIterable {
  /// Every message, in order.
  case reliable
  /// Each message once; it may be lost.
  case lossy
}

/// A worker's event of a meeting's data channels.
public enum MeetingDataEvent: Sendable, Hashable {
  /// A message of a participant, as it came: nobody has looked into it.
  case message(from: ParticipantID, DataDelivery, [UInt8])
  /// A participant sent more than it may, and a message on its reliable channel was dropped. At most once a second.
  case tooFast(ParticipantID)
  /// A participant does not take what is sent to it; its reliable channel was closed.
  case slowReader(ParticipantID)
}
