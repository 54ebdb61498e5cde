import Basics
import FoundationEssentials
import Meetings

/// How join tokens end for participants in a meeting.
public struct TokenRules: Sendable, Equatable {
  /// How long before its end a participant is notified, in seconds; at most half of the time that is left of it.
  public var notice: Double = 60
  /// Whether a session ends with its token, where the tenant doesn't say. Otherwise a token only admits, as with other
  /// meeting servers: participants who are in stay.
  public var endsPlaces = false
}

/// A token with which somebody can come back.
struct RefreshedToken: Sendable {
  var token: Secret<String>
  var expires: Date
}

/// The room's notes about a member's token.
struct TokenWatch {
  /// When the token has to be handled next; nil for never.
  var due: Date?
  /// Whether its holder was notified of its end.
  var isAnnounced = false
  /// The last one that the server made for coming back.
  var refreshed: RefreshedToken?
}
