public import Basics
public import SFU

/// The media server as the meeting rooms see it: ``SFUMediaPlane``, and a double in tests.
///
/// The room decides which publication each slot carries (``SlotTable``); the media plane negotiates, routes packets and
/// reports what it sees. Calls for one meeting come one after the other.
public protocol MediaPlane: Sendable {
  /// Opens a participant's connection from its first offer. When the offer is refused, nothing is left behind.
  ///
  /// - Parameters:
  ///   - tracks: The tracks that it sends.
  ///   - reached: The address of this machine that its signalling came to, if that is known.
  ///   - isEncrypted: Whether the meeting is encrypted end to end. Then no redundant audio is negotiated, and only the
  ///     part of a frame is read that its form leaves clear.
  ///   - isSmall: Whether it has room for ``DataLimits/smallMeeting`` participants at most, who may send data faster.
  func join(
    _ participant: ParticipantID, meeting: MeetingID, offer: String, tracks: [TrackOffer], reached: IPAddress?,
    isEncrypted: Bool, isSmall: Bool
  ) async throws(MediaWorkerError) -> OfferAnswer

  /// Renegotiates: tracks or slots added or removed, or an ICE restart. `tracks` is the whole list; publications that
  /// are missing from it end. Remaining slots keep their publications.
  func offer(
    _ participant: ParticipantID, offer: String, tracks: [TrackOffer]
  ) async throws(MediaWorkerError) -> OfferAnswer

  /// Mutes or unmutes a publication: while muted, nothing of it is forwarded.
  func setMuted(_ muted: Bool, publication: PublicationID, of participant: ParticipantID) async

  /// Puts other publications into slots of `receiver`, or empties them. Returns the slots that can't carry theirs, for
  /// instance because the receiver has no decoder for it; those are empty now.
  func assign(_ changes: [SlotChange], of receiver: ParticipantID) async -> [MID]

  /// Sets the sizes at which `receiver` shows its slots. Unknown slots are ignored.
  func setViews(_ views: [SlotSize], of receiver: ParticipantID) async

  /// Closes a participant's connection and ends its publications. Unknown participants are ignored.
  func leave(_ participant: ParticipantID) async

  /// The events of a meeting from now on; asked for once, before the first `join`. They end with ``close(meeting:)``.
  func events(of meeting: MeetingID) async -> MediaEvents

  /// The data messages of a meeting's participants from now on, as they came; asked for once, before the first `join`.
  /// The stream ends with ``close(meeting:)``.
  func dataEvents(of meeting: MeetingID) async -> AsyncStream<MeetingDataEvent>

  /// Queues a data message for each of `participants`; those without such a channel are left out.
  func sendData(_ message: [UInt8], _ delivery: DataDelivery, to participants: [ParticipantID]) async

  /// The meeting is over: its last participant has left.
  func close(meeting: MeetingID) async

  /// Applies other settings, as far as a running server can.
  func reload(_ configuration: ServerConfiguration) async

  /// Closes all meetings and sockets.
  func shutdown() async

  /// Counters for `/metrics`, in the Prometheus text format (lines with their own `# TYPE`).
  func metrics() async -> String
}
