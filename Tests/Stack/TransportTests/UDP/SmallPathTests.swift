import Basics
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Transport

/// Segmented sends over a path whose MTU is smaller than a segment: a network namespace whose loopback device takes
/// 1,000 bytes.
@Suite("Small paths")
struct SmallPathTests {
  private struct Outcome: Sendable {
    var lengths: [Int] = []
    var counters: [UDPCounters] = []
    var usesSegmentation = false
    var trouble: String?
  }

  @Test("on a path below a segment (EMSGSIZE) all arrives, singly from then on")
  func smallPath() async {
    // A thread of its own: the namespace is the thread's, and ends with it.
    let outcome: Outcome? = await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: Self.inNamespace()) }.start()
    }
    guard let outcome else {
      print("skipped: a network namespace of its own needs root, and the command ip")
      return
    }
    #expect(outcome.trouble == nil)
    #expect(outcome.lengths == [1_135, 1_135, 1_135, 700, 1_135, 1_135, 1_135, 700, 600, 600])
    #expect(outcome.usesSegmentation)
    guard outcome.counters.count == 3 else { return }
    #expect(outcome.counters[0].segmentationFallbacks == 4)
    #expect(outcome.counters[0].sendCalls == 5, "one that was refused, and four")
    #expect(outcome.counters[1].sendCalls == 9, "four, and none that is refused")
    #expect(outcome.counters[2].sendCalls == 10, "what fits leaves in one")
    #expect(outcome.counters[2].sendErrors == 0 && outcome.counters[2].packetsDropped == 0)
  }

  /// Nil where no namespace can be made.
  private static func inNamespace() -> Outcome? {
    // The header of the C library shows it to no Swift program. 0x4000_0000: CLONE_NEWNET.
    guard let symbol = dlsym(nil, "unshare") else { return nil }
    let unshare = unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
    guard unshare(0x4000_0000) == 0, system("ip link set lo up mtu 1000 2>/dev/null") == 0 else { return nil }
    var outcome = Outcome()
    do {
      let slab = try ReceiveSlab()
      let sender = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
      let receiver = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
      let other = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
      let large = [UInt8](repeating: 7, count: 3 * 1_135 + 700)
      let small = [UInt8](repeating: 8, count: 1_200)
      for (bytes, segment, target, count) in [
        (large, 1_135, receiver, 4), (large, 1_135, receiver, 4), (small, 600, other, 2),
      ] {
        sender.sendSegmented(bytes.span, segmentSize: segment, to: target.localAddress, from: nil)
        outcome.counters.append(sender.counters)
        let wanted = outcome.lengths.count + count
        let end = ContinuousClock.now + waitingLimit
        while outcome.lengths.count < wanted, ContinuousClock.now < end {
          _ = target.receive(into: slab) { bytes, _, _ in outcome.lengths.append(bytes.count) }
        }
      }
      outcome.usesSegmentation = sender.usesSegmentation
    } catch { outcome.trouble = "\(error)" }
    return outcome
  }
}
