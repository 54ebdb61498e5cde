import Basics
import Media
@testable import Parley
import RTC

/// Pictures and sound that every simulated call sends, drawn once.
enum TestMedia {
  /// The length of the loop of sound.
  static let seconds: Int64 = 10

  /// Half a second of moving pictures, to be shown forth and back. Painted small, since painting in a debug build takes
  /// longer than anything else here.
  static let pictures: [VideoFrame] = {
    let source = TestPictureSource(.waves, width: 320, height: 180, framesPerSecond: 25)
    return (0..<13).compactMap {
      try? source.frame(at: .milliseconds(100_000 + $0 * 40)).scaled(width: 640, height: 360)
    }
  }()

  /// A voice without pauses between turns, 10 ms each.
  static let sound: [AudioFrame] =
    (try? ToneSource(frequency: 150, pattern: .babble(BabblePattern())).frames(Int(seconds) * 100, from: .seconds(100)))
    ?? []

  /// Picture `number` of the endless film.
  static func picture(_ number: Int) -> VideoFrame {
    let place = number % (2 * pictures.count - 2)
    return pictures[place < pictures.count ? place : 2 * pictures.count - 2 - place]
  }
}

extension Instant {
  static func seconds(_ seconds: Int64) -> Instant { .milliseconds(seconds * 1_000) }
}

/// Encodes the film with VP8 at 25 pictures a second, obeying what the sender allots as `VideoPublisher` does; in
/// virtual time.
// unchecked: a simulation runs on one thread.
final class SimulatedVideo: Publisher, @unchecked Sendable {
  struct Sent {
    var captured: Instant
    var data: [UInt8]
    var isKeyframe: Bool
    var timestamp: RTPTimestamp
  }

  static let interval = TimeSpan.milliseconds(40)

  let kind = MediaKind.video
  let rids: [RID] = []
  private(set) var sent: [Sent] = []
  private(set) var captured = 0
  private(set) var scale = 1.0
  private var encoder: VP8Encoder?
  private var bitrate = DataRate.kilobits(600)
  private var framesPerSecond = 25
  private var isPaused = false
  private var wantsKeyframe = true
  private var nextEncoded = Instant.zero
  var nextPicture: Instant

  init(start: Instant) { nextPicture = start }

  func codecs(outOf codecs: [Codec]) -> [Codec] { [.vp8] }
  func parameters(_ rid: RID?) -> EncodingParameters { .video(width: 640, height: 360, framerate: 25) }
  func start(onProblem: @escaping @Sendable (PublisherProblem) -> Void) throws(MediaError) {}
  func stop() {}
  func setMuted(_ muted: Bool) {}
  func attach(_ destination: PublisherDestination?) {}
  func requestKeyframe(_ rid: RID?) { wantsKeyframe = true }

  func apply(_ allocation: [StreamAllocation]) {
    guard let own = allocation.first else { return }
    if isPaused && !own.isPaused { wantsKeyframe = true }
    isPaused = own.isPaused
    bitrate = own.bitrate
    if own.framerate >= 1 { framesPerSecond = min(Int(own.framerate.rounded()), 25) }
    scale = own.scaleDown
  }

  /// The picture that is due, encoded; nil when there is none or the encoder leaves it out.
  func encode(_ now: Instant) throws -> EncodedFrame? {
    guard nextPicture <= now else { return nil }
    let time = nextPicture
    nextPicture = time + Self.interval
    let picture = TestMedia.picture(captured).with(time: time)
    captured += 1
    let interval = TimeSpan(nanoseconds: 1_000_000_000 / Int64(max(framesPerSecond, 1)))
    let slack = TimeSpan(nanoseconds: interval.nanoseconds / 4)
    guard !isPaused, time + slack >= nextEncoded || wantsKeyframe else { return nil }
    nextEncoded = (time > nextEncoded + interval ? time : nextEncoded) + interval
    func even(_ size: Double) -> Int { max(2, Int(size.rounded()) & ~1) }
    let settings = VideoEncoderSettings(
      width: even(640 / max(scale, 1)), height: even(360 / max(scale, 1)), framesPerSecond: framesPerSecond,
      bitrate: bitrate)
    let encoder = try self.encoder ?? VP8Encoder(settings)
    self.encoder = encoder
    if encoder.settings != settings { encoder.settings = settings }
    guard let frame = try encoder.encode(picture, forceKeyframe: wantsKeyframe) else { return nil }
    if frame.isKeyframe { wantsKeyframe = false }
    sent.append(Sent(captured: time, data: frame.data, isKeyframe: frame.isKeyframe, timestamp: frame.timestamp))
    return frame
  }
}

/// Encodes the voice with Opus, 20 ms a packet, as `AudioPublisher` does; in virtual time.
// unchecked: a simulation runs on one thread.
final class SimulatedAudio: Publisher, @unchecked Sendable {
  let kind = MediaKind.audio
  let rids: [RID] = []
  private(set) var packets = 0
  private let encoder: OpusEncoder
  /// The loss that the encoder's in-band FEC is ready for, in percent.
  var expectedLossPercent: Int { encoder.settings.expectedLossPercent }
  private var spoken = 0
  var nextSound: Instant

  init(start: Instant, usesCopies: Bool) throws {
    nextSound = start
    encoder = try OpusEncoder(AudioPublisher.settings(AudioOptions(forwardErrorCorrection: usesCopies)))
  }

  func codecs(outOf codecs: [Codec]) -> [Codec] { [.opus] }
  func parameters(_ rid: RID?) -> EncodingParameters {
    EncodingParameters(minimumBitrate: .kilobits(12), maximumBitrate: AudioOptions().bitrate)
  }
  func start(onProblem: @escaping @Sendable (PublisherProblem) -> Void) throws(MediaError) {}
  func stop() {}
  func setMuted(_ muted: Bool) {}
  func attach(_ destination: PublisherDestination?) {}
  func requestKeyframe(_ rid: RID?) {}
  func apply(_ allocation: [StreamAllocation]) {
    guard let own = allocation.first else { return }
    encoder.settings.bitrate = min(AudioOptions().bitrate, max(own.bitrate, .kilobits(8)))
  }
  func prepare(forLoss fraction: Double) {
    encoder.settings.expectedLossPercent = AudioPublisher.expectedLossPercent(fraction)
  }

  /// The frame that is due, encoded; nil when there is none.
  func encode(_ now: Instant) throws -> EncodedFrame? {
    while nextSound <= now {
      var sound = TestMedia.sound[spoken % TestMedia.sound.count]
      sound.time = nextSound
      spoken += 1
      nextSound = nextSound + .milliseconds(10)
      guard var packet = try encoder.encode(sound) else { continue }
      packets += 1
      packet.timestamp = RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: (packets - 1) * 960))
      return packet
    }
    return nil
  }
}
