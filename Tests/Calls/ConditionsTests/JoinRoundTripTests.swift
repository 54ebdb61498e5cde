import Basics
import NetworkEmulator
import TestSeeds
import Testing

@testable import Parley

/// Counts the round trips of a join's media part, in virtual time with a delay of 100 ms each way and no time for
/// computing.
@Suite(.tellsSeeds) struct JoinRoundTripTests {
  @Test func mediaIsConnectedAfterThreeRoundTrips() throws {
    let delay = TimeSpan.milliseconds(100)
    var conditions = CallConditions(name: "round trips")
    let link = LinkConditions(delay: delay)
    (conditions.publisherUp, conditions.publisherDown) = (link, link)
    (conditions.receiverUp, conditions.receiverDown) = (link, link)
    let call = try SimulatedCall(conditions)
    call.run(until: call.started + .seconds(3))
    let trip = (delay + delay).seconds
    let times = call.publisher.session.times
    let path = (try #require(times.pathSelected) - SimulatedCall.origin).seconds / trip
    let connected = (try #require(times.connected) - SimulatedCall.origin).seconds / trip
    let first = (try #require(call.shown.first).time - call.started).seconds / trip
    print("path \(path), connected \(connected), first frame \(first) after the slot carries it")
    #expect(path <= 1.01)
    #expect(connected <= 3.01)
    // One to the server and on to the receiver, both half a round trip away, and what one picture waits before it is
    // shown.
    #expect(first <= 1.1)
  }
}
