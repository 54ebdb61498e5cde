import Basics
import RTC
import TestSeeds
import Testing

/// A participant in the lobby has made their offer long before it is answered.
@Suite("Answers that come late", .tellsSeeds)
struct LateAnswerTests {
  // Direct or through a relay.
  @Test(
    "an answer half an hour after the offer still finds a path",
    arguments: [IceTransportPolicy.all, .relay])
  func halfAnHour(policy: IceTransportPolicy) throws {
    let world = IceWorld(policy: policy)
    world.client.startGathering(now: world.now)
    world.run(for: .milliseconds(500))
    let offer = try world.client.createOffer()
    world.run(for: .seconds(1_800))
    #expect(!world.client.isConnected)
    try world.client.setAnswer(world.server.setRemoteOffer(offer, now: world.now), now: world.now)
    let start = world.now
    world.run(for: .seconds(20)) { world.isConnected }
    #expect(world.isConnected && world.client.selectedPath?.isRelayed == (policy == .relay))
    #expect(world.now - start < .seconds(2), "\((world.now - start).milliseconds) ms")
  }
}
