import Basics
import RTC
import Testing

@Suite("Data channels in offers and answers, RFC 8841")
struct DataChannelNegotiationTests {
  private static func section(
    _ mid: String = "d", port: Int = 9, protocol name: String = "UDP/DTLS/SCTP", format: String = "webrtc-datachannel",
    attributes: String = "a=sctp-port:5000\na=max-message-size:100000\n"
  ) -> String {
    "m=application \(port) \(name) \(format)\nc=IN IP4 0.0.0.0\na=mid:\(mid)\n\(attributes)"
  }

  private func answer(_ sections: [String], bundle: String? = nil) throws -> (AcceptedOffer, SessionDescription) {
    var harness = NegotiationHarness()
    return try harness.answer(OfferText(sections, bundle: bundle).text)
  }

  @Test("an answer has port, message size and bundle, no direction (4.4, 5 and 6)")
  func answered() throws {
    var harness = NegotiationHarness()
    let offer = OfferText([OfferText.audio("0"), Self.section()]).text
    let accepted = try harness.negotiation.accept(SessionDescription(parsing: offer), using: &harness.rng)
    let text = accepted.makeAnswer(local: .server).text
    let own = try #require(text.firstRange(of: "m=application")).lowerBound
    let lines = text[own...].split(separator: "\r\n")
    #expect(lines[0] == "m=application 9 UDP/DTLS/SCTP webrtc-datachannel")
    #expect(lines.contains("a=sctp-port:5000") && lines.contains("a=max-message-size:262144"))
    #expect(lines.contains("a=ice-ufrag:srv1") && lines.contains("a=setup:passive") && lines.contains("a=mid:d"))
    #expect(!lines.contains { $0.hasPrefix("a=send") || $0.hasPrefix("a=recv") || $0 == "a=rtcp-mux" })
    #expect(text.contains("a=group:BUNDLE 0 d\r\n"))
    let agreed = try #require(accepted.dataChannels)
    #expect(agreed.port == 5_000 && agreed.maximumMessageSize == 100_000 && agreed.index == 1)
    #expect(accepted.media.map(\.mid.rawValue) == ["0"])
    let other = try harness.negotiation.accept(
      SessionDescription(parsing: offer.replacing("sctp-port:5000", with: "sctp-port:6000")), using: &harness.rng)
    #expect(other.makeAnswer(local: .server).media[1].sctpPort == 6_000)
  }

  @Test("data channels alone are a connection too, and then carry the transport")
  func alone() throws {
    let (accepted, answer) = try answer([Self.section()])
    #expect(accepted.dataChannels != nil && accepted.media.isEmpty && accepted.transport != nil)
    #expect(answer.media[0].iceUfrag == "srv1" && answer.media[0].candidates.count == 1)
  }

  @Test("a missing max-message-size means 64 KiB and 0 any size, section 6.1")
  func messageSize() throws {
    let (silent, _) = try answer([Self.section(attributes: "a=sctp-port:5000\n")])
    #expect(silent.dataChannels?.maximumMessageSize == 65_536)
    let (any, _) = try answer([Self.section(attributes: "a=sctp-port:5000\na=max-message-size:0\n")])
    #expect(any.dataChannels?.maximumMessageSize == .max)
    let (huge, _) = try answer([Self.section(attributes: "a=sctp-port:1\na=max-message-size:18446744073709551615\n")])
    #expect(huge.dataChannels?.maximumMessageSize == .max)
    let (odd, _) = try answer([Self.section(attributes: "a=sctp-port:1\na=max-message-size:-1\n")])
    #expect(odd.dataChannels?.maximumMessageSize == 65_536)
    for bad in ["a=sctp-port:70000\n", "a=sctp-port:x\n"] {
      #expect(try answer([Self.section(attributes: bad)]).0.dataChannels == nil)
    }
  }

  @Test(
    "what is no section of data channels is refused with port 0 and keeps its place",
    arguments: [
      section(protocol: "DTLS/SCTP"), section(protocol: "UDP/TLS/RTP/SAVPF"), section(format: "something"),
      section(attributes: ""), section(attributes: "a=sctp-port:0\n"), section(port: 0),
      section(format: "webrtc-datachannel other"),
    ])
  func refused(section: String) throws {
    let (accepted, answer) = try answer([section, OfferText.audio("0")], bundle: "d 0")
    #expect(accepted.dataChannels == nil && accepted.media.count == 1)
    #expect(answer.media[0].port == 0 && answer.media[0].kind == .application)
    #expect(answer.bundle.map(\.rawValue) == ["0"])
  }

  @Test("a section out of the bundle, or a second one, is refused with port 0")
  func onlyOne() throws {
    let (outside, first) = try answer([OfferText.audio("0"), Self.section()], bundle: "0")
    #expect(outside.dataChannels == nil && first.media[1].port == 0)
    let (accepted, second) = try answer([OfferText.audio("0"), Self.section("d"), Self.section("e")])
    #expect(accepted.dataChannels?.mid.rawValue == "d")
    #expect(second.media.map(\.port) == [9, 9, 0] && second.bundle.map(\.rawValue) == ["0", "d"])
  }

  @Test("the section stays over later offers, and can be stopped and offered again")
  func later() throws {
    var harness = NegotiationHarness()
    _ = try harness.answer(OfferText([OfferText.audio("0"), Self.section("d")]).text)
    let more = OfferText([OfferText.audio("0"), Self.section("d"), Self.section("e"), OfferText.video("1")]).text
    #expect(try harness.answer(more).0.dataChannels?.mid.rawValue == "d")
    let stopped = OfferText([
      OfferText.audio("0"), Self.section("d", port: 0), Self.section("e"), OfferText.video("1"),
    ]).text
    #expect(try harness.answer(stopped).0.dataChannels?.mid.rawValue == "e")
    let moved = OfferText([
      OfferText.audio("0"), Self.section("d", port: 0), OfferText.video("e"), OfferText.video("1"),
    ]).text
    #expect(throws: SDPError.self) { _ = try harness.answer(moved) }
  }

  @Test("a client offers one section and reads its answer; a refused one is stopped")
  func client() throws {
    var harness = NegotiationHarness()
    var builder = OfferBuilder(using: &harness.rng)
    _ = builder.addTrack(.audio, using: &harness.rng)
    let mid = builder.addDataChannels()
    #expect(builder.addDataChannels() == mid)
    let slot = builder.addSlot(.video)
    let offer = builder.offer(local: .client)
    #expect(offer.media.map(\.kind) == [.media(.audio), .application, .media(.video)])
    var (server, answer) = try harness.answer(offer.text)
    var copy = builder
    let client = try copy.apply(answer)
    #expect(client.dataChannels?.mid == mid && client.dataChannels?.maximumMessageSize == 262_144)
    #expect(server.dataChannels?.mid == mid && client.media.map(\.mid).last == slot)

    var wrong = answer
    wrong.media[1].sctpPort = nil
    #expect(throws: SDPError.self) { try builder.apply(wrong) }
    answer.media[1].port = 0
    answer.bundle.removeAll { $0 == mid }
    #expect(try builder.apply(answer).dataChannels == nil)
    // Data channels that are wanted later get a section of their own.
    #expect(builder.addDataChannels() != mid)
    server = try harness.answer(builder.offer(local: .client).text).0
    #expect(server.dataChannels?.mid != mid && server.dataChannels != nil)
  }
}
