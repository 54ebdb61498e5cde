extension SessionDescription {
  /// The description in the form that goes to the other side, with CR LF line ends.
  public var text: String {
    var lines = LineWriter()
    lines.add("v=0")
    lines.add("o=\(origin.username) \(origin.sessionID) \(origin.version) \(origin.address)")
    lines.add("s=-")
    lines.add("t=0 0")
    if !bundle.isEmpty { lines.attribute("group:BUNDLE " + bundle.map(\.rawValue).joined(separator: " ")) }
    if isIceLite { lines.attribute("ice-lite") }
    if allowsMixedExtensions { lines.attribute("extmap-allow-mixed") }
    if hasStreamSemantics { lines.attribute("msid-semantic: WMS *") }
    for section in media { section.write(to: &lines, sessionAllowsMixed: allowsMixedExtensions) }
    return lines.text
  }
}

/// Collects lines and ends each with CR LF.
struct LineWriter {
  private(set) var text = ""

  mutating func add(_ line: String) {
    text += line
    text += "\r\n"
  }

  mutating func attribute(_ attribute: String) { add("a=" + attribute) }
}

extension MediaDescription {
  func write(to lines: inout LineWriter, sessionAllowsMixed: Bool) {
    lines.add("m=\(kind.text) \(port) \(transportProtocol) " + formats.joined(separator: " "))
    lines.add("c=IN IP4 0.0.0.0")
    writeTransport(to: &lines)
    if let mid { lines.attribute("mid:\(mid)") }
    if allowsMixedExtensions && !sessionAllowsMixed { lines.attribute("extmap-allow-mixed") }
    for map in extensions {
      let suffix = map.direction.map { "/" + $0.rawValue } ?? ""
      lines.attribute("extmap:\(map.id)\(suffix) \(map.uri)")
    }
    // A direction means nothing for data channels (RFC 8841 section 4.4).
    if sctpPort == nil { lines.attribute(direction.rawValue) }
    for id in streamIDs { lines.attribute("msid:" + id.text) }
    if let sctpPort { lines.attribute("sctp-port:\(sctpPort)") }
    if let maximumMessageSize { lines.attribute("max-message-size:\(maximumMessageSize)") }
    if hasRTCPMux { lines.attribute("rtcp-mux") }
    if hasReducedSizeRTCP { lines.attribute("rtcp-rsize") }
    for codec in codecs { codec.write(to: &lines) }
    for rid in rids {
      let restrictions = rid.restrictions.map { " " + $0 } ?? ""
      lines.attribute("rid:\(rid.id) \(rid.direction.rawValue)\(restrictions)")
    }
    if let simulcast { lines.attribute("simulcast:" + simulcast.text) }
    for group in sourceGroups {
      lines.attribute("ssrc-group:\(group.semantics) " + group.sources.map(\.description).joined(separator: " "))
    }
    for source in sources {
      if let cname = source.cname { lines.attribute("ssrc:\(source.ssrc) cname:\(cname)") }
      if let id = source.streamID { lines.attribute("ssrc:\(source.ssrc) msid:\(id.text)") }
    }
  }

  private func writeTransport(to lines: inout LineWriter) {
    if isBundleOnly { lines.attribute("bundle-only") }
    for candidate in candidates { lines.attribute("candidate:" + candidate) }
    if hasEndOfCandidates { lines.attribute("end-of-candidates") }
    if let iceUfrag { lines.attribute("ice-ufrag:" + iceUfrag) }
    if let icePassword { lines.attribute("ice-pwd:" + icePassword.value) }
    if !iceOptions.isEmpty { lines.attribute("ice-options:" + iceOptions.joined(separator: " ")) }
    for fingerprint in fingerprints {
      lines.attribute("fingerprint:\(fingerprint.algorithm) " + fingerprint.hexDigest)
    }
    if let setup { lines.attribute("setup:" + setup.rawValue) }
  }
}

extension CodecDescription {
  fileprivate func write(to lines: inout LineWriter) {
    let suffix = channels == 1 ? "" : "/\(channels)"
    lines.attribute("rtpmap:\(payloadType) \(name)/\(clockRate)\(suffix)")
    for message in feedback { lines.attribute("rtcp-fb:\(payloadType) \(message)") }
    if let parameters { lines.attribute("fmtp:\(payloadType) \(parameters.text)") }
  }
}

extension FingerprintAttribute {
  /// The digest in the upper-case, colon-separated form of RFC 8122.
  public var hexDigest: String {
    digest.map { byte in
      let hex = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "0" + hex : hex
    }.joined(separator: ":")
  }
}

extension MediaStreamID {
  /// The form of `a=msid`: the stream's id, and the track's after a space.
  public var text: String { track.map { stream + " " + $0 } ?? stream }
}

extension SimulcastAttribute {
  /// The form of `a=simulcast`, such as `send h;m;~l`.
  public var text: String {
    func list(_ streams: [[Alternative]]) -> String {
      streams.map { $0.map { ($0.isPaused ? "~" : "") + $0.rid.rawValue }.joined(separator: ",") }
        .joined(separator: ";")
    }
    var parts: [String] = []
    if !send.isEmpty { parts.append("send " + list(send)) }
    if !receive.isEmpty { parts.append("recv " + list(receive)) }
    return parts.joined(separator: " ")
  }
}
