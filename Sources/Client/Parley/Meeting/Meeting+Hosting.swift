public import Signaling

/// Actions of hosts on everybody. The server refuses them to others: ``JoinError/refused(code:message:)`` with the code
/// `notAllowed`.
extension Meeting {
  /// Mutes everybody else, and with `includingSelf` this client too.
  ///
  /// ```swift
  /// try await meeting.muteAll(except: [participant])
  /// try await meeting.muteAll([.microphone, .screenAudio], exceptTracks: [(participant, .screenAudio)])
  /// try await meeting.muteAll(mayUnmute: false)  // until ``allowUnmuting()``
  /// ```
  ///
  /// - Parameters:
  ///   - sources: The sources to mute.
  ///   - except: The participants to leave out.
  ///   - exceptTracks: Single tracks that are left out, also when they are published later, or again.
  ///   - includingLater: Whether what is published later starts muted too, also that of people who come later.
  ///   - includingSelf: Whether it holds for this client, too.
  ///   - mayUnmute: Whether people may unmute themselves. False holds for later tracks too.
  public func muteAll(
    _ sources: [TrackSource] = [.microphone], except: [RemoteParticipant] = [],
    exceptTracks: [(participant: any Participant, source: TrackSource)] = [], includingLater: Bool = false,
    includingSelf: Bool = false, mayUnmute: Bool = true
  ) async throws(JoinError) {
    let tracks = exceptTracks.map { TrackReference(participant: $0.participant.id, source: $0.source) }
    try await request(
      .muteAll(
        sources: sources, except: except.map(\.id), exceptTracks: tracks, includingLater: includingLater,
        includingSelf: includingSelf, mayUnmute: mayUnmute))
  }

  /// Ends what ``muteAll(_:except:exceptTracks:includingLater:includingSelf:mayUnmute:)`` said of later tracks and of
  /// unmuting. Muted tracks stay muted.
  ///
  /// ```swift
  /// try await meeting.allowUnmuting()
  /// ```
  public func allowUnmuting() async throws(JoinError) { try await request(.liftMuteAll) }

  /// Has everybody show one participant large; nil for nobody.
  ///
  /// ```swift
  /// try await meeting.setSpotlight(participant)
  /// ```
  public func setSpotlight(_ participant: (any Participant)?) async throws(JoinError) {
    try await request(.spotlight(participant?.id))
  }

  /// Ends the meeting for everybody.
  ///
  /// ```swift
  /// try await meeting.endForAll()
  /// ```
  public func endForAll() async throws(JoinError) { try await request(.endMeeting) }

  /// Lowers every raised hand.
  ///
  /// ```swift
  /// try await meeting.lowerAllHands()
  /// ```
  public func lowerAllHands() async throws(JoinError) { try await request(.lowerHands) }

  // MARK: For everybody

  /// Shows everybody a reaction for a moment. At most one a second on average.
  ///
  /// ```swift
  /// try await meeting.react(.clap)
  /// ```
  public func react(_ reaction: Reaction) async throws(JoinError) { try await request(.react(reaction)) }

  /// Everybody whose hand is up, in the order the hands went up.
  public var raisedHands: [any Participant] { roster.raisedHands }

  /// The participant to show large; nil for nobody.
  public var spotlight: (any Participant)? { moderation.spotlight(roster) }

  // MARK: Polls

  /// Makes a poll, which is open at once. Needs the right to moderate.
  ///
  /// ```swift
  /// try await meeting.createPoll("Lunch at twelve?", options: ["Yes", "No"])
  /// ```
  public func createPoll(
    _ question: String, options: [String], multiple: Bool = false, results: PollResults = .always
  ) async throws(JoinError) {
    let draft = PollDraft(question: question, options: options, multiple: multiple, results: results)
    try await request(.createPoll(try onTheWire(draft)))
  }

  /// Closes a poll, or opens it again. Needs the right to moderate.
  ///
  /// ```swift
  /// for poll in meeting.polls { try await meeting.setPoll(poll.id, isOpen: false) }
  /// ```
  public func setPoll(_ id: Int, isOpen: Bool) async throws(JoinError) {
    try await request(.setPoll(id, isOpen: isOpen))
  }

  /// Takes a poll away. Needs the right to moderate.
  ///
  /// ```swift
  /// if let poll = meeting.polls.first { try await meeting.removePoll(poll.id) }
  /// ```
  public func removePoll(_ id: Int) async throws(JoinError) { try await request(.removePoll(id)) }

  /// Chooses answers of a poll by their places, instead of those chosen before; none takes the vote back.
  ///
  /// ```swift
  /// if let poll = meeting.polls.first(where: \.isOpen) { try await meeting.vote(in: poll.id, for: [0]) }
  /// ```
  public func vote(in id: Int, for options: [Int]) async throws(JoinError) {
    if isEncrypted, let poll = pollState[id], poll.options.isEmpty {
      throw .refused(code: "encrypted", message: "This device cannot read the poll.")
    }
    try await request(.vote(poll: id, options: options))
    emit(room: pollState.applyVote(id, for: options))
  }
}
