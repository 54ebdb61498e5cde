/// One thing that a participant may do.
///
/// ```swift
/// if !meeting.local.permissions.contains(.publishAudio) { print("You can listen here.") }
/// ```
public struct ParticipantPermission: RawRepresentable, Hashable, Sendable {
  /// The permission's name on the wire.
  ///
  /// ```swift
  /// print(meeting.local.permissions.map(\.rawValue).sorted())
  /// ```
  public let rawValue: String

  /// A permission of that name.
  ///
  /// ```swift
  /// let captions = ParticipantPermission(rawValue: "captions")
  /// ```
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Send sound.
  ///
  /// ```swift
  /// let canSpeak = participant.permissions.contains(.publishAudio)
  /// ```
  public static let publishAudio = ParticipantPermission(rawValue: "publishAudio")

  /// Send a camera's picture.
  ///
  /// ```swift
  /// let canBeSeen = participant.permissions.contains(.publishVideo)
  /// ```
  public static let publishVideo = ParticipantPermission(rawValue: "publishVideo")

  /// Share a screen.
  ///
  /// ```swift
  /// try await participant.setPermissions(participant.permissions.union([.publishScreen]))
  /// ```
  public static let publishScreen = ParticipantPermission(rawValue: "publishScreen")

  /// Receive what others send.
  ///
  /// ```swift
  /// let receives = meeting.local.permissions.contains(.subscribe)
  /// ```
  public static let subscribe = ParticipantPermission(rawValue: "subscribe")

  /// Write in the chat.
  ///
  /// ```swift
  /// try await participant.setPermissions(participant.permissions.subtracting([.chat]))
  /// ```
  public static let chat = ParticipantPermission(rawValue: "chat")

  /// Send data messages.
  ///
  /// ```swift
  /// let canPlay = meeting.local.permissions.contains(.data)
  /// ```
  public static let data = ParticipantPermission(rawValue: "data")

  /// Look after the others: mute, remove, change roles, make polls.
  ///
  /// ```swift
  /// let isHost = meeting.local.permissions.contains(.moderate)
  /// ```
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
