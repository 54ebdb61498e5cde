public import FoundationEssentials

/// One event on its way to one webhook: kept from before it is sent until some time after.
public struct WebhookDelivery: Sendable, Hashable {
  /// How far it has come.
  public enum State: String, Sendable, Hashable, Codable, CaseIterable {
    /// It waits for its first or a further attempt.
    case pending
    /// The receiver has it.
    case delivered
    /// It was given up.
    case failed
  }

  public var id: String
  /// Its place among all deliveries; given by the store.
  public var sequence: Int
  public var webhook: WebhookID
  /// Whose turn it waits for: deliveries of one meeting to one webhook go one after the other. It is the meeting's id,
  /// or the event's own where it is of no meeting.
  public var meeting: String
  /// The id of the meeting that the event is of; nil for a test.
  public var ofMeeting: String? { meeting == event ? nil : meeting }
  /// Names the event; the same for every webhook and in a replay.
  public var event: String
  /// The kind of event.
  public var type: String
  /// The body, byte by byte as it is posted.
  public var body: String
  /// When the event happened.
  public var created: Date
  /// How far it has come.
  public var state: State
  /// How often it was tried.
  public var attempts: Int
  /// Not tried before; nil when it is tried no more.
  public var next: Date?
  /// The status of the last answer.
  public var status: Int?
  /// The error of the last attempt.
  public var problem: String?
  /// When it was delivered or given up.
  public var finished: Date?
  /// How many of its meeting wait before it: known of a replay that was asked for just now, and nil otherwise.
  public var waitsBehind: Int?

  /// The most that wait for one webhook; when there are more, the oldest are given up.
  public static let maximumPending = 10_000
  /// The most that are kept for looking at once they are done.
  public static let maximumFinished = 10_000
  /// How long they are kept once they are done, in seconds.
  public static let keptFinished: TimeInterval = 7 * 24 * 3_600
  /// For how long after the event it is tried, in seconds.
  public static let triedFor: TimeInterval = 24 * 3_600

  /// A delivery that waits for its first attempt.
  public init(
    id: String = "d_" + RandomID.text(characters: 20), webhook: WebhookID, meeting: String, event: String,
    type: String, body: String, created: Date
  ) {
    self.id = id
    sequence = 0
    self.webhook = webhook
    self.meeting = meeting
    self.event = event
    self.type = type
    self.body = body
    self.created = created
    state = .pending
    attempts = 0
    next = created
  }

  /// The outcome of an attempt.
  public enum Outcome: Sendable, Hashable {
    /// The receiver has it.
    case delivered(status: Int)
    /// It is to be tried again.
    case retry(at: Date, status: Int?, problem: String)
    /// It is given up.
    case failed(status: Int?, problem: String)
  }

  /// The oldest pending delivery of a meeting to a webhook: the only one that may be tried.
  public struct Head: Sendable, Hashable {
    /// Names the delivery to the store.
    public var sequence: Int
    public var webhook: WebhookID
    /// What it is about.
    public var meeting: String
    /// Not to be tried before.
    public var next: Date
  }
}
