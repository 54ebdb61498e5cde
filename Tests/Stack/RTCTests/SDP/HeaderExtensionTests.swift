import RTC
import Testing

@Suite("Header extensions of offers and answers, RFC 8285 and 9143")
struct HeaderExtensionTests {
  private let level = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
  private let orientation = "urn:3gpp:video-orientation"
  private let sendTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
  private let sequence = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

  private func answer(_ text: String) throws -> (AcceptedOffer, SessionDescription) {
    var harness = NegotiationHarness()
    return try harness.answer(text)
  }

  @Test("ids above 14 are taken where header forms may be mixed, and 15 never")
  func large() throws {
    let extra = "a=extmap:15 \(level)\na=extmap:16 \(sendTime)\na=extmap:255 \(sequence)\na=extmap:4096 urn:x\n"
    let plain = OfferText([OfferText.audio(extra: extra)]).text
    let (narrow, refused) = try answer(plain)
    #expect(narrow.media[0].extensions[.mid] == 4 && narrow.media[0].extensions[.absSendTime] == nil)
    #expect(refused.media[0].extensions.map(\.id) == [4])
    // Browsers write the attribute before the sections or into each.
    for text in [
      plain.replacing("s=-\n", with: "s=-\na=extmap-allow-mixed\n"),
      plain.replacing("a=rtcp-mux\n", with: "a=rtcp-mux\na=extmap-allow-mixed\n"),
    ] {
      let (accepted, wide) = try answer(text)
      let extensions = accepted.media[0].extensions
      #expect(extensions[.absSendTime] == 16 && extensions[.transportSequenceNumber] == 255)
      #expect(extensions[.audioLevel] == nil && extensions.needsTwoByteForm)
      #expect(wide.media[0].extensions.map(\.id) == [4, 16, 255] && wide.media[0].allowsMixedExtensions)
    }
  }

  @Test("one id for two extensions counts in the first section, and refuses no call")
  func oneID() throws {
    let (accepted, answer) = try answer(
      OfferText([
        OfferText.audio(extra: "a=extmap:2 \(level)\n"),
        OfferText.video(extra: "a=extmap:2 \(sendTime)\na=extmap:3 \(orientation)\n"),
      ]).text)
    #expect(accepted.media.map(\.mid.rawValue) == ["0", "1"] && accepted.rejected.isEmpty)
    #expect(accepted.media[0].extensions[.audioLevel] == 2 && accepted.media[1].extensions[.absSendTime] == nil)
    #expect(accepted.media[1].extensions[.videoOrientation] == 3)
    #expect(answer.media.map { $0.extensions.map(\.id) } == [[4, 2], [4, 3]])
  }

  @Test("two ids for one extension count in the first section, and refuse no call")
  func twoIDs() throws {
    let video = OfferText.video(extra: "a=extmap:3 \(orientation)\n").replacing("extmap:4", with: "extmap:1")
    let (accepted, answer) = try answer(OfferText([OfferText.audio(), video]).text)
    #expect(accepted.media[0].extensions[.mid] == 4 && accepted.media[1].extensions[.mid] == nil)
    #expect(answer.media.map { $0.extensions.map(\.id) } == [[4], [3]])
  }

  @Test("an answer's header extensions count only under the ids that were offered")
  func otherIDs() throws {
    var rng = SeededRandom(seed: 3)
    var builder = OfferBuilder(using: &rng)
    _ = builder.addTrack(.audio, using: &rng)
    let (_, text) = try answer(builder.offer(local: .client).text)
    #expect(text.media[0].extensions.contains { $0.uri == level && $0.id == 1 })
    var odd = text
    odd.media[0].extensions = [
      .init(id: 7, uri: level), .init(id: 3, uri: sequence), .init(id: 13, uri: orientation),
    ]
    let agreed = try builder.apply(odd).media[0].extensions
    #expect(agreed[.audioLevel] == nil && agreed[.videoOrientation] == nil)
    #expect(agreed[.transportSequenceNumber] == 3)
  }
}
