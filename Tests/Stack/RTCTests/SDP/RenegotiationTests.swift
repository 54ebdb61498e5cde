import Basics
import RTC
import Testing

@Suite("Later offers, RFC 9429 section 5.2.2")
struct RenegotiationTests {
  private let slots = [OfferText.audio("0"), OfferText.video("1", direction: "recvonly")]

  @Test("a slot keeps its SSRCs while sections are added, paused and resumed")
  func stableSources() throws {
    var harness = NegotiationHarness()
    let first = try harness.answer(OfferText(slots).text).0
    let source = try #require(first.media[1].localSource)
    let more = try harness.answer(OfferText(slots + [OfferText.video("2", direction: "recvonly")]).text)
    #expect(more.0.media[1].localSource == source)
    #expect(more.0.media[2].localSource != nil && more.0.media[2].localSource != source)
    #expect(!more.0.restartsIce && more.1.origin.version == 2)
    let paused = [slots[0], OfferText.video("1", direction: "inactive"), OfferText.video("2", direction: "recvonly")]
    let second = try harness.answer(OfferText(paused).text)
    #expect(second.0.media[1].role == .inactive && second.1.media[1].direction == .inactive)
    #expect(second.1.media[1].sources.isEmpty)
    let third = try harness.answer(OfferText(slots + [paused[2]]).text)
    #expect(third.0.media[1].localSource == source && third.1.media[1].sources[0].ssrc == source.ssrc)
  }

  // Its numbers begin again.
  @Test("threat 13: a refused slot that is taken again has other SSRCs")
  func refusedMeanwhile() throws {
    var harness = NegotiationHarness()
    let offer = OfferText(slots).text
    let source = try #require(harness.answer(offer).0.media[1].localSource)
    #expect(try harness.answer(offer.replacing("/90000", with: "X/90000")).0.media.count == 1)
    let again = try #require(harness.answer(offer).0.media[1].localSource)
    #expect(again.ssrc != source.ssrc && again.rtxSSRC != source.rtxSSRC)
  }

  @Test("changed ICE credentials are a restart, the same aren't (RFC 8839 4.4.1.1)")
  func restart() throws {
    var harness = NegotiationHarness()
    #expect(try !harness.answer(OfferText(slots).text).0.restartsIce)
    #expect(try !harness.answer(OfferText(slots).text).0.restartsIce)
    let changed = OfferText(slots).text(ufrag: "efgh", password: "anotherpasswordanotherpassword")
    #expect(try harness.answer(changed).0.restartsIce)
    #expect(try !harness.answer(changed).0.restartsIce)
  }

  @Test("a stopped section has port 0 and may be recycled with another mid or kind")
  func recycling() throws {
    var harness = NegotiationHarness()
    let before = try harness.answer(OfferText(slots).text).0
    let stopped = try harness.answer(OfferText([slots[0], OfferText.video("1", port: 0)]).text)
    #expect(stopped.1.media[1].port == 0 && stopped.1.bundle.map(\.rawValue) == ["0"] && stopped.0.media.count == 1)
    let recycled = try harness.answer(OfferText([slots[0], OfferText.audio("2", direction: "recvonly")]).text)
    #expect(recycled.0.media[1].kind == .audio)
    #expect(recycled.0.media[1].localSource?.ssrc != before.media[1].localSource?.ssrc)
  }

  @Test("the section that carries the transport may stop; the next one carries it")
  func taggedSectionStops() throws {
    var harness = NegotiationHarness()
    _ = try harness.answer(OfferText(slots).text)
    let (accepted, answer) = try harness.answer(OfferText([OfferText.audio("0", port: 0), slots[1]]).text)
    #expect(answer.media[1].iceUfrag == "srv1" && answer.media[0].iceUfrag == nil)
    #expect(!accepted.restartsIce)
  }

  // Also mids that change without a stop, and removed sections.
  @Test("threat 19: mids that move or change their kind are refused")
  func identity() throws {
    func second(_ sections: [String], _ expected: SDPError) throws {
      var harness = NegotiationHarness()
      _ = try harness.answer(OfferText(slots).text)
      let before = harness.negotiation.cname
      #expect(throws: expected) { try harness.answer(OfferText(sections).text) }
      // A refused offer changes nothing: the earlier one is still good.
      #expect(harness.negotiation.cname == before)
      #expect(throws: Never.self) { try harness.answer(OfferText(slots).text) }
    }
    try second([slots[0]], .sectionsRemoved(had: 2, found: 1))
    try second([slots[1], slots[0]], .midMoved(MID(rawValue: "1")))
    try second([OfferText.video("0"), slots[1]], .midChangedKind(MID(rawValue: "0")))
    try second(
      [OfferText.audio("9"), slots[1]], .midChanged(section: 0, was: MID(rawValue: "0"), now: MID(rawValue: "9")))
  }

  @Test("a recycled section whose mid named another kind before is refused")
  func recycledMIDOfAnotherKind() throws {
    var harness = NegotiationHarness()
    _ = try harness.answer(OfferText(slots).text)
    _ = try harness.answer(OfferText([slots[0], OfferText.video("1", port: 0)]).text)
    #expect(throws: SDPError.midChangedKind(MID(rawValue: "1"))) {
      try harness.answer(OfferText([slots[0], OfferText.audio("1")]).text)
    }
  }

  @Test("a new certificate on a running connection is refused")
  func newCertificate() throws {
    var harness = NegotiationHarness()
    _ = try harness.answer(OfferText(slots).text)
    #expect(throws: SDPError.self) {
      try harness.answer(OfferText(slots).text.replacing("AB:AB:AB", with: "AB:CD:AB"))
    }
  }

  @Test("Chromium's offer of stopped sections is answered by stopped sections")
  func allStopped() throws {
    var harness = NegotiationHarness()
    _ = try harness.answer(OfferText(slots).text)
    let (accepted, answer) = try harness.answer(
      OfferText([OfferText.audio("0", port: 0), OfferText.video("1", port: 0)]).text)
    #expect(accepted.transport == nil && accepted.media.isEmpty && answer.media.allSatisfy { $0.port == 0 })
    let back = try harness.answer(OfferText([OfferText.audio("5"), OfferText.video("6")]).text).0
    #expect(!back.restartsIce && back.media.count == 2)
  }
}
