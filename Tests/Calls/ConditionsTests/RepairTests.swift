import Basics
import NetworkEmulator
import RTC
import TestSeeds
import Testing

@testable import Parley

/// How far away the server is decides how losses are repaired, in virtual time.
@Suite(.tellsSeeds) struct RepairTests {
  @Test("repair timing follows the distance of the server, as ICE measured it")
  func farServer() throws {
    // A check that is repeated before its answer comes cannot be timed: over this network a check of consent is the
    // first, after some 5 s.
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

  @Test("loss at one receiver alone turns on the speaker's in-band FEC, until it ends")
  func receiversLossReachesTheEncoder() throws {
    let call = try SimulatedCall(.loss(0.2, atReceiver: true).withoutRedundancy.lasting(30, phase: 5..<17))
    call.run(until: call.started + .seconds(5))
    let calm = call.audio.expectedLossPercent
    #expect(calm == AudioPublisher.expectedLossPercent(0))
    var expected: [Int] = []
    for second in Int64(8)..<17 {
      call.run(until: call.started + .seconds(second))
      expected.append(call.audio.expectedLossPercent)
    }
    let mean = Double(expected.reduce(0, +)) / Double(expected.count)
    #expect((15...26).contains(mean), "of 20 % lost the encoder is told \(expected)")
    call.run(until: call.started + .seconds(21))
    #expect(call.audio.expectedLossPercent == calm)
  }

  @Test(
    "at 10 % audio loss next to nothing is concealed, as the server adds copies (RED)"
  )
  func lossyReceiverHearsEverything() throws {
    let call = try SimulatedCall(.loss(0.1, atReceiver: true).lasting(30, phase: 5..<28)).run()
    let figures = CallFigures(call)
    print(figures.row)
    // 3 % are 1,800 ms a minute; without redundancy it is 1,500 to 2,200.
    #expect(figures.concealedPerMinute < 600)
  }
}
