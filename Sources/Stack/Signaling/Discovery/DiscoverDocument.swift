public import FoundationEssentials

/// The addresses and settings for joining a meeting: what `GET /discover…` answers with.
public struct DiscoverDocument: Sendable, Hashable, Codable {
  /// The document's version; 1.
  public var version: Int
  public var meeting: String
  /// The title to show.
  public var subject: String
  /// The address of the signalling WebSocket (`ws:` or `wss:`).
  public var signaling: String
  /// A join token for a guest; only for an open meeting asked for by its room name.
  public var token: String?
  /// When the token, or else the meeting, ends; nil when neither does.
  public var expires: Date?
  /// The name of whoever has signed in, to which the token holds them; nil when nobody has.
  public var signedInAs: String?
  /// The devices that a link may open without a click: `microphone`, `camera`; nil for none.
  public var linkDevices: [String]?
  /// Whether the meeting is end-to-end encrypted; nil while that is not decided.
  public var e2ee: Bool?
  /// Whether new meetings may be encrypted: `off`, `offered`, `default` (a page preselects it) or `required`; nil from
  /// servers that don't say.
  public var encryption: String?
  /// STUN and TURN servers, in the browser's `RTCIceServer` form.
  public var iceServers: [IceServer]
  /// The meeting's conference URI.
  public var conferenceId: String
  /// When a scheduled meeting takes place; nil for a room that is open at any time.
  public var schedule: Schedule?
  /// Links by relation, such as `self` and `signaling`.
  public var links: [String: Link]

  /// A link of the document.
  public struct Link: Sendable, Hashable, Codable {
    public var href: String
    /// A link to `href`.
    public init(href: String) { self.href = href }
  }

  /// When a scheduled meeting takes place next, or is taking place.
  public struct Schedule: Sendable, Hashable, Codable {
    /// The state of the meeting.
    public enum State: String, Sendable, Hashable, Codable {
      case before
      /// One can come in.
      case open
      /// Its last time is over.
      case over
      /// It was called off.
      case cancelled
    }

    /// The state of the meeting.
    public var state: State
    /// When it begins; nil when no time is left.
    public var start: Date?
    public var end: Date?
    /// From when on one can come in.
    public var opens: Date?
    /// The time zone that it was planned in, by its IANA name.
    public var timeZone: String
    /// Whether it comes again after that.
    public var repeats: Bool
    /// The address of its calendar file.
    public var calendar: String

    public init(
      state: State, start: Date?, end: Date?, opens: Date?, timeZone: String, repeats: Bool, calendar: String
    ) {
      self.state = state
      self.start = start
      self.end = end
      self.opens = opens
      self.timeZone = timeZone
      self.repeats = repeats
      self.calendar = calendar
    }
  }

  /// A STUN or TURN server.
  public struct IceServer: Sendable, Hashable, Codable {
    /// `stun:`, `turn:` or `turns:` addresses.
    public var urls: [String]
    /// The user name, for TURN.
    public var username: String?
    /// The password, for TURN.
    public var credential: String?

    /// A server reached at `urls`.
    public init(urls: [String], username: String? = nil, credential: String? = nil) {
      self.urls = urls
      self.username = username
      self.credential = credential
    }
  }

  public init(
    meeting: String, subject: String, signaling: String, token: String?, expires: Date?, signedInAs: String? = nil,
    linkDevices: [String]? = nil, e2ee: Bool? = nil, encryption: String? = nil, iceServers: [IceServer] = [],
    conferenceId: String, schedule: Schedule? = nil, links: [String: Link]
  ) {
    version = 1
    self.meeting = meeting
    self.subject = subject
    self.signaling = signaling
    self.token = token
    self.expires = expires
    self.signedInAs = signedInAs
    self.linkDevices = linkDevices
    self.e2ee = e2ee
    self.encryption = encryption
    self.iceServers = iceServers
    self.conferenceId = conferenceId
    self.schedule = schedule
    self.links = links
  }

  private enum CodingKeys: String, CodingKey {
    case version, meeting, subject, signaling, token, expires, signedInAs, linkDevices, e2ee, encryption, iceServers,
      conferenceId, schedule
    case links = "_links"
  }
}
