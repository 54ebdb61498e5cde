import Basics
import Media
import RTC
import Testing

/// The guarantees of every video codec, through the factory.
@Suite struct VideoCodecTests {
  struct Size: Sendable { let width, height: Int, kilobits: Int64 }

  @Test(
    arguments: VideoCodecFactory.encodable,
    [Size(width: 320, height: 180, kilobits: 700), Size(width: 1_280, height: 720, kilobits: 4_000)])
  func aPictureSurvivesEncodingAndDecoding(codec: Codec, size: Size) throws {
    let encoder = try VideoCodecFactory.encoder(
      for: codec,
      settings: VideoEncoderSettings(width: size.width, height: size.height, bitrate: .kilobits(size.kilobits)))
    let decoder = try VideoCodecFactory.decoder(for: codec)
    var ratios: [Double] = []
    for index in 0..<20 {
      let source = TestPicture.frame(index, width: size.width, height: size.height)
      guard let frame = try encoder.encode(source, forceKeyframe: false) else { continue }
      #expect(frame.isKeyframe == (index == 0))
      #expect(frame.codec == codec && frame.width == size.width && frame.height == size.height)
      // RFC 3550 section 5.1: 90 kHz.
      #expect(frame.timestamp.rawValue == UInt32(truncatingIfNeeded: source.time.nanoseconds * 9 / 100_000))
      #expect(frame.time == source.time)
      let picture = try #require(try decoder.decode(frame))
      #expect(picture.width == size.width && picture.height == size.height && picture.time == source.time)
      ratios.append(try #require(picture.peakSignalToNoiseRatio(to: source)))
    }
    #expect(ratios.count >= 14)
    #expect(ratios.suffix(5).allSatisfy { $0 >= 30 }, "PSNR was \(ratios.suffix(5))")
  }

  @Test(arguments: VideoCodecFactory.encodable) func aRequestedKeyframeIsTheVeryNextFrame(codec: Codec) throws {
    let encoder = try VideoCodecFactory.encoder(
      for: codec, settings: VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(500)))
    for index in 0..<30 {
      let wanted = index == 7 || index == 8 || index == 21
      let frame = try encoder.encode(TestPicture.frame(index, width: 320, height: 180), forceKeyframe: wanted)
      if wanted {
        let frame = try #require(frame)
        #expect(frame.isKeyframe)
        // A receiver that begins here sees a picture.
        #expect(try VideoCodecFactory.decoder(for: codec).decode(frame) != nil)
      } else if index > 0 {
        #expect(frame?.isKeyframe != true)
      }
    }
  }

  @Test(arguments: VideoCodecFactory.encodable) func aKeyframeComesEvenWhenTheRateIsUsedUp(codec: Codec) throws {
    let encoder = try VideoCodecFactory.encoder(
      for: codec, settings: VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(40)))
    var dropped = 0
    for index in 0..<24 {
      let wanted = index % 6 == 5
      let frame = try encoder.encode(TestPicture.noise(index, width: 320, height: 180), forceKeyframe: wanted)
      if frame == nil { dropped += 1 }
      if wanted { #expect(try #require(frame).isKeyframe) }
    }
    #expect(dropped > 0, "the rate was meant to be used up")
  }

  @Test(arguments: VideoCodecFactory.encodable) func aNewBitrateIsFollowedWithinASecond(codec: Codec) throws {
    let encoder = try VideoCodecFactory.encoder(
      for: codec, settings: VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(800)))
    var index = 0
    func bits(frames: Int) throws -> Int {
      var sum = 0
      for _ in 0..<frames {
        sum +=
          try encoder.encode(TestPicture.grainy(index, width: 320, height: 180), forceKeyframe: false)?.data.count ?? 0
        index += 1
      }
      return sum * 8 * 30 / frames
    }
    _ = try bits(frames: 60)
    for kilobits in [300, 700, 200] {
      encoder.settings.bitrate = .kilobits(Int64(kilobits))
      _ = try bits(frames: 10)
      let rate = try bits(frames: 30)
      #expect(abs(rate - kilobits * 1_000) <= kilobits * 300, "\(rate) instead of \(kilobits) kb/s")
    }
  }

  @Test(arguments: VideoCodecFactory.encodable) func aNewFrameRateIsPlannedFor(codec: Codec) throws {
    let encoder = try VideoCodecFactory.encoder(
      for: codec, settings: VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(300)))
    for index in 0..<30 {
      _ = try encoder.encode(TestPicture.grainy(index, width: 320, height: 180), forceKeyframe: false)
    }
    encoder.settings.framesPerSecond = 10
    var sum = 0
    for index in 0..<30 {
      let frame = TestPicture.grainy(30 + 3 * index, width: 320, height: 180)
      let encoded = try encoder.encode(frame, forceKeyframe: false)
      if index >= 10 { sum += encoded?.data.count ?? 0 }
    }
    let rate = sum * 8 / 2
    #expect(abs(rate - 300_000) <= 90_000, "\(rate) instead of 300 kb/s")
  }

  @Test(arguments: VideoCodecFactory.encodable) func aNewSizeBeginsWithAKeyframeOfThatSize(codec: Codec) throws {
    let encoder = try VideoCodecFactory.encoder(
      for: codec, settings: VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(500)))
    let decoder = try VideoCodecFactory.decoder(for: codec)
    for (round, size) in [(320, 180), (640, 360), (160, 90), (80, 46), (642, 362), (320, 180)].enumerated() {
      encoder.settings.width = size.0
      encoder.settings.height = size.1
      for step in 0..<3 {
        // The source stays as large as it was: frames are scaled.
        let source = TestPicture.frame(round * 3 + step, width: 640, height: 360)
        guard let frame = try encoder.encode(source, forceKeyframe: false) else {
          #expect(step > 0)
          continue
        }
        #expect(frame.isKeyframe == (step == 0))
        #expect(frame.width == size.0 && frame.height == size.1)
        let picture = try #require(try decoder.decode(frame))
        #expect(picture.width == size.0 && picture.height == size.1)
        let ratio = try #require(picture.peakSignalToNoiseRatio(to: source.scaled(width: size.0, height: size.1)))
        #expect(ratio > 24)
      }
    }
  }

  @Test(arguments: VideoCodecFactory.encodable) func oddSizesAreEncoded(codec: Codec) throws {
    let encoder = try VideoCodecFactory.encoder(
      for: codec, settings: VideoEncoderSettings(width: 81, height: 45, bitrate: .kilobits(200)))
    let source = TestPicture.frame(0, width: 320, height: 180)
    let frame = try #require(try encoder.encode(source, forceKeyframe: false))
    let picture = try #require(try VideoCodecFactory.decoder(for: codec).decode(frame))
    #expect(picture.width == frame.width && picture.height == frame.height)
    #expect(frame.width == (codec == .h264 ? 80 : 81) && frame.height == (codec == .h264 ? 44 : 45))
  }

  @Test(arguments: VideoCodecFactory.encodable, [2, 3]) func upperTemporalLayersCanBeLeftOut(codec: Codec, layers: Int)
    throws
  {
    let encoder = try VideoCodecFactory.encoder(
      for: codec,
      settings: VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(900), temporalLayers: layers))
    let decoder = try VideoCodecFactory.decoder(for: codec)
    var seen: Set<UInt8> = []
    for index in 0..<32 {
      let source = TestPicture.frame(index, width: 320, height: 180)
      guard let frame = try encoder.encode(source, forceKeyframe: index == 13) else { continue }
      seen.insert(frame.temporalID)
      #expect(frame.isReference == (Int(frame.temporalID) < layers - 1))
      guard frame.temporalID == 0 else { continue }
      let picture = try #require(try decoder.decode(frame))
      #expect(try #require(picture.peakSignalToNoiseRatio(to: source)) > 27)
    }
    #expect(seen == Set((0..<layers).map(UInt8.init)))
  }

  @Test(arguments: [Codec.vp8, .vp9], [2, 3]) func leftOutTemporalLayersComeBackWhereTheirFramesSaySo(
    codec: Codec, layers: Int
  ) throws {
    let encoder = try VideoCodecFactory.encoder(
      for: codec,
      settings: VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(900), temporalLayers: layers))
    // One gets everything, the other the lowest layer at first and more as soon as the rules of its codec let it.
    let (whole, late) = (try VideoCodecFactory.decoder(for: codec), try VideoCodecFactory.decoder(for: codec))
    var current: UInt8 = 0
    var steps: [Int] = []
    var seen: Set<UInt8> = []
    for index in 0..<48 {
      guard let frame = try encoder.encode(TestPicture.frame(index, width: 320, height: 180), forceKeyframe: false)
      else { continue }
      let expected = try #require(try whole.decode(frame))
      if index >= 18, current < UInt8(layers - 1) {
        if codec == .vp8, frame.isLayerSync, frame.temporalID == current + 1 {
          current = frame.temporalID
          steps.append(index)
        } else if codec == .vp9, frame.isLayerSync, frame.temporalID <= current {
          current = UInt8(layers - 1)
          steps.append(index)
        }
      }
      guard frame.temporalID <= current else { continue }
      if index >= 18 { seen.insert(frame.temporalID) }
      let picture = try #require(try late.decode(frame))
      #expect(
        try #require(picture.peakSignalToNoiseRatio(to: expected)) > 100,
        "picture \(index) of layer \(frame.temporalID)")
    }
    #expect(Int(current) == layers - 1 && seen == Set((0..<layers).map(UInt8.init)))
    #expect((steps.last ?? 99) < 18 + 10, "steps at \(steps)")
  }

  @Test(arguments: VideoCodecFactory.encodable) func screensAreEncoded(codec: Codec) throws {
    let encoder = try VideoCodecFactory.encoder(
      for: codec,
      settings: VideoEncoderSettings(
        width: 640, height: 360, framesPerSecond: 5, bitrate: .kilobits(800), isScreen: true))
    let decoder = try VideoCodecFactory.decoder(for: codec)
    for index in 0..<5 {
      let source = TestPicture.frame(6 * index, width: 640, height: 360)
      guard let frame = try encoder.encode(source, forceKeyframe: false) else { continue }
      #expect(try #require(try decoder.decode(frame)?.peakSignalToNoiseRatio(to: source)) > 26)
    }
  }

  @Test(arguments: VideoCodecFactory.encodable) func impossibleSettingsAreRefusedInWords(codec: Codec) {
    for settings in [
      VideoEncoderSettings(width: 0, height: 180, bitrate: .kilobits(500)),
      VideoEncoderSettings(width: 320, height: -1, bitrate: .kilobits(500)),
      VideoEncoderSettings(width: 8_192, height: 8_192, bitrate: .kilobits(500)),
      VideoEncoderSettings(width: .max, height: .max, bitrate: .kilobits(500)),
      VideoEncoderSettings(width: 320, height: 180, framesPerSecond: 0, bitrate: .kilobits(500)),
      VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(500), temporalLayers: 4),
    ] {
      #expect { try VideoCodecFactory.encoder(for: codec, settings: settings) } throws: { error in
        if case .invalid = error as? MediaError { true } else { false }
      }
    }
  }

  @Test(arguments: VideoCodecFactory.encodable) func badSettingsInFlightAreAnErrorAndGoodOnesGoOn(codec: Codec) throws {
    let good = VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(500))
    let encoder = try VideoCodecFactory.encoder(for: codec, settings: good)
    let source = TestPicture.frame(0, width: 320, height: 180)
    _ = try encoder.encode(source, forceKeyframe: false)
    encoder.settings.width = 0
    #expect(throws: MediaError.self) { try encoder.encode(source, forceKeyframe: false) }
    encoder.settings = good
    encoder.settings.framesPerSecond = 0
    #expect(throws: MediaError.self) { try encoder.encode(source, forceKeyframe: false) }
    encoder.settings = good
    #expect(try encoder.encode(source.with(time: .milliseconds(6_000)), forceKeyframe: false)?.isKeyframe == true)
  }

  @Test func codecsThatCannotBeMadeAreATypedError() {
    let settings = VideoEncoderSettings(width: 320, height: 180, bitrate: .kilobits(500))
    for codec in Codec.allCases where !VideoCodecFactory.encodable.contains(codec) {
      #expect { try VideoCodecFactory.encoder(for: codec, settings: settings) } throws: { error in
        if case .missingComponent = error as? MediaError { true } else { false }
      }
    }
    for codec in Codec.allCases where !VideoCodecFactory.decodable.contains(codec) {
      #expect(throws: MediaError.self) { try VideoCodecFactory.decoder(for: codec) }
    }
  }

  @Test func h264PromisesConstrainedBaselineAndSendsItsParameterSetsWithEveryKeyframe() throws {
    let encoder = try H264Encoder(VideoEncoderSettings(width: 1_280, height: 720, bitrate: .kilobits(1_500)))
    for index in 0..<6 {
      let source = TestPicture.frame(index, width: 1_280, height: 720)
      guard let frame = try encoder.encode(source, forceKeyframe: index == 3) else { continue }
      var kinds: [UInt8] = []
      for position in 4..<frame.data.count where frame.data[(position - 4)..<position].elementsEqual([0, 0, 0, 1]) {
        kinds.append(frame.data[position] & 0x1F)
        if kinds.last == 7 {
          // profile_idc 66 with constraint_set1_flag, level 3.1 (RFC 6184 section 8.1).
          #expect(frame.data[position + 1] == 66)
          #expect(frame.data[position + 2] & 0x40 != 0)
          #expect(frame.data[position + 3] == 31)
        }
      }
      #expect(kinds == (index % 3 == 0 ? [7, 8, 5] : [1]))
    }
  }
}
