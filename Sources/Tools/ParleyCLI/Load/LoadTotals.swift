import Basics
import Glibc
import Parley

/// The sums over all participants of a load run.
struct LoadTotals: Sendable {
  /// The counts of one participant for one publication. They start at zero with each subscription.
  struct Track: Sendable, Hashable {
    var packets: UInt64 = 0
    var bytes: UInt64 = 0
    var lost: Int64 = 0
    var frames: UInt64 = 0
    var freezes: UInt64 = 0

    /// The counts since `before`; all, when they started again since.
    func since(_ before: Track?) -> Track {
      guard let before, before.packets <= packets, before.bytes <= bytes else { return self }
      return Track(
        packets: packets - before.packets, bytes: bytes - before.bytes, lost: lost - before.lost,
        frames: frames - min(before.frames, frames), freezes: freezes - min(before.freezes, freezes))
    }
  }

  var time = MonotonicClock.now
  /// By who receives and what.
  var tracks: [String: Track] = [:]
  var sent: UInt64 = 0
  /// Frames that were encrypted, and those that were opened; nil in a meeting that isn't encrypted.
  var sealed: UInt64?
  var opened: UInt64?
  /// Packets that came, and were dropped since this process did not read them in time.
  var unread: UInt64 = 0
  var cpu = LoadTotals.cpuTime()
  var mediaThread = MediaThreadTime.now()

  @MainActor static func of(_ meetings: [Meeting]) async -> LoadTotals {
    var totals = LoadTotals()
    for (participant, statistics) in await statistics(of: meetings) {
      for stream in statistics.inbound {
        totals.tracks["\(participant) \(stream.publication)"] = Track(
          packets: stream.packetsReceived, bytes: stream.bytesReceived, lost: stream.packetsLost,
          frames: stream.video?.framesReceived ?? 0, freezes: stream.video?.freezeCount ?? 0)
      }
      totals.unread += statistics.transport.receiveBufferDrops
      for stream in statistics.outbound { totals.sent += stream.packetsSent }
      if let encryption = statistics.encryption {
        totals.sealed = (totals.sealed ?? 0) + encryption.framesSealed
        totals.opened = (totals.opened ?? 0) + encryption.framesOpened
      }
    }
    totals.time = MonotonicClock.now
    return totals
  }

  /// The counts of all participants, by id. They are asked for at once, so that a visit to the media thread serves
  /// many: each wakes two threads.
  @MainActor private static func statistics(of meetings: [Meeting]) async -> [String: MeetingStatistics] {
    await withTaskGroup(of: (String, MeetingStatistics?).self) { group in
      for meeting in meetings { group.addTask { await statistics(of: meeting) } }
      var all: [String: MeetingStatistics] = [:]
      for await (id, statistics) in group { all[id] = statistics }
      return all
    }
  }

  @MainActor private static func statistics(of meeting: Meeting) async -> (String, MeetingStatistics?) {
    ("\(meeting.local.id)", await meeting.statistics())
  }

  /// The change since `before`, as rates.
  func rate(since before: LoadTotals) -> LoadRate {
    var rate = LoadRate(seconds: max((time - before.time).seconds, 0.001), cpu: cpu - before.cpu)
    rate.mediaThread = mediaThread.since(before.mediaThread)
    rate.unread = Int(clamping: unread - min(before.unread, unread))
    for (name, track) in tracks {
      let new = track.since(before.tracks[name])
      rate.packets += Double(new.packets)
      rate.bits += Double(new.bytes) * 8
      rate.lost += Double(new.lost)
      rate.frames += Double(new.frames)
      rate.freezes += Int(clamping: new.freezes)
    }
    rate.lost = max(rate.lost, 0)
    // A publisher that lost the meeting and joined again counts from zero.
    rate.sent = Int(clamping: sent - min(before.sent, sent))
    rate.sealed = sealed.map { Int(clamping: $0 - min(before.sealed ?? 0, $0)) }
    rate.opened = opened.map { Int(clamping: $0 - min(before.opened ?? 0, $0)) }
    return rate
  }

  private static func cpuTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
