import Crypto

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
  /// Most identities that are remembered; the ones that were not seen for longest are forgotten first.
  public static let maximumPeople = 1_000

  struct Person: Sendable, Hashable, Codable {
    /// The public key, in base64url.
    var key: String
    /// The name that it signed last.
    var name: String
    /// In how many meetings it was seen. Guests' keys are seen in one.
    var meetings: Int
  }

  /// The one that was seen last comes last.
  private(set) var people: [Person] = []

  /// A memory of nobody.
  ///
  /// ```swift
  /// options.knownIdentities = KnownIdentities()
  /// ```
  public init() {}

  /// How many identities are remembered.
  public var count: Int { people.count }

  /// Compares an identity that comes under a name with those that are remembered.
  func recognition(of key: Ed25519.PublicKey, named name: String) -> ParticipantIdentity.Recognition {
    let text = Base64URL.encode(key.rawValue)
    if people.contains(where: { $0.key == text }) { return .sameDevice }
    // A name whose key was seen once only may be a guest's.
    return people.contains { $0.name == name && $0.meetings > 1 } ? .changed : .newDevice
  }

  /// Remembers an identity that was seen in a meeting, once a meeting.
  mutating func remember(_ key: Ed25519.PublicKey, named name: String) {
    let text = Base64URL.encode(key.rawValue)
    var person = Person(key: text, name: name, meetings: 0)
    if let index = people.firstIndex(where: { $0.key == text }) { person = people.remove(at: index) }
    person.name = name
    person.meetings += 1
    people.append(person)
    if people.count > Self.maximumPeople { people.removeFirst(people.count - Self.maximumPeople) }
  }
}

/// The key by which a participant of an encrypted meeting signs, and whether it was seen before.
///
/// ```swift
/// func words(_ identity: ParticipantIdentity) -> String {
///   switch identity.recognition {
///   case .sameDevice?: "same device as before"
///   case .newDevice?: "new device"
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
    /// The identity was there in an earlier meeting.
    case sameDevice
    /// It was never seen: a new device, or somebody without a lasting identity.
    case newDevice
    /// It was never seen, and the name came with another lasting identity before. Compare the safety code.
    case changed
  }

  /// The Ed25519 public key, 32 bytes.
  public let publicKey: [UInt8]

  /// Nil where nothing is remembered: without ``JoinOptions/knownIdentities``.
  public let recognition: Recognition?
}
