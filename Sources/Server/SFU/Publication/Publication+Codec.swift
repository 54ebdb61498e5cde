import Basics
import RTC

/// The codec that a publication arrives in: its sender may go over to another of those negotiated at any time (RFC 3264
/// section 8.3.2).
extension Publication {
  /// How often the router reports the codec at most, whatever the sender does.
  static let codecReportInterval = TimeSpan.milliseconds(500)

  /// Notes the payload type of a packet of `stream`. False when the packet is from before the stream went over to
  /// another codec: that begins with a keyframe, so no receiver needs it.
  @inline(__always)
  func noteFormat(_ type: PayloadType, _ codec: Codec, of stream: SourceStream, sequence: Int64) -> Bool {
    guard stream.codec == codec || changeCodec(of: stream, to: codec, sequence: sequence) else { return false }
    // A repair may still come in what was sent before.
    if arrivingType != type, sequence > stream.highest {
      arrivingType = type
      // Of what comes over a relay, the router that it comes from reports.
      hasNewFormat = origin == nil
    }
    return true
  }

  private func changeCodec(of stream: SourceStream, to codec: Codec, sequence: Int64) -> Bool {
    guard stream.codec != nil else {
      stream.codec = codec
      return true
    }
    guard sequence > stream.highest else { return false }
    stream.begin(codec)
    for subscription in subscriptions where subscription.stream === stream { subscription.interrupt(asks: false) }
    return true
  }
}

extension Router {
  /// Reports the codec that a publication arrives in, once it is time for a report.
  func reportCodec(of publication: Publication, now: Instant) {
    guard now >= publication.nextCodecReport, let type = publication.arrivingType else { return }
    publication.hasNewFormat = false
    guard let codec = publication.media.codecs.first(where: { $0.payloadType == type }),
      codec != publication.reportedCodec
    else { return }
    publication.reportedCodec = codec
    publication.nextCodecReport = now + Publication.codecReportInterval
    emit(.codecChanged(publication.id, codec))
  }
}
