import Basics
import Foundation
import Media
import RTC
import TestSeeds
import Testing

/// Opus through our types (RFC 6716, 7587).
@Suite(.tellsSeeds) struct OpusTests {
  /// A sine of `amplitude` (1 is full scale), from sample `start` on.
  static func tone(
    _ frequency: Double, amplitude: Double = 0.3, start: Int, count: Int = 480
  ) -> [Int16] {
    (0..<count).map { index in
      Int16((sin(2 * .pi * frequency * Double(start + index) / 48_000) * amplitude * 32_767).rounded())
    }
  }

  /// How much of `frequency` is in the samples: the amplitude, 1 for full scale (Goertzel).
  static func amplitude(of frequency: Double, in samples: [Int16]) -> Double {
    let coefficient = 2 * cos(2 * .pi * frequency / 48_000)
    var (a, b) = (0.0, 0.0)
    for sample in samples { (a, b) = (Double(sample) / 32_767 + coefficient * a - b, a) }
    let power = a * a + b * b - coefficient * a * b
    return 2 * max(power, 0).squareRoot() / Double(samples.count)
  }

  static func packets(
    _ encoder: OpusEncoder, milliseconds: Int, channels: Int = 1, _ samples: (_ start: Int) -> [Int16]
  ) throws -> [EncodedFrame] {
    var packets: [EncodedFrame] = []
    for step in 0..<(milliseconds / 10) {
      let frame = AudioFrame(
        samples: samples(step * 480), channels: channels, time: .milliseconds(1_000 + Int64(step) * 10))
      if let packet = try encoder.encode(frame) { packets.append(packet) }
    }
    return packets
  }

  @Test(arguments: [10, 20, 40, 60]) func aToneKeepsItsPitchAndLevel(milliseconds: Int) throws {
    let encoder = try OpusEncoder(OpusEncoderSettings(frameDuration: .milliseconds(Int64(milliseconds))))
    let decoder = try OpusDecoder()
    let packets = try Self.packets(encoder, milliseconds: 1_200) { Self.tone(440, start: $0) }
    #expect(packets.count == 1_200 / milliseconds)
    var sound: [Int16] = []
    for (index, packet) in packets.enumerated() {
      #expect(packet.codec == .opus && packet.isKeyframe)
      // RFC 7587 section 4.1: 48 kHz whatever the sound; times are those of the first sample.
      #expect(packet.timestamp.rawValue == UInt32(48_000 + index * milliseconds * 48))
      #expect(packet.time == .milliseconds(1_000 + Int64(index * milliseconds)))
      // 20 log10(0.3 / √2) is −13.5.
      #expect([13, 14].contains(packet.audioLevel))
      let frame = try decoder.decode(packet.data, time: packet.time)
      #expect(frame.samples.count == milliseconds * 48 && frame.time == packet.time && frame.channels == 1)
      sound += frame.samples
    }
    let settled = Array(sound.suffix(24_000))
    #expect(abs(Self.amplitude(of: 440, in: settled) - 0.3) < 0.03)
    #expect(Self.amplitude(of: 466, in: settled) < 0.02)
    #expect([13, 14].contains(AudioLevel.measure(settled)))
  }

  @Test func stereoKeepsItsChannelsApart() throws {
    let encoder = try OpusEncoder(OpusEncoderSettings(channels: 2, bitrate: .kilobits(96), content: .music))
    let decoder = try OpusDecoder(channels: 2)
    let packets = try Self.packets(encoder, milliseconds: 600, channels: 2) { start in
      zip(Self.tone(500, start: start), Self.tone(1_250, start: start)).flatMap { [$0, $1] }
    }
    let sound = try packets.flatMap { try decoder.decode($0.data, time: .zero).samples }.suffix(2 * 14_400)
    let left = sound.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let right = sound.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    #expect(abs(Self.amplitude(of: 500, in: left) - 0.3) < 0.04 && Self.amplitude(of: 1_250, in: left) < 0.02)
    #expect(abs(Self.amplitude(of: 1_250, in: right) - 0.3) < 0.04 && Self.amplitude(of: 500, in: right) < 0.02)
  }

  @Test func channelsAreMixedAndDoubledAsTheEncoderNeeds() throws {
    let mono = try OpusEncoder(OpusEncoderSettings(channels: 1))
    let packets = try Self.packets(mono, milliseconds: 400, channels: 2) { start in
      Self.tone(440, start: start).flatMap { [$0, 0] }
    }
    let decoder = try OpusDecoder()
    let sound = try packets.flatMap { try decoder.decode($0.data, time: .zero).samples }
    #expect(abs(Self.amplitude(of: 440, in: sound.suffix(9_600).map { $0 }) - 0.15) < 0.03)

    let stereo = try OpusEncoder(OpusEncoderSettings(channels: 2, bitrate: .kilobits(64)))
    let doubled = try Self.packets(stereo, milliseconds: 400) { Self.tone(440, start: $0) }
    let both = try OpusDecoder(channels: 2)
    let pairs = try doubled.flatMap { try both.decode($0.data, time: .zero).samples }.suffix(19_200)
    let right = pairs.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    #expect(abs(Self.amplitude(of: 440, in: right) - 0.3) < 0.05)
  }

  /// RFC 6716 section 2.1.7. Speech-like sound, so that the speech codec is used, which alone carries copies.
  @Test func aLostPacketIsRecoveredBetterThanConcealed() throws {
    func voice(_ start: Int) -> [Int16] {
      (0..<480).map { index in
        let t = Double(start + index) / 48_000
        let pitch = 2 * Double.pi * (140 * t + 12 * sin(2 * .pi * 2.5 * t))
        let loudness = 0.25 + 0.2 * sin(2 * .pi * 4 * t)
        let sum = (1...8).reduce(0.0) { $0 + sin(Double($1) * pitch) / Double($1) }
        return Int16(max(-1, min(1, sum * loudness)) * 20_000)
      }
    }
    let encoder = try OpusEncoder(
      OpusEncoderSettings(bitrate: .kilobits(24), usesForwardErrorCorrection: true, expectedLossPercent: 20))
    let packets = try Self.packets(encoder, milliseconds: 2_000, voice)
    let (whole, recovering, concealing) = (try OpusDecoder(), try OpusDecoder(), try OpusDecoder())
    var recovered = 0.0
    var concealed = 0.0
    var losses = 0
    for index in 5..<(packets.count - 1) {
      let truth = try whole.decode(packets[index].data, time: .zero).samples
      guard index % 5 == 0 else {
        _ = try recovering.decode(packets[index].data, time: .zero)
        _ = try concealing.decode(packets[index].data, time: .zero)
        continue
      }
      guard OpusDecoder.carriesFEC(packets[index + 1].data) else { continue }
      losses += 1
      let repaired = try recovering.decodeFEC(of: packets[index + 1].data, time: .milliseconds(7))
      let guessed = try concealing.conceal(time: .milliseconds(7))
      #expect(repaired.samples.count == 960 && guessed.samples.count == 960 && repaired.time == .milliseconds(7))
      func distance(_ samples: [Int16]) -> Double {
        zip(samples, truth).reduce(0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
      }
      recovered += distance(repaired.samples)
      concealed += distance(guessed.samples)
    }
    #expect(losses >= 10)
    #expect(recovered < concealed * 0.7, "recovered \(recovered), concealed \(concealed)")
  }

  @Test func withoutExpectedLossNoPacketCarriesACopy() throws {
    let encoder = try OpusEncoder(OpusEncoderSettings(expectedLossPercent: 0))
    let packets = try Self.packets(encoder, milliseconds: 400) { Self.tone(220, start: $0) }
    #expect(!packets.contains { OpusDecoder.carriesFEC($0.data) })
  }

  @Test func silenceIsNotSentWithDiscontinuousTransmission() throws {
    let encoder = try OpusEncoder(OpusEncoderSettings(usesDiscontinuousTransmission: true))
    let speech = try Self.packets(encoder, milliseconds: 500) { Self.tone(300, start: $0) }
    #expect(speech.count == 25)
    let silence = try Self.packets(encoder, milliseconds: 3_000) { _ in [Int16](repeating: 0, count: 480) }
    // 150 packets would be sent without; a sign of life every 400 ms remains, after the first tenth of a second or two.
    #expect(silence.count < 30)
    #expect(encoder.discontinuousPackets > 100)
    #expect(silence.allSatisfy { $0.audioLevel == AudioLevel.silence })
  }

  @Test func theBitrateIsFollowed() throws {
    let encoder = try OpusEncoder(OpusEncoderSettings(bitrate: .kilobits(64), content: .music))
    var random = SeededGenerator(seed: TestSeed.of(3))
    func kilobits() throws -> Double {
      let packets = try Self.packets(encoder, milliseconds: 1_000) { _ in
        (0..<480).map { _ in Int16.random(in: -9_000...9_000, using: &random) }
      }
      return Double(packets.reduce(0) { $0 + $1.data.count }) * 8 / 1_000
    }
    #expect(abs(try kilobits() - 64) < 13)
    encoder.settings.bitrate = .kilobits(24)
    #expect(abs(try kilobits() - 24) < 5)
  }

  @Test func timestampsRunWithTheSamplesAndJumpWithTheSource() throws {
    let encoder = try OpusEncoder()
    var stamps: [UInt32] = []
    func put(_ milliseconds: Int64) throws {
      let frame = AudioFrame(samples: Self.tone(300, start: 0), time: .milliseconds(milliseconds))
      if let packet = try encoder.encode(frame) { stamps.append(packet.timestamp.rawValue) }
    }
    // A source's jitter of some milliseconds does not show.
    for time in [0, 13, 19, 32, 41, 48] { try put(Int64(time)) }
    #expect(stamps == [0, 960, 1_920])
    // A second of nothing does, in whole 10 ms.
    try put(1_060)
    try put(1_070)
    #expect(stamps == [0, 960, 1_920, 50_880])
  }

  @Test func soundThatCannotBeEncodedIsATypedError() throws {
    #expect(throws: MediaError.self) { try OpusEncoder(OpusEncoderSettings(channels: 3)) }
    #expect(throws: MediaError.self) { try OpusDecoder(channels: 0) }
    let encoder = try OpusEncoder(OpusEncoderSettings(frameDuration: .milliseconds(15)))
    #expect(throws: MediaError.self) { try encoder.encode(AudioFrame(samples: [0, 0], time: .zero)) }
    encoder.settings.frameDuration = .milliseconds(20)
    #expect(throws: MediaError.self) {
      try encoder.encode(AudioFrame(samples: [Int16](repeating: 0, count: 48_000), time: .zero))
    }
    #expect(throws: MediaError.self) { try encoder.encode(AudioFrame(samples: [0, 0, 0], channels: 3, time: .zero)) }
  }

  /// Threat 17 of `docs/threats.md`.
  @Test func mutatedPacketsNeverCrashTheDecoder() throws {
    let encoder = try OpusEncoder(OpusEncoderSettings(expectedLossPercent: 20))
    let packets = try Self.packets(encoder, milliseconds: 600) { Self.tone(300, start: $0) }
    var random = SeededGenerator(seed: TestSeed.of(0x0905))
    let decoder = try OpusDecoder(channels: 2)
    var refused = 0
    for round in 0..<6_000 {
      var packet = packets[round % packets.count].data
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        packet[Int.random(in: 0..<packet.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      packet.removeLast(Int.random(in: 0...packet.count, using: &random) / 3)
      _ = OpusDecoder.carriesFEC(packet)
      do {
        let sound =
          round % 3 == 0
          ? try decoder.decodeFEC(of: packet, samples: Int.random(in: -9...9_999, using: &random), time: .zero)
          : try decoder.decode(packet, time: .zero)
        #expect(sound.samples.count <= 2 * 5_760)
      } catch { refused += 1 }
    }
    #expect(refused > 50)
    #expect(throws: MediaError.self) { try decoder.decode([], time: .zero) }
    #expect(throws: MediaError.self) { try decoder.decode([UInt8](repeating: 0, count: 100_000), time: .zero) }
    #expect(!OpusDecoder.carriesFEC([]))
  }

  /// RFC 6464: a full-scale square wave is 0, a sine 3 dB less, silence 127.
  @Test func levelsAreThoseOfTheStandard() {
    #expect(AudioLevel.measure([Int16](repeating: 32_767, count: 480)) == 0)
    #expect(AudioLevel.measure([Int16](repeating: .min, count: 480)) == 0)
    #expect(AudioLevel.measure(Self.tone(1_000, amplitude: 1, start: 0)) == 3)
    #expect(AudioLevel.measure(Self.tone(1_000, amplitude: 0.1, start: 0)) == 23)
    #expect(AudioLevel.measure([Int16](repeating: 0, count: 480)) == 127)
    #expect(AudioLevel.measure([Int16]()) == 127)
    #expect(AudioLevel.amplitude(of: 127) == 0 && AudioLevel.amplitude(of: 0) == 1)
  }
}
