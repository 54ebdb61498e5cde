import Meetings
import Signaling

/// Calls of the OpenTok REST API that this server doesn't serve yet. Every request to them gets that answer.
enum MissingCall: String, CaseIterable {
  case archives, broadcasts, renders, captions, sip, dtmf, audioConnector

  /// The call of a path behind `/v2/project/<key>`; nil when it is none of these.
  init?(_ path: [Substring]) {
    switch path.first {
    case "archive": self = .archives
    case "broadcast": self = .broadcasts
    case "render": self = .renders
    case "captions": self = .captions
    case "dial": self = .sip
    case "connect": self = .audioConnector
    case "session" where path.last == "play-dtmf" && [3, 5].contains(path.count): self = .dtmf
    default: return nil
    }
  }

  /// The missing part, as the beginning of a sentence.
  private var what: String {
    switch self {
    case .archives: "Archives are"
    case .broadcasts: "Broadcasts are"
    case .renders: "Experience Composer renders are"
    case .captions: "Captions are"
    case .sip: "Calls to SIP addresses are"
    case .dtmf: "DTMF tones are"
    case .audioConnector: "Connections to a WebSocket are"
    }
  }

  /// The session that a request means: by its path, or else by its body; nil when it names none.
  static func session(_ path: [Substring], _ body: [UInt8]) -> OpenTokSession? {
    struct Named: Decodable { var sessionId: String }
    if path.count > 1, path[0] == "session" { return OpenTokSession(String(path[1])) }
    let named = try? SignalingDecoder().decode(Named.self, from: body, maximumBytes: OpenTokAPI.maximumBody)
    return named.flatMap { OpenTokSession($0.sessionId) }
  }

  /// The answer: `notImplemented.archives` and so on, or `encrypted` where the server couldn't do it anyway.
  func refusal(in session: OpenTokSession?) -> Refusal {
    if session?.options.isEncrypted == true { return .encrypted(what) }
    return Refusal(501, "notImplemented.\(rawValue)", "\(what) not served by this version of Parley; nothing was done.")
  }
}
