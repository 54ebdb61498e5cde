import Basics
import NetworkEmulator
@testable import RTC
import Testing

@testable import Parley

/// How far away the server is decides how losses are repaired, in virtual time.
@Suite struct RepairTests {
  @Test("what a far server lost is asked for once a round trip, by the round trip that ICE measured")
  func farServer() throws {
    var conditions = CallConditions(name: "far server", length: .seconds(10))
    conditions.receiverUp = LinkConditions(delay: .milliseconds(150))
    conditions.receiverDown = LinkConditions(loss: .random(0.03), delay: .milliseconds(150))
    let call = try SimulatedCall(conditions).run()
    let session = call.receiver.session
    let told = try #require(session.receiver.roundTripTime, "nobody told the receiver how far away the server is")
    #expect((300...340).contains(told.milliseconds), "\(told.milliseconds) ms")
    let slot = try #require(session.slots.values.lazy.compactMap { $0 as? VideoSlot }.first)
    #expect(slot.buffer.roundTripTime == session.peer.selectedCandidatePair?.currentRoundTripTime)
    let lists = session.receiver.sections.compactMap(\.stream).filter(\.usesNack).map(\.nacks)
    let asked = lists.reduce(0) { $0 + Int($1.requestedCount) }
    let came = lists.reduce(0) { $0 + Int($1.recoveredCount) }
    let abandoned = lists.reduce(0) { $0 + Int($1.abandonedCount) }
    print("asked \(asked) times for \(came) packets that came and \(abandoned) that did not, such as padding")
    #expect(came > 20)
    // What never comes is asked for until it is a second old. At the usual guess of 100 ms it would be ten times, and three for the others.
    let most = Double(came) * 1.2 + Double(abandoned) * 4
    #expect(Double(asked) <= most, "asked \(asked) times, at most \(most) expected")
  }
}
