import Parley

/// Mixes the audio of several sessions: each gives 10 ms at a time on a clock of its own, and the device takes one
/// stream.
///
/// One session sets the pace; the audio of the others waits for it, up to ``patience`` pieces. A session that gives no
/// more loses the pace to the next that is kept waiting.
struct SessionMix {
  /// The most pieces of 10 ms that wait for the session that sets the pace.
  static let patience = 5

  private var leader: ObjectIdentifier?
  private var waiting: [ObjectIdentifier: [AudioFrame]] = [:]

  /// Takes the next 10 ms of a session. Returns what is to be played now, or nil while another session sets the pace.
  mutating func add(_ frame: AudioFrame, of session: ObjectIdentifier) -> AudioFrame? {
    if leader == nil { leader = session }
    waiting[session, default: []].append(frame)
    if let count = waiting[session]?.count, count > Self.patience { leader = session }
    guard leader == session else { return nil }
    var mixed: AudioFrame?
    for id in waiting.keys.sorted(by: { $0.hashValue < $1.hashValue }) {
      guard let next = waiting[id]?.first else { continue }
      waiting[id]?.removeFirst()
      mixed = mixed.map { Self.sum($0, next) } ?? next
    }
    return mixed
  }

  /// A session has ended.
  mutating func remove(_ session: ObjectIdentifier) {
    waiting[session] = nil
    if leader == session { leader = nil }
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
