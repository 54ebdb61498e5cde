/// One thing that a participant may do.
///
/// ```swift
/// if !meeting.local.permissions.contains(.publishAudio) { print("You can listen here.") }
/// ```
public struct ParticipantPermission: RawRepresentable, Hashable, Sendable {
  /// The permission's name on the wire.
  public let rawValue: String

  /// A permission of that name.
  ///
  /// ```swift
  /// let captions = ParticipantPermission(rawValue: "captions")
  /// ```
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let publishAudio = ParticipantPermission(rawValue: "publishAudio")

  /// Send a camera's video.
  public static let publishVideo = ParticipantPermission(rawValue: "publishVideo")

  public static let publishScreen = ParticipantPermission(rawValue: "publishScreen")

  /// Receive what others send.
  public static let subscribe = ParticipantPermission(rawValue: "subscribe")

  /// Write in the chat.
  public static let chat = ParticipantPermission(rawValue: "chat")

  public static let data = ParticipantPermission(rawValue: "data")

  /// Look after the others: mute, remove, change roles, make polls.
  public static let moderate = ParticipantPermission(rawValue: "moderate")

  /// Those of a participant of whom the server names them only where they are not just what the role brings.
  static func of(role: ParticipantRole, named: [String]?) -> Set<ParticipantPermission> {
    if let named { return Set(named.map { ParticipantPermission(rawValue: $0) }) }
    switch role {
    case .organizer, .presenter:
      return [.publishAudio, .publishVideo, .publishScreen, .subscribe, .chat, .data, .moderate]
    case .guest: return [.publishAudio, .publishVideo, .publishScreen, .subscribe, .chat, .data]
    case ParticipantRole(rawValue: "publisher-only"): return [.publishAudio, .publishVideo, .publishScreen]
    default: return [.subscribe]
    }
  }
}
