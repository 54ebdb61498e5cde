import Basics
import RTC
import Testing

@Suite("Optional parts of session descriptions, RFC 8866 section 5.13")
struct OptionalAttributeTests {
  private let plain = OfferText([OfferText.audio(), OfferText.video()]).text

  @Test("blanks at the end of a line, and empty lines, change nothing")
  func blanks() throws {
    let expected = try SessionDescription(parsing: plain)
    for end in [" \n", "\t\n", "  \r\n", "\n\n", "\r\n \r\n"] {
      let text = plain.split(separator: "\n").map { $0 + end }.joined()
      #expect(try SessionDescription(parsing: text) == expected)
    }
    #expect(try SessionDescription(parsing: plain.replacing("a=mid:", with: "a=mid: ")) == expected)
  }

  @Test(
    "an optional attribute that is malformed or empty is as absent",
    arguments: [
      "fmtp:111", "fmtp:111 ", "fmtp:", "fmtp", "fmtp:opus stereo=1", "fmtp:200 x=1", "rtcp-fb:111", "rtcp-fb:x nack",
      "rtcp-fb", "rtpmap:111", "rtpmap:200 opus/48000/2", "rtpmap:111 opus", "rtpmap:111 opus/48k", "extmap:0 urn:x",
      "extmap:5/up urn:x", "extmap:5", "extmap", "ssrc:abc cname:x", "ssrc:4294967296 cname:x", "ssrc",
      "ssrc-group:FID x y", "ssrc-group", "msid:", "msid:a b c", "rid:hi", "rid:hi up", "rid:", "simulcast:",
      "simulcast:send", "simulcast:up hi", "simulcast:send hi;;lo", "max-message-size:-1", "sctp-port:70000",
      "unknown", "unknown:", ":", "",
    ])
  func absent(attribute: String) throws {
    let expected = try SessionDescription(parsing: plain)
    // In each of the sections, and before them, where it means the same or nothing.
    for mark in ["a=rtcp-mux\n", "s=-\n"] {
      let read = try SessionDescription(parsing: plain.replacing(mark, with: mark + "a=" + attribute + "\n"))
      #expect(read.text == expected.text)
      #expect(read.media == expected.media)
    }
  }

  @Test("odd optional lines change no client's offer and no answer to it", arguments: Offers.all)
  func clients(offer: Offers.Named) throws {
    var odd = ""
    var payloadType = ""
    for line in offer.text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("m=") { payloadType = line.split(separator: " ").dropFirst(3).first.map(String.init) ?? "" }
      odd += line + (line.hasPrefix("a=") ? " \n" : "\n")
      guard line.hasPrefix("c="), !payloadType.isEmpty else { continue }
      odd += "b=X-FOO:1\na=fmtp:\(payloadType)\na=fmtp:\(payloadType) \na=x-vendor:1 2\na=ptime:\na=rtcp-xr:x \n"
    }
    let (expected, read) = (try SessionDescription(parsing: offer.text), try SessionDescription(parsing: odd))
    #expect(read.media == expected.media)
    var (harness, other) = (NegotiationHarness(), NegotiationHarness())
    #expect(try other.answer(odd).1.text == harness.answer(offer.text).1.text)
  }

  @Test("session-level header extensions hold for sections without their own, RFC 8285 5")
  func sessionExtensions() throws {
    let level = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    let text = plain.replacing("s=-\n", with: "s=-\na=extmap:7 \(level)\na=extmap:4 urn:other\n")
    let read = try SessionDescription(parsing: text)
    #expect(read.media.count == 2)
    for section in read.media {
      #expect(section.extensions.map(\.id) == [4, 7] && section.extensions.last?.uri == level)
    }
    let own = try SessionDescription(
      parsing: text.replacing("a=rtcp-mux\n", with: "a=rtcp-mux\na=extmap:9 \(level)\n"))
    #expect(own.media.allSatisfy { Set($0.extensions.map(\.id)) == [4, 9] })
  }

  @Test("one m-section needs no BUNDLE group and gets none; two need one, RFC 9143 7.3")
  func unbundled() throws {
    func text(_ sections: [String]) -> String {
      OfferText(sections).text.split(separator: "\n").filter { !$0.hasPrefix("a=group:") }.joined(separator: "\n")
        + "\n"
    }
    for section in [OfferText.audio(), OfferText.video()] {
      var harness = NegotiationHarness()
      let (accepted, answer) = try harness.answer(text([section]))
      #expect(accepted.transport != nil && accepted.media.count == 1)
      #expect(answer.bundle.isEmpty && answer.media.first?.iceUfrag != nil && answer.media.first?.port == 9)
      #expect(answer.media.first?.candidates.isEmpty == false)
    }
    var harness = NegotiationHarness()
    #expect(throws: SDPError.self) { try harness.answer(text([OfferText.audio(), OfferText.video()])) }
  }

  @Test("ICE credentials in Base64 and Base64url, as other stacks write, are accepted")
  func credentials() throws {
    for (ufrag, password) in [("ab-_", "pass-word_pass-word_1234"), ("YWJj#A==", "cGFzc3dvcmRwYXNzd29yZA==")] {
      let text = OfferText([OfferText.audio()]).text(ufrag: ufrag, password: password)
      var harness = NegotiationHarness()
      #expect(try harness.answer(text).0.transport?.ice.ufrag == ufrag)
    }
    for ufrag in ["ab:c", "ab c", "äbcd", "ab\"c"] {
      let text = OfferText([OfferText.audio()]).text(ufrag: ufrag)
      #expect(throws: SDPError.self) { try SessionDescription(parsing: text) }
    }
  }

  @Test("a line that is left out is listed with its number")
  func ignored() throws {
    let read = try SessionDescription(
      parsing: plain.replacing(
        "a=rtpmap:111 opus/48000/2", with: "a=fmtp:111\na=rtpmap:111 opus/48000/2"))
    guard case .malformed(let line, let expected)? = read.ignored.first, read.ignored.count == 1 else {
      Issue.record("\(read.ignored)")
      return
    }
    #expect(line == 16 && expected.contains("fmtp"))
    #expect(try SessionDescription(parsing: plain).ignored.isEmpty)
  }

  @Test("limits hold for optional attributes too")
  func limits() {
    let text = plain + (0...64).map { "a=ssrc:\($0) cname:x\n" }.joined()
    #expect(throws: SDPError.limit(.sources)) { try SessionDescription(parsing: text) }
  }

  private func h264(_ direction: String, _ mid: String, _ parameters: String?) -> String {
    """
    m=video 9 UDP/TLS/RTP/SAVPF 100
    a=mid:\(mid)
    a=\(direction)
    a=rtcp-mux
    a=rtpmap:100 H264/90000

    """ + (parameters.map { "a=fmtp:100 \($0)\n" } ?? "")
  }

  private func codec(_ parameters: String?) throws -> NegotiatedCodec? {
    var harness = NegotiationHarness()
    return try harness.answer(OfferText([h264("sendonly", "0", parameters)]).text).0.media.first?.codecs.first
  }

  @Test(
    "H.264 without a packetization mode is negotiated as mode 0, RFC 6184 section 8.1",
    arguments: [nil, "profile-level-id=42e01f", "packetization-mode=", "packetization-mode=0;profile-level-id="])
  func modeZero(parameters: String?) throws {
    let zero = try #require(try codec(parameters))
    let one = try #require(try codec("packetization-mode=1;profile-level-id=42001f"))
    // A receiver of mode 1 understands mode 0, and not the other way round.
    #expect(zero.bestMatch(in: [one]) == one && zero.bestMatch(in: [one, zero]) == zero)
    #expect(one.bestMatch(in: [zero]) == nil && one.bestMatch(in: [zero, one]) == one)
  }

  @Test(
    "H.264 that cannot be forwarded is rejected with its parameters",
    arguments: ["packetization-mode=2", "packetization-mode=x", "packetization-mode=1;profile-level-id=f4001f"])
  func rejected(parameters: String) throws {
    var harness = NegotiationHarness()
    let (accepted, answer) = try harness.answer(OfferText([h264("sendonly", "0", parameters)]).text)
    #expect(answer.media[0].port == 0)
    #expect(accepted.rejected[MID(rawValue: "0")]?.reason.contains("H264 (\(parameters))") == true)
  }
}
