/// The bounds of the messaging service. `docs/messaging.md` has the table, and a test reaches each.
public enum MessagingLimits {
  /// The path of the WebSocket.
  public static let path = "/messaging/v1"
  /// Bytes in one frame of an endpoint.
  public static let maximumBytes = 256 * 1024
  /// Bytes in one frame of the service.
  public static let maximumServiceBytes = 4 * 1024 * 1024
  /// Bytes of a token of the identity provider.
  public static let tokenBytes = 8_192
  /// Bytes of an app's user id.
  public static let userIdBytes = 255
  /// Seconds from the opening of the socket to `hello` or `resume`.
  public static let helloSeconds = 10

  /// Endpoints of one identity that stay: apps on devices.
  public static let persistentEndpoints = 3
  /// Endpoints of one identity that come and go: browsers, programs.
  public static let ephemeralEndpoints = 7
  /// Seconds that an endpoint of a full identity waits for a place with one socket.
  public static let fullSeconds = 600
  /// Days after the end of its token that an ephemeral endpoint is kept.
  public static let ephemeralDays = 7
  /// Seconds for which a forgotten vault is kept for the endpoint that makes the next one.
  public static let vaultReservationSeconds = 120
  /// Times an hour that an identity publishes other public keys.
  public static let keyChangesPerHour = 10
  /// How much the generation of public keys rises at once, and the highest.
  public static let keyGenerationStep = 1_000
  public static let keyGenerations = 1 << 30
  /// Characters in the description or nickname of an endpoint.
  public static let descriptionCharacters = 2_000

  /// Identities in one look-up.
  public static let lookup = 100
  /// Participants of a chat.
  public static let participants = 250
  /// Participants up to which all of a chat get `marks`. In larger ones `chatGet` shows them.
  public static let markedParticipants = 30
  /// Chats of one identity.
  public static let chats = 5_000
  /// Chats that one identity has made and one other is in.
  public static let chatsOfOne = 50
  /// Others that one identity invites to chats.
  public static let invitationsPerHour = 500
  /// Characters in the sealed body of a message: 71,680 bytes of the app, their seal and signature, in base64url.
  public static let bodyCharacters = 100_000
  /// Characters in a sealed subject, envelope, typing notice or step of a call.
  public static let shortCharacters = 16_384
  /// Characters in the sealed data of a chat.
  public static let dataCharacters = 100_000
  /// Bytes of a cookie.
  public static let cookieBytes = 64
  /// Messages in one answer of `history`.
  public static let history = 100
  /// Chats in one answer of `chatsGet`.
  public static let chatPage = 50
  /// Bytes of the messages of one identity that are stored, each with ``messageOverhead``.
  public static let storedMessageBytes = 256 << 20
  /// Bytes that each stored message counts besides its body.
  public static let messageOverhead = 300
  /// Bytes of messages, attachments, texts and keys of chats, and key records of one domain, unless it has a bound of
  /// its own: in production, and in the sandbox.
  public static let domainBytes = 64 << 30
  public static let sandboxBytes = 4 << 30
  /// Events sent to an endpoint that it has not acknowledged. More wait on the disk.
  public static let unacknowledged = 200
  /// Bytes of such events, unless a single one has more.
  public static let unacknowledgedBytes = 512 * 1024
  /// Events of one mailbox. The oldest go first.
  public static let mailboxEvents = 50_000
  /// Characters of the key envelopes that wait in one mailbox. The oldest events go first.
  public static let mailboxCharacters = 32 << 20
  /// Days that events, and messages nobody can read any more, are kept.
  public static let days = 30

  /// Bytes of an attachment: 128 MB of the app, and its seal.
  public static let attachmentBytes = 128 * 1024 * 1024 + 64 * 1024
  /// Bytes of all attachments of one identity.
  public static let storedAttachmentBytes = 2 << 30
  /// Attachments of one identity.
  public static let storedAttachments = 10_000
  /// Hours that an attachment is kept which no message names.
  public static let unusedAttachmentHours = 24
  /// Attachments of one message.
  public static let attachments = 10
  /// Seconds that a ticket holds.
  public static let ticketSeconds = 600
  /// Tickets of one identity that are neither used nor too old.
  public static let openTickets = 32
  /// Seconds that a call rings.
  public static let ringSeconds = 60
  /// Calls and data connections of one identity at a time.
  public static let calls = 33
  /// Calls of one identity that ring at one other.
  public static let ringing = 3
  /// Calls that one identity starts, on average and at once.
  public static let callsPerMinute = 30

  /// Frames a second of one endpoint, on average.
  public static let framesPerSecond = 50
  public static let frameBurst = 200
  /// Requests of one endpoint that are on their way to the disk. Its next frames wait in the socket.
  public static let pendingRequests = 32
  /// Bytes of a user's record in the key storage.
  public static let keyRecordBytes = 1 << 20
  /// JSON values of such a record, and levels of nesting.
  public static let keyRecordValues = 4_096
  public static let keyRecordDepth = 16

  // MARK: Senders

  /// Bytes a second of the requests of one identity's endpoints together, and at once: three of the largest frames.
  public static let senderBytesPerSecond = 64 << 10
  public static let senderBytesBurst = 768 << 10
  /// Bytes that each request counts besides its own.
  public static let requestOverhead = 300
  /// Mailboxes a second that one identity's requests write to, and at once: 16 messages to the largest chat.
  public static let deliveriesPerSecond = 1_000
  public static let deliveriesBurst = 4_000
  /// Requests about its vault that one identity makes a minute, those for the status apart, and at once.
  public static let vaultRequestsPerMinute = 10
  public static let vaultRequestBurst = 20
  /// Bytes a second of typing notices and chat events that one endpoint gets, and at once. With
  /// ``unacknowledgedBytes`` it stays below a socket's queue.
  public static let passingBytesPerSecond = 128 << 10
  public static let passingBytesBurst = 256 << 10
}
