import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Packets to a receiver", .tellsSeeds)
struct EgressWriterTests {
  /// How sound reaches the receiver.
  enum Sound: CaseIterable {
    /// As the publisher sends it.
    case plain
    /// With earlier sound that the server adds.
    case redundancyAdded
    /// With earlier sound that the publisher adds, under the receiver's payload types.
    case redundancyRewritten
  }

  private static let red = NegotiatedCodec(payloadType: PayloadType(rawValue: 63), codec: .red)
  private static let opus = NegotiatedCodec(payloadType: PayloadType(rawValue: 111), codec: .opus)
  private static let otherRED = NegotiatedCodec(payloadType: PayloadType(rawValue: 120), codec: .red)
  private static let otherOpus = NegotiatedCodec(payloadType: PayloadType(rawValue: 109), codec: .opus)

  @Test("audio earns the same retransmission budget on every sending path", arguments: Sound.allCases)
  func budget(sound: Sound) throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let isRewritten = sound == .redundancyRewritten
    let microphone = ann.publish(
      "a_1", mid: "0", .audio, ssrc: 1_000, codecs: isRewritten ? [Self.red, Self.opus] : [Self.opus])
    let slot = ben.slot(
      "1", .audio, ssrc: 5_000, codecs: isRewritten ? [Self.otherRED, Self.otherOpus] : [Self.opus, Self.red])
    meeting.router.attach(microphone.publication, to: slot)
    if sound == .redundancyAdded {
      slot.redundancy.update(loss: 0.2, payloadType: Self.red.payloadType, now: meeting.now)
    }
    // Use up the initial allowance.
    var sequence: Int64 = 0
    while slot.egress.writer.takeFromBudget(
      bytes: 1_000, sequence: sequence, stream: 0, roundTrip: .zero, now: meeting.now)
    {
      sequence += 1
    }
    let before = meeting.router.counters
    let allowance = slot.egress.writer.budget.allowance
    for number in 0..<50 {
      let packet = [UInt8](repeating: UInt8(number), count: 80)
      microphone.send(isRewritten ? [0x80 | 111, 0x00, 0x00, 3, 111, 1, 2, 3] + packet : packet)
      microphone.timestamp &+= 960
      meeting.run(for: .milliseconds(20))
    }
    let after = meeting.router.counters
    let packets = Int64(after.packetsForwarded - before.packetsForwarded)
    let bytes = Int64(after.bytesForwarded - before.bytesForwarded)
    #expect(packets == 50)
    #expect((after.redundantPackets > before.redundantPackets) == (sound == .redundancyAdded))
    let earned = slot.egress.writer.budget.allowance - allowance
    #expect((bytes / 2 - packets...bytes / 2).contains(earned), "\(earned) for \(bytes) bytes in \(packets) packets")
  }
}
