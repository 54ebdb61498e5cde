import Basics
import Meetings
import Options
import RTC

extension ServerOption {
  static let server: [ServerOption] = [
    .number(
      .server, "port", 0...65_535, default: "8080", "TCP port of pages, API and signalling; 0 takes any free one"
    ) { $0.port = UInt16(clamping: $1) },
    ServerOption(
      .server, "host", .text("IP"), default: "::", values: "an address",
      "the address that pages, API and signalling listen on", details: "`::` is every address of both families"
    ) { configuration, text throws(ConfigurationError) in configuration.host = try address(text, "host") },
    ServerOption(
      .server, "data", .folder, default: "data", "folder of the database and keys", details: "It is made when missing"
    ) { $0.dataFolder = $1 },
    ServerOption(
      .server, "vault-pepper", .file, otherwise: "vault-pepper in the data folder",
      "the file of the key that people's vaults depend on",
      details: "It is made when it is first needed, and is in no backup ([key vaults](data.md#key-vaults))"
    ) { $0.vaultPepper = $1 },
    ServerOption(
      .server, "web", .folder, otherwise: "found next to the program", "the folder of the browser client"
    ) { $0.webFolder = $1 },
    .number(
      .server, "workers", 1...256, otherwise: "one a core", "media workers"
    ) { $0.workers = $1 },
    ServerOption(
      .server, "log-level", .choice(Log.Level.allCases.map(\.name)), default: "info", isReloaded: true,
      "the least important level that is logged"
    ) { configuration, text in
      configuration.logLevel = Log.Level.allCases.first { $0.name == text } ?? .info
    },
    ServerOption(
      .server, "development", .toggle, default: "no",
      "accepts devtoken and moderator_token as join tokens, to try samples",
      details: "The second makes anybody a host in every meeting of the default tenant, past locks, lobbies and "
        + "passcodes. Never on a server that others reach"
    ) { $0.isDevelopment = OptionKind.truth($1) ?? false },
  ]

  static let media: [ServerOption] = [
    .number(
      .media, "media-port", 0...65_535, otherwise: "10000, or free ports when that is in use",
      "UDP and TCP port of the first media worker", details: "Each further one uses the next; 0 takes any free ones"
    ) { $0.mediaPort = UInt16(clamping: $1) },
    ServerOption(
      .media, "media-host", .text("IP[,IP]"), otherwise: "every address of both families",
      values: "addresses, with commas, at most 16", isList: true, "addresses that media listens on",
      details: "Two servers of one machine with different ones may share a media port"
    ) { configuration, text throws(ConfigurationError) in
      configuration.mediaHosts = try addresses(text, "media-host")
    },
    ServerOption(
      .media, "public-address", .text("IP[,IP]"), values: "addresses, with commas, at most 16", isReloaded: true,
      "addresses that clients get besides the machine's own, and before them"
    ) { configuration, text throws(ConfigurationError) in
      let all = try addresses(text, "public-address")
      guard !all.contains(where: \.isUnspecified) else {
        throw .wrongValue(
          option: "public-address", value: text, expected: "addresses that clients can reach, not 0.0.0.0 or ::")
      }
      configuration.publicAddresses = all
    },
    .truth(
      .media, "private-addresses", default: "yes", isReloaded: true,
      "whether clients get addresses of this machine that only inside networks reach",
      details: "See [addresses for clients](network.md#addresses-for-clients)"
    ) { $0.offersPrivateAddresses = $1 },
    ServerOption(
      .media, "ice-server", .text("URL[,URL]"), values: "URLs, with commas", isList: true, isReloaded: true,
      "STUN and TURN servers for clients: stun:HOST, turn:HOST?transport=udp, turns:HOST"
    ) { configuration, text throws(ConfigurationError) in
      configuration.iceServers.urls = try IceServerSettings.urls(text)
    },
    ServerOption(
      .media, "turn-secret", .text("TEXT"), values: "a text", isReloaded: true,
      "the secret shared with the TURN servers, for passwords that expire (coturn: use-auth-secret)"
    ) { configuration, text throws(ConfigurationError) in
      guard !text.isEmpty else { throw .wrongValue(option: "turn-secret", value: "", expected: "the secret") }
      configuration.iceServers.credentials = .shared(Secret(text))
    }.secret,
    ServerOption(
      .media, "turn-user", .text("USER:PASSWORD"), isReloaded: true,
      "one user name and password of the TURN servers for everybody"
    ) { configuration, text throws(ConfigurationError) in
      let parts = text.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else {
        throw .wrongValue(
          option: "turn-user", value: "…", expected: "a user name and a password with a colon between them")
      }
      // With a longer one, some browsers leave the server out without a word, and others make no connection at all.
      guard parts[0].utf8.count <= IceServer.maximumUsername else {
        throw .wrongValue(
          option: "turn-user", value: "…", expected: "a user name of at most \(IceServer.maximumUsername) bytes")
      }
      configuration.iceServers.credentials = .fixed(username: String(parts[0]), password: Secret(String(parts[1])))
    }.secret,
    .number(
      .media, "audio-loudest", 3...8, default: "5", "speakers that are forwarded in a meeting that has more"
    ) { $0.audioLoudest = $1 },
    .number(
      .media, "packet-hold", 0...10, "MS", default: "5",
      "milliseconds that media packets may wait to leave together, in large meetings and under load",
      details: "0 sends each at once. See [packets that leave together](network.md#packets-that-leave-together)"
    ) { $0.packetHold = .milliseconds(Int64($1)) },
  ]

  static let https: [ServerOption] = [
    ServerOption(
      .https, "tls", .choice(["off", "self-signed"]), default: "off", isReloaded: true,
      "HTTPS with a certificate made on the first start"
    ) { $0.tls = $1 == "off" ? .off : .selfSigned }.with {
      $0.hint = "for your own files use --tls-cert and --tls-key"
    },
    ServerOption(
      .https, "tls-cert", .file, isReloaded: true, "your certificate chain in PEM form; goes with --tls-key"
    ) { configuration, file in
      var key = ""
      if case .files(_, let known) = configuration.tls { key = known }
      configuration.tls = .files(certificate: file, key: key)
    },
    ServerOption(
      .https, "tls-key", .file, isReloaded: true, "your private key in PEM form; goes with --tls-cert"
    ) { configuration, file in
      var certificate = ""
      if case .files(let known, _) = configuration.tls { certificate = known }
      configuration.tls = .files(certificate: certificate, key: file)
    },
    ServerOption(
      .https, "public-url", .text("URL"), otherwise: "each request's Host", values: "a URL without a path",
      "the URL under which people reach the server, when a proxy stands before it"
    ) { configuration, text throws(ConfigurationError) in
      // Schemes are the same in any case (RFC 3986 section 3.1).
      let hasScheme = ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
      guard hasScheme, !text.contains(where: \.isWhitespace) else {
        throw .wrongValue(
          option: "public-url", value: text, expected: "a URL that starts with http:// or https://")
      }
      configuration.publicURL = text.hasSuffix("/") ? String(text.dropLast()) : text
    },
    ServerOption(
      .https, "trusted-proxy", .text("IP[/BITS][,…]"),
      values: "addresses, `ADDRESS/BITS` for a network, with commas", isList: true,
      "proxies whose X-Forwarded-For is believed",
      details: "So limits, bans and the audit log use each client's own address ([proxies](https.md#behind-a-proxy))"
    ) { configuration, text throws(ConfigurationError) in configuration.trustedProxies = try TrustedProxies(text) },
  ]

  static let administration: [ServerOption] = [
    .number(
      .administration, "admin-port", 0...65_535, otherwise: "none", "port of /admin, /api and /metrics",
      details: "0 takes any free one"
    ) { $0.adminPort = UInt16(clamping: $1) },
    ServerOption(
      .administration, "admin-host", .text("IP"), default: "127.0.0.1", values: "an address",
      "the address that the admin port listens on"
    ) { configuration, text throws(ConfigurationError) in configuration.adminHost = try address(text, "admin-host") },
    ServerOption(
      .administration, "admin-token", .text("TEXT"), values: "16 to 200 characters", isReloaded: true,
      "the credential of /admin and /api; needed where the admin port is open beyond this machine"
    ) { configuration, text throws(ConfigurationError) in
      guard (16...200).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw .wrongValue(
          option: "admin-token", value: "…",
          expected: "16 to 200 ASCII characters without blanks, such as `openssl rand -hex 16`")
      }
      configuration.adminToken = Secret(text)
    }.secret,
    .number(
      .administration, "admin-attempts", 0...1_000_000, otherwise: "10, and any number from this machine",
      "wrong admin tokens a minute from one address; 0 for any number",
      details: "After that every request of the address is answered 429 for the rest of the minute"
    ) { $0.adminAttempts = $1 },
    ServerOption(
      .administration, "webhook-allow", .text("HOST[,HOST]"), values: "hosts, with commas", isList: true,
      "hosts that webhooks may reach over plain http or in private networks; * for all"
    ) { configuration, text throws(ConfigurationError) in
      let hosts = text.split(separator: ",").map { $0.lowercased() }
      guard !hosts.isEmpty, hosts.allSatisfy({ !$0.contains("/") && !$0.contains(" ") }) else {
        throw .wrongValue(
          option: "webhook-allow", value: text, expected: "names or addresses of hosts, such as hooks.lan")
      }
      configuration.webhooks.allowedHosts = hosts
    },
  ]
}
