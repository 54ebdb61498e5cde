import Basics
import NetworkEmulator
import TestSeeds
import Testing

@testable import Parley

/// Whole calls, Swift to Swift through the server's router, over bad networks in virtual time. The floors are generous:
/// they are there to notice a regression. `docs/benchmarks/networks.md` has the figures.
@Suite(.tellsSeeds) struct ConditionsTests {
  private func figures(_ conditions: CallConditions) throws -> CallFigures {
    let figures = CallFigures(try SimulatedCall(conditions).run())
    print(figures.row)
    // A decoder never gets a frame whose predecessor is missing, whatever the network does.
    #expect(figures.broken == 0)
    return figures
  }

  @Test(arguments: [false, true]) func calmNetworkShowsEverythingWithLittleDelay(isLoaded: Bool) throws {
    let conditions = CallConditions.loss(0).lasting(12, phase: 2..<10)
    let figures = try figures(isLoaded ? conditions.throughLoadedServer : conditions)
    #expect(figures.shownShare == 1)
    #expect(figures.freezes == 0)
    #expect(figures.concealedPerMinute == 0)
    // 40 ms are the network's.
    #expect(figures.delay95 <= 150)
  }

  @Test(arguments: [false, true], [false, true])
  func fivePercentLossIsHardlySeen(atReceiver: Bool, isLoaded: Bool) throws {
    let conditions = CallConditions.loss(0.05, atReceiver: atReceiver).lasting(22, phase: 4..<18)
    let figures = try figures(isLoaded ? conditions.throughLoadedServer : conditions)
    #expect(figures.shownShare >= 0.95)
    #expect(figures.longestFreeze <= 1)
    #expect(figures.delay95 <= 500)
    // Without copies in the next packet it is every lost packet: 3 s a minute.
    #expect(figures.concealedPerMinute <= 2_000)
    #expect(figures.longestGap <= 120)
    #expect(try #require(figures.pictureBack) <= 1)
  }

  @Test func fifthOfEverythingLostKeepsThePictureMoving() throws {
    let figures = try figures(.loss(0.2).lasting(40, phase: 5..<32))
    #expect(figures.shownShare >= 0.8)
    #expect(figures.longestFreeze <= 2)
    #expect(figures.rate >= 250_000)
  }

  @Test func jitterCostsDelayAndNothingElse() throws {
    let figures = try figures(.jitter().lasting(20, phase: 4..<16))
    #expect(figures.shownShare >= 0.98)
    #expect(figures.longestFreeze <= 0.5)
    #expect(figures.delay95 <= 400)
  }

  @Test(arguments: [false, true]) func bottleneckHasNoStandingQueue(isLoaded: Bool) throws {
    let conditions = CallConditions.bottleneck().lasting(30)
    let figures = try figures(isLoaded ? conditions.throughLoadedServer : conditions)
    #expect(figures.shownShare >= 0.85)
    #expect(figures.longestFreeze <= 1.5)
    #expect(figures.queue95 <= 400)
    #expect((150_000...310_000).contains(figures.rate))
  }

  @Test func outageEndsWithAPictureSoon() throws {
    let figures = try figures(.outage().lasting(30, phase: 5..<15))
    #expect(try #require(figures.pictureBack) <= 3)
  }
}
