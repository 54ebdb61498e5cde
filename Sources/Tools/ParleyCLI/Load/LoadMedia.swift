import Basics
import Glibc
import Media
import Parley

/// The media of a load run's publishers: made once, sent by all.
struct LoadMedia: Sendable {
  let video: EncodedLoop?
  let audio: EncodedLoop

  /// Encodes four seconds of a test video and of a tone.
  static func make(bitrate: DataRate, video: Bool) throws -> LoadMedia {
    LoadMedia(video: video ? try picture(bitrate) : nil, audio: try tone())
  }

  private static func picture(_ bitrate: DataRate) throws -> EncodedLoop {
    let settings = VideoEncoderSettings(width: 640, height: 360, framesPerSecond: 25, bitrate: bitrate)
    let encoder = try VideoCodecFactory.encoder(for: .vp8, settings: settings)
    let painter = TestPictureSource(width: 640, height: 360)
    var frames: [EncodedFrame] = []
    for index in 0..<100 {
      let time = Instant.zero + .milliseconds(Int64(index) * 40)
      guard var frame = try encoder.encode(painter.frame(at: time), forceKeyframe: index == 0) else { continue }
      frame.time = time
      frames.append(frame)
    }
    guard let loop = EncodedLoop(frames, duration: .seconds(4)) else {
      throw MediaError.encoderFailed("VP8", reason: "it gave no keyframe first")
    }
    return loop
  }

  private static func tone() throws -> EncodedLoop {
    let encoder = try OpusEncoder()
    var frames: [EncodedFrame] = []
    for index in 0..<400 {
      let samples = (0..<480).map { sample in
        Int16(8_000 * sin(2 * .pi * 440 * Double(index * 480 + sample) / 48_000))
      }
      let time = Instant.zero + .milliseconds(Int64(index) * 10)
      if let packet = try encoder.encode(AudioFrame(samples: samples, time: time)) { frames.append(packet) }
    }
    guard let loop = EncodedLoop(frames, duration: .seconds(4)) else {
      throw MediaError.encoderFailed("Opus", reason: "it gave no packets")
    }
    return loop
  }
}
