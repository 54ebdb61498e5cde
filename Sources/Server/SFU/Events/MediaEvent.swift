public import Basics
public import RTC

/// A report of the media server about a meeting.
///
/// ``speakers(_:)`` and ``quality(_:_:)`` are telemetry: the next one makes up for one that is lost. All others are
/// state, of which ``MediaEvents`` delivers the newest of each subject.
public enum MediaEvent: Sendable, Hashable {
  /// ICE and DTLS of a participant are up, or up again.
  case connected(ParticipantID)
  /// No authenticated check has come for 30 s, DTLS failed, or the peer closed: nothing is sent any more.
  case lost(ParticipantID)
  /// The first packet of a publication came.
  case publicationStarted(PublicationID)
  /// A video publication arrives in this codec from now on: the first packet came, or its sender changed the codec.
  case codecChanged(PublicationID, NegotiatedCodec)
  /// The layers of a video publication that its receivers want changed: its sender should send more, or may send less.
  case layersWanted(PublicationID, LayersWanted)
  /// Slots that follow the loudest speakers carry others now.
  case slots([SlotUpdate])
  /// All the video that is not sent to a participant for now changed: each comes back by itself.
  case paused(ParticipantID, [PausedPublication])
  /// The active speakers, loudest first; at most five times a second.
  case speakers([ActiveSpeaker])
  /// A participant's connection is judged differently.
  case quality(ParticipantID, ConnectionQuality)
}

/// A participant who speaks.
public struct ActiveSpeaker: Sendable, Hashable {
  public var participant: ParticipantID
  /// 0 (silence) to 1 (as loud as can be sent).
  public var level: Double

  public init(participant: ParticipantID, level: Double) {
    self.participant = participant
    self.level = level
  }
}
