import Basics
import NetworkEmulator
import RTC
import TestSeeds
import Testing

@testable import Parley

/// How far away the server is decides how losses are repaired, in virtual time.
@Suite(.tellsSeeds) struct RepairTests {
  @Test("what decides when to ask again and how long to wait is told how far away the server is, as ICE measured it")
  func farServer() throws {
    // A check that is repeated before its answer comes cannot be timed: over this network a check of consent is the first, after some 5 s.
    var conditions = CallConditions(name: "far server", length: .seconds(10))
    conditions.receiverUp = LinkConditions(delay: .milliseconds(150))
    conditions.receiverDown = LinkConditions(loss: .random(0.03), delay: .milliseconds(150))
    let call = try SimulatedCall(conditions).run()
    let session = call.receiver.session
    let told = try #require(session.receiver.roundTripTime, "nobody told the receiver how far away the server is")
    #expect((300...340).contains(told.milliseconds), "\(told.milliseconds) ms")
    let slot = try #require(session.slots.values.lazy.compactMap { $0 as? VideoSlot }.first)
    #expect(slot.buffer.roundTripTime == session.peer.selectedCandidatePair?.currentRoundTripTime)
  }
}
