import Basics
import RTC

extension IceCredentials {
  /// Known credentials; random ones would only come out of a mistake in the literal.
  static func fixed(_ ufrag: String, _ password: String) -> IceCredentials {
    IceCredentials(ufrag: ufrag, password: password) ?? .random()
  }
}

extension TransportParameters {
  /// A test server's part of its answers.
  static let server = TransportParameters(
    ice: .fixed("srv1", "serverserverserverserver"),
    fingerprints: [FingerprintAttribute(algorithm: "sha-256", digest: Array(0..<32))], setup: .passive,
    candidates: [.host(TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 40_000), transport: .udp)],
    isIceLite: true)

  /// A test client's part of its offers.
  static let client = TransportParameters(
    ice: .fixed("clnt", "clientclientclientclient"),
    fingerprints: [FingerprintAttribute(algorithm: "sha-256", digest: Array(32..<64))], setup: .actpass)
}

/// A server's negotiation over several offers.
struct NegotiationHarness {
  var rng = SeededRandom(seed: 7)
  var negotiation: Negotiation

  init() { negotiation = Negotiation(using: &rng) }

  /// Accepts an offer and keeps the new state; returns what was agreed and the answer, read back from its text.
  mutating func answer(_ text: String) throws(SDPError) -> (AcceptedOffer, SessionDescription) {
    let accepted = try negotiation.accept(SessionDescription(parsing: text), using: &rng)
    negotiation = accepted.negotiation
    return (accepted, try SessionDescription(parsing: accepted.makeAnswer(local: .server).text))
  }
}

/// A short offer built section by section, for tests of one rule.
struct OfferText {
  var sections: [String]
  var bundle: String?

  init(_ sections: [String], bundle: String? = nil) {
    self.sections = sections
    self.bundle = bundle
  }

  static func audio(_ mid: String = "0", direction: String = "sendonly", port: Int = 9, extra: String = "") -> String {
    section("audio", mid, direction, port, "111", "a=rtpmap:111 opus/48000/2\n" + extra)
  }

  static func video(_ mid: String = "1", direction: String = "sendonly", port: Int = 9, extra: String = "") -> String {
    section(
      "video", mid, direction, port, "96 97",
      "a=rtpmap:96 VP8/90000\na=rtcp-fb:96 nack\na=rtpmap:97 rtx/90000\na=fmtp:97 apt=96\n" + extra)
  }

  private static func section(
    _ kind: String, _ mid: String, _ direction: String, _ port: Int, _ formats: String, _ rest: String
  ) -> String {
    """
    m=\(kind) \(port) UDP/TLS/RTP/SAVPF \(formats)
    c=IN IP4 0.0.0.0
    a=mid:\(mid)
    a=\(direction)
    a=rtcp-mux
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    \(rest)
    """.split(separator: "\n").joined(separator: "\n") + "\n"
  }

  var text: String { text() }

  func text(ufrag: String = "abcd", password: String = "passwordpasswordpassword", setup: String = "actpass") -> String
  {
    let mids = sections.compactMap { section -> String? in
      let lines = section.split(separator: "\n")
      guard lines[0].split(separator: " ")[1] != "0" || section.contains("bundle-only") else { return nil }
      return lines.first { $0.hasPrefix("a=mid:") }.map { String($0.dropFirst(6)) }
    }
    let print = (0..<32).map { _ in "AB" }.joined(separator: ":")
    return """
      v=0
      o=- 1 2 IN IP4 127.0.0.1
      s=-
      t=0 0
      a=group:BUNDLE \(bundle ?? mids.joined(separator: " "))
      a=ice-ufrag:\(ufrag)
      a=ice-pwd:\(password)
      a=fingerprint:sha-256 \(print)
      a=setup:\(setup)

      """ + sections.joined()
  }
}
