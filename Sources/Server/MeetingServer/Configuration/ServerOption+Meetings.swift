import Basics
import Meetings
import Options

extension ServerOption {
  static let meetings: [ServerOption] = [
    .truth(
      .meetings, "open-rooms", default: "yes", "whether joining at /<room> makes a meeting"
    ) { $0.openRooms = $1 },
    ServerOption(
      .meetings, "link-devices", .choice(["off", "allow"]), default: "off",
      "whether a link that skips the page before joining may turn microphone and camera on without a click",
      details: "Leave it `off` unless every link to the server comes from you "
        + "([the rules](../protocol.md#devices-and-links))"
    ) { $0.linkDevices = $1 == "allow" ? Set(LinkDevice.allCases) : [] },
    .number(
      .meetings, "max-participants", 1...10_000, default: "500", "most participants of one meeting"
    ) { $0.maximumParticipants = $1 },
    .number(
      .meetings, "max-stored-meetings", 0...100_000_000, default: "50000",
      "stored meetings of a tenant that has no limit of its own; 0 for any number",
      details: "People without an account have at most three quarters of that"
    ) { $0.maximumStoredMeetings = $1 },
    .number(
      .meetings, "meeting-hours", 1...8_760, default: "8", "hours that an ad-hoc meeting lives"
    ) { $0.meetingLifetime = .seconds(Int64($1) * 3_600) },
    .number(
      .meetings, "resume-window", 1...600, "S", default: "30", "seconds that a lost participant's session stays open"
    ) { $0.resumeWindow = .seconds(Int64($1)) },
    .number(
      .meetings, "lobby-timeout", 1...86_400, "S", default: "1800",
      "seconds that somebody waits in the lobby, where the meeting doesn't say"
    ) { $0.lobbyPatience = .seconds(Int64($1)) },
    ServerOption(
      .meetings, "token-expiry", .choice(["stay", "leave"]), default: "stay",
      "whether participants stay when their join token ends, or leave unless it is renewed",
      details: "See [tokens that end](../protocol.md#tokens-that-end); `parley tenant set --token-expiry` sets it for "
        + "one tenant"
    ) { $0.tokens.endsPlaces = $1 == "leave" },
    ServerOption(
      .meetings, "encryption", .choice(EncryptionPolicy.allCases.map(\.rawValue)), default: "default",
      "whether meetings may be end-to-end encrypted: never, on request, by default on the start page, or always",
      details: "See [encrypted meetings](meetings.md#encrypted-meetings); `parley tenant set --encryption` sets it for "
        + "one tenant"
    ) { $0.encryption = EncryptionPolicy(rawValue: $1) ?? .preselected },
    .number(
      .meetings, "token-notice", 5...3_600, "S", default: "60",
      "seconds before the end of a join token at which its holder is notified",
      details: "At most half of the time that is left"
    ) { $0.tokens.notice = Double($1) },
    .truth(
      .meetings, "ban-addresses",
      otherwise: "yes, but not with public-url alone and not for this machine",
      "whether a ban of a participant without their own token covers their address too, for a day",
      details: "See [bans](meetings.md#bans)"
    ) { $0.bansAddresses = $1 },
  ]

  static let requests: [ServerOption] = [
    .number(
      .requests, "address-rate", 0...1_000_000, otherwise: "50, and any number from this machine",
      "requests a second with which one address may join, make meetings and ask for more than files; 0 for any number",
      details: "Four times as many at once"
    ) { $0.addressRate = $1 },
    .number(
      .requests, "address-write-rate", 0...1_000_000, otherwise: "5, and any number from this machine",
      "of these, requests a second that make or change something without an API secret; 0 for any number",
      details: "They are meetings and tokens requested without an account, meetings changed with a host's token, and "
        + "rooms opened by a guest's joining. Twenty times as many at once"
    ) { $0.addressWriteRate = $1 },
    .number(
      .requests, "token-rate", 0...1_000_000, default: "100",
      "requests a second with which one join token may join; 0 for any number", details: "Four times as many at once"
    ) { $0.tokenRate = $1 },
    .number(
      .requests, "address-connections", 0...65_536, otherwise: "1024, and any number from this machine",
      "connections that one address (of IPv6, one /64 network) may have open at once; 0 for any number",
      details: "Connections of a `trusted-proxy` count for the clients that it names during a request; a proxy that "
        + "isn't named needs more. With 0 no network has [a share](limits.md#shares-of-networks)"
    ) { $0.addressConnections = $1 },
    .number(
      .requests, "connections", 64...65_536, default: "4096", "connections that may be open at once",
      details: "The last sixteenth is for participants who come back. Each may cost two descriptors (`LimitNOFILE`)"
    ) { $0.connections = $1 },
  ]

  static let chat: [ServerOption] = [
    .number(
      .chat, "sender-rate", 32...65_536, "KIB", default: "64",
      "KiB a second of one participant's chat, signals and the like that are passed on",
      details: "Four times as much at once"
    ) { $0.senderRate = $1 << 10 },
    .number(
      .chat, "meeting-rate", 64...65_536, "KIB", default: "256",
      "KiB a second of the same of all participants of a meeting together",
      details: "Three times as much at once, 768 KiB at most. A receiver must have that much bandwidth besides audio "
        + "and video"
    ) { $0.meetingRate = $1 << 10 },
    .number(
      .chat, "meeting-data-rate", 64...1_048_576, "KIB", default: "2048",
      "KiB a second of data messages that are passed on in one meeting", details: "Twice as much at once"
    ) { $0.meetingDataRate = $1 << 10 },
    .number(
      .chat, "data-buffer", 128...65_536, "KIB", default: "1024",
      "KiB of data messages that may wait for one slow receiver"
    ) { $0.dataBuffer = $1 << 10 },
    .number(
      .chat, "chat-file-limit", 0...4_194_304, "KIB", default: "25600", "KiB of one file in a chat; 0 for no files"
    ) { $0.chatFiles.file = $1 << 10 },
    .number(
      .chat, "chat-meeting-limit", 0...1_073_741_824, "KIB", default: "256000", "KiB of all chat files of one meeting"
    ) { $0.chatFiles.meeting = $1 << 10 },
    .number(
      .chat, "chat-tenant-limit", 0...1_073_741_824, "KIB", default: "2097152",
      "KiB of all chat files at once of a tenant that has no limit of its own"
    ) { $0.chatFiles.tenant = $1 << 10 },
  ]
}
