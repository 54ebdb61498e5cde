import Basics
import FoundationEssentials
import Meetings
import Signaling

/// How the connections of those who are in meetings were judged in the last minutes: one sample every few seconds, a
/// bounded number for each participant.
actor QualityHistory {
  /// Seconds between two samples.
  static let interval = 5
  /// The most samples of a participant: ten minutes.
  static let maximumSamples = 120

  private struct Line {
    var current: ConnectionQuality?
    /// 0 for not known, else 1 for lost to 4 for excellent; the newest last.
    var samples: [UInt8] = []
  }

  private var lines: [MeetingID: [String: Line]] = [:]
  private var sampledAt = Date(timeIntervalSince1970: 0)

  func take(_ events: [RoomEvent]) {
    for event in events {
      switch event.kind {
      case .participantJoined(let person): lines[event.meeting, default: [:]][person.id] = Line()
      case .participantLeft(let person, _): lines[event.meeting]?[person.id] = nil
      case .meetingEnded: lines[event.meeting] = nil
      case .quality(let changed):
        for (id, quality) in changed { lines[event.meeting]?[id]?.current = quality }
      default: break
      }
    }
  }

  /// Adds a sample for everybody.
  func sample(at now: Date) {
    sampledAt = now
    for meeting in lines.keys {
      guard let ids = lines[meeting]?.keys else { continue }
      for id in ids {
        let code: UInt8 =
          switch lines[meeting]?[id]?.current {
          case .excellent: 4
          case .good: 3
          case .poor: 2
          case .lost: 1
          case nil: 0
          }
        if lines[meeting]?[id]?.samples.count ?? 0 >= Self.maximumSamples {
          lines[meeting]?[id]?.samples.removeFirst()
        }
        lines[meeting]?[id]?.samples.append(code)
      }
    }
  }

  /// A participant's samples with their times, the oldest first.
  func samples(of participant: String, in meeting: MeetingID) -> [(time: Date, quality: ConnectionQuality?)] {
    guard let line = lines[meeting]?[participant] else { return [] }
    let count = line.samples.count
    return line.samples.enumerated().map { index, code in
      let quality: ConnectionQuality? =
        switch code {
        case 4: .excellent
        case 3: .good
        case 2: .poor
        case 1: .lost
        default: nil
        }
      return (sampledAt - Double((count - 1 - index) * Self.interval), quality)
    }
  }

  /// Samples until the task is cancelled.
  func run() async {
    while (try? await Task.sleep(for: .seconds(Self.interval))) != nil { sample(at: Date()) }
  }
}
