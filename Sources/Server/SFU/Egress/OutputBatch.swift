/// The packets that one tick has for one receiver, back to back, ready for UDP segmentation offload.
///
/// Packets of equal length in a row form a *run* that leaves in one send, a shorter one may end it. A worker has one
/// batch that it fills for receiver after receiver, so it stays in the cache.
public final class OutputBatch {
  /// Packets that may leave in one send: `count` packets of `segment` bytes each, the last one maybe shorter.
  public struct Run: Sendable, Hashable {
    /// Where the run starts in ``bytes``.
    public var offset: Int
    /// Length of all its packets together.
    public var length: Int
    /// Length of each packet but the last.
    public var segment: Int
    public var count: Int
    /// Whether a shorter packet has ended it.
    var closed: Bool
  }

  /// Most packets in one offloaded send (`UDP_MAX_SEGMENTS` of Linux).
  public static let maximumSegments = 64
  /// Most bytes in one offloaded send: what fits an IP datagram.
  public static let maximumRunBytes = 65_000
  static let maximumRuns = 128
  /// Room that one packet may take.
  static let packetRoom = 2_048

  public let bytes: ByteBlock
  /// The buffer for the header of the packet being written.
  let header = ByteBlock(count: 768)
  /// Where a payload is changed that the shared one must not show.
  let scratch = ByteBlock(count: 2_048)
  /// The buffer in which an RTCP datagram is put together.
  let report = ByteBlock(count: ReportTiming.maximumLength)
  /// Bytes in use.
  public var used: Int { usedBytes }
  /// The runs of packets that can each be sent at once.
  public var runs: Runs { Runs(table: table, count: runCount) }
  /// Packets in the batch.
  public var packets: Int { packetCount }

  /// Calls `body` with each of ``runs``. Unlike the collection, which owns the table that it reads, it counts no
  /// references.
  @inline(__always)
  func forEachRun(_ body: (Run) -> Void) {
    var index = 0
    while index < runCount {
      body(table[index])
      index &+= 1
    }
  }

  /// The first of ``runs``; nil when there is nothing to send.
  public var firstRun: Run? { runCount > 0 ? table[0] : nil }

  // Not visible outside of the module, so that the compiler can prove that nothing else reaches them.
  private var usedBytes = 0
  private var packetCount = 0
  private var runCount = 0
  private let table = FixedTable(
    repeating: Run(offset: 0, length: 0, segment: 0, count: 0, closed: true), count: OutputBatch.maximumRuns)

  /// A batch of `capacity` bytes.
  public init(capacity: Int = 131_072) {
    bytes = ByteBlock(count: max(capacity, Self.packetRoom * 2))
  }

  /// Whether there is nothing to send.
  public var isEmpty: Bool { usedBytes == 0 }

  /// Whether the batch must be sent before another packet is added.
  public var isFull: Bool { usedBytes &+ Self.packetRoom > bytes.count || runCount >= 120 }

  /// The length that the open run's packets have, 0 when the next packet starts a run.
  var openSegment: Int {
    guard runCount > 0 else { return 0 }
    let run = table[runCount &- 1]
    return run.closed ? 0 : run.segment
  }

  /// Takes the packet of `length` bytes that was written at ``used``.
  @inline(__always)
  func commit(length: Int) {
    packetCount &+= 1
    let start = usedBytes
    usedBytes = start &+ length
    if runCount > 0 {
      var run = table[runCount &- 1]
      if !run.closed, length <= run.segment, run.count < Self.maximumSegments,
        run.length &+ length <= Self.maximumRunBytes
      {
        run.length &+= length
        run.count &+= 1
        if length < run.segment { run.closed = true }
        table[runCount &- 1] = run
        return
      }
    }
    table[runCount] = Run(offset: start, length: length, segment: length, count: 1, closed: false)
    runCount &+= 1
  }

  public func removeAll() {
    usedBytes = 0
    packetCount = 0
    runCount = 0
  }

  /// The runs of a batch. They are those of the moment: the batch is reused after it was sent.
  public struct Runs: RandomAccessCollection {
    let table: FixedTable<Run>
    /// The number of runs.
    public let count: Int
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of runs.
    public var endIndex: Int { count }
    public subscript(index: Int) -> Run { table[index] }
  }
}
