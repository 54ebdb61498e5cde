/// An event of a ``DataChannelTransport``.
public enum DataChannelEvent: Hashable, Sendable {
  /// The association is up (RFC 9260 section 5.1). It comes a second time when the peer restarted its end.
  case connected
  /// A channel may be used: one of ours now that the association is up, or one that the peer opened.
  case opened(DataChannelID, DataChannelOptions)
  case message(DataChannelID, DataMessageKind, [UInt8])
  /// The channel is closed in both directions. Its id names nothing any more.
  case closed(DataChannelID)
  /// The buffered amount fell to ``DataChannelOptions/bufferedAmountLowThreshold``: send more.
  case bufferedAmountLow(DataChannelID)
  /// The association is over, and every channel with it, without a ``closed(_:)`` for each. Nothing follows.
  case failed(SCTPFailure)
}

/// Why ``DataChannelTransport`` refused a call.
public enum DataChannelError: Error, Hashable, Sendable {
  /// The send buffer of the association has no room for the message now; try again after
  /// ``DataChannelEvent/bufferedAmountLow(_:)``.
  case bufferFull
  /// The message is longer than the peer takes; the limit in bytes.
  case messageTooLarge(limit: Int)
  /// No such channel, or it is closed.
  case unknownChannel
  /// The channel is closing and takes no more messages.
  case closing
  /// The association ended or is shutting down.
  case ended
  /// Every stream of this side's parity is in use, or ``SCTPConfiguration/maximumChannels`` channels exist.
  case tooManyChannels
  /// The negotiated id is in use.
  case idInUse(UInt16)
  /// The negotiated id is beyond the streams of the association.
  case idOutOfRange(UInt16)
  /// Both ``DataChannelOptions/maxRetransmits`` and ``DataChannelOptions/maxLifetime`` are given; a channel has one
  /// limit.
  case twoLimits
  /// The label or the protocol is too long; the limit in bytes of UTF-8.
  case labelTooLong(limit: Int)
}
