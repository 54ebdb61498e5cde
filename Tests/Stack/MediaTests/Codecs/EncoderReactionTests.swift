import Basics
import Media
import RTC
import TestSeeds
import Testing

/// A request to an encoder holds for the very next frame, whichever frame of the stream that is.
///
/// A twin without the request encodes the same frames. Encoders of one kind are alike to the byte, so the next frames
/// differ by the request alone.
@Suite(.tellsSeeds) struct EncoderReactionTests {
  /// Grain can use any rate: what a frame takes is what it is allowed.
  private static let pictures = (0..<44).map { TestPicture.grainy($0, width: 320, height: 180) }
  /// Two rounds of every pattern of frames that the encoders have, once the beginning is over.
  private static let moments = 24..<44
  private static let framesPerSecond = 30

  /// The stream of an encoder of `kilobits` up to the frame at `moment`, which is the first one that is asked for
  /// something else.
  private static func stream(
    _ codec: Codec, kilobits: Int, until moment: Int, then changed: Int, keyframe: Bool = false
  ) throws -> [EncodedFrame?] {
    let encoder = try VideoCodecFactory.encoder(
      for: codec,
      settings: VideoEncoderSettings(
        width: 320, height: 180, framesPerSecond: framesPerSecond, bitrate: .kilobits(Int64(kilobits))))
    return try (0...moment).map { index in
      if index == moment { encoder.settings.bitrate = .kilobits(Int64(changed)) }
      return try encoder.encode(pictures[index], forceKeyframe: keyframe && index == moment)
    }
  }

  /// For every moment: the bytes of the frame that is encoded right after the change, and of the twin's.
  private static func sizes(
    _ codec: Codec, from old: Int, to new: Int
  ) throws -> [(moment: Int, changed: Int, twin: Int)] {
    let twin = try stream(codec, kilobits: old, until: moments.upperBound - 1, then: old)
    return try moments.map { moment in
      let changed = try stream(codec, kilobits: old, until: moment, then: new)
      #expect(changed.dropLast().map { $0?.data } == twin[..<moment].map { $0?.data }, "the twins must be alike")
      return (moment, try #require(changed.last ?? nil).data.count, try #require(twin[moment]).data.count)
    }
  }

  @Test(
    "the very next frame after a fall of the rate is smaller, and fits the new rate",
    arguments: VideoCodecFactory.encodable, [600, 400, 200])
  func theNextFrameObeysALowerRate(codec: Codec, kilobits: Int) throws {
    let share = kilobits * 1_000 / 8 / Self.framesPerSecond
    for (moment, changed, twin) in try Self.sizes(codec, from: 800, to: kilobits) {
      #expect(changed < twin * 19 / 20, "frame \(moment) of \(codec.name)")
      // Frames of a steady stream have up to twice their share too.
      #expect(changed <= 2 * share, "frame \(moment) of \(codec.name): its share is \(share) bytes")
    }
  }

  @Test("the very next frame after a rise of the rate uses it", arguments: VideoCodecFactory.encodable)
  func theNextFrameUsesAHigherRate(codec: Codec) throws {
    for (moment, changed, twin) in try Self.sizes(codec, from: 400, to: 800) {
      #expect(changed > twin * 5 / 4, "frame \(moment) of \(codec.name)")
    }
  }

  @Test(
    "a keyframe requested with a lower rate is the very next frame, at that rate",
    arguments: VideoCodecFactory.encodable)
  func theNextFrameIsAKeyframeOfTheLowerRate(codec: Codec) throws {
    for moment in Self.moments {
      let frames = try [200, 800].map { rate in
        let stream = try Self.stream(codec, kilobits: 800, until: moment, then: rate, keyframe: true)
        #expect(stream[1...].allSatisfy { $0?.isKeyframe != true || $0?.time == Self.pictures[moment].time })
        return try #require(stream.last ?? nil)
      }
      #expect(frames.allSatisfy { $0.isKeyframe }, "frame \(moment) of \(codec.name)")
      #expect(frames[0].data.count < frames[1].data.count / 2, "frame \(moment) of \(codec.name)")
      // A receiver that begins here sees a picture.
      #expect(try VideoCodecFactory.decoder(for: codec).decode(frames[0]) != nil)
    }
  }

  // The half of its samples that was there before.
  @Test(
    "the very next Opus packet has the new rate, also for earlier samples",
    arguments: [OpusEncoderSettings.Content.voice, .music], [(64, 24), (24, 64)])
  func theNextPacketHasTheNewRate(content: OpusEncoderSettings.Content, rates: (Int, Int)) throws {
    var random = SeededGenerator(seed: TestSeed.of(3))
    let sound = (0..<60).map { _ in (0..<480).map { _ in Int16.random(in: -9_000...9_000, using: &random) } }
    func packets(until last: Int, then rate: Int) throws -> [Int] {
      let encoder = try OpusEncoder(OpusEncoderSettings(bitrate: .kilobits(Int64(rates.0)), content: content))
      return try (0...(2 * last + 1)).compactMap { step in
        if step == 2 * last + 1 { encoder.settings.bitrate = .kilobits(Int64(rate)) }
        return try encoder.encode(AudioFrame(samples: sound[step], time: .milliseconds(10 * Int64(step))))?.data.count
      }
    }
    // A packet lasts 20 ms.
    let share = rates.1 * 1_000 / 8 / 50
    for last in 20..<30 {
      let (changed, twin) = (try packets(until: last, then: rates.1), try packets(until: last, then: rates.0))
      #expect(changed.count == last + 1 && changed.dropLast() == twin.dropLast())
      let (size, before) = (try #require(changed.last), try #require(twin.last))
      if rates.1 < rates.0 {
        #expect(size <= share && size < before / 2, "packet \(last): \(size) bytes instead of \(before)")
      } else {
        #expect(size >= share * 3 / 4 && size > before * 2, "packet \(last): \(size) bytes instead of \(before)")
      }
    }
  }
}
