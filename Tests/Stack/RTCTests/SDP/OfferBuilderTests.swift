import Basics
import RTC
import TestSeeds
import Testing

@Suite("Offers of a client, RFC 9429 section 5.2", .tellsSeeds)
struct OfferBuilderTests {
  private var rng = SeededRandom(seed: TestSeed.of(3))
  private var harness = NegotiationHarness()

  private mutating func exchange(_ builder: inout OfferBuilder) throws -> (AcceptedOffer, AcceptedAnswer) {
    let offer = try SessionDescription(parsing: builder.offer(local: .client).text)
    let (accepted, answer) = try harness.answer(offer.text)
    return (accepted, try builder.apply(answer))
  }

  @Test("both sides agree on codecs, extensions, sources and roles")
  mutating func agreement() throws {
    var builder = OfferBuilder(codecs: [.opus, .red, .vp9, .vp8, .h264, .av1], using: &rng)
    let audio = builder.addTrack(.audio, streamID: "camera", using: &rng)
    let video = builder.addTrack(.video, streamID: "camera", using: &rng)
    _ = builder.addSlot(.audio)
    _ = builder.addSlot(.video)
    let (server, client) = try exchange(&builder)
    #expect([audio, video] == server.media.prefix(2).map(\.mid))
    #expect(client.media.map(\.role) == [.send, .send, .receive, .receive])
    #expect(client.transport.isIceLite && client.transport.setup == .passive)
    #expect(client.transport.candidates == TransportParameters.server.candidates)
    for (mine, theirs) in zip(client.media, server.media) {
      #expect(mine.codecs == theirs.codecs && mine.extensions == theirs.extensions)
      if mine.role == .send {
        #expect(
          mine.localSource.map { [$0] } == theirs.remoteSources && mine.localStreamID == theirs.remoteStreamIDs.first)
      } else {
        #expect(theirs.localSource.map { [$0] } == mine.remoteSources)
      }
    }
    #expect(client.media[1].codecs.map(\.codec) == [.vp9, .vp8, .h264, .h264, .av1])
    #expect(client.media[0].codecs.map(\.codec) == [.opus, .red])
  }

  @Test("simulcast layers are offered by RID and accepted")
  mutating func simulcast() throws {
    var builder = OfferBuilder(using: &rng)
    let rids = ["q", "h", "f"].map { RID(rawValue: $0) }
    _ = builder.addTrack(.video, rids: rids, using: &rng)
    let (server, client) = try exchange(&builder)
    #expect(server.media[0].rids == rids && client.media[0].rids == rids)
    #expect(server.media[0].remoteSources.isEmpty)
  }

  @Test("sections can be added and stopped in later offers")
  mutating func later() throws {
    var builder = OfferBuilder(using: &rng)
    let track = builder.addTrack(.audio, using: &rng)
    let slot = builder.addSlot(.video)
    let first = try exchange(&builder).1
    try builder.stop(track)
    let other = builder.addSlot(.video)
    let (server, client) = try exchange(&builder)
    #expect(client.media.map(\.mid) == [slot, other] && server.media.map(\.mid) == [slot, other])
    #expect(client.media[0].remoteSources == first.media[1].remoteSources)
    #expect(throws: SDPError.self) { try builder.stop(track) }
  }

  // The answer under way counts.
  @Test("a section added while an answer is under way is in the next offer")
  mutating func crossing() throws {
    var builder = OfferBuilder(using: &rng)
    let slot = builder.addSlot(.video)
    let offer = builder.offer(local: .client)
    let answer = try harness.answer(offer.text).1
    let track = builder.addTrack(.audio, using: &rng)
    let first = try builder.apply(answer)
    #expect(first.media.map(\.mid) == [slot])
    let second = try exchange(&builder).1
    #expect(second.media.map(\.mid) == [slot, track])
  }

  @Test("an answer that does not fit the offer is refused")
  mutating func badAnswers() throws {
    var builder = OfferBuilder(using: &rng)
    _ = builder.addTrack(.audio, using: &rng)
    #expect(throws: SDPError.self) { try builder.apply(SessionDescription(parsing: Offers.aiortc)) }
    let offer = builder.offer(local: .client)
    let answer = try harness.answer(offer.text).1
    func refused(_ change: (inout SessionDescription) -> Void) {
      var bad = answer
      change(&bad)
      var copy = builder
      #expect(throws: SDPError.self) { try copy.apply(bad) }
    }
    refused { $0.media.append($0.media[0]) }
    refused { $0.media = [] }
    refused { $0.media[0].kind = .media(.video) }
    refused { $0.media[0].mid = MID(rawValue: "other") }
    refused { $0.bundle = [] }
    refused { $0.media[0].setup = .actpass }
    refused { $0.media[0].hasRTCPMux = false }
    refused { $0.media[0].codecs = [] }
    refused { $0.media[0].fingerprints = [] }
    #expect(throws: Never.self) { try builder.apply(answer) }
  }
}
