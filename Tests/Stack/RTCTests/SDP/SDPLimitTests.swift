import Basics
import RTC
import Testing

@Suite("Limits of session descriptions")
struct SDPLimitTests {
  private func lines(_ count: Int, _ line: (Int) -> String) -> String {
    (0..<count).map { line($0) + "\n" }.joined()
  }

  private func expectLimit(_ limit: SDPLimit, _ text: String) {
    #expect(throws: SDPError.limit(limit)) { try SessionDescription(parsing: text) }
  }

  private let head = "v=0\no=- 1 2 IN IP4 127.0.0.1\ns=-\nt=0 0\n"
  private var section: String { OfferText([OfferText.audio()]).text }

  @Test("threat 19: too much of anything is refused, and the error names the limit")
  func tooMuch() throws {
    expectLimit(.totalBytes, head + lines(9_000) { _ in "a=x:" + String(repeating: "y", count: 30) })
    expectLimit(.lines, head + lines(10_000) { _ in "a=x" })
    expectLimit(.lineBytes, head + "a=x:" + String(repeating: "y", count: 8 * 1024))
    expectLimit(.mediaSections, head + lines(257) { "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:\($0)" })
    expectLimit(.formats, head + "m=application 9 X " + String(repeating: "1 ", count: 129))
    expectLimit(.sources, section + lines(65) { "a=ssrc:\($0) cname:x" })
    expectLimit(.sourceGroups, section + lines(65) { "a=ssrc-group:FID \($0) 7" })
    expectLimit(.headerExtensions, section + lines(64) { "a=extmap:\($0 + 20) urn:x" })
    expectLimit(.feedbackLines, section + lines(1_025) { _ in "a=rtcp-fb:111 nack" })
    expectLimit(
      .feedbackLines,
      head + "m=audio 9 UDP/TLS/RTP/SAVPF " + (0..<128).map(String.init).joined(separator: " ") + "\n"
        + lines(8) { _ in "a=rtcp-fb:* nack" })
    expectLimit(.streamIDs, section + lines(17) { "a=msid:s t\($0)" })
    expectLimit(.rids, section + lines(17) { "a=rid:\($0) send" })
    expectLimit(.fingerprints, section + lines(9) { _ in "a=fingerprint:sha-256 AB:CD" })
    expectLimit(.mediaSections, head + "a=group:BUNDLE" + String(repeating: " 1", count: 257) + "\n")
  }

  @Test("threat 19: what stays at the limits is accepted")
  func atTheLimit() throws {
    let text =
      section + lines(64) { "a=candidate:\($0) 1 udp 1 192.0.2.1 9 typ host" } + lines(64) { "a=ssrc:\($0) cname:x" }
    let description = try SessionDescription(parsing: text)
    #expect(description.media[0].candidates.count == 64)
    #expect(description.media[0].sources.count == 64)
    let many = head + lines(256) { "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:\($0)" }
    #expect(try SessionDescription(parsing: many).media.count == 256)
  }

  // They refuse nothing.
  @Test("threat 19: candidates beyond the limit are counted and left out")
  func manyCandidates() throws {
    let many = section + lines(2_000) { "a=candidate:\($0) 1 udp 1 192.0.2.1 9 typ host" }
    let description = try SessionDescription(parsing: many)
    #expect(description.media[0].candidates.count == 64 && description.media[0].surplusCandidates == 1_936)
    #expect(description.media[0].candidates.last?.hasPrefix("63 ") == true)
  }

  @Test("threat 19: payload types above 127 and repeated mids are refused")
  func typesAndMids() {
    #expect(throws: SDPError.self) {
      try SessionDescription(parsing: section.replacing("SAVPF 111", with: "SAVPF 128"))
    }
    #expect(throws: SDPError.duplicateMID(MID(rawValue: "0"))) {
      try SessionDescription(parsing: OfferText([OfferText.audio("0"), OfferText.video("0")]).text)
    }
  }

  @Test("every limit has a sentence of its own")
  func sentences() {
    let texts = Set(SDPLimit.allCases.map { SDPError.limit($0).description })
    #expect(texts.count == SDPLimit.allCases.count)
    #expect(SDPError.limit(.lines).description.contains("at most 10000"))
  }
}
