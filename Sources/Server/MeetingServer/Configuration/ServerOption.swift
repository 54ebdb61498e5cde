import Basics
import Meetings

/// One setting of `parley serve`: its flag, what it means, and how its text becomes a value.
///
/// The table below is the only place that knows the options: flags, environment variables, keys of the configuration file
/// and the help text all come from it.
struct ServerOption: Sendable {
  /// The flag without its dashes, which is also the key in a configuration file.
  let name: String
  /// What stands for the value in the help text.
  let placeholder: String
  /// One sentence for the help text.
  let help: String
  /// Whether giving it again adds to its value instead of replacing it.
  var isList = false
  /// Whether the flag may stand without a value, which then is `yes`.
  var isSwitch = false
  /// Whether a running server takes it over when it reads its settings again (SIGHUP).
  var isReread: Bool { Self.reread.contains(name) }
  let apply: @Sendable (inout ServerConfiguration, String) throws(ConfigurationError) -> Void

  /// The environment variable: `PARLEY_MEDIA_PORT` for `--media-port`.
  var variable: String { "PARLEY_" + name.uppercased().replacing("-", with: "_") }

  /// The settings that change in the life of a server; ``ServerConfiguration/taking(_:)`` takes them over.
  private static let reread: Set = [
    "tls", "tls-cert", "tls-key", "ice-server", "turn-secret", "turn-user", "admin-token", "log-level",
    "public-address", "private-addresses",
  ]

  static let all: [ServerOption] = [
    ServerOption(name: "port", placeholder: "N", help: "TCP port of pages, API and signalling (8080; 0: any free one)")
    {
      c, v throws(ConfigurationError) in c.port = try port(v, "port")
    },
    ServerOption(name: "data", placeholder: "DIR", help: "folder of the database and keys, made when missing (data)") {
      c, v throws(ConfigurationError) in c.dataFolder = try nonEmpty(v, "data", "a folder")
    },
    ServerOption(name: "host", placeholder: "IP", help: "address to listen on (::, every address)") {
      c, v throws(ConfigurationError) in c.host = try address(v, "host")
    },
    ServerOption(
      name: "media-host", placeholder: "IP[,IP]",
      help: "addresses that media listens on; may be repeated (every address of both families)", isList: true
    ) { c, v throws(ConfigurationError) in c.mediaHosts = try addresses(v, "media-host") },
    ServerOption(
      name: "media-port", placeholder: "N",
      help: "UDP and TCP port of the first media worker, each further one takes the next (10000; 0: any free ones)"
    ) { c, v throws(ConfigurationError) in c.mediaPort = try port(v, "media-port") },
    ServerOption(
      name: "public-address", placeholder: "IP[,IP]", help: "addresses that clients are told besides the machine's own"
    ) { c, v throws(ConfigurationError) in c.publicAddresses = try addresses(v, "public-address") },
    ServerOption(
      name: "private-addresses", placeholder: "yes|no",
      help: "whether clients are told addresses of this machine that only networks inside reach (yes)"
    ) { c, v throws(ConfigurationError) in c.offersPrivateAddresses = try boolean(v, "private-addresses") },
    ServerOption(
      name: "ice-server", placeholder: "URL[,URL]",
      help:
        "STUN and TURN servers that clients are told: stun:HOST, turn:HOST?transport=udp, turns:HOST; may be repeated",
      isList: true
    ) { c, v throws(ConfigurationError) in c.iceServers.urls = try IceServerSettings.urls(v) },
    ServerOption(
      name: "turn-secret", placeholder: "TEXT",
      help: "secret shared with the TURN servers, for passwords that expire (coturn: use-auth-secret)"
    ) { c, v throws(ConfigurationError) in
      c.iceServers.credentials = .shared(Secret(try secret(v, "turn-secret", "the secret")))
    },
    ServerOption(
      name: "turn-user", placeholder: "USER:PASSWORD",
      help: "one user name and password of the TURN servers for everybody"
    ) { c, v throws(ConfigurationError) in
      let parts = v.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else {
        throw .wrongValue(
          option: "turn-user", value: "…", expected: "a user name and a password with a colon between them")
      }
      c.iceServers.credentials = .fixed(username: String(parts[0]), password: Secret(String(parts[1])))
    },
    ServerOption(name: "workers", placeholder: "N", help: "media workers, 1 to 256 (one a core)") {
      c, v throws(ConfigurationError) in c.workers = try number(v, "workers", 1...256)
    },
    ServerOption(
      name: "public-url", placeholder: "URL",
      help: "the address people reach the server at, when a proxy stands before it"
    ) { c, v throws(ConfigurationError) in
      // Schemes are the same in any case (RFC 3986 section 3.1).
      let hasScheme = ["http://", "https://"].contains { v.lowercased().hasPrefix($0) }
      guard hasScheme, !v.contains(where: { $0.isWhitespace }) else {
        throw .wrongValue(option: "public-url", value: v, expected: "a URL that starts with http:// or https://")
      }
      c.publicURL = v.hasSuffix("/") ? String(v.dropLast()) : v
    },
    ServerOption(
      name: "trusted-proxy", placeholder: "IP[/BITS][,…]",
      help: "proxies whose X-Forwarded-For is believed, so that limits and bans go by each client's own address; "
        + "may be repeated (none)",
      isList: true
    ) { c, v throws(ConfigurationError) in c.trustedProxies = try TrustedProxies(v) },
    ServerOption(
      name: "tls", placeholder: "MODE", help: "self-signed: HTTPS with a certificate made on the first start; off (off)"
    ) { c, v throws(ConfigurationError) in
      switch v {
      case "off": c.tls = .off
      case "self-signed": c.tls = .selfSigned
      default:
        throw .wrongValue(
          option: "tls", value: v, expected: "'self-signed' or 'off'; for your own files use --tls-cert and --tls-key")
      }
    },
    ServerOption(name: "tls-cert", placeholder: "FILE", help: "certificate chain in PEM form; goes with --tls-key") {
      c, v throws(ConfigurationError) in
      let file = try nonEmpty(v, "tls-cert", "a file")
      if case .files(_, let key) = c.tls {
        c.tls = .files(certificate: file, key: key)
      } else {
        c.tls = .files(certificate: file, key: "")
      }
    },
    ServerOption(name: "tls-key", placeholder: "FILE", help: "private key in PEM form; goes with --tls-cert") {
      c, v throws(ConfigurationError) in
      let file = try nonEmpty(v, "tls-key", "a file")
      if case .files(let certificate, _) = c.tls {
        c.tls = .files(certificate: certificate, key: file)
      } else {
        c.tls = .files(certificate: "", key: file)
      }
    },
    ServerOption(
      name: "admin-port", placeholder: "N", help: "port of /metrics, /admin and /api (none; 0: any free one)"
    ) {
      c, v throws(ConfigurationError) in c.adminPort = try port(v, "admin-port")
    },
    ServerOption(name: "admin-host", placeholder: "IP", help: "address that the admin port listens on (127.0.0.1)") {
      c, v throws(ConfigurationError) in c.adminHost = try address(v, "admin-host")
    },
    ServerOption(
      name: "admin-token", placeholder: "TEXT",
      help:
        "what /admin and /api ask for, 16 to 200 characters; needed where the admin port is open beyond this machine"
    ) { c, v throws(ConfigurationError) in
      guard (16...200).contains(v.utf8.count), v.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw .wrongValue(
          option: "admin-token", value: "…",
          expected: "16 to 200 ASCII characters without blanks, such as `openssl rand -hex 16`")
      }
      c.adminToken = Secret(v)
    },
    ServerOption(
      name: "admin-attempts", placeholder: "N",
      help: "wrong admin tokens a minute from one address before none of it is looked at, 0 for any number "
        + "(10, and any number from this machine)"
    ) { c, v throws(ConfigurationError) in c.adminAttempts = try number(v, "admin-attempts", 0...1_000_000) },
    ServerOption(
      name: "webhook-allow", placeholder: "HOST[,HOST]",
      help: "hosts that webhooks may reach over plain http or in private networks; * for all; may be repeated (none)",
      isList: true
    ) { c, v throws(ConfigurationError) in
      let hosts = v.split(separator: ",").map { $0.lowercased() }
      guard !hosts.isEmpty, hosts.allSatisfy({ !$0.contains("/") && !$0.contains(" ") }) else {
        throw .wrongValue(option: "webhook-allow", value: v, expected: "names or addresses of hosts, such as hooks.lan")
      }
      c.webhooks.allowedHosts = hosts
    },
    ServerOption(name: "web", placeholder: "DIR", help: "folder of the browser client (found beside the program)") {
      c, v throws(ConfigurationError) in c.webFolder = try nonEmpty(v, "web", "a folder")
    },
    ServerOption(name: "open-rooms", placeholder: "yes|no", help: "whether joining at /<room> makes a meeting (yes)") {
      c, v throws(ConfigurationError) in c.openRooms = try boolean(v, "open-rooms")
    },
    ServerOption(
      name: "link-devices", placeholder: "off|allow",
      help: "whether a link that skips the page before joining may open microphone and camera without a click (off)"
    ) { c, v throws(ConfigurationError) in
      guard ["off", "allow"].contains(v) else {
        throw .wrongValue(option: "link-devices", value: v, expected: "'off' or 'allow'")
      }
      c.linkDevices = v == "allow" ? Set(LinkDevice.allCases) : []
    },
    ServerOption(name: "max-participants", placeholder: "N", help: "most participants of one meeting, 1 to 10000 (500)")
    {
      c, v throws(ConfigurationError) in c.maximumParticipants = try number(v, "max-participants", 1...10_000)
    },
    ServerOption(
      name: "address-rate", placeholder: "N",
      help: "requests a second with which one address may join and make meetings, 0 for any number "
        + "(50, and any number from this machine)"
    ) { c, v throws(ConfigurationError) in c.addressRate = try number(v, "address-rate", 0...1_000_000) },
    ServerOption(
      name: "address-write-rate", placeholder: "N",
      help: "of these, requests a second that make or change something without an account, 0 for any number "
        + "(5, and any number from this machine)"
    ) { c, v throws(ConfigurationError) in
      c.addressWriteRate = try number(v, "address-write-rate", 0...1_000_000)
    },
    ServerOption(
      name: "max-stored-meetings", placeholder: "N",
      help: "meetings that are kept for a tenant that has no limit of its own, 0 for any number (50000)"
    ) { c, v throws(ConfigurationError) in
      c.maximumStoredMeetings = try number(v, "max-stored-meetings", 0...100_000_000)
    },
    ServerOption(
      name: "address-connections", placeholder: "N",
      help: "connections that one address may have open at once, 0 for any number "
        + "(1024, and any number from this machine)"
    ) { c, v throws(ConfigurationError) in c.addressConnections = try number(v, "address-connections", 0...65_536) },
    ServerOption(
      name: "connections", placeholder: "N",
      help: "connections that may be open at once, the last sixteenth for participants who come back, "
        + "64 to 65536 (4096)"
    ) { c, v throws(ConfigurationError) in c.connections = try number(v, "connections", 64...65_536) },
    ServerOption(
      name: "token-rate", placeholder: "N",
      help: "requests a second with which one token may join, 0 for any number (100)"
    ) { c, v throws(ConfigurationError) in c.tokenRate = try number(v, "token-rate", 0...1_000_000) },
    ServerOption(
      name: "ban-addresses", placeholder: "yes|no",
      help: "whether a ban of somebody without a token of their own goes by their address too, for a day "
        + "(yes, but not with --public-url alone and not for this machine)"
    ) { c, v throws(ConfigurationError) in c.bansAddresses = try boolean(v, "ban-addresses") },
    ServerOption(
      name: "audio-loudest", placeholder: "N",
      help: "voices that are forwarded in a meeting that has more, the loudest ones, 3 to 8 (5)"
    ) { c, v throws(ConfigurationError) in c.audioLoudest = try number(v, "audio-loudest", 3...8) },
    ServerOption(
      name: "packet-hold", placeholder: "MS",
      help: "milliseconds that packets may wait for others to leave with, in large meetings and under load, 0 to 10 (5)"
    ) { c, v throws(ConfigurationError) in
      c.packetHold = .milliseconds(Int64(try number(v, "packet-hold", 0...10)))
    },
    ServerOption(
      name: "data-buffer", placeholder: "KIB",
      help: "KiB of data messages that may wait for one slow reader, 128 to 65536 (1024)"
    ) { c, v throws(ConfigurationError) in c.dataBuffer = try number(v, "data-buffer", 128...65_536) << 10 },
    ServerOption(
      name: "sender-rate", placeholder: "KIB",
      help: "KiB a second of one participant's chat, signals and the like that are passed on, 32 to 65536 (64)"
    ) { c, v throws(ConfigurationError) in c.senderRate = try number(v, "sender-rate", 32...65_536) << 10 },
    ServerOption(
      name: "meeting-rate", placeholder: "KIB",
      help: "KiB a second of the same of all participants of a meeting together, 64 to 65536 (256)"
    ) { c, v throws(ConfigurationError) in c.meetingRate = try number(v, "meeting-rate", 64...65_536) << 10 },
    ServerOption(
      name: "meeting-data-rate", placeholder: "KIB",
      help: "KiB a second of data messages that are passed on in one meeting, 64 to 1048576 (2048)"
    ) { c, v throws(ConfigurationError) in
      c.meetingDataRate = try number(v, "meeting-data-rate", 64...1_048_576) << 10
    },
    ServerOption(
      name: "chat-file-limit", placeholder: "KIB", help: "KiB of one file in a chat, 0 for no files (25600)"
    ) { c, v throws(ConfigurationError) in
      c.chatFiles.file = try number(v, "chat-file-limit", 0...4_194_304) << 10
    },
    ServerOption(
      name: "chat-meeting-limit", placeholder: "KIB", help: "KiB of all chat files of one meeting (256000)"
    ) { c, v throws(ConfigurationError) in
      c.chatFiles.meeting = try number(v, "chat-meeting-limit", 0...1_073_741_824) << 10
    },
    ServerOption(
      name: "chat-tenant-limit", placeholder: "KIB",
      help: "KiB of all chat files of a tenant that has no limit of its own (2097152)"
    ) { c, v throws(ConfigurationError) in
      c.chatFiles.tenant = try number(v, "chat-tenant-limit", 0...1_073_741_824) << 10
    },
    ServerOption(
      name: "resume-window", placeholder: "S", help: "seconds that a lost participant's place is held, 1 to 600 (30)"
    ) { c, v throws(ConfigurationError) in c.resumeWindow = .seconds(Int64(try number(v, "resume-window", 1...600))) },
    ServerOption(
      name: "lobby-timeout", placeholder: "S",
      help: "seconds that somebody waits to be let into a meeting, where it does not say, 1 to 86400 (1800)"
    ) { c, v throws(ConfigurationError) in
      c.lobbyPatience = .seconds(Int64(try number(v, "lobby-timeout", 1...86_400)))
    },
    ServerOption(
      name: "token-expiry", placeholder: "stay|leave",
      help: "whether who is in a meeting stays when their join token ends, or leaves unless it is renewed (stay)"
    ) { c, v throws(ConfigurationError) in
      guard ["stay", "leave"].contains(v) else {
        throw .wrongValue(option: "token-expiry", value: v, expected: "'stay' or 'leave'")
      }
      c.tokens.endsPlaces = v == "leave"
    },
    ServerOption(
      name: "token-notice", placeholder: "S",
      help: "seconds before the end of a join token in which its holder is told, 5 to 3600 (60)"
    ) { c, v throws(ConfigurationError) in c.tokens.notice = Double(try number(v, "token-notice", 5...3_600)) },
    ServerOption(name: "meeting-hours", placeholder: "N", help: "hours that an ad-hoc meeting lives, 1 to 8760 (8)") {
      c, v throws(ConfigurationError) in
      c.meetingLifetime = .seconds(Int64(try number(v, "meeting-hours", 1...8_760)) * 3_600)
    },
    ServerOption(
      name: "development", placeholder: "[yes|no]",
      help: "takes devtoken and moderator_token for join tokens: for trying samples, never for others (no)",
      isSwitch: true
    ) { c, v throws(ConfigurationError) in c.isDevelopment = try boolean(v, "development") },
    ServerOption(name: "log-level", placeholder: "LEVEL", help: "debug, info, warning or error (info)") {
      c, v throws(ConfigurationError) in
      guard let level = Log.Level.allCases.first(where: { $0.name == v }) else {
        throw .wrongValue(option: "log-level", value: v, expected: "debug, info, warning or error")
      }
      c.logLevel = level
    },
  ]
}
