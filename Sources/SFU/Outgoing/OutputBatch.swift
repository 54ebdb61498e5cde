/// The packets that one tick has for one receiver, back to back, ready for UDP segmentation offload.
///
/// Packets of equal length in a row form a *run* that leaves in one send, a shorter one may end it. A worker has one batch that
/// it fills for receiver after receiver, so it stays in the cache.
public final class OutputBatch {
  /// Packets that may leave in one send: `count` packets of `segment` bytes each, the last one maybe shorter.
  public struct Run: Sendable, Hashable {
    /// Where the run starts in ``bytes``.
    public var offset: Int
    /// Length of all its packets together.
    public var length: Int
    /// Length of each packet but the last.
    public var segment: Int
    /// Number of packets.
    public var count: Int
    /// Whether a shorter packet has ended it.
    var closed: Bool
  }

  /// Most packets in one offloaded send (`UDP_MAX_SEGMENTS` of Linux).
  public static let maximumSegments = 64
  /// Most bytes in one offloaded send: what fits an IP datagram.
  public static let maximumRunBytes = 65_000
  /// Room that one packet may take.
  static let packetRoom = 2_048

  /// The packets.
  public let bytes: ByteBlock
  /// Where the header of the packet being written is put together.
  let header = ByteBlock(count: 768)
  /// Where a payload is changed that the shared one must not show.
  let scratch = ByteBlock(count: 2_048)
  /// Where an RTCP datagram is put together.
  let report = ByteBlock(count: ReportTiming.maximumLength)
  /// Bytes in use.
  public private(set) var used = 0
  /// What can be sent at once.
  public private(set) var runs: ContiguousArray<Run> = []
  /// Packets in the batch.
  public private(set) var packets = 0

  /// A batch of `capacity` bytes.
  public init(capacity: Int = 131_072) {
    bytes = ByteBlock(count: max(capacity, Self.packetRoom * 2))
    runs.reserveCapacity(128)
  }

  /// Whether there is nothing to send.
  @inlinable public var isEmpty: Bool { used == 0 }

  /// Whether the batch must be sent before another packet is added.
  public var isFull: Bool { used &+ Self.packetRoom > bytes.count || runs.count >= 120 }

  /// The length that the open run's packets have, 0 when the next packet starts a run.
  var openSegment: Int {
    guard let run = runs.last, !run.closed else { return 0 }
    return run.segment
  }

  /// Takes the packet of `length` bytes that was written at ``used``.
  @inline(__always)
  func commit(length: Int) {
    packets &+= 1
    if let run = runs.last, !run.closed, length <= run.segment, run.count < Self.maximumSegments,
      run.length &+ length <= Self.maximumRunBytes
    {
      let last = runs.count &- 1
      runs[last].length &+= length
      runs[last].count &+= 1
      if length < run.segment { runs[last].closed = true }
    } else {
      runs.append(Run(offset: used, length: length, segment: length, count: 1, closed: false))
    }
    used &+= length
  }

  /// Empties the batch.
  public func removeAll() {
    used = 0
    packets = 0
    runs.removeAll(keepingCapacity: true)
  }
}
