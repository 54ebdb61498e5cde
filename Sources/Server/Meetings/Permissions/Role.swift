/// The role of a participant in a meeting. It decides on their rights unless their token names them one by one.
public enum Role: String, Sendable, Hashable, Codable, CaseIterable {
  /// The owner of the meeting.
  case organizer
  case moderator
  /// Takes part: sends and receives.
  case publisher
  case publisherOnly = "publisher-only"
  case subscriber
  /// Receives to record; the others see it, so that they know.
  case recorder
  /// Receives and is seen by nobody.
  case hidden

  /// The role of a name as tokens spell it: ``RawRepresentable/rawValue``, `guest` and `presenter` as the Skype for
  /// Business service says, `publisheronly` as OpenTok does.
  public init?(name: String) {
    switch name {
    case "guest": self = .publisher
    case "presenter": self = .moderator
    case "publisheronly": self = .publisherOnly
    default: self.init(rawValue: name)
    }
  }

  /// Its name in the signalling protocol. The two that it had first keep their names, which clients know.
  public var signalingName: String {
    switch self {
    case .publisher: "guest"
    case .moderator: "presenter"
    default: rawValue
    }
  }

  /// Its rights where the token names no permissions.
  public var permissions: Permissions {
    switch self {
    case .organizer, .moderator: .all
    case .publisher: [.publish, .subscribe, .chat, .data]
    case .publisherOnly: .publish
    case .subscriber, .recorder, .hidden: .subscribe
    }
  }

  /// The most that a token can give it. A participant whom nobody sees must not be heard or read either.
  public var bound: Permissions { self == .hidden ? [.subscribe, .moderate] : .all }
}
