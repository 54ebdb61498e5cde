import Media

/// Mixes the audio of several meetings: each gives 10 ms at a time on a clock of its own, and the device takes one
/// stream.
///
/// One meeting sets the pace; the audio of the others waits for it, up to ``patience`` pieces. A meeting that gives no
/// more loses the pace to the next that is kept waiting.
struct MeetingAudioMix {
  /// The most pieces of 10 ms that wait for the meeting that sets the pace.
  static let patience = 5

  private var leader: ObjectIdentifier?
  private var waiting: [ObjectIdentifier: [AudioFrame]] = [:]

  /// Adds the next 10 ms of a meeting. Returns what is to be played now, or nil while another meeting sets the pace.
  mutating func add(_ frame: AudioFrame, of meeting: ObjectIdentifier) -> AudioFrame? {
    if leader == nil { leader = meeting }
    waiting[meeting, default: []].append(frame)
    if let count = waiting[meeting]?.count, count > Self.patience { leader = meeting }
    guard leader == meeting else { return nil }
    var mixed: AudioFrame?
    for id in waiting.keys.sorted(by: { $0.hashValue < $1.hashValue }) {
      guard let next = waiting[id]?.first else { continue }
      waiting[id]?.removeFirst()
      mixed = mixed.map { Self.sum($0, next) } ?? next
    }
    return mixed
  }

  /// A meeting has ended.
  mutating func remove(_ meeting: ObjectIdentifier) {
    waiting[meeting] = nil
    if leader == meeting { leader = nil }
  }

  private static func sum(_ a: AudioFrame, _ b: AudioFrame) -> AudioFrame {
    guard a.channels == b.channels, a.samples.count == b.samples.count else { return a }
    var sum = a
    for index in sum.samples.indices {
      sum.samples[index] = Int16(clamping: Int32(a.samples[index]) + Int32(b.samples[index]))
    }
    return sum
  }
}
