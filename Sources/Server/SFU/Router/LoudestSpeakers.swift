public import Basics

/// Chooses the few voices of a meeting that are forwarded at all, from the levels that come with audio packets (RFC
/// 6464).
///
/// A participant who begins to speak gets a place with the second packet that is audible, as long as a place is free or
/// held by somebody who has been silent for ``hold``; so a talker is heard within a few packets. While everybody with a
/// place speaks, a new speaker must be clearly louder for a while. A place is kept through pauses, and nobody loses one
/// within ``stay`` of getting it: however people talk, places change hands at most once a second each.
///
/// A packet of somebody silent costs a few operations; an audible one a walk over the places.
public struct LoudestSpeakers: Sendable {
  /// The outcome of a packet.
  public enum Change: Sendable, Hashable {
    case none
    /// Somebody became audible, who has a place or not.
    case onset
    case places
  }

  /// How long somebody who fell silent keeps a place that others want.
  public static let hold = TimeSpan.seconds(1)
  /// How long a new place is safe.
  public static let stay = TimeSpan.seconds(1)
  /// How many decibels louder a new speaker must be on average than the quietest speaker with a place…
  static let margin: Int32 = 6
  static let challenge = TimeSpan.milliseconds(300)
  /// A voice counts as audible this long after a packet or report that was.
  static let audibleFor = TimeSpan.milliseconds(150)
  /// The level assumed for a packet without one, in decibels below full scale: audible, but quieter than speech.
  static let assumedLevel: UInt8 = 52
  public static let maximum = 8

  private struct Voice: Sendable {
    var isPresent = true
    /// Loudness 0 to 127 in 1/256: the last two or three packets…
    var loudness: Int32 = 0
    /// …and the last half second.
    var average: Int32 = 0
    /// Audible packets in a row.
    var run: UInt8 = 0
    var lastAudible = Instant(nanoseconds: .min / 2)
    var hasPlace = false
    var placedAt = Instant.zero
    /// Since when it is louder than somebody with a place; `distantFuture` when it is not.
    var louderSince = Instant.distantFuture
  }

  /// How many places there are.
  public let places: Int
  /// Holders of the places, in the order of getting them.
  public private(set) var chosen: ContiguousArray<Int> = []
  private var voices: ContiguousArray<Voice> = []

  /// No voices; `places` is 1 to 8.
  public init(places: Int) { self.places = min(max(places, 1), Self.maximum) }

  /// Adds a voice under a number of the caller's, small and 0 or more.
  public mutating func add(voice: Int) {
    while voices.count <= voice { voices.append(Voice(isPresent: false)) }
    voices[voice] = Voice()
  }

  /// Forgets a voice; true when it had a place.
  public mutating func remove(voice: Int) -> Bool {
    guard voices.indices.contains(voice) else { return false }
    let had = silence(voice: voice)
    voices[voice].isPresent = false
    return had
  }

  /// The voice can say nothing for now (it is muted) and loses its place; true when it had one.
  public mutating func silence(voice: Int) -> Bool {
    guard voices.indices.contains(voice) else { return false }
    let had = voices[voice].hasPlace
    voices[voice] = Voice(isPresent: voices[voice].isPresent)
    if had { chosen.removeAll { $0 == voice } }
    return had
  }

  /// Whether the voice has a place.
  @inline(__always)
  public func isChosen(_ voice: Int) -> Bool { voices.indices.contains(voice) && voices[voice].hasPlace }

  /// Whether the voice was audible a moment ago.
  func isAudible(_ voice: Int, now: Instant) -> Bool {
    voices.indices.contains(voice) && now - voices[voice].lastAudible <= Self.audibleFor
  }

  /// A voice's report to other routers: its loudness now and on average, 0 to 127.
  func report(of voice: Int) -> (loudness: UInt8, average: UInt8) {
    guard voices.indices.contains(voice) else { return (0, 0) }
    return (
      UInt8(truncatingIfNeeded: voices[voice].loudness >> 8), UInt8(truncatingIfNeeded: voices[voice].average >> 8)
    )
  }

  /// An audio packet came: `level` is the low seven bits of RFC 6464, decibels below full scale.
  @inline(__always)
  public mutating func heard(voice: Int, level: UInt8, payloadLength: Int, now: Instant) -> Change {
    guard voices.indices.contains(voice), voices[voice].isPresent else { return .none }
    let below = Int32(min(level & 0x7F, 127))
    let raw: Int32 = payloadLength <= ActiveSpeakers.silentPayload ? 0 : 127 &- below
    let old = voices[voice].loudness
    let new = raw << 8
    voices[voice].loudness = new > old ? old &+ (new &- old) &* 2 / 3 : old &+ (new &- old) / 8
    voices[voice].average &+= (new &- voices[voice].average) / 16
    guard raw >= Int32(ActiveSpeakers.audible) else {
      voices[voice].run = 0
      // The end of a word: what is still loud enough on average counts as speech.
      if voices[voice].loudness >> 8 >= Int32(ActiveSpeakers.audible) { voices[voice].lastAudible = now }
      return .none
    }
    voices[voice].run = min(voices[voice].run &+ 1, 200)
    // One loud packet is a click.
    guard voices[voice].run >= 2, voices[voice].loudness >> 8 >= Int32(ActiveSpeakers.audible) else { return .none }
    return audible(voice, now)
  }

  /// Another router says that a voice is audible there.
  public mutating func reported(voice: Int, loudness: UInt8, average: UInt8, now: Instant) -> Change {
    guard voices.indices.contains(voice), voices[voice].isPresent else { return .none }
    voices[voice].loudness = Int32(min(loudness, 127)) << 8
    voices[voice].average = Int32(min(average, 127)) << 8
    return audible(voice, now)
  }

  private mutating func audible(_ voice: Int, _ now: Instant) -> Change {
    let isOnset = now - voices[voice].lastAudible > Self.audibleFor
    voices[voice].lastAudible = now
    if !voices[voice].hasPlace, takePlace(voice, now) { return .places }
    return isOnset ? .onset : .none
  }

  private mutating func takePlace(_ voice: Int, _ now: Instant) -> Bool {
    if chosen.count < places {
      enter(voice, now)
      return true
    }
    var silent = -1
    var quietest = -1
    for other in chosen {
      if now - voices[other].placedAt < Self.stay { continue }
      if now - voices[other].lastAudible >= Self.hold {
        if silent < 0 || voices[other].lastAudible < voices[silent].lastAudible { silent = other }
      } else if quietest < 0 || voices[other].average < voices[quietest].average {
        quietest = other
      }
    }
    if silent >= 0 {
      replace(silent, by: voice, now)
      return true
    }
    guard quietest >= 0, voices[voice].average >= voices[quietest].average &+ Self.margin << 8 else {
      voices[voice].louderSince = .distantFuture
      return false
    }
    voices[voice].louderSince = min(voices[voice].louderSince, now)
    guard now - voices[voice].louderSince >= Self.challenge else { return false }
    replace(quietest, by: voice, now)
    return true
  }

  private mutating func replace(_ old: Int, by voice: Int, _ now: Instant) {
    voices[old].hasPlace = false
    voices[old].louderSince = .distantFuture
    chosen.removeAll { $0 == old }
    enter(voice, now)
  }

  private mutating func enter(_ voice: Int, _ now: Instant) {
    voices[voice].hasPlace = true
    voices[voice].placedAt = now
    voices[voice].louderSince = .distantFuture
    chosen.append(voice)
  }
}
