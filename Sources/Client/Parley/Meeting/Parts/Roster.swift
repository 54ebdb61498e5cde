import Signaling

/// The participants of a meeting and what they publish, as the server's messages describe them.
///
/// It does no I/O: a message goes in, and its changes come out. The ``Meeting`` reports them, and carries out what they
/// ask of the connection and of own tracks.
@MainActor struct Roster {
  /// A change that a message has brought.
  enum Change {
    case joined(RemoteParticipant)
    case updated(RemoteParticipant)
    case left(RemoteParticipant, LeaveReason)
    /// The server has decided this client's name.
    case renamed
    case handChanged(any Participant)
    case qualityChanged(any Participant, ConnectionQuality)
    case published(RemotePublication)
    case unpublished(RemotePublication)
    case muteChanged(RemotePublication)
    /// A host mutes an own track, which is still to be done.
    case mutedByHost(LocalPublication)
    /// A host ends an own track, which is still to be done. Without a reason, it happened during a lost connection.
    case stoppedByHost(LocalPublication, UnpublishReason?)
  }

  let local: LocalParticipant
  /// The others, in the order they joined.
  private(set) var participants: [RemoteParticipant] = []
  /// ``participants`` by their ids: the server's messages name those.
  private var byID: [String: RemoteParticipant] = [:]

  init(_ local: LocalParticipant) { self.local = local }

  /// Somebody else by id.
  subscript(id: String) -> RemoteParticipant? { byID[id] }

  /// Somebody by id, this client included.
  func participant(_ id: String) -> (any Participant)? { id == local.id ? local : byID[id] }

  /// Everything that the others publish.
  var remotePublications: [RemotePublication] { participants.flatMap(\.publications) }

  /// Everybody whose hand is up, in the order the hands went up.
  var raisedHands: [any Participant] {
    let all: [any Participant] = [local] + participants
    return all.filter { $0.hand != nil }.sorted { ($0.hand ?? 0) < ($1.hand ?? 0) }
  }

  // MARK: Participants

  /// Applies the participants of a `welcome` or `resumed`: whoever isn't listed has left.
  ///
  /// After a resume, own tracks that the server doesn't have were ended while the socket was down.
  mutating func applyAll(_ infos: [ParticipantInfo], isWelcome: Bool) -> [Change] {
    let present = Set(infos.map(\.id))
    var changes: [Change] = []
    for participant in participants where !present.contains(participant.id) {
      changes += remove(participant.id, .left)
    }
    for info in infos {
      changes += apply(info, isWhole: true)
      let publications = Set(info.publications.map(\.id))
      for old in byID[info.id]?.publications ?? [] where !publications.contains(old.id) {
        changes += removePublication(old.id, of: info.id)
      }
    }
    return isWelcome ? changes : changes + missing(in: infos)
  }

  /// Applies a new or changed participant.
  ///
  /// - Parameter isWhole: Whether it is one of a whole state, which is how things are; otherwise what it says of own
  ///   tracks may be older than a change that this client has just made.
  mutating func apply(_ info: ParticipantInfo, isWhole: Bool = false) -> [Change] {
    var changes: [Change] = []
    if info.id == local.id {
      changes += applyOwn(info)
    } else if let known = byID[info.id] {
      changes += update(known, info)
    } else {
      let participant = RemoteParticipant(info)
      participants.append(participant)
      byID[participant.id] = participant
      changes.append(.joined(participant))
    }
    for publication in info.publications {
      if info.id == local.id, !isWhole {
        applyFacts(of: publication)
      } else {
        changes += applyPublication(publication, of: info.id)
      }
    }
    return changes
  }

  mutating func remove(_ id: String, _ reason: LeaveReason) -> [Change] {
    guard let participant = byID.removeValue(forKey: id) else { return [] }
    participants.removeAll { $0 === participant }
    let publications = participant.publications
    participant.publications = []
    return publications.map(Change.unpublished) + [.left(participant, reason)]
  }

  private func applyOwn(_ info: ParticipantInfo) -> [Change] {
    let changes = applyHand(info.hand, of: local)
    (local.data, local.created) = (info.data, info.created)
    if local.wantedName == info.name { local.wantedName = nil }
    guard local.name != info.name else { return changes }
    // A token may set the name, so the server's is the one that counts.
    local.name = info.name
    return changes + [.renamed]
  }

  private func update(_ known: RemoteParticipant, _ info: ParticipantInfo) -> [Change] {
    let before = (known.name, known.role, known.isReconnecting, known.permissions)
    known.name = info.name
    known.role = ParticipantRole(rawValue: info.role)
    known.isReconnecting = info.connection == .reconnecting
    known.permissions = ParticipantPermission.of(role: known.role, named: info.permissions)
    let isChanged = before != (known.name, known.role, known.isReconnecting, known.permissions)
    return (isChanged ? [Change.updated(known)] : []) + applyHand(info.hand, of: known)
  }

  private func applyHand(_ hand: Int?, of participant: any Participant) -> [Change] {
    guard participant.hand != hand else { return [] }
    if participant === local { local.hand = hand } else { byID[participant.id]?.hand = hand }
    return [.handChanged(participant)]
  }

  // MARK: Publications

  func applyPublication(_ info: PublicationInfo, of id: String) -> [Change] {
    if id == local.id { return applyOwnPublication(info) }
    guard let participant = byID[id] else { return [] }
    guard let known = participant.publications.first(where: { $0.id == info.id }) else {
      let publication = RemotePublication(info, participant: participant)
      participant.publications.append(publication)
      return [.published(publication)]
    }
    known.isMutedByHost = info.mutedByHost == true
    guard known.isMuted != info.muted else { return [] }
    known.isMuted = info.muted
    return [.muteChanged(known)]
  }

  func removePublication(_ id: String, of owner: String, _ reason: UnpublishReason? = nil) -> [Change] {
    if owner == local.id { return stopOwn(id, reason) }
    guard let participant = byID[owner], let index = participant.publications.firstIndex(where: { $0.id == id })
    else { return [] }
    return [.unpublished(participant.publications.remove(at: index))]
  }

  /// Applies what never changes of an own track.
  @discardableResult func applyFacts(of info: PublicationInfo) -> LocalPublication? {
    let publication = local.publication(info.source)
    publication?.id = info.id
    publication?.created = info.created
    return publication
  }

  /// Only a host's mute counts: otherwise this client's own word does.
  private func applyOwnPublication(_ info: PublicationInfo) -> [Change] {
    guard let publication = applyFacts(of: info), info.mutedByHost == true,
      !publication.isMuted || !publication.isMutedByHost
    else { return [] }
    return [.mutedByHost(publication)]
  }

  private func stopOwn(_ id: String, _ reason: UnpublishReason?) -> [Change] {
    guard let publication = local.publications.first(where: { $0.id == id }) else { return [] }
    return [.stoppedByHost(publication, reason)]
  }

  private func missing(in infos: [ParticipantInfo]) -> [Change] {
    guard let own = infos.first(where: { $0.id == local.id }) else { return [] }
    let present = Set(own.publications.map(\.id))
    let ended = local.publications.filter { !$0.id.isEmpty && !present.contains($0.id) }
    return ended.map { Change.stoppedByHost($0, nil) }
  }

  // MARK: Quality

  func applyQuality(_ qualities: [String: ConnectionQuality]) -> [Change] {
    var changes: [Change] = []
    for (id, quality) in qualities.sorted(by: { $0.key < $1.key }) {
      guard let participant = participant(id), participant.quality != quality else { continue }
      if participant === local { local.quality = quality } else { byID[id]?.quality = quality }
      changes.append(.qualityChanged(participant, quality))
    }
    return changes
  }
}
