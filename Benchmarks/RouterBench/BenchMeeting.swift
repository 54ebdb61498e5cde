import Basics
import RTC

/// What arrives at the server in one millisecond.
struct BenchTick {
  var now: Instant
  /// RTP packets, and the number of the participant who sends each.
  var packets: [(bytes: [UInt8], from: Int)] = []
  /// Receivers' reports.
  var reports: [(bytes: [UInt8], from: Int)] = []
}

/// A meeting in virtual time whose work is counted. Time goes on by a millisecond a tick.
protocol BenchMeeting: AnyObject {
  /// Packets that publishers have sent.
  var published: Int { get }
  /// Packets that left to receivers.
  var forwarded: Int { get }
  /// Who is there, for what is printed.
  var title: String { get }
  /// Whether what arrives was recorded before, so that nothing has to be noted for it.
  var isReplay: Bool { get set }

  /// Makes what arrives in the next millisecond.
  func prepare() -> BenchTick

  /// What the server does in a millisecond, and nothing else.
  func work(_ tick: BenchTick)
}

extension BenchMeeting {
  /// Lets the meeting happen until so many packets were sent; what arrived in each millisecond.
  func record(packets: Int) -> [BenchTick] {
    var ticks: [BenchTick] = []
    while published < packets {
      let tick = prepare()
      work(tick)
      ticks.append(tick)
    }
    return ticks
  }
}

/// What the participants of a measured meeting have negotiated.
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
