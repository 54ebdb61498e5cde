import Basics
import RTC
import SFU

/// The server's input, millisecond by millisecond. One list of each kind for all of it, so that going through it counts
/// no references.
struct BenchRecording {
  /// A packet or report.
  struct Datagram {
    /// Its place in ``bytes``.
    var range: Range<Int>
    /// The number of the participant who sends it.
    var from: Int
  }

  /// The input of one millisecond, as places in the lists below.
  struct Tick {
    var now: Instant
    var packets: Range<Int>
    var reports: Range<Int>
  }

  private(set) var bytes: [UInt8] = []
  private(set) var ticks: [Tick] = []
  private(set) var packets: [Datagram] = []
  /// Receivers' RTCP reports, one compound packet each.
  private(set) var reports: [Datagram] = []

  /// Begins the millisecond that ends at `now`.
  mutating func begin(_ now: Instant) {
    ticks.append(
      Tick(now: now, packets: packets.count..<packets.count, reports: reports.count..<reports.count))
  }

  mutating func add(packet: [UInt8], from: Int) {
    packets.append(Datagram(range: place(packet), from: from))
    ticks[ticks.count - 1].packets = ticks[ticks.count - 1].packets.lowerBound..<packets.count
  }

  mutating func add(report: [UInt8], from: Int) {
    reports.append(Datagram(range: place(report), from: from))
    ticks[ticks.count - 1].reports = ticks[ticks.count - 1].reports.lowerBound..<reports.count
  }

  private mutating func place(_ datagram: [UInt8]) -> Range<Int> {
    bytes += datagram
    return (bytes.count - datagram.count)..<bytes.count
  }
}

/// A meeting in virtual time whose work is counted. Time goes on by a millisecond a tick.
protocol BenchMeeting: PacketSink {
  /// Packets that publishers have sent.
  var published: Int { get }
  /// Packets that left to receivers.
  var forwarded: Int { get }
  /// How many are there.
  var participants: Int { get }
  /// The participants, in words for the output.
  var title: String { get }
  /// Whether what arrives was recorded before, so that nothing has to be noted for it.
  var isReplay: Bool { get set }

  /// The measured router, the buffer that it writes to, and the participants by the numbers of the recording.
  var router: Router { get }
  var batch: OutputBatch { get }
  var senders: ContiguousArray<Member> { get }

  /// Makes what arrives in the next millisecond.
  func prepare(_ recording: inout BenchRecording)
}

extension BenchMeeting {
  /// A server's work in one millisecond, and nothing else.
  @inline(__always)
  func work(_ recording: BenchRecording, tick index: Int) {
    let tick = recording.ticks[index]
    let now = tick.now
    CountedWork.reports.begin()
    var place = tick.reports.lowerBound
    while place < tick.reports.upperBound {
      let report = recording.reports[place]
      senders.reference(at: report.from).use {
        router.receiveRTCP(recording.bytes.span.extracting(report.range), from: $0, now: now)
      }
      place += 1
    }
    CountedWork.packets.begin()
    place = tick.packets.lowerBound
    while place < tick.packets.upperBound {
      let packet = recording.packets[place]
      place += 1
      let span = recording.bytes.span.extracting(packet.range)
      guard let header = try? RTPHeader.parse(span) else { continue }
      senders.reference(at: packet.from).use { router.receiveRTP(span, header: header, from: $0, now: now) }
      if router.pendingPackets >= 64 { router.flush(now: now, batch: batch, to: self) }
    }
    if router.needsFlush, router.flushDeadline(load: .zero) <= now {
      router.flush(now: now, batch: batch, to: self)
    }
    CountedWork.timeouts.begin()
    if router.deadline <= now { router.handleTimeout(now: now, batch: batch, to: self) }
    while router.pollEvent() != nil {}
    CountedWork.other.begin()
  }

  /// Lets the meeting happen until so many packets were sent; what arrived in each millisecond.
  func record(packets: Int) -> BenchRecording {
    var recording = BenchRecording()
    while published < packets {
      prepare(&recording)
      work(recording, tick: recording.ticks.count - 1)
    }
    return recording
  }
}

/// The negotiated media of the participants of a measured meeting.
enum BenchNegotiation {
  static let midID: UInt8 = 1
  static let transportID: UInt8 = 2
  static let audioLevelID: UInt8 = 3

  static func keys(_ number: Int) -> SRTPKeyingMaterial {
    let key = SRTPMasterKey(
      key: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16), salt: [UInt8](repeating: 7, count: 12))
    return SRTPKeyingMaterial(profile: .aeadAES128GCM, local: key, remote: key)
  }

  /// A media section; `source` is what it is sent under.
  static func section(
    _ mid: String, _ kind: MediaKind, _ role: NegotiatedMedia.Role, source: NegotiatedSource? = nil
  ) -> NegotiatedMedia {
    var extensions = HeaderExtensionMap()
    extensions[.mid] = midID
    extensions[.transportSequenceNumber] = transportID
    if kind == .audio { extensions[.audioLevel] = audioLevelID }
    let codec =
      kind == .audio
      ? NegotiatedCodec(payloadType: PayloadType(rawValue: 111), codec: .opus, feedback: [.transportWide])
      : NegotiatedCodec(
        payloadType: PayloadType(rawValue: 96), codec: .vp8, rtxPayloadType: PayloadType(rawValue: 97), feedback: .all)
    return NegotiatedMedia(
      mid: MID(rawValue: mid), index: 0, kind: kind, role: role, codecs: [codec], extensions: extensions,
      remoteSources: [], remoteStreamIDs: [], rids: [], localSource: source, localStreamID: nil,
      usesReducedSizeRTCP: true)
  }
}
