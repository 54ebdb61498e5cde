internal import Basics
internal import Crypto

/// Everybody who may hold keys, as their announcements say, and what becomes of those that contradict each other.
struct Roster {
  static let maximumMembers = 2_000
  private static let maximumDeparted = 10_000

  struct Member {
    var announcement: Announcement
    /// Its bytes, which may come again when signalling starts again.
    var bytes: [UInt8]
    /// Whether the sender index that it claims is its own.
    var hasIndex = false
  }

  /// The change that an announcement has made.
  enum Change: Equatable {
    case nothing, joined, updated(indexChanged: Bool)
  }

  private(set) var members: [ParticipantID: Member] = [:]
  private var owners: [UInt16: ParticipantID] = [:]
  // The meeting keys of those who have gone, the oldest first: their announcements bring nobody back.
  private var departed: Set<X25519.PublicKey> = []
  private var departedInOrder: [X25519.PublicKey] = []

  /// The participant whose frames have this index.
  func owner(of index: UInt16) -> ParticipantID? { owners[index] }

  /// Whether somebody has the index, or claims it.
  func isClaimed(_ index: UInt16) -> Bool { members.values.contains { $0.announcement.senderIndex == index } }

  /// Takes a checked announcement. `ownIndex` is this client's.
  mutating func accept(
    _ announcement: Announcement, bytes: [UInt8], ownIndex: UInt16
  ) throws(KeyMessageError) -> Change {
    let id = announcement.participant
    guard var member = members[id] else {
      guard !departed.contains(announcement.meetingKey) else { throw .replayed }
      guard members.count < Self.maximumMembers else { throw .tooMany }
      members[id] = Member(announcement: announcement, bytes: bytes)
      assignIndices(ownIndex: ownIndex, first: id)
      return .joined
    }
    let known = member.announcement
    guard known.identity == announcement.identity, known.meetingKey == announcement.meetingKey else {
      throw .identityChanged
    }
    if member.bytes == bytes { return .nothing }
    guard announcement.revision > known.revision else { throw .replayed }
    member.announcement = announcement
    member.bytes = bytes
    let indexChanged = known.senderIndex != announcement.senderIndex
    if indexChanged {
      if owners[known.senderIndex] == id { owners[known.senderIndex] = nil }
      member.hasIndex = false
    }
    members[id] = member
    assignIndices(ownIndex: ownIndex, first: id)
    return .updated(indexChanged: indexChanged)
  }

  mutating func remove(_ id: ParticipantID, ownIndex: UInt16) -> Bool {
    guard let member = members.removeValue(forKey: id) else { return false }
    noteDeparted(member.announcement.meetingKey)
    if owners[member.announcement.senderIndex] == id { owners[member.announcement.senderIndex] = nil }
    assignIndices(ownIndex: ownIndex, first: nil)
    return true
  }

  private mutating func noteDeparted(_ key: X25519.PublicKey) {
    if departedInOrder.count == Self.maximumDeparted { departed.remove(departedInOrder.removeFirst()) }
    departed.insert(key)
    departedInOrder.append(key)
  }

  /// Gives free indices to those who claim them: who has one keeps it, whoever claims it later.
  mutating func assignIndices(ownIndex: UInt16, first: ParticipantID?) {
    let waiting = members.filter { !$0.value.hasIndex }.keys.sorted()
    for id in [first].compactMap({ $0 }) + waiting {
      guard let member = members[id], !member.hasIndex else { continue }
      let index = member.announcement.senderIndex
      guard owners[index] == nil, index != ownIndex else { continue }
      owners[index] = id
      members[id]?.hasIndex = true
    }
  }

  /// A hash of all who hold keys, this client included.
  func hash(own: Announcement) throws(CryptoError) -> [UInt8] {
    var entries = members.values.map { ($0.announcement.participant, $0.announcement.identity) }
    entries.append((own.participant, own.identity))
    var writer = ByteWriter()
    writer.write(Array("Parley roster 1\0".utf8))
    for (id, identity) in entries.sorted(by: { $0.0 < $1.0 }) {
      writer.write(text: id.rawValue)
      writer.write(identity.rawValue)
    }
    return try Digest.sha256(writer.bytes)
  }
}
