import Basics
import RTC
import Testing

@Suite("Answers, RFC 9429 section 5.3")
struct NegotiationTests {
  private func answer(_ text: String) throws -> (AcceptedOffer, SessionDescription) {
    var harness = NegotiationHarness()
    return try harness.answer(text)
  }

  @Test("every client's offer gets an answer with the same sections in the same order", arguments: Offers.all)
  func everyClient(named: Offers.Named) throws {
    let offer = named.text
    let offered = try SessionDescription(parsing: offer)
    let (accepted, answer) = try answer(offer)
    #expect(answer.media.map(\.kind) == offered.media.map(\.kind))
    #expect(answer.media.map(\.mid) == offered.media.map(\.mid))
    #expect(answer.bundle == accepted.media.map(\.mid) + (accepted.dataChannels.map { [$0.mid] } ?? []))
    #expect(answer.isIceLite && answer.media[0].setup == .passive && answer.media[0].hasEndOfCandidates)
    #expect(
      answer.media[0].candidates.count == 1 && answer.media[0].candidates[0].hasSuffix("127.0.0.1 40000 typ host"))
    #expect(!answer.media[0].candidates[0].hasPrefix("candidate:"))
    #expect(answer.media.dropFirst().allSatisfy { $0.candidates.isEmpty && !$0.hasEndOfCandidates })
    #expect(answer.media.allSatisfy { $0.isStopped || ($0.iceUfrag == "srv1" && $0.setup == .passive) })
    for (section, offered) in zip(answer.media, offered.media) where !section.isStopped {
      if section.kind == .application { continue }
      #expect(section.formats.allSatisfy(offered.formats.contains))
      #expect(section.hasRTCPMux && section.transportProtocol == offered.transportProtocol)
      #expect(
        section.extensions.allSatisfy { map in offered.extensions.contains { $0.id == map.id && $0.uri == map.uri } })
    }
  }

  @Test("Chromium: tracks become recvonly, slots sendonly, ids and types are kept")
  func chromium() throws {
    let (accepted, answer) = try answer(Offers.chromiumSlots)
    #expect(answer.media.map(\.direction) == [.recvonly, .recvonly, .sendonly, .sendonly])
    #expect(accepted.media.map(\.role) == [.receive, .receive, .send, .send])
    #expect(answer.media[0].formats == ["111", "63"])
    #expect(answer.media[0].codecs[0].parameters?.text == "minptime=10;useinbandfec=1")
    #expect(answer.media[0].codecs[1].parameters?.text == "111/111")
    #expect(
      answer.media[1].formats == [
        "96", "97", "102", "103", "104", "107", "108", "109", "114", "115", "116", "117", "39", "40", "45", "46", "98",
        "99",
      ])
    let vp8 = accepted.media[1].codecs[0]
    #expect(vp8.codec == .vp8 && vp8.rtxPayloadType?.rawValue == 97 && vp8.feedback == .all)
    #expect(accepted.media[1].extensions[.mid] == 4 && accepted.media[1].extensions[.transportSequenceNumber] == 3)
    #expect(accepted.media[1].extensions[.dependencyDescriptor] == 12)
    #expect(accepted.media[1].rids.map(\.rawValue) == ["q", "h", "f"])
    #expect(answer.media[1].simulcast?.text == "recv q;h;f")
    #expect(accepted.media[0].remoteSources.count == 1 && accepted.media[1].remoteSources.isEmpty)
    let slot = answer.media[3]
    let source = try #require(accepted.media[3].localSource)
    #expect(slot.sourceGroups == [SourceGroup(semantics: "FID", sources: [source.ssrc, try #require(source.rtxSSRC)])])
    #expect(slot.sources.map(\.cname) == [accepted.negotiation.cname, accepted.negotiation.cname])
    #expect(slot.streamIDs == [try #require(accepted.media[3].localStreamID)])
    // Receivers play the first slot of audio and the first slot of video in step.
    #expect(answer.media[2].streamIDs.map(\.stream) == slot.streamIDs.map(\.stream))
    #expect(answer.media[2].streamIDs.map(\.track) != slot.streamIDs.map(\.track))
    #expect(accepted.media[2].localSource?.rtxSSRC == nil)
  }

  @Test("Chromium's section of data channels is accepted in its place")
  func dataChannel() throws {
    let (accepted, answer) = try answer(Offers.chromiumDefault)
    #expect(answer.media[2].kind == .application && answer.media[2].port == 9)
    #expect(answer.media[2].formats == ["webrtc-datachannel"])
    #expect(answer.bundle.map(\.rawValue) == ["0", "1", "2"] && accepted.media.count == 2)
    #expect(accepted.dataChannels?.maximumMessageSize == 262_144)
    #expect(accepted.media[1].remoteSources.count == 1 && accepted.media[1].remoteSources[0].rtxSSRC != nil)
  }

  // When an earlier one is rejected.
  @Test("the first accepted section carries the transport (RFC 9143 7.3)")
  func taggedSection() throws {
    let data = "m=application 9 DTLS/SCTP 5000\na=mid:d\na=sctpmap:5000 webrtc-datachannel 1024\n"
    let (_, answer) = try answer(OfferText([data, OfferText.audio("0")]).text)
    #expect(answer.media[0].port == 0 && answer.media[0].iceUfrag == nil)
    #expect(answer.media[1].iceUfrag == "srv1" && answer.bundle.map(\.rawValue) == ["0"])
  }

  @Test("the client's order of codecs is kept and Safari's H.264 profiles are matched")
  func safari() throws {
    let (accepted, answer) = try answer(Offers.safari)
    #expect(answer.media.map(\.direction) == [.recvonly, .recvonly, .sendonly])
    #expect(accepted.media[1].codecs.map(\.codec) == [.h264, .h264, .vp8])
    let high = accepted.media[1].codecs[0]
    let baseline = accepted.media[1].codecs[1]
    #expect(high.bestMatch(in: accepted.media[2].codecs)?.payloadType.rawValue == 96)
    #expect(baseline.bestMatch(in: accepted.media[2].codecs)?.payloadType.rawValue == 98)
    #expect(high.bestMatch(in: [baseline]) == nil && baseline.bestMatch(in: [high]) == high)
  }

  // Packetization mode 0.
  @Test("Firefox: mode 0 and stereo are kept, extension directions reversed")
  func firefox() throws {
    let (accepted, answer) = try answer(Offers.firefox)
    #expect(answer.media[1].formats == ["120", "124", "121", "125", "126", "127", "97", "98"])
    #expect(answer.media[0].codecs[0].parameters?.text == "stereo=1;useinbandfec=1")
    #expect(answer.media[1].extensions.contains { $0.id == 8 && $0.direction == .recvonly })
    #expect(accepted.media[1].rids.map(\.rawValue) == ["hi", "lo"])
    #expect(accepted.media[3].role == .send && answer.media[3].port == 9)
  }

  // Other VP9 and AV1 profiles, G.711, RED without Opus, RTX of nothing.
  @Test("codecs outside the policy are left out")
  func codecPolicy() throws {
    let video = """
      m=video 9 UDP/TLS/RTP/SAVPF 35 36 37 38 40 41 42 43
      a=mid:1
      a=rtcp-mux
      a=rtpmap:35 VP9/90000
      a=fmtp:35 profile-id=2
      a=rtpmap:36 AV1/90000
      a=fmtp:36 profile=1
      a=rtpmap:37 H264/90000
      a=fmtp:37 profile-level-id=42e01f
      a=rtpmap:38 H264/90000
      a=fmtp:38 packetization-mode=1;profile-level-id=f4001f
      a=rtpmap:40 rtx/90000
      a=fmtp:40 apt=35
      a=rtpmap:41 av1/90000
      a=rtpmap:42 rtx/90000
      a=fmtp:42 apt=41
      a=rtpmap:43 rtx/90000
      a=fmtp:43 apt=41

      """
    let audio =
      "m=audio 9 UDP/TLS/RTP/SAVPF 0 63\na=mid:0\na=rtcp-mux\na=rtpmap:0 PCMU/8000\na=rtpmap:63 red/48000/2\na=fmtp:63 111/111\n"
    let (accepted, answer) = try answer(OfferText([audio, video]).text)
    #expect(answer.media[0].port == 0)
    #expect(accepted.rejected[MID(rawValue: "0")]?.reason.contains("PCMU") == true && accepted.rejected.count == 1)
    #expect(answer.media[1].formats == ["37", "41", "42"])
    #expect(accepted.media.map(\.mid.rawValue) == ["1"])
  }

  @Test(
    "what cannot be answered is refused with what was expected",
    arguments: [
      (OfferText([OfferText.audio()]).text(setup: "passive"), "actpass"),
      (OfferText([OfferText.audio()]).text(setup: "holdconn"), "actpass"),
      (OfferText([OfferText.audio()]).text.replacing("a=rtcp-mux\n", with: ""), "rtcp-mux"),
      (OfferText([OfferText.audio(), OfferText.video()], bundle: "0").text, "BUNDLE"),
      (OfferText([OfferText.audio(), OfferText.video()], bundle: "").text, "BUNDLE"),
      (OfferText([OfferText.audio()]).text.replacing("a=mid:0\n", with: ""), "a=mid"),
      (OfferText([OfferText.audio()]).text.replacing("UDP/TLS/RTP/SAVPF", with: "RTP/AVP"), "UDP/TLS/RTP/SAVPF"),
      (OfferText([OfferText.audio()]).text.replacing("a=ice-ufrag:abcd\n", with: ""), "ice-ufrag"),
      (OfferText([OfferText.audio()]).text.replacing("a=fingerprint:sha-256", with: "a=fingerprint:sha-1"), "sha-256"),
      (OfferText([OfferText.audio()]).text.replacing("s=-\n", with: "s=-\na=ice-lite\n"), "ice-lite"),
      (
        OfferText([OfferText.audio(extra: "a=ssrc:5 cname:x\n"), OfferText.video(extra: "a=ssrc:5 cname:x\n")]).text,
        "SSRC 5"
      ),
    ])
  func refused(text: String, expected: String) {
    do {
      _ = try answer(text)
      Issue.record("accepted an offer that lacks \(expected)")
    } catch let error as SDPError {
      #expect(error.description.contains(expected))
    } catch { Issue.record("\(error)") }
  }

  @Test("setup:active in an offer is answered passive, RFC 8842 section 5.3")
  func activeOffer() throws {
    let (_, answer) = try answer(OfferText([OfferText.audio()]).text(setup: "active"))
    #expect(answer.media[0].setup == .passive)
  }

  @Test("simulcast without the RID extension is answered without (RFC 8853 5.3.2)")
  func simulcastNeedsRID() throws {
    let layers = "a=rid:a send\na=rid:b send\na=simulcast:send a;b\n"
    let (plain, _) = try answer(OfferText([OfferText.video(extra: layers)]).text)
    #expect(plain.media[0].rids.isEmpty)
    let id = "a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id\n"
    let (layered, text) = try answer(OfferText([OfferText.video(extra: layers + id)]).text)
    #expect(layered.media[0].rids.map(\.rawValue) == ["a", "b"] && text.media[0].rids.count == 2)
  }
}
