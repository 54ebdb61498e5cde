import Basics
import RTC

/// The largest layer of a publication that has come, and how large the smallest one was then.
struct ArrivedLayers: Sendable {
  var most: UInt8 = 0
  var width: UInt16 = 0
  var height: UInt16 = 0
}

extension Publication {
  /// The share that arrives of what its receivers asked its sender for, 0 to 1: by the area of the largest picture that
  /// anybody wants, no larger than it is shown. 1 for sound that comes, for what nobody wants, and where nothing can be
  /// said.
  ///
  /// Only layers count that have come before, while the source had its present size: senders offer sizes that a small
  /// camera does not have. And that nothing comes at all is no lack when the sender itself has stopped, as with a
  /// picture that stands still; its reports tell the one from the other.
  func shareArrived(now: Instant) -> Double {
    guard !isMuted else { return 1 }
    guard media.kind == .video else { return isBlocked ? 0 : 1 }
    guard demand.announced.layers > 0 else { return 1 }
    guard let best = largestArriving(now: now) else { return isBlocked ? 0 : 1 }
    let smallest = size(of: 0)
    if smallest != (arrived.width, arrived.height) {
      arrived = ArrivedLayers(most: best, width: smallest.width, height: smallest.height)
    }
    arrived.most = max(arrived.most, best)
    let wanted = min(demand.announced.layers - 1, arrived.most)
    guard wanted > best else { return 1 }
    let (come, whole) = (size(of: best), size(of: wanted))
    guard come.width > 0, come.height > 0, whole.width > 0, whole.height > 0 else {
      // Each size has a quarter of the next one's area, as far as is known.
      return (0..<(wanted - best)).reduce(1) { share, _ in share / 4 }
    }
    var area = Int(whole.width) * Int(whole.height)
    let shown = Int(demand.announced.width) * Int(demand.announced.height)
    if shown > 0 { area = min(area, shown) }
    return min(Double(Int(come.width) * Int(come.height)) / Double(area), 1)
  }

  /// The largest layer that arrives; nil when nothing does.
  private func largestArriving(now: Instant) -> UInt8? {
    if isSimulcast {
      return streams.filter { $0.layers.isActive && !$0.layers.meter.isStale(now: now) }.map(\.layers.rank).max()
    }
    guard let stream = streams.first, !stream.layers.meter.isStale(now: now) else { return nil }
    for spatial in stride(from: Int(PacketLayers.maximum), through: 0, by: -1) {
      for temporal in 0...Int(PacketLayers.maximum)
      where stream.layers.meter.arrives(spatial: spatial, temporal: temporal) {
        return UInt8(spatial)
      }
    }
    return nil
  }

  /// Whether its sender goes on sending, and nothing of it comes.
  private var isBlocked: Bool { !streams.isEmpty && streams.contains(where: \.isBlocked) }
}

extension SourceStream {
  /// A sender report counts fewer packets than this as none: the last ones of a stream that ended may have been lost.
  private static let fewPackets: UInt32 = 10

  /// Compares how many packets the sender says that it has sent with how many came, from one of its reports to the
  /// next.
  func noteSent(_ count: UInt32) {
    if let before = sentBefore {
      let sent = count &- before.count
      isBlocked = sent >= Self.fewPackets && sent < 1 << 31 && statistics.receivedCount == before.received
    }
    sentBefore = (count, statistics.receivedCount)
  }
}
