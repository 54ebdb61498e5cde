public import Basics
public import Encryption
public import RTC

/// How to join a meeting. The defaults suit most.
///
/// ```swift
/// var options = JoinOptions(name: "Recorder")
/// options.timeout = .seconds(10)
/// let meeting = try await Meeting.join("http://localhost:8080/hello", options: options)
/// ```
public struct JoinOptions: Sendable {
  /// The display name; nil takes the one in the address, or else "Guest". A name in the token wins over both.
  public var name: String?

  /// The meeting's passcode, where it has one. Without it joining fails with the code `passcodeRequired`.
  public var passcode: Secret<String>?

  /// The secret of an encrypted meeting, where the address has none (`#e2ee=`). With one, the meeting is joined
  /// encrypted or not at all. The server never gets it.
  public var linkSecret: LinkSecret?

  /// The key by which others recognise this person in encrypted meetings, kept by the app or in their ``Vault``; nil
  /// makes one for this meeting alone.
  public var identity: LastingIdentity?

  /// The identities of others that were seen in earlier meetings, for recognising people; nil for no memory of them.
  public var knownIdentities: KnownIdentities?

  /// The program's name, for the server's log.
  public var client = "parley-swift"

  /// How many audio and video publications can be received before the server asks for more slots. More follow by
  /// themselves.
  public var initialSlots = 4

  /// The most audio publications, and the most video publications, to receive at a time; nil for as many as the server
  /// gives.
  public var maximumSlots: Int?

  /// The codecs to send and receive, in order of preference; video is sent in the first of them that can be encoded.
  public var codecs: [Codec] = [.opus, .vp8, .vp9, .h264, .av1]

  /// The video codecs to receive, where they are fewer than those of ``codecs``: nil, or a list without a video codec
  /// that can be decoded, stands for all of them. Senders of other codecs change to one of these if they can; else
  /// ``MeetingEvent/undecodable(_:)`` reports their publications.
  public var receivedVideoCodecs: [Codec]?

  /// Trust any certificate of the server: for tests and trusted networks only.
  public var trustsAnyCertificate = false

  /// The signalling's address, whatever the discover document says: for bots that a server runs itself.
  package var signaling: String?

  /// How long single steps may take. Tests set them far away, so that a wait ends by nothing but what they are about.
  package var steps = Steps()

  package struct Steps: Sendable {
    /// One answer of the server while joining, or one attempt to set media up.
    package var joining = TimeSpan.seconds(10)
    /// One attempt to resume a session.
    package var resuming = TimeSpan.seconds(5)
  }

  /// Whether media must go through a TURN server.
  public var usesOnlyRelays = false

  /// STUN and TURN servers to use besides those that the server names.
  public var iceServers: [IceServer] = []

  /// Whether the STUN and TURN servers that the server names are left out.
  public var usesOnlyOwnIceServers = false

  /// How long joining may take; a year at most. Afterwards it fails with ``JoinError/timedOut(_:)``. The time in which
  /// one waits to be let in does not count: the server decides how long that may be.
  public var timeout = TimeSpan.seconds(30)

  /// For how long after its loss a connection is tried to be brought back; a year at most.
  public var reconnectTimeout = TimeSpan.seconds(120)

  /// The defaults.
  ///
  /// ```swift
  /// let options = JoinOptions(name: "Recorder")
  /// ```
  public init(name: String? = nil) { self.name = name }
}

extension TimeSpan {
  /// As a time to wait: neither negative nor longer than a year, so that sums with it do not overflow.
  var bounded: TimeSpan { min(max(self, .zero), .seconds(365 * 86_400)) }
}
