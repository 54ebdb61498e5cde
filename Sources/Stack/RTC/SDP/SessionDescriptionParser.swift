import Basics

/// Reads a session description line by line. Every limit is checked before the thing it limits is kept.
struct SessionDescriptionParser {
  private var line = 0
  private var origin: SessionDescription.Origin?
  private var bundle: [MID]?
  private var isIceLite = false
  private var allowsMixed = false
  private var hasStreamSemantics = false
  /// Session-level attributes that every m-section without its own inherits.
  private var inherited = MediaSectionParser(
    MediaDescription(kind: .application, port: 0, transportProtocol: "", formats: []))
  private var sections: [MediaSectionParser] = []
  private var ignored: [SDPError] = []

  mutating func parse(_ text: String) throws(SDPError) -> SessionDescription {
    guard text.utf8.count <= SDPLimit.totalBytes.maximum else { throw .limit(.totalBytes) }
    var rest = Substring(text)
    while !rest.isEmpty {
      line += 1
      guard line <= SDPLimit.lines.maximum else { throw .limit(.lines) }
      let (found, tail) = rest.cut(at: "\n")
      rest = tail ?? ""
      guard found.utf8.count <= SDPLimit.lineBytes.maximum + 1 else { throw .limit(.lineBytes) }
      // Blanks at the end of a line aren't part of its value, and an empty line has none.
      let current = found.trimmedEnd
      guard current.utf8.count <= SDPLimit.lineBytes.maximum else { throw .limit(.lineBytes) }
      if !current.isEmpty { try read(current) }
    }
    return try finish()
  }

  private mutating func read(_ text: Substring) throws(SDPError) {
    let (type, value) = text.cut(at: "=")
    guard let value, type.utf8.count == 1 else {
      throw .malformed(line: line, expected: "a letter, '=' and a value")
    }
    guard line != 1 || text == "v=0" else { throw .malformed(line: 1, expected: "\"v=0\"") }
    switch type {
    case "m":
      guard sections.count < SDPLimit.mediaSections.maximum else { throw .limit(.mediaSections) }
      sections.append(MediaSectionParser(try mediaLine(value)))
    case "o" where sections.isEmpty: origin = try originLine(value)
    case "a":
      let (name, argument) = value.cut(at: ":")
      try attribute(name.trimmedEnd, (argument ?? "").trimmed)
    default: break
    }
  }

  /// The attributes without which a connection cannot be made, or could be made with somebody else.
  private static let required: Set<Substring> = ["mid", "ice-ufrag", "ice-pwd", "fingerprint", "setup"]

  /// Reads an attribute. A malformed one is as absent (RFC 8866 section 5.13) unless it is ``required``; limits hold
  /// for all.
  private mutating func attribute(_ name: Substring, _ value: Substring) throws(SDPError) {
    do throws(SDPError) {
      if sections.isEmpty {
        try sessionAttribute(name, value)
      } else {
        try sections[sections.count - 1].attribute(name, value, line: line)
      }
    } catch {
      guard case .malformed = error, !Self.required.contains(name) else { throw error }
      ignored.append(error)
    }
  }

  private func originLine(_ value: Substring) throws(SDPError) -> SessionDescription.Origin {
    let words = value.words
    guard words.count == 6, let id = words[1].decimal(UInt64.self), let version = words[2].decimal(UInt64.self)
    else {
      throw .malformed(
        line: line, expected: "an origin of user name, two numbers, network type, address type and address")
    }
    return SessionDescription.Origin(
      username: String(words[0]), sessionID: id, version: version,
      address: words[3...].joined(separator: " "))
  }

  private func mediaLine(_ value: Substring) throws(SDPError) -> MediaDescription {
    let words = value.words
    guard words.count >= 4, let port = words[1].decimal(UInt16.self), words[0].isToken else {
      throw .malformed(line: line, expected: "a media type, a port, a protocol and at least one format")
    }
    guard words.count - 3 <= SDPLimit.formats.maximum else { throw .limit(.formats) }
    let kind: MediaDescription.Kind =
      switch words[0] {
      case "audio": .media(.audio)
      case "video": .media(.video)
      case "application": .application
      default: .other(String(words[0]))
      }
    var formats = words[3...].map { String($0) }
    if case .media = kind {
      let types = formats.compactMap { Substring($0).decimal(UInt8.self) }.filter { $0 <= 127 }
      guard types.count == formats.count else {
        throw .malformed(line: line, expected: "payload types from 0 to 127")
      }
      // A payload type that is listed again says nothing new; browsers take it.
      var seen: Set<UInt8> = []
      formats = types.filter { seen.insert($0).inserted }.map { String($0) }
    }
    return MediaDescription(kind: kind, port: port, transportProtocol: String(words[2]), formats: formats)
  }

  private mutating func sessionAttribute(_ name: Substring, _ value: Substring) throws(SDPError) {
    switch name {
    case "group":
      let words = value.words
      guard bundle == nil, words.first == "BUNDLE" else { return }
      guard words.count - 1 <= SDPLimit.mediaSections.maximum else { throw .limit(.mediaSections) }
      bundle = words.dropFirst().map { MID(rawValue: String($0)) }
    case "ice-lite": isIceLite = true
    case "extmap-allow-mixed": allowsMixed = true
    case "msid-semantic": hasStreamSemantics = true
    case "ice-ufrag", "ice-pwd", "ice-options", "fingerprint", "setup", "sendrecv", "sendonly", "recvonly",
      "inactive", "extmap":
      try inherited.attribute(name, value, line: line)
    default: break
    }
  }

  private func finish() throws(SDPError) -> SessionDescription {
    guard line > 0, let origin else { throw .malformed(line: max(line, 1), expected: "\"v=0\" and an o= line") }
    var description = SessionDescription(
      origin: origin, bundle: bundle ?? [], isIceLite: isIceLite, allowsMixedExtensions: allowsMixed,
      hasStreamSemantics: hasStreamSemantics)
    description.ignored = ignored
    var mids: Set<MID> = []
    let session = inherited.section
    for parser in sections {
      var section = try parser.finished()
      if let mid = section.mid {
        guard mids.insert(mid).inserted else { throw .duplicateMID(mid) }
      }
      if section.iceUfrag == nil { section.iceUfrag = session.iceUfrag }
      if section.icePassword == nil { section.icePassword = session.icePassword }
      if section.iceOptions.isEmpty { section.iceOptions = session.iceOptions }
      if section.fingerprints.isEmpty { section.fingerprints = session.fingerprints }
      if section.setup == nil { section.setup = session.setup }
      if !parser.hasDirection { section.direction = session.direction }
      // RFC 8285 section 5 allows them before the sections, where they hold for all.
      section.extensions += session.extensions.filter { general in
        !section.extensions.contains { $0.uri == general.uri || $0.id == general.id }
      }
      section.allowsMixedExtensions = section.allowsMixedExtensions || allowsMixed
      description.media.append(section)
    }
    return description
  }
}
