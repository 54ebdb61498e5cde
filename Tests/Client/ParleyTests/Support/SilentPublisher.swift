import Media
import RTC

@testable import Parley

/// A publisher without a source.
final class SilentPublisher: Publisher {
  let kind: MediaKind
  let rids: [RID] = []

  init(_ kind: MediaKind) { self.kind = kind }

  func codecs(outOf codecs: [Codec]) -> [Codec] { codecs.filter { $0.kind == kind } }
  func parameters(_ rid: RID?) -> EncodingParameters { .audio }
  func start(onProblem: @escaping @Sendable (PublisherProblem) -> Void) throws(MediaError) {}
  func stop() {}
  func setMuted(_ muted: Bool) {}
  func attach(_ destination: PublisherDestination?) {}
  func requestKeyframe(_ rid: RID?) {}
  func apply(_ allocation: [StreamAllocation]) {}
}
