public import Basics

/// Finds out who speaks from the levels that come with the audio packets (RFC 6464), and reports it when it changes.
///
/// A level is what the sender claims, so one packet says little: levels are clamped and smoothed, a loud packet without
/// sound in it counts as silence, a newcomer must be clearly louder than who leads to take the lead, and reports come
/// at most five times a second. Somebody who claims full scale forever can be first, but cannot make the list flap.
public struct ActiveSpeakers: Sendable {
  /// One participant who speaks.
  public struct Speaker: Sendable, Hashable {
    /// The router's number for the participant.
    public var participant: Int
    /// How loud, 0 to 1, in steps of a tenth.
    public var level: Double
  }

  /// Shortest time between two reports.
  public static let interval = TimeSpan.milliseconds(200)
  /// Most speakers in a report.
  public static let maximum = 5
  /// Below this smoothed loudness (of 127) somebody is silent: about -55 dBov.
  static let audible = 72
  /// How much louder (in decibels, smoothed) somebody must be to overtake the leader…
  static let margin = 6
  /// …unless that lasts this long.
  static let overtake = TimeSpan.milliseconds(600)
  /// A payload of at most this many bytes is comfort noise (RFC 7587 section 3.1.3), whatever its level says.
  static let silentPayload = 3

  /// The smoothed loudness of one participant.
  private struct Voice: Sendable {
    var participant: Int
    /// Loudness 0 (silence) to 127 (full scale), in 1/256.
    var smoothed: Int32 = 0
    var lastPacket = Instant.zero
    var speaking = false
  }

  private var voices: ContiguousArray<Voice> = []
  private var leader = -1
  private var challenger = -1
  private var challengedAt = Instant.zero
  private var lastReport: Instant?
  private var reported: ContiguousArray<Speaker> = []
  /// Memory for the list that is compared with it.
  private var speaking: ContiguousArray<Speaker> = []
  /// When ``poll(now:)`` should be called next. Kept, since working it out would copy all of this for who asks.
  public private(set) var deadline = Instant.distantFuture

  public init() {
    reported.reserveCapacity(Self.maximum)
    speaking.reserveCapacity(Self.maximum)
  }

  /// Adds a participant whose loudness is followed; the number returned is for
  /// ``heard(voice:level:payloadLength:now:)``.
  public mutating func add(participant: Int) -> Int {
    if let free = voices.firstIndex(where: { $0.participant < 0 }) {
      voices[free] = Voice(participant: participant)
      return free
    }
    voices.append(Voice(participant: participant))
    return voices.count - 1
  }

  public mutating func remove(voice: Int) {
    guard voices.indices.contains(voice) else { return }
    voices[voice] = Voice(participant: -1)
  }

  /// An audio packet came: `level` is the low seven bits of RFC 6464, decibels below full scale.
  public mutating func heard(voice: Int, level: UInt8, payloadLength: Int, now: Instant) {
    guard voices.indices.contains(voice) else { return }
    let below = Int32(min(level & 0x7F, 127))
    let loudness = payloadLength <= Self.silentPayload ? 0 : (127 - below) << 8
    let old = voices[voice].smoothed
    // Rises within about 100 ms of packets, falls within about 400 ms.
    let step = loudness > old ? (loudness - old) / 5 : (loudness - old) / 20
    voices[voice].smoothed = old + (step == 0 ? (loudness - old).signum() : step)
    voices[voice].lastPacket = now
    pollAgain()
  }

  /// Another router says how loud a voice is there, smoothed, 0 to 127.
  mutating func reported(voice: Int, loudness: UInt8, now: Instant) {
    guard voices.indices.contains(voice) else { return }
    voices[voice].smoothed = Int32(min(loudness, 127)) << 8
    voices[voice].lastPacket = now
    pollAgain()
  }

  /// The smoothed loudness of a voice, 0 to 127.
  func loudness(of voice: Int) -> UInt8 {
    voices.indices.contains(voice) ? UInt8(truncatingIfNeeded: voices[voice].smoothed >> 8) : 0
  }

  /// Something is heard that the next report may tell.
  private mutating func pollAgain() { deadline = lastReport.map { $0 + Self.interval } ?? .zero }

  /// The speakers, loudest first, when they differ from the last report; nil when they do not, or it is too early.
  public mutating func poll(now: Instant) -> ContiguousArray<Speaker>? {
    guard deadline <= now else { return nil }
    lastReport = now
    deadline = .distantFuture
    for index in voices.indices {
      let silentFor = now - voices[index].lastPacket
      if silentFor > .milliseconds(400) { voices[index].smoothed = voices[index].smoothed / 2 }
      let loudness = Int(voices[index].smoothed >> 8)
      // Somebody who speaks is kept a little below the threshold, so that a word's end does not flicker.
      voices[index].speaking =
        voices[index].participant >= 0
        && loudness >= (voices[index].speaking ? Self.audible - 10 : Self.audible)
      if voices[index].speaking || voices[index].smoothed > 0 { pollAgain() }
    }
    chooseLeader(now)
    list()
    guard speaking != reported else { return nil }
    swap(&speaking, &reported)
    return reported
  }

  private mutating func chooseLeader(_ now: Instant) {
    var loudest = -1
    for index in voices.indices where voices[index].speaking {
      if loudest < 0 || voices[index].smoothed > voices[loudest].smoothed { loudest = index }
    }
    guard voices.indices.contains(leader), voices[leader].speaking, loudest >= 0, loudest != leader else {
      leader = loudest
      challenger = -1
      return
    }
    if challenger != loudest {
      challenger = loudest
      challengedAt = now
    }
    let lead = Int(voices[loudest].smoothed - voices[leader].smoothed) >> 8
    guard lead >= Self.margin || (lead > 0 && now - challengedAt >= Self.overtake) else { return }
    guard now - challengedAt >= Self.interval else { return }
    leader = loudest
    challenger = -1
  }

  /// Puts who speaks into ``speaking``, the leader first and then the loudest. It is asked five times a second for as
  /// long as anybody speaks, and allocates nothing.
  private mutating func list() {
    speaking.removeAll(keepingCapacity: true)
    if voices.indices.contains(leader) { append(leader) }
    while speaking.count < Self.maximum {
      var next = -1
      for index in voices.indices where voices[index].speaking && !isListed(voices[index].participant) {
        // Ties and small differences keep the order of joining.
        if next < 0 || voices[index].smoothed >> 11 > voices[next].smoothed >> 11 { next = index }
      }
      guard next >= 0 else { return }
      append(next)
    }
  }

  private mutating func append(_ voice: Int) {
    let level = (Double(voices[voice].smoothed >> 8) / 12.7).rounded() / 10
    speaking.append(Speaker(participant: voices[voice].participant, level: min(level, 1)))
  }

  private func isListed(_ participant: Int) -> Bool {
    for speaker in speaking where speaker.participant == participant { return true }
    return false
  }
}
