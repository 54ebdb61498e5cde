import RTC
import Signaling

/// The slots in which this client receives, and the server's word on the publications that it doesn't send in them.
struct Slots {
  var all: [SlotInfo] = []
  /// The publications that the server does not send for now, also those that have no subscription yet.
  private var paused: Set<String> = []
  private var reason = PauseReason.bandwidth
  /// The publications that this client cannot decode and so doesn't get, also those that are not known here yet.
  private var undecodable: [String: CodecInfo] = [:]

  /// The m-sections by the publications that they carry.
  var carried: [String: MID] {
    var carried: [String: MID] = [:]
    for slot in all {
      if let publication = slot.publication { carried[publication] = MID(rawValue: slot.mid) }
    }
    return carried
  }

  /// The server doesn't send these m-sections for now, and sends the others.
  mutating func pause(_ mids: [String], for reason: PauseReason) {
    paused = Set(all.filter { mids.contains($0.mid) }.compactMap(\.publication))
    self.reason = reason
  }

  /// Why the server doesn't send a publication for now; nil when it does. Audio is never paused.
  @MainActor func pauseReason(of publication: RemotePublication) -> PauseReason? {
    publication.kind == .video && paused.contains(publication.id) ? reason : nil
  }

  mutating func setUndecodable(_ publications: [UndecodablePublication]) {
    undecodable = Dictionary(publications.map { ($0.publication, $0.codec) }, uniquingKeysWith: { first, _ in first })
  }

  func undecodableCodec(of publication: String) -> CodecInfo? { undecodable[publication] }

  /// The connection is gone: the slots that come next are other ones.
  mutating func removeAll() { (all, paused) = ([], []) }
}
