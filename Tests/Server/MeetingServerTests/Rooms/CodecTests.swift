import Basics
import RTC
import Signaling
import Testing

@testable import MeetingServer

/// Receivers that can't decode what somebody sends: no slot is said to carry it, and both sides are notified.
@Suite("Codecs of senders and receivers")
struct CodecTests {
  private let camera = [TrackDescription(mid: "0", source: .camera)]

  private func undecodable(_ client: TestClient) async throws -> [UndecodablePublication] {
    try await client.first { if case .codec(.undecodable(let all)) = $0 { all } else { nil } }
  }

  private func receivers(_ client: TestClient) async throws -> UndecodableReceivers {
    try await client.first { if case .codec(.undecodableFor(let receivers)) = $0 { receivers } else { nil } }
  }

  private func request(_ client: TestClient) async throws -> CodecInfo? {
    try await client.first { if case .codec(.sendCodec(_, let codec)) = $0 { .some(codec) } else { nil } }
  }

  private func slots(_ client: TestClient) async throws -> [SlotInfo] {
    try await client.first { if case .slots(let slots) = $0 { slots } else { nil } }
  }

  private func report(_ name: String, of publication: String, to server: TestServer) async throws {
    let codec = try #require(TestMediaPlane.codec(name))
    await server.media.report(.codecChanged(PublicationID(rawValue: publication), codec))
  }

  private func isAboutCodecs(_ message: ServerMessage) -> Bool {
    if case .codec = message { true } else { false }
  }

  @Test("video a joiner can't decode gets no slot, and both sides are told the codec")
  func newcomer() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0:VP9", tracks: camera)
      let publication = try #require(hello.participants.first?.publications.first?.id)
      let (bob, welcome) = try await server.join("daily", "Bob", offer: "video:9:VP8,H264")
      #expect(welcome.slots == [SlotInfo(mid: "9")])
      let expected = UndecodablePublication(
        publication: publication, participant: hello.participant,
        codec: CodecInfo(name: "VP9", parameters: "profile-id=0"))
      #expect(try await undecodable(bob) == [expected])
      let told = try await receivers(ann)
      #expect(told.participants == [welcome.participant] && told.count == 1 && told.publication == publication)
      #expect(told.codec == expected.codec)
      // No further slots are asked for, which would stay as empty.
      #expect(try await bob.drain().allSatisfy { if case .needSlots = $0 { false } else { true } })
      // A client that takes the session back gets it again.
      await bob.close()
      let back = try await server.connect()
      try back.send(.resume(token: welcome.resumeToken))
      #expect(try await undecodable(back) == [expected])
      try back.send(.leave)
      #expect(try await receivers(ann).count == 0)
      for client in [ann, back] { await client.close() }
    }
  }

  @Test("the sent codec counts, not the offered one: slots empty and fill again")
  func arriving() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0:VP8,VP9", tracks: camera)
      let publication = try #require(hello.participants.first?.publications.first?.id)
      let (bob, welcome) = try await server.join("daily", "Bob", offer: "video:9:VP8")
      #expect(welcome.slots.first?.publication == publication, "nothing has arrived yet, and it may come in VP8")
      try await report("VP9", of: publication, to: server)
      #expect(try await undecodable(bob).map(\.publication) == [publication])
      #expect(try await slots(bob) == [SlotInfo(mid: "9")])
      #expect(try await receivers(ann).count == 1)
      try await report("VP8", of: publication, to: server)
      #expect(try await undecodable(bob).isEmpty)
      #expect(try await slots(bob).first?.publication == publication)
      #expect(try await receivers(ann).count == 0)
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("a receiver that offers another codec later gets the slot, and the sender is told")
  func laterOffer() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0:AV1", tracks: camera)
      let publication = try #require(hello.participants.first?.publications.first?.id)
      let (bob, _) = try await server.join("daily", "Bob", offer: "video:9:VP8")
      #expect(try await undecodable(bob).count == 1)
      #expect(try await receivers(ann).count == 1)
      try bob.send(.offer(.init(id: 1, offer: "video:9:VP8,AV1", tracks: [])))
      let answered: [SlotInfo] = try await bob.first { if case .answer(_, _, let slots, _) = $0 { slots } else { nil } }
      #expect(answered.first?.publication == publication)
      #expect(try await undecodable(bob).isEmpty)
      #expect(try await receivers(ann).count == 0)
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("a receiver without slots lacks no codec; one with unforwarded codecs does")
  func withoutSlots() async throws {
    try await TestServer.run { server in
      let tracks = [TrackDescription(mid: "0", source: .camera), TrackDescription(mid: "1", source: .microphone)]
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0:VP9 send:1", tracks: tracks)
      let sound = try #require(hello.participants.first?.publications.first { $0.kind == .audio }?.id)
      let (bob, _) = try await server.join("daily", "Bob", offer: "audio:9")
      #expect(try await bob.drain().allSatisfy { !isAboutCodecs($0) })
      #expect(try await ann.drain().allSatisfy { !isAboutCodecs($0) })
      let (eve, welcome) = try await server.join("daily", "Eve", offer: "audio:9:PCMU")
      #expect(welcome.slots.isEmpty)
      let told = try await undecodable(eve)
      #expect(told.map(\.publication) == [sound] && told.first?.codec.name == "opus")
      #expect(try await receivers(ann).publication == sound)
      for client in [ann, bob, eve] { await client.close() }
    }
  }

  @Test(
    "H.264 is decodable by who takes its profile and packetization mode",
    arguments: [
      ("H264", "H264", true), ("H264", "H264-0", false), ("H264-0", "H264", true), ("H264-high", "H264", false),
      ("H264", "H264-high", true), ("VP9", "H264", false),
    ])
  func profiles(sent: String, taken: String, isDecodable: Bool) async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", offer: "send:0:\(sent)", tracks: camera)
      let (bob, welcome) = try await server.join("daily", "Bob", offer: "video:9:\(taken)")
      #expect((welcome.slots.first?.publication != nil) == isDecodable)
      let told = try await bob.drain().compactMap {
        if case .codec(.undecodable(let all)) = $0 { all.count } else { nil }
      }
      #expect(told == (isDecodable ? [] : [1]))
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("a slot that takes the codec is chosen where others of the receiver do not")
  func mixedSlots() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", offer: "send:0:H264", tracks: camera)
      let (bob, welcome) = try await server.join("daily", "Bob", offer: "video:8:VP8 video:9:H264")
      #expect(welcome.slots.map { $0.publication == nil } == [true, false])
      #expect(try await bob.drain().allSatisfy { !isAboutCodecs($0) })
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("a sender is asked for the common codec while needed, then for its own choice")
  func goesOver() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0:VP9,VP8,H264", tracks: camera)
      let publication = try #require(hello.participants.first?.publications.first?.id)
      let (bob, _) = try await server.join("daily", "Bob", offer: "video:9:VP9,H264")
      try await report("VP9", of: publication, to: server)
      let (eve, _) = try await server.join("daily", "Eve", offer: "video:9:H264")
      #expect(try await undecodable(eve).count == 1)
      let expected = CodecInfo(
        name: "H264", parameters: "packetization-mode=1;profile-level-id=42e01f", payloadType: 103)
      #expect(try await request(ann) == expected, "both take it, and VP8 neither")
      try await report("H264", of: publication, to: server)
      #expect(try await undecodable(eve).isEmpty)
      #expect(try await slots(eve).first?.publication == publication)
      try eve.send(.leave)
      // After a moment, so that nobody who comes and goes costs everybody a keyframe each time.
      #expect(try await request(ann) == nil)
      for client in [ann, bob, eve] { await client.close() }
    }
  }

  @Test("a sender that hasn't begun is asked at once, and one that resumes is told again")
  func beforeTheFirstPacket() async throws {
    try await TestServer.run { server in
      let (bob, _) = try await server.join("daily", "Bob", offer: "video:9:H264")
      let (ann, welcome) = try await server.join("daily", "Ann", offer: "send:0:VP9,H264", tracks: camera)
      #expect(try await request(ann)?.name == "H264")
      #expect(try await bob.drain().allSatisfy { !isAboutCodecs($0) })
      await ann.close()
      let back = try await server.connect()
      try back.send(.resume(token: welcome.resumeToken))
      #expect(try await request(back)?.name == "H264")
      for client in [back, bob] { await client.close() }
    }
  }

  @Test("without a common codec the one for most is sent, and the sender's wins a tie")
  func most() throws {
    let codecs = try ["VP9", "VP8", "H264"].map { try #require(TestMediaPlane.codec($0)) }
    var published = PublishedCodecs()
    published.renegotiate(codecs)
    func best(_ counts: [Int], of receivers: Int) -> String? {
      published.best(of: receivers) { counts[codecs.firstIndex(of: $0) ?? 0] }?.codec.name
    }
    #expect(best([3, 3, 3], of: 3) == nil)
    #expect(best([1, 1, 1], of: 3) == nil)
    #expect(best([1, 2, 3], of: 3) == "H264")
    #expect(best([1, 2, 2], of: 4) == "VP8")
    #expect(best([0, 0, 0], of: 2) == nil)
    // A participant who joins and decodes VP8 alone takes it from nobody.
    published.request(codecs[2], now: .zero)
    #expect(best([1, 2, 2], of: 4) == "H264")
    #expect(best([1, 3, 2], of: 4) == "VP8")
  }

  @Test("a hidden participant isn't reported to senders")
  func hidden() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", offer: "send:0:VP9", tracks: camera)
      let token = try await server.token("daily", ",\"role\":\"hidden\"")
      let (eve, _) = try await server.join("daily", "Eve", offer: "video:9:VP8", token: token)
      #expect(try await undecodable(eve).count == 1)
      #expect(try await ann.drain().allSatisfy { !isAboutCodecs($0) })
      for client in [ann, eve] { await client.close() }
    }
  }
}
