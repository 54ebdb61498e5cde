import RTC
import Testing

@Suite("Odd offers of other stacks")
struct OddOfferTests {
  private func answer(_ sections: [String]) throws -> (AcceptedOffer, SessionDescription) {
    var harness = NegotiationHarness()
    return try harness.answer(OfferText(sections).text)
  }

  @Test(
    "a retransmission format counts by its apt alone (RFC 4588 8.1)",
    arguments: [
      ("apt=96", true), ("apt=96;rtx-time=3000", true), ("rtx-time=3000; apt=96", true), ("APT=96", true),
      ("rtx-time=3000", false), ("apt=", false), ("apt=95", false), ("apt=97", false), ("apt=352", false),
      ("apt=-96", false), ("96", false),
    ])
  func retransmissions(parameters: String, isTaken: Bool) throws {
    let section = OfferText.video().replacing("a=fmtp:97 apt=96", with: "a=fmtp:97 \(parameters)")
    let (accepted, text) = try answer([section])
    let codec = try #require(accepted.media.first?.codecs.first)
    #expect(codec.codec == .vp8 && codec.rtxPayloadType == (isTaken ? PayloadType(rawValue: 97) : nil))
    #expect(text.media[0].formats == (isTaken ? ["96", "97"] : ["96"]))
  }

  @Test("a retransmission format without parameters, or before its codec, refuses nothing")
  func retransmissionOrder() throws {
    let none = OfferText.video().replacing("a=fmtp:97 apt=96\n", with: "")
    #expect(try answer([none]).1.media[0].formats == ["96"])
    let before = OfferText.video().replacing("SAVPF 96 97", with: "SAVPF 97 96")
    let (accepted, text) = try answer([before])
    #expect(accepted.media[0].codecs.first?.rtxPayloadType == PayloadType(rawValue: 97))
    #expect(text.media[0].formats == ["97", "96"])
  }

  @Test("a payload type that an m-line lists twice counts once")
  func listedTwice() throws {
    let (accepted, text) = try answer([OfferText.audio().replacing("SAVPF 111", with: "SAVPF 111 0 111 0")])
    #expect(accepted.media[0].codecs.map(\.payloadType.rawValue) == [111])
    #expect(text.media[0].formats == ["111"])
  }

  @Test("one payload type may mean different codecs in two m-sections")
  func sharedType() throws {
    let audio = OfferText.audio().replacing("111", with: "96")
    let (accepted, text) = try answer([audio, OfferText.video()])
    #expect(accepted.media.map { $0.codecs.map(\.codec) } == [[.opus], [.vp8]])
    #expect(accepted.media.map { $0.codecs.map(\.payloadType.rawValue) } == [[96], [96]])
    #expect(text.media.map(\.formats) == [["96"], ["96", "97"]])
  }

  @Test("simulcast layers that are offered paused stay paused (RFC 8853 5.1)")
  func paused() throws {
    let id = "a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id\n"
    let layers = "a=rid:q send\na=rid:h send\na=rid:f send\na=simulcast:send ~q;h;~f\n"
    let (accepted, text) = try answer([OfferText.video(extra: id + layers)])
    #expect(accepted.media[0].rids.map(\.rawValue) == ["q", "h", "f"])
    #expect(text.media[0].simulcast?.receive.map { $0.map(\.isPaused) } == [[true], [false], [true]])
    #expect(text.text.contains("a=simulcast:recv ~q;h;~f\r\n"))
  }

  @Test("comfort noise and telephone events beside Opus are left out of the answer")
  func comfortNoise() throws {
    let section = OfferText.audio(
      extra: "a=rtpmap:13 CN/8000\na=rtpmap:110 telephone-event/48000\na=rtpmap:105 CN/16000\na=fmtp:110 0-15\n"
    ).replacing("SAVPF 111", with: "SAVPF 13 111 110 105")
    let (accepted, text) = try answer([section])
    #expect(accepted.media[0].codecs.map(\.codec) == [.opus])
    #expect(text.media[0].formats == ["111"] && text.media[0].codecs.count == 1)
  }

  @Test("candidates with a zone or a name are left out and counted, and the others stay")
  func candidates() throws {
    let lines = """
      a=candidate:1 1 udp 2130706431 fe80::1%eth0 5000 typ host
      a=candidate:2 1 udp 2130706430 [2001:db8::1] 5000 typ host
      a=candidate:3 1 udp 2130706429 4e0c3b9d-8b7c-4c8e-9d0e-1b2c3d4e5f60.local 5000 typ host
      a=candidate:4 1 udp 2130706428 2001:db8::1 5000 typ host

      """
    let (accepted, _) = try answer([OfferText.audio(extra: lines)])
    let transport = try #require(accepted.transport)
    #expect(transport.unreadableCandidates == 2)
    #expect(transport.candidates.map(\.foundation) == ["3", "4"])
    #expect(transport.candidates.map(\.isUsable) == [false, true])
  }

  @Test("the longest ICE credentials are accepted, and longer ones refused (RFC 8839 5.4)")
  func longCredentials() throws {
    var harness = NegotiationHarness()
    let (ufrag, password) = (String(repeating: "u", count: 256), String(repeating: "p", count: 256))
    let text = OfferText([OfferText.audio()]).text(ufrag: ufrag, password: password)
    #expect(try harness.answer(text).0.transport?.ice.ufrag == ufrag)
    for (name, longer) in [(ufrag + "u", password), (ufrag, password + "p")] {
      let text = OfferText([OfferText.audio()]).text(ufrag: name, password: longer)
      #expect(throws: SDPError.self) { try SessionDescription(parsing: text) }
    }
  }

  @Test("each half of new ICE credentials alone is a restart (RFC 8839 4.4.1.1.1)")
  func restart() throws {
    for (ufrag, password) in [("abce", "passwordpasswordpassword"), ("abcd", "passwordpasswordpasswore")] {
      var harness = NegotiationHarness()
      #expect(try !harness.answer(OfferText([OfferText.audio()]).text).0.restartsIce)
      let changed = OfferText([OfferText.audio()]).text(ufrag: ufrag, password: password)
      #expect(try harness.answer(changed).0.restartsIce)
      #expect(try !harness.answer(changed).0.restartsIce)
    }
  }
}
