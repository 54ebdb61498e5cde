import Basics

/// Collects the attributes of one m-section; `a=rtpmap`, `a=fmtp` and `a=rtcp-fb` may come in any order.
struct MediaSectionParser {
  private(set) var section: MediaDescription
  private(set) var hasDirection = false
  private var maps: [UInt8: (name: String, rate: UInt32, channels: UInt8)] = [:]
  private var parameters: [UInt8: String] = [:]
  /// Payload type (nil: all) and message.
  private var feedback: [(UInt8?, String)] = []

  init(_ section: MediaDescription) { self.section = section }

  /// The section, with its codecs put together.
  func finished() throws(SDPError) -> MediaDescription {
    var section = section
    // A message for all payload types counts once for each, so that a short text cannot grow.
    let general = feedback.reduce(0) { $1.0 == nil ? $0 + 1 : $0 }
    guard general * section.formats.count + feedback.count <= SDPLimit.feedbackLines.maximum else {
      throw .limit(.feedbackLines)
    }
    // A source needs a canonical name (RFC 5576 section 6.1); other attributes alone say nothing of use.
    section.sources.removeAll { $0.cname == nil && $0.streamID == nil }
    for format in section.formats {
      guard let number = Substring(format).decimal(UInt8.self), let map = maps[number] else { continue }
      section.codecs.append(
        CodecDescription(
          payloadType: PayloadType(rawValue: number), name: map.name, clockRate: map.rate,
          channels: map.channels, parameters: parameters[number].map { FormatParameters($0) },
          feedback: feedback.filter { $0.0 == nil || $0.0 == number }.map(\.1)))
    }
    return section
  }

  mutating func attribute(_ name: Substring, _ value: Substring, line: Int) throws(SDPError) {
    switch name {
    case "mid":
      guard (1...16).contains(value.utf8.count), value.isToken else {
        throw .malformed(line: line, expected: "a mid of 1 to 16 token characters")
      }
      section.mid = MID(rawValue: String(value))
    case "sendrecv", "sendonly", "recvonly", "inactive":
      section.direction = MediaDirection(rawValue: String(name)) ?? .sendrecv
      hasDirection = true
    case "rtcp-mux", "rtcp-mux-only": section.hasRTCPMux = true
    case "rtcp-rsize": section.hasReducedSizeRTCP = true
    case "bundle-only": section.isBundleOnly = true
    case "extmap-allow-mixed": section.allowsMixedExtensions = true
    case "end-of-candidates": section.hasEndOfCandidates = true
    case "candidate", "ice-ufrag", "ice-pwd", "ice-options", "fingerprint", "setup":
      try transportAttribute(name, value, line: line)
    case "sctp-port":
      guard let port = value.decimal(UInt16.self) else {
        throw .malformed(line: line, expected: "an SCTP port from 0 to 65535")
      }
      section.sctpPort = port
    case "max-message-size":
      guard let size = value.decimal(UInt64.self) else {
        throw .malformed(line: line, expected: "a number of bytes")
      }
      section.maximumMessageSize = size
    case "rtpmap", "fmtp", "rtcp-fb", "extmap": try codecAttribute(name, value, line: line)
    case "ssrc", "ssrc-group", "msid", "rid", "simulcast": try sourceAttribute(name, value, line: line)
    default: break
    }
  }

  private mutating func transportAttribute(_ name: Substring, _ value: Substring, line: Int) throws(SDPError) {
    switch name {
    case "candidate":
      // Each is one way more, and a description with too many is as good without the last of them.
      if section.candidates.count < SDPLimit.candidates.maximum {
        section.candidates.append(String(value))
      } else {
        section.surplusCandidates += 1
      }
    case "ice-ufrag":
      guard (4...256).contains(value.utf8.count), value.isIceChars else {
        throw .malformed(line: line, expected: "an ice-ufrag of 4 to 256 letters, digits, '+' or '/'")
      }
      section.iceUfrag = String(value)
    case "ice-pwd":
      guard (22...256).contains(value.utf8.count), value.isIceChars else {
        throw .malformed(line: line, expected: "an ice-pwd of 22 to 256 letters, digits, '+' or '/'")
      }
      section.icePassword = Secret(String(value))
    case "ice-options": section.iceOptions = value.words.map { String($0) }
    case "fingerprint":
      guard section.fingerprints.count < SDPLimit.fingerprints.maximum else { throw .limit(.fingerprints) }
      let words = value.words
      guard words.count == 2, words[0].isToken, let digest = words[1].colonHexBytes else {
        throw .malformed(line: line, expected: "a hash function and pairs of hexadecimal digits with colons")
      }
      section.fingerprints.append(FingerprintAttribute(algorithm: words[0].lowercased(), digest: digest))
    default:
      guard let role = SetupRole(rawValue: String(value)) else {
        throw .malformed(line: line, expected: "a setup of active, passive, actpass or holdconn")
      }
      section.setup = role
    }
  }

  private mutating func codecAttribute(_ name: Substring, _ value: Substring, line: Int) throws(SDPError) {
    let (first, rest) = value.cut(at: " ")
    if name == "extmap" { return try extensionMap(first, rest, line: line) }
    if name == "rtcp-fb", first == "*", let rest {
      return try addFeedback(nil, rest)
    }
    guard let number = first.decimal(UInt8.self), number <= 127, let rest, !rest.isEmpty else {
      throw .malformed(line: line, expected: "a payload type from 0 to 127 and its \(name)")
    }
    switch name {
    case "fmtp": if parameters[number] == nil { parameters[number] = String(rest) }
    case "rtcp-fb": try addFeedback(number, rest)
    default:
      let parts = rest.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
      guard (2...3).contains(parts.count), parts[0].isToken, let rate = parts[1].decimal(UInt32.self),
        let channels = parts.count == 3 ? parts[2].decimal(UInt8.self) : 1
      else { throw .malformed(line: line, expected: "an rtpmap of encoding name, clock rate and channels") }
      maps[number] = (String(parts[0]), rate, channels)
    }
  }

  private mutating func addFeedback(_ number: UInt8?, _ message: Substring) throws(SDPError) {
    guard feedback.count < SDPLimit.feedbackLines.maximum else { throw .limit(.feedbackLines) }
    let words = message.words
    if !words.isEmpty { feedback.append((number, words.joined(separator: " "))) }
  }

  private mutating func extensionMap(_ first: Substring, _ rest: Substring?, line: Int) throws(SDPError) {
    guard section.extensions.count < SDPLimit.headerExtensions.maximum else { throw .limit(.headerExtensions) }
    let (number, suffix) = first.cut(at: "/")
    let direction = suffix.flatMap { MediaDirection(rawValue: String($0)) }
    guard let id = number.decimal(UInt16.self), (1...4351).contains(id), let uri = rest?.words.first,
      suffix == nil || direction != nil
    else { throw .malformed(line: line, expected: "an extmap of an id from 1, a direction and a URI") }
    section.extensions.append(ExtensionAttribute(id: Int(id), direction: direction, uri: String(uri)))
  }

  private mutating func sourceAttribute(_ name: Substring, _ value: Substring, line: Int) throws(SDPError) {
    switch name {
    case "ssrc": try source(value, line: line)
    case "ssrc-group":
      guard section.sourceGroups.count < SDPLimit.sourceGroups.maximum else { throw .limit(.sourceGroups) }
      let words = value.words
      let members = words.dropFirst().map { $0.decimal(UInt32.self).map { SSRC(rawValue: $0) } }
      guard let semantics = words.first, semantics.isToken, members.count <= SDPLimit.sources.maximum,
        members.allSatisfy({ $0 != nil })
      else { throw .malformed(line: line, expected: "an ssrc-group of semantics and SSRCs") }
      section.sourceGroups.append(
        SourceGroup(semantics: String(semantics), sources: members.compactMap { $0 }))
    case "msid":
      guard section.streamIDs.count < SDPLimit.streamIDs.maximum else { throw .limit(.streamIDs) }
      guard let id = streamID(value.words) else {
        throw .malformed(line: line, expected: "an msid of a stream id and a track id")
      }
      section.streamIDs.append(id)
    case "rid":
      guard section.rids.count < SDPLimit.rids.maximum else { throw .limit(.rids) }
      let words = value.words
      guard words.count >= 2, words[0].isRID, let direction = RIDAttribute.Direction(rawValue: String(words[1]))
      else { throw .malformed(line: line, expected: "a rid of 1 to 16 letters or digits, and send or recv") }
      section.rids.append(
        RIDAttribute(
          id: RID(rawValue: String(words[0])), direction: direction,
          restrictions: words.count > 2 ? words[2...].joined(separator: " ") : nil))
    default: section.simulcast = try simulcast(value.words, line: line)
    }
  }

  private mutating func source(_ value: Substring, line: Int) throws(SDPError) {
    let (number, rest) = value.cut(at: " ")
    guard let raw = number.decimal(UInt32.self) else {
      throw .malformed(line: line, expected: "an SSRC of 32 bits and an attribute")
    }
    let ssrc = SSRC(rawValue: raw)
    let index: Int
    if let known = section.sources.firstIndex(where: { $0.ssrc == ssrc }) {
      index = known
    } else {
      guard section.sources.count < SDPLimit.sources.maximum else { throw .limit(.sources) }
      index = section.sources.count
      section.sources.append(SourceAttribute(ssrc: ssrc))
    }
    let (attribute, argument) = (rest ?? "").cut(at: ":")
    guard let argument, !argument.isEmpty else { return }
    switch attribute {
    case "cname": section.sources[index].cname = String(argument)
    case "msid": section.sources[index].streamID = streamID(argument.words)
    default: break
    }
  }

  private func streamID(_ words: [Substring]) -> MediaStreamID? {
    guard let stream = words.first, words.count <= 2 else { return nil }
    return MediaStreamID(stream: String(stream), track: words.count > 1 ? String(words[1]) : nil)
  }

  private func simulcast(_ words: [Substring], line: Int) throws(SDPError) -> SimulcastAttribute {
    var result = SimulcastAttribute()
    var index = 0
    while index + 1 < words.count {
      let streams = try simulcastStreams(words[index + 1], line: line)
      switch words[index] {
      case "send" where result.send.isEmpty: result.send = streams
      case "recv" where result.receive.isEmpty: result.receive = streams
      default: throw .malformed(line: line, expected: "simulcast streams after send or recv, each once")
      }
      index += 2
    }
    guard index == words.count, index > 0 else {
      throw .malformed(line: line, expected: "simulcast streams after send or recv")
    }
    return result
  }

  private func simulcastStreams(_ list: Substring, line: Int) throws(SDPError)
    -> [[SimulcastAttribute.Alternative]]
  {
    var streams: [[SimulcastAttribute.Alternative]] = []
    var count = 0
    for stream in list.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      var alternatives: [SimulcastAttribute.Alternative] = []
      for part in stream.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        let isPaused = part.first == UInt8(ascii: "~")
        let name = Substring(isPaused ? part.dropFirst() : part)
        count += 1
        guard name.isRID, count <= SDPLimit.rids.maximum else {
          throw .malformed(line: line, expected: "at most \(SDPLimit.rids.maximum) rids with ',' and ';'")
        }
        alternatives.append(SimulcastAttribute.Alternative(rid: RID(rawValue: String(name)), isPaused: isPaused))
      }
      streams.append(alternatives)
    }
    return streams
  }
}
