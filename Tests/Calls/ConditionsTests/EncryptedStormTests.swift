import Basics
import Encryption
import NetworkEmulator
import TestSeeds
import Testing

@testable import Parley

/// An encrypted call among people who come, go and come back (threats 30 and 47).
@Suite(.tellsSeeds) struct EncryptedStormTests {
  /// The other 28, who have keys and no media.
  private final class Guests {
    private let call: SimulatedCall
    private var random: EmulatorRandom
    private var present: [String] = []
    private var made = 0

    init(_ call: SimulatedCall, _ random: EmulatorRandom) {
      self.call = call
      self.random = random
    }

    func join() throws {
      made += 1
      let ring = KeyRing()
      if made % 3 == 0 { ring.setTrack(0, .microphone, now: call.now) }
      try call.keys.join("guest\(made)", ring, nil, now: call.now)
      present.append("guest\(made)")
    }

    private func leave() {
      let name = present.remove(at: Int.random(in: 0..<present.count, using: &random))
      call.keys.leave(name, isRemoved: Bool.random(using: &random), now: call.now)
    }

    /// Changes of the roster within some seconds.
    func storm(_ changes: Int) throws {
      for _ in 0..<changes {
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where present.count < 28: try join()
        case 1 where present.count > 10: leave()
        default:
          leave()
          try join()
        }
        call.run(until: call.now + .milliseconds(Int64.random(in: 20..<300, using: &random)))
      }
    }
  }

  private func framesOpened(_ client: SimulatedClient) throws -> UInt64 {
    UInt64(try #require(client.session.encryption).counts.framesOpened)
  }

  @Test(
    "a storm of 30 people breaks no video, which starts within 1 s after its key",
    arguments: [1, 2] as [UInt64])
  func storm(seed: UInt64) throws {
    var conditions = CallConditions(name: "storm of 30", length: .seconds(60)).encrypted
    conditions.seed = seed
    let call = try SimulatedCall(conditions)
    let guests = Guests(call, EmulatorRandom(seed: TestSeed.of(seed)))
    for _ in 0..<28 {
      try guests.join()
      call.run(until: call.now + .milliseconds(20))
    }
    let ring = try #require(call.receiver.session.encryption).keys
    var name = "receiver"
    for round in 0..<4 {
      let before = call.shown.count
      try guests.storm(10)
      #expect(call.shown.count > before, "nothing was shown in the storm")
      // The receiver leaves and comes back, with the guests coming and going.
      call.keys.leave(name, now: call.now)
      name = "again\(round)"
      try call.keys.join(name, ring, call.receiver.session, now: call.now)
      let rejoined = call.now
      let (opened, shown) = (try framesOpened(call.receiver), call.shown.count)
      var keyAt: Instant?
      while call.shown.count == shown, call.now < rejoined + .seconds(6) {
        call.run(until: call.now + .milliseconds(20))
        if keyAt == nil, try framesOpened(call.receiver) > opened { keyAt = call.now }
      }
      #expect(call.shown.count > shown, "no picture after joining again")
      #expect(call.now - (keyAt ?? rejoined) <= .seconds(1), "no picture a second after its key")
    }
    call.run(until: call.now + .seconds(6))
    #expect(call.broken == 0)
    let (sent, received) = (
      try #require(call.publisher.session.encryption).counts, try #require(call.receiver.session.encryption).counts
    )
    #expect(sent.framesNotSent.isEmpty, "\(sent)")
    // Frames without a key were left out; none opened with a wrong one.
    #expect(Set(received.framesDropped.keys).isSubset(of: [.noKey, .replayed, .wrongSender]), "\(received)")
    let (own, other) = (call.keys.states[name]?.last, call.keys.states["publisher"]?.last)
    #expect(own?.state == .encrypted && own?.safetyCode != nil && own?.safetyCode == other?.safetyCode)
  }
}
