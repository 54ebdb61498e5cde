import Basics
import Media
import NetworkEmulator
@testable import Parley
import RTC
@testable import SFU
import Signaling
import TestSeeds

/// The conditions of a call's network.
struct CallConditions {
  var name: String
  /// The network between the publisher and the server, to the server and back.
  var publisherUp = LinkConditions(delay: .milliseconds(20))
  var publisherDown = LinkConditions(delay: .milliseconds(20))
  /// The network between the server and the receiver, to the server and back.
  var receiverUp = LinkConditions(delay: .milliseconds(20))
  var receiverDown = LinkConditions(delay: .milliseconds(20))
  /// When the conditions above begin and end; before and after the network only delays. Nil: all the time.
  var phase: Range<TimeSpan>?
  /// How long the call lasts.
  var length = TimeSpan.seconds(60)
  var seed: UInt64 = 1
  /// Whether each packet of sound carries a rough copy of the one before.
  var usesCopies = true
  /// Whether the receiver takes sound with earlier sound in it (RED, RFC 2198), as the SDK and Chromium do.
  var takesRedundancy = true
  /// How long packets wait in the server for others to leave with; nil for not at all.
  var load: TimeSpan?
  /// The ends that encrypt: both do in an encrypted meeting.
  var encryption: CallEncryption = []
  /// The participant and source that the server names for the receiver's slots.
  var claimed: (participant: String, source: TrackSource) = ("publisher", .camera)

  /// The same, end-to-end encrypted.
  var encrypted: CallConditions {
    var other = self
    other.name += ", encrypted"
    other.encryption = .both
    return other
  }

  /// Loss of each packet on its own, in both directions of one participant's network.
  static func loss(_ share: Double, atReceiver: Bool = false) -> CallConditions {
    var conditions = CallConditions(
      name: "\(Int((share * 100).rounded())) % loss, \(atReceiver ? "receiver" : "publisher")", phase: bad)
    conditions.apply(LinkConditions(loss: .random(share), delay: .milliseconds(20)), atReceiver)
    return conditions
  }

  /// Delay of 20 to 80 ms in both directions of one participant's network, without overtaking.
  static func jitter(atReceiver: Bool = false) -> CallConditions {
    var conditions = CallConditions(
      name: "jitter ±30 ms, \(atReceiver ? "receiver" : "publisher")", phase: bad)
    conditions.apply(LinkConditions(delay: .milliseconds(20), jitter: .milliseconds(60)), atReceiver)
    return conditions
  }

  /// 300 kb/s from the publisher to the server with a queue of half a second, from the first packet on.
  static func bottleneck(loss: Double = 0) -> CallConditions {
    var conditions = CallConditions(name: "300 kb/s" + (loss > 0 ? " and \(Int(loss * 100)) % loss" : ""))
    conditions.publisherUp = LinkConditions(
      loss: loss > 0 ? .random(loss) : .none, delay: .milliseconds(20), capacity: .kilobits(300),
      queue: .time(.milliseconds(500)))
    return conditions
  }

  /// 300 kb/s in the middle of a call.
  static let narrowing: CallConditions = {
    var conditions = CallConditions(name: "300 kb/s in between", phase: bad)
    conditions.publisherUp = LinkConditions(
      delay: .milliseconds(20), capacity: .kilobits(300), queue: .time(.milliseconds(500)))
    return conditions
  }()

  /// Nothing passes for ten seconds.
  static func outage(atReceiver: Bool = false) -> CallConditions {
    var conditions = CallConditions(
      name: "10 s outage, \(atReceiver ? "receiver" : "publisher")", phase: .seconds(15)..<(.seconds(25)))
    conditions.apply(LinkConditions(loss: .random(1), delay: .milliseconds(20)), atReceiver)
    return conditions
  }

  /// When the network is bad by default: the estimate has settled before, and there is time to recover.
  static let bad = TimeSpan.seconds(15)..<TimeSpan.seconds(45)

  private mutating func apply(_ link: LinkConditions, _ atReceiver: Bool) {
    if atReceiver {
      (receiverUp, receiverDown) = (link, link)
    } else {
      (publisherUp, publisherDown) = (link, link)
    }
  }

  /// The same without copies in packets of sound.
  var withoutCopies: CallConditions {
    var other = self
    other.name += ", sound without copies"
    other.usesCopies = false
    return other
  }

  /// The same where the receiver takes no sound with earlier sound in it, as Firefox.
  var withoutRedundancy: CallConditions {
    var other = self
    other.name += ", receiver without RED"
    other.takesRedundancy = false
    return other
  }

  /// The same through a server that is fully loaded, where each packet waits as long as it may.
  var throughLoadedServer: CallConditions {
    var other = self
    other.name += ", loaded server"
    other.load = .milliseconds(5)
    return other
  }

  /// The same, shorter, for tests.
  func lasting(_ seconds: Int64, phase: Range<Int64>? = nil) -> CallConditions {
    var shorter = self
    shorter.length = .seconds(seconds)
    if let phase { shorter.phase = .seconds(phase.lowerBound)..<(.seconds(phase.upperBound)) }
    return shorter
  }
}

/// The ends of a call that encrypt.
struct CallEncryption: OptionSet {
  let rawValue: Int

  static let publisher = CallEncryption(rawValue: 1)
  static let receiver = CallEncryption(rawValue: 2)
  static let both: CallEncryption = [.publisher, .receiver]
  /// Nobody ever gets keys: signalling passes nothing on.
  static let withoutKeys = CallEncryption(rawValue: 4)
}

/// A publisher, a server and a receiver in virtual time: the SDK's sessions, real ICE, DTLS and SRTP, the server's
/// router, real codecs and jitter buffers, and emulated networks between them. Everything but keys and signatures
/// follows from the seed.
final class SimulatedCall {
  /// One picture as the receiver showed it.
  struct Shown {
    /// The number of the encoded frame.
    var index: Int
    /// When it is on screen.
    var time: Instant
    var delay: TimeSpan
  }

  struct NotConnected: Error {}

  static let origin = Instant.seconds(1_000)
  static let clientContext = context()
  static let serverContext = context()

  let conditions: CallConditions
  let server: SimulatedServer
  let publisher: SimulatedClient
  let receiver: SimulatedClient
  let keys = SimulatedKeys()
  let video: SimulatedVideo
  let audio: SimulatedAudio
  private(set) var now = SimulatedCall.origin
  /// The start of the media: both are connected.
  private(set) var started = Instant.zero

  private(set) var shown: [Shown] = []
  /// Frames given out whose bytes or predecessor are not what was sent.
  private(set) var broken = 0
  /// Frames that could not be decoded.
  private(set) var undecodable = 0
  private(set) var decodedPictures: [(index: Int, picture: VideoFrame)] = []
  var keepsPictures = false
  private(set) var audioGap = AudioGaps()

  private var videoMIDs: (from: MID, to: MID)
  private var audioMIDs: (from: MID, to: MID)
  private let decoder: VP8Decoder
  private var timestampOffset: UInt32?
  private var lastIndex: Int?
  private var queuedBefore = 0
  private var nextSample = Instant.distantFuture
  /// The server's knowledge of the path to the receiver, once a second.
  private(set) var paths: [BandwidthSnapshot] = []
  private let videoTrack = RemoteVideoTrack(onKeyframeNeeded: {}, onFirstFrame: {})
  private let audioTrack = RemoteAudioTrack(onListened: { _ in }, onFirstFrame: {})

  private static func context() -> DTLSContext {
    do {
      return try DTLSContext(certificate: .selfSigned(unixTime: UnixTime.now))
    } catch { preconditionFailure("\(error)") }
  }

  /// Sets the call up: both participants are connected and media flows when this returns.
  init(_ conditions: CallConditions) throws {
    var conditions = conditions
    conditions.seed = TestSeed.of(conditions.seed)
    self.conditions = conditions
    let now = self.now
    server = SimulatedServer(dtls: Self.serverContext, seed: conditions.seed)
    server.load = conditions.load
    let calm = LinkConditions(delay: .milliseconds(20))
    let isAlways = conditions.phase == nil
    let publisherPort = server.join(
      "publisher", address: TransportAddress(ip: IPAddress(v4: 0xC633_6402), port: 5_000),
      up: isAlways ? conditions.publisherUp : calm, down: isAlways ? conditions.publisherDown : calm, now: now)
    let receiverPort = server.join(
      "receiver", address: TransportAddress(ip: IPAddress(v4: 0xC633_6403), port: 5_001),
      up: isAlways ? conditions.receiverUp : calm, down: isAlways ? conditions.receiverDown : calm, now: now)
    var configuration = SessionConfiguration()
    configuration.audioSlots = 0
    configuration.videoSlots = 0
    configuration.keys = conditions.encryption.contains(.publisher) ? KeyRing() : nil
    publisher = SimulatedClient(
      publisherPort, dtls: Self.clientContext, configuration: configuration, seed: conditions.seed &+ 100)
    configuration.audioSlots = 1
    configuration.videoSlots = 1
    configuration.takesRedundancy = conditions.takesRedundancy
    configuration.keys = conditions.encryption.contains(.receiver) ? KeyRing() : nil
    receiver = SimulatedClient(
      receiverPort, dtls: Self.clientContext, configuration: configuration, seed: conditions.seed &+ 200)
    video = SimulatedVideo(start: .distantFuture)
    audio = try SimulatedAudio(start: .distantFuture, usesCopies: conditions.usesCopies)
    decoder = try VP8Decoder()

    let audioFrom = publisher.session.addTrack(
      .audio, codecs: [.opus], rids: [], publisher: audio, source: .microphone, now: now)
    let videoFrom = publisher.session.addTrack(
      .video, codecs: [.vp8], rids: [], publisher: video, source: .camera, now: now)
    guard let audioTo = receiver.session.slots.first(where: { $0.value is AudioSlot })?.key,
      let videoTo = receiver.session.slots.first(where: { $0.value is VideoSlot })?.key
    else { throw NotConnected() }
    for (name, client) in [("publisher", publisher), ("receiver", receiver)] {
      guard let encryption = client.session.encryption, !conditions.encryption.contains(.withoutKeys) else { continue }
      try keys.join(name, encryption.keys, client.session, now: now)
    }
    audioMIDs = (audioFrom, audioTo)
    videoMIDs = (videoFrom, videoTo)
    try connect()
  }

  private func connect() throws {
    for client in [publisher, receiver] {
      let offer = try client.session.createOffer(restartsIce: false).get()
      let answer = try server.answer(offer, of: client.port, now: now)
      try client.session.setAnswer(answer, connection: nil, now: now).get()
    }
    publisher.session.updateParameters(audioMIDs.from)
    publisher.session.updateParameters(videoMIDs.from)
    run(until: now + .seconds(10)) { self.publisher.session.peer.isConnected && self.receiver.session.peer.isConnected }
    guard publisher.session.peer.isConnected, receiver.session.peer.isConnected else { throw NotConnected() }

    guard let slot = receiver.session.slots[videoMIDs.to] as? VideoSlot,
      server.attach(videoMIDs.from, to: videoMIDs.to, of: receiver.port),
      server.attach(audioMIDs.from, to: audioMIDs.to, of: receiver.port)
    else { throw NotConnected() }
    receiver.session.show(
      mid: videoMIDs.to, in: videoTrack, participant: conditions.claimed.participant, source: conditions.claimed.source)
    receiver.session.play(mid: audioMIDs.to, in: audioTrack, participant: conditions.claimed.participant)
    receiver.session.setListened(true, mid: audioMIDs.to, now: now)
    slot.onFrame = { [unowned self] frame in show(frame) }
    started = now
    video.nextPicture = now
    audio.nextSound = now
    nextSample = now
    if let phase = conditions.phase {
      let calm = LinkConditions(delay: .milliseconds(20))
      for (port, up, down) in [
        (publisher.port, conditions.publisherUp, conditions.publisherDown),
        (receiver.port, conditions.receiverUp, conditions.receiverDown),
      ] {
        port.up.schedule(up, at: started + phase.lowerBound)
        port.up.schedule(calm, at: started + phase.upperBound)
        port.down.schedule(down, at: started + phase.lowerBound)
        port.down.schedule(calm, at: started + phase.upperBound)
      }
    }
  }

  /// Lets the whole call happen.
  @discardableResult
  func run() -> SimulatedCall {
    let settled = started + (conditions.phase?.lowerBound ?? .zero) + .seconds(10)
    if settled < started + conditions.length { run(until: settled) }
    queuedBefore = publisher.port.up.statistics.queueingDelays.count
    run(until: started + conditions.length)
    return self
  }

  /// Lets virtual time pass until `end`, or until `isDone`.
  func run(until end: Instant, _ isDone: () -> Bool = { false }) {
    keys.step(now)
    for client in [publisher, receiver] { client.step(now) }
    server.step(now)
    while !isDone() {
      var next = min(min(min(publisher.deadline, receiver.deadline), server.deadline), keys.deadline)
      next = min(next, min(min(video.nextPicture, audio.nextSound), nextSample))
      guard next < end else {
        now = end
        return
      }
      now = max(now, next)
      capture()
      let isNews = keys.step(now)
      for client in [publisher, receiver] where isNews || client.deadline <= now || client === publisher {
        client.step(now)
      }
      server.step(now)
      if nextSample <= now {
        nextSample = now + .milliseconds(10)
        if now - started >= .seconds(Int64(paths.count)) {
          paths.append(server.router.bandwidth(of: receiver.port.member))
        }
        sample()
      }
    }
  }

  private func capture() {
    if let frame = try? video.encode(now) { publisher.session.send(frame, mid: videoMIDs.from, rid: nil, now: now) }
    while let packet = try? audio.encode(now) {
      publisher.session.send(packet, mid: audioMIDs.from, rid: nil, now: now)
    }
  }

  // MARK: Output

  /// Handles a frame that the receiver gives to its decoder, and compares it with the encoded one. With one layer every
  /// frame refers to the one before it. So a frame is whole only when it is a keyframe or the one before was given out
  /// too.
  private func show(_ frame: EncodedFrame) {
    let offset =
      timestampOffset
      ?? video.sent.first { $0.data == frame.data }.map { frame.timestamp.rawValue &- $0.timestamp.rawValue }
    timestampOffset = offset
    let timestamp = frame.timestamp.rawValue &- (offset ?? 0)
    guard let index = video.sent.lastIndex(where: { $0.timestamp.rawValue == timestamp }),
      video.sent[index].data == frame.data, video.sent[index].isKeyframe || lastIndex == index - 1
    else {
      broken += 1
      return
    }
    lastIndex = index
    do {
      let picture = try decoder.decode(frame)
      if keepsPictures, let picture { decodedPictures.append((index, picture)) }
    } catch { undecodable += 1 }
    shown.append(Shown(index: index, time: frame.time, delay: frame.time - video.sent[index].captured))
  }

  private func sample() {
    guard let statistics = (receiver.session.slots[audioMIDs.to] as? AudioSlot)?.playout?.statistics else { return }
    audioGap.note(statistics, at: now)
  }

  /// How long packets waited in front of the publisher's bottleneck, without the first ten seconds.
  var queueFromTenthSecond: ArraySlice<TimeSpan> {
    publisher.port.up.statistics.queueingDelays.dropFirst(queuedBefore)
  }

  var videoStatistics: VideoJitterStatistics? {
    (receiver.session.slots[videoMIDs.to] as? VideoSlot)?.buffer.statistics
  }
  var sendStatistics: OutboundStreamStatistics? {
    publisher.session.sender.statistics().first { $0.mid == videoMIDs.from }
  }
}

/// The times of concealed audio.
struct AudioGaps {
  private(set) var samples: [(time: Instant, concealed: UInt64, recovered: UInt64)] = []
  private(set) var longest: UInt64 = 0
  private var run: UInt64 = 0
  private var last = AudioPlayoutStatistics()

  mutating func note(_ statistics: AudioPlayoutStatistics, at time: Instant) {
    let concealed = statistics.concealedSamples &- last.concealedSamples
    let all = statistics.totalSamplesReceived &- last.totalSamplesReceived
    run += concealed
    longest = max(longest, run)
    if all > concealed { run = 0 }
    last = statistics
    samples.append((time, statistics.concealedSamples, statistics.recoveredPackets))
  }

  /// Made-up sound between two times, in milliseconds.
  func concealed(from start: Instant, to end: Instant) -> Double {
    let before = samples.last { $0.time <= start }?.concealed ?? 0
    let after = samples.last { $0.time <= end }?.concealed ?? 0
    return Double(after - before) / 48
  }

  /// Packets decoded out of the copy in the next one.
  var recovered: UInt64 { samples.last?.recovered ?? 0 }
}
