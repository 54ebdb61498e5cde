public import RTC

/// What a router has to say to whoever runs the meeting.
public enum RouterEvent: Sendable {
  /// The first packet of a publication came.
  case publicationStarted(PublicationID)
  /// A video publication arrives in this codec from now on: the first packet came, or its sender went over to another.
  case codecChanged(PublicationID, NegotiatedCodec)
  /// Who speaks changed: loudest first, with a level of 0 to 1.
  case speakers([(participant: ParticipantID, level: Double)])
  /// A participant's connection is judged differently.
  case quality(ParticipantID, ConnectionQuality)
  /// Which layers of a video publication somebody wants changed: its sender should send more, or may send less.
  case layersWanted(PublicationID, LayersWanted)
  /// Slots that follow the loudest voices carry others now.
  case slots([SlotUpdate])
  /// All the video that is not sent to a participant for now changed: each comes back by itself.
  case paused(ParticipantID, [PausedPublication])
}
