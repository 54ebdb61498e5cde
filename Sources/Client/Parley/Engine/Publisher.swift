import Basics
import Media
import RTC
import Signaling

/// Takes frames from a source, encodes them, and gives them to whichever connection is under way. Lives as long as its
/// publication, also over a rejoin.
protocol Publisher: AnyObject, Sendable {
  var kind: MediaKind { get }
  /// The simulcast layers to offer; empty for one.
  var rids: [RID] { get }
  /// The codecs to offer for this track out of those of the meeting, preferred first.
  func codecs(outOf codecs: [Codec]) -> [Codec]
  /// The bandwidth that a stream of this track wants.
  func parameters(_ rid: RID?) -> EncodingParameters
  /// Opens the source. `onProblem` is called on any thread when nothing can be sent any more, or not for now.
  func start(onProblem: @escaping @Sendable (PublisherProblem) -> Void) throws(MediaError)
  /// Stops the source; afterwards nothing is encoded any more.
  func stop()
  /// Muted: nothing is encoded or sent.
  func setMuted(_ muted: Bool)
  /// From now on frames go to m-section `media` of `connection`; nil pauses.
  func attach(_ destination: PublisherDestination?)
  /// The next frame of the layer has to be a keyframe.
  func requestKeyframe(_ rid: RID?)
  /// The rate that the bandwidth estimate allows.
  func apply(_ allocation: [StreamAllocation])
  /// The part that somebody watches: the rest need not be encoded.
  func setWanted(_ wanted: WantedLayers)
  /// The share of packets (0 to 1) that the server reports as lost, so that error correction fits it.
  func prepare(forLoss fraction: Double)
  /// The counts of a stream's video encoder; nil where there is none.
  func encoderStatistics(_ rid: RID?) -> VideoEncoderStatistics?
}

/// Why a publication does not send what it should.
enum PublisherProblem: Sendable {
  /// The source has ended, or broke off with an error.
  case sourceEnded(MediaError?)
  /// The encoder fails again and again. It is tried with each further frame.
  case encoderFailed(MediaError)

  /// Failures in a row after which one is reported, once until it works again.
  static let failureLimit = 3
}

extension Publisher {
  func prepare(forLoss fraction: Double) {}
  func setWanted(_ wanted: WantedLayers) {}
  func encoderStatistics(_ rid: RID?) -> VideoEncoderStatistics? { nil }
}

/// The destination of a publisher's frames.
struct PublisherDestination: Sendable {
  var connection: MediaConnection
  var mid: MID
  var codec: Codec
  var rids: [RID]

  /// Whether both are the same place, coded the same way.
  func isSame(as other: PublisherDestination) -> Bool {
    connection === other.connection && mid == other.mid && codec == other.codec && rids == other.rids
  }
}
