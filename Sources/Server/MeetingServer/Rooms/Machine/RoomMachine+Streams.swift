import FoundationEssentials
import Meetings
import Signaling

/// The room as the OpenTok REST API sees it: without hidden participants.
extension RoomMachine {
  /// A participant's publications, as OpenTok counts them.
  struct Stream: Sendable, Hashable, Encodable {
    var id: String
    var videoType: String
    var name: String
    var layoutClassList: [String]
    /// When its first track was published, in milliseconds since 1970.
    var createdAt: Int64
  }

  /// Somebody in the session.
  struct Connection: Sendable {
    var id: String
    var isConnected: Bool
    var created: Date
  }

  /// In the order in which their owners joined.
  var streams: [Stream] {
    seen.flatMap { member in
      let names = Set(member.publications.map { StreamName(participant: member.id, source: $0.info.source) })
      return names.sorted { !$0.isScreen && $1.isScreen }.map { stream(named: $0, of: member) }
    }
  }

  /// In the order in which they joined.
  var connections: [Connection] {
    seen.map { Connection(id: $0.id, isConnected: $0.connection == .connected, created: $0.created) }
  }

  /// Gives streams other layout classes, all or none; nil when one of the streams isn't there. Returns the streams
  /// after the change.
  func setLayoutClasses(_ classes: [String: [String]]) -> [Stream]? {
    let owners = classes.compactMap { id, list in owner(of: id).map { (name: $0.name, member: $0.member, list: list) } }
    guard owners.count == classes.count else { return nil }
    for owner in owners { owner.member.layoutClasses[owner.name] = owner.list }
    return owners.map { stream(named: $0.name, of: $0.member) }
  }

  /// Mutes the audio of a stream. False when it isn't there.
  func mute(stream id: String) -> Bool {
    guard let (member, name) = owner(of: id) else { return false }
    return forceMute(participant: member.id, sources: name.sources.intersection(Self.sound))
  }

  /// Mutes the audio of every stream but of these, now and from now on.
  func muteStreams(except streams: [String]) {
    let excluded = streams.compactMap { owner(of: $0)?.name }.flatMap { name in
      name.sources.intersection(Self.sound).map { TrackReference(participant: name.participant, source: $0) }
    }
    muteAll(
      MuteAll(sources: Self.sound, except: [], exceptTracks: Set(excluded), mayUnmute: true), includingLater: true)
  }

  /// Takes a participant out. False when there is no such connection.
  func disconnect(_ id: String) -> Bool {
    guard let member = roster[id], !member.isHidden else { return false }
    return removeParticipant(id, message: "You were removed from the meeting.")
  }

  private static let sound: Set<TrackSource> = [.microphone, .screenAudio]

  private var seen: [RoomMember] { roster.inOrder.filter { !$0.isHidden } }

  private func owner(of id: String) -> (member: RoomMember, name: StreamName)? {
    guard let name = StreamName(id), let member = roster[name.participant], !member.isHidden,
      member.publications.contains(where: { name.sources.contains($0.info.source) })
    else { return nil }
    return (member, name)
  }

  private func stream(named name: StreamName, of member: RoomMember) -> Stream {
    let tracks = member.publications.map(\.info).filter { name.sources.contains($0.source) }
    let created = tracks.compactMap(\.created).min() ?? member.created
    return Stream(
      id: name.description, videoType: name.isScreen ? "screen" : "camera",
      name: tracks.compactMap(\.name).first ?? member.name,
      layoutClassList: member.layoutClasses[name] ?? member.admission.grant.layoutClasses,
      createdAt: Int64((created.timeIntervalSince1970 * 1_000).rounded()))
  }
}
