public import Basics
public import Meetings
import SFU

/// Everything that an operator can set about `parley serve`. The defaults serve a meeting without any setting.
///
/// Values come from flags, then `PARLEY_…` environment variables, then the configuration file, then the defaults; see
/// ``ServerConfiguration/parse(arguments:environment:)`` and `docs/operating/configuration.md`.
public struct ServerConfiguration: Sendable, Equatable {
  /// How the HTTP port is protected.
  public enum TLS: Sendable, Equatable {
    /// Plain HTTP. Browsers then give camera and microphone to `localhost` only.
    case off
    /// A certificate made on the first start and kept in the data folder.
    case selfSigned
    /// Files in PEM form.
    case files(certificate: String, key: String)
  }

  /// TCP port of pages, API and signalling; 0 takes any free one.
  public var port: UInt16 = 8080
  /// The address to listen on; `::` is every address of both families.
  public var host = IPAddress(high: 0, low: 0)
  /// Folder of the database and keys; made when missing.
  public var dataFolder = "data"
  /// The file of the key that vaults depend on; nil for `vault-pepper` in the data folder.
  public var vaultPepper: String?
  /// UDP and TCP port of the first media worker; each further worker takes the next one. Nil: 10000, or free ports when
  /// that is taken. 0: any free ports.
  public var mediaPort: UInt16?
  /// The addresses that media listens on; none: every one of both families.
  public var mediaHosts: [IPAddress] = []
  /// Further addresses for clients besides the machine's own, for a server behind NAT.
  public var publicAddresses: [IPAddress] = []
  /// Whether clients get addresses of this machine that only private networks reach.
  public var offersPrivateAddresses = true
  /// STUN and TURN servers for clients.
  public var iceServers = IceServerSettings()
  /// Media workers; one a core unless set.
  public var workers: Int
  /// The URL that people reach the server at, when a proxy stands before it; nil takes each request's `Host`.
  public var publicURL: String?
  /// The proxies before the server that may say which address a request comes from.
  public var trustedProxies = TrustedProxies()
  /// Port of `/metrics` and the administration, on loopback unless ``adminHost`` says otherwise; nil: none, 0: any free
  /// one.
  public var adminPort: UInt16?
  /// The address that the admin port listens on.
  public var adminHost = IPAddress(v4: 0x7F00_0001)
  /// The token that callers of the admin interface need; nil: none, on a port that only this machine reaches.
  public var adminToken: Secret<String>?
  /// How webhooks are sent.
  public var webhooks = WebhookSettings()
  /// TLS of the HTTP port.
  public var tls = TLS.off
  /// The folder of the browser client; nil looks next to the program and in the working folder.
  public var webFolder: String?
  /// The least important level that is logged.
  public var logLevel = Log.Level.info
  /// How long a session is kept after the socket or the media were lost.
  public var resumeWindow = TimeSpan.seconds(30)
  /// How long somebody waits to be let into a meeting that does not say it itself.
  public var lobbyPatience = TimeSpan.seconds(1_800)
  /// The rules for participants in a meeting whose join tokens end.
  public var tokens = TokenRules()
  /// Whether meetings may be end-to-end encrypted, where the tenant doesn't say.
  public var encryption = EncryptionPolicy.preselected
  /// How long an ad-hoc meeting lives.
  public var meetingLifetime = TimeSpan.seconds(8 * 3_600)
  /// Most participants of one meeting.
  public var maximumParticipants = 500
  /// Requests a second with which one address may join and make meetings; nil: 50, and any number from this machine. 0:
  /// any number.
  public var addressRate: Int?
  /// Requests a second of one address that make or change something without an account; nil: 5, and any number from
  /// this machine. 0: any number.
  public var addressWriteRate: Int?
  /// Meetings that are kept for a tenant that has no limit of its own; 0 for any number.
  public var maximumStoredMeetings = 50_000
  /// Wrong tokens of the administration a minute that one address may send; nil: 10, and any number from this machine.
  /// 0: any number.
  public var adminAttempts: Int?
  /// Connections to the public port that one address may have open; nil: 1,024, and any number from this machine. 0:
  /// any number.
  public var addressConnections: Int?
  /// Connections to the public port that may be open; the last sixteenth is for participants who come back.
  public var connections = 4_096
  /// How many requests a second one join token may make; 0 for any number.
  public var tokenRate = 100
  /// Whether a ban of somebody without a token of their own goes by their address too; see ``AddressBans`` for nil.
  public var bansAddresses: Bool?
  /// How many voices are forwarded in a meeting that has more than that.
  public var audioLoudest = 5
  /// The longest that packets wait so that more of one receiver's leave together; zero sends everything at once.
  public var packetHold = TimeSpan.milliseconds(5)
  /// Bytes of data messages that may wait for one slow reader in one channel.
  public var dataBuffer = 1 << 20
  /// Bytes a second of one participant's chat messages, signals and the like that are passed on to the others; four
  /// seconds' worth at once.
  public var senderRate = 64 << 10
  /// The same of all participants of a meeting together; three seconds' worth at once, and 768 KiB at most.
  public var meetingRate = 256 << 10
  /// Bytes a second of data messages that are passed on in one meeting; two seconds' worth at once.
  public var meetingDataRate = 2 << 20
  /// How much of chat files is stored.
  public var chatFiles = ChatFileStore.Limits()
  /// How long somebody counts as typing without another notice. Not an option: clients rely on it.
  var typingPatience = TimeSpan.seconds(6)
  /// Whether rooms are made by joining at their address; otherwise only ad-hoc meetings can be joined.
  public var openRooms = true
  /// The devices that a link may open without a click; a link without the operator's word opens none.
  public var linkDevices: Set<LinkDevice> = []
  /// Whether the words that stand for tokens in samples are taken; never on a server that others reach.
  public var isDevelopment = false

  /// The addresses where media listens, and those that clients get.
  var mediaAddresses: MediaAddressPolicy {
    MediaAddressPolicy(hosts: mediaHosts, published: publicAddresses, offersPrivate: offersPrivateAddresses)
  }

  /// The defaults, with `workers` media workers.
  public init(workers: Int = ServerConfiguration.coreCount) { self.workers = workers }
}
