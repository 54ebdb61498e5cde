import Basics
import Media
import TestSeeds
import Testing

/// Audible gaps over seeded loss and jitter, one minute each.
@Suite(.tellsSeeds) struct AudioLossTests {
  private static func call(_ change: (inout AudioCall.Options) -> Void) -> AudioCall {
    var options = AudioCall.Options()
    change(&options)
    var call = AudioCall(options)
    call.run()
    return call
  }

  private static func show(_ name: String, _ call: AudioCall) {
    let statistics = call.playout.statistics
    let delay = statistics.jitterBufferDelay / Double(max(statistics.jitterBufferEmittedCount, 1)) * 1_000
    print(
      "audio \(name): lost \(call.lostOnTheWay), gaps \(Int(call.gaps)) ms/min, events \(statistics.concealmentEvents),",
      "target \(call.playout.targetDelay.milliseconds) ms, mean delay \(Int(delay)) ms, late \(statistics.packetsDiscarded)"
    )
  }

  @Test func aPerfectNetworkIsPlayedAtOnceAndWithoutGaps() {
    let call = Self.call { $0.delay = .milliseconds(1) }
    Self.show("loopback", call)
    #expect(call.gaps == 0)
    #expect(call.playout.targetDelay <= .milliseconds(40))
    #expect(call.delays.dropFirst(500).max() ?? .seconds(1) <= .milliseconds(40))
  }

  @Test(arguments: [0.0, 0.02, 0.05, 0.1, 0.2], [0, 30, 80] as [Int64])
  func withoutRepairGapsAreNotMuchLongerThanWhatWasLost(loss: Double, jitter: Int64) {
    let call = Self.call {
      $0.loss = loss
      $0.jitter = .milliseconds(jitter)
    }
    Self.show("loss \(Int(loss * 100)) % jitter \(jitter) ms", call)
    // Packets that come too late are at most a small share, which the delay is chosen for.
    let lost = Double(call.lostOnTheWay * 20)
    #expect(call.gaps <= lost * 1.1 + (jitter > 0 ? 3_000 : 60), "loss \(loss), jitter \(jitter)")
  }

  @Test(arguments: [0.02, 0.05, 0.1, 0.2]) func inBandCopiesFillSingleGaps(loss: Double) {
    let call = Self.call {
      $0.loss = loss
      $0.jitter = .milliseconds(20)
      $0.fec = true
    }
    Self.show("in-band copies, loss \(Int(loss * 100)) %", call)
    let lost = Double(call.lostOnTheWay * 20)
    // Two losses in a row leave one gap.
    #expect(call.gaps <= lost * loss * 1.5 + lost * 0.15 + 300, "loss \(loss)")
    #expect(call.playout.statistics.recoveredPackets > UInt64(Double(call.lostOnTheWay) * 0.6))
  }

  @Test(arguments: [0.02, 0.05, 0.1, 0.2]) func redundancyFillsGapsOfTwo(loss: Double) {
    let call = Self.call {
      $0.loss = loss
      $0.jitter = .milliseconds(20)
      $0.redundancy = 2
    }
    Self.show("redundancy 2, loss \(Int(loss * 100)) %", call)
    let lost = Double(call.lostOnTheWay * 20)
    #expect(call.gaps <= lost * 0.2 + 400, "loss \(loss)")
  }

  @Test(arguments: [0.05, 0.1, 0.2]) func whatIsSentAgainComesInTime(loss: Double) {
    let call = Self.call {
      $0.loss = loss
      $0.delay = .milliseconds(25)
      $0.jitter = .milliseconds(10)
      $0.nack = true
    }
    Self.show("retransmission, round trip 50 ms, loss \(Int(loss * 100)) %", call)
    let lost = Double(call.lostOnTheWay * 20)
    #expect(call.gaps <= lost * 0.35, "loss \(loss)")
    #expect(call.playout.targetDelay >= .milliseconds(60))
  }

  @Test func jitterRaisesTheDelayAndQuietLowersItAgain() {
    var options = AudioCall.Options()
    options.seconds = 60
    options.extraDelay = { step in step > 500 && step < 1_000 && step % 3 == 0 ? .milliseconds(120) : .zero }
    var call = AudioCall(options)
    var during = TimeSpan.zero
    var gapsAtFirst: UInt64 = 0
    call.run { call, tick in
      if tick == 1_200 { gapsAtFirst = call.playout.statistics.concealedSamples }
      if tick == 1_900 { during = call.playout.targetDelay }
    }
    Self.show("jitter comes and goes", call)
    #expect(during >= .milliseconds(120))
    // Once learned, jitter makes no more gaps.
    #expect(call.playout.statistics.concealedSamples - gapsAtFirst < 4_800)
    #expect(call.playout.targetDelay <= .milliseconds(40))
    #expect(call.delays.last ?? .zero <= .milliseconds(60))
  }

  /// After two seconds without network everything comes at once: nobody wants to hear it all.
  @Test func afterAnOutageTheDelayIsSoonSmallAgain() {
    var options = AudioCall.Options()
    options.seconds = 30
    options.extraDelay = { step in
      step >= 500 && step < 600 ? .milliseconds(Int64(600 - step) * 20) : .zero
    }
    var call = AudioCall(options)
    var after = TimeSpan.zero
    call.run { call, tick in if tick == 1_700 { after = call.playout.currentDelay } }
    Self.show("outage of 2 s", call)
    #expect(after <= .milliseconds(450))
    #expect(call.delays.last ?? .seconds(1) <= .milliseconds(60))
    #expect(call.gaps / 2 <= 2_200)
  }
}
