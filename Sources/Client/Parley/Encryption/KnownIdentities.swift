import Crypto
import FoundationEssentials

/// The identities that were seen in encrypted meetings, for recognising people in later ones.
///
/// ```swift
/// import FoundationEssentials
///
/// options.knownIdentities = try JSONDecoder().decode(KnownIdentities.self, from: Data(bytes))
/// let meeting = try await Meeting.join(url, options: options)
/// // … and after it:
/// let kept = try JSONEncoder().encode(meeting.knownIdentities)
/// ```
public struct KnownIdentities: Sendable, Hashable, Codable {
  /// Most identities that are remembered. Guests are forgotten first, then those that were not seen for longest.
  public static let maximumPeople = 1_000

  struct Person: Sendable, Hashable, Codable {
    /// The public key, in base64url.
    var key: String
    /// The name that it signed last, as ``KnownIdentities/clean(_:)`` leaves it.
    var name: String
    /// In how many meetings it was seen. Guests' keys are seen in one.
    var meetings: Int
    /// The id of the meeting where it was seen last.
    var meeting: String?
    /// When it was seen last, in seconds since 1970.
    var seen: Int?
  }

  private static let longestName = 100
  /// How long somebody who is seen again in a meeting is still in the same one: rooms keep their ids.
  private static let meetingSeconds = 12 * 3_600

  /// The one that was seen last comes last.
  private(set) var people: [Person] = []

  /// A memory of nobody.
  ///
  /// ```swift
  /// options.knownIdentities = KnownIdentities()
  /// ```
  public init() {}

  /// Reads what was remembered.
  ///
  /// ```swift
  /// import FoundationEssentials
  /// options.knownIdentities = try JSONDecoder().decode(KnownIdentities.self, from: Data(bytes))
  /// ```
  public init(from decoder: any Decoder) throws {
    people = try decoder.container(keyedBy: CodingKeys.self).decode([Person].self, forKey: .people)
    for index in people.indices { people[index].name = Self.clean(people[index].name) }
    shrink(to: Self.maximumPeople)
  }

  private enum CodingKeys: String, CodingKey { case people }

  /// How many identities are remembered.
  public var count: Int { people.count }

  /// Compares an identity that comes under a name with those that are remembered.
  func recognition(of key: Ed25519.PublicKey, named name: String) -> ParticipantIdentity {
    let (text, name) = (Base64URL.encode(key.rawValue), Self.clean(name))
    let known = people.first { $0.key == text }
    let recognition: ParticipantIdentity.Recognition
    if known?.name == name {
      recognition = .sameDevice
    } else if people.contains(where: { $0.key != text && $0.name == name && $0.meetings > 1 }) {
      // A name whose key was seen once only may be a guest's.
      recognition = .changed
    } else {
      recognition = known == nil ? .newDevice : .renamed
    }
    return ParticipantIdentity(
      publicKey: key.rawValue, recognition: recognition, earlierName: recognition == .renamed ? known?.name : nil)
  }

  /// Remembers an identity that was seen in a meeting. One that is seen there again counts once.
  mutating func remember(
    _ key: Ed25519.PublicKey, named name: String, in meeting: String? = nil,
    now: Int = Int(Date().timeIntervalSince1970)
  ) {
    let text = Base64URL.encode(key.rawValue)
    var person = Person(key: text, name: "", meetings: 0)
    if let index = people.firstIndex(where: { $0.key == text }) { person = people.remove(at: index) }
    let isSameMeeting =
      meeting != nil && person.meeting == meeting
      && now < (person.seen ?? 0).addingReportingOverflow(Self.meetingSeconds).partialValue
    if !isSameMeeting { person.meetings = max(1, min(person.meetings, 1 << 20) + 1) }
    person.name = Self.clean(name)
    person.meeting = meeting
    person.seen = now
    shrink(to: Self.maximumPeople - 1)
    people.append(person)
  }

  /// Takes in whom another program of the same person has seen.
  package mutating func merge(_ other: KnownIdentities) {
    var unknown: [Person] = []
    for person in other.people {
      guard let index = people.firstIndex(where: { $0.key == person.key }) else {
        unknown.append(person)
        continue
      }
      let meetings = max(people[index].meetings, person.meetings)
      if (person.seen ?? 0) > (people[index].seen ?? 0) { people[index] = person }
      people[index].meetings = meetings
    }
    people = unknown + people
    shrink(to: Self.maximumPeople)
  }

  /// Forgets guests first, who are seen in one meeting, and then the ones that were not seen for longest.
  mutating func shrink(to count: Int) {
    while people.count > max(count, 0) { people.remove(at: people.firstIndex { $0.meetings == 1 } ?? 0) }
  }

  /// A name as it is remembered: without control characters, and short.
  static func clean(_ name: String) -> String {
    var cleaned = ""
    for character in name {
      let scalars = character.unicodeScalars.filter {
        switch $0.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
      }
      let part = String(String.UnicodeScalarView(scalars))
      if cleaned.utf8.count + part.utf8.count > longestName { break }
      cleaned += part
    }
    return cleaned
  }
}

/// The key by which a participant of an encrypted meeting signs, and whether it was seen before.
///
/// ```swift
/// func words(_ identity: ParticipantIdentity) -> String {
///   switch identity.recognition {
///   case .sameDevice?: "same device as before"
///   case .newDevice?: "new device"
///   case .renamed?: "was \(identity.earlierName ?? "somebody else") before"
///   case .changed?: "another device than before"
///   case nil: ""
///   }
/// }
/// ```
public struct ParticipantIdentity: Hashable, Sendable {
  /// An identity, compared with those of earlier meetings.
  ///
  /// ```swift
  /// let isSuspicious = participant.identity?.recognition == .changed
  /// ```
  public enum Recognition: String, Hashable, Sendable, CaseIterable {
    /// The identity was there in an earlier meeting, under this name.
    case sameDevice
    /// It was there in an earlier meeting under another name, ``ParticipantIdentity/earlierName``.
    case renamed
    /// It was never seen: a new device, or somebody without a lasting identity.
    case newDevice
    /// The name came with another lasting identity before. Compare the safety code. It stays so in later meetings,
    /// until ``Meeting/trust(_:)``: the identity isn't remembered under this name.
    case changed
  }

  /// The Ed25519 public key, 32 bytes.
  public let publicKey: [UInt8]

  /// Nil where nothing is remembered: without ``JoinOptions/knownIdentities``.
  public let recognition: Recognition?

  /// The name that a ``Recognition/renamed`` one had before; nil for others.
  public let earlierName: String?
}
