public import Basics

/// The agreement of both sides about data channels: the one m-section `UDP/DTLS/SCTP webrtc-datachannel` of a
/// connection (RFC 8841).
public struct NegotiatedDataChannels: Hashable, Sendable {
  /// The section's name.
  public var mid: MID
  /// The section's place among all m-sections, from 0.
  public var index: Int
  /// The SCTP port of both sides. Over DTLS it distinguishes nothing (RFC 8841 section 5.1), so an answer takes the
  /// offer's.
  public var port: UInt16
  /// The most bytes of a message that the other side takes.
  public var maximumMessageSize: Int

  /// The SCTP port that offers of this side name, as browsers' do.
  public static let offeredPort: UInt16 = 5_000
  /// The most bytes of a message that this side takes, as browsers say it.
  public static let localMaximumMessageSize = 262_144
  /// The size without `a=max-message-size` (RFC 8841 section 6.1), in bytes.
  static let defaultMessageSize: UInt64 = 65_536
  /// SCTP over DTLS in the m-line (RFC 8841 section 4.1). The `DTLS/SCTP` of older drafts has other attributes and is
  /// rejected.
  static let protocols: Set = ["UDP/DTLS/SCTP", "TCP/DTLS/SCTP"]

  /// The offer or answer in a live section of the other side; nil when it isn't one of data channels or lacks its port.
  init?(_ section: MediaDescription, index: Int) {
    guard section.kind == .application, !section.isStopped, let mid = section.mid,
      Self.protocols.contains(section.transportProtocol), section.formats == ["webrtc-datachannel"],
      let port = section.sctpPort, port != 0
    else { return nil }
    self.mid = mid
    self.index = index
    self.port = port
    let size = section.maximumMessageSize ?? Self.defaultMessageSize
    // 0 says that any size is taken (RFC 8841 section 6.1).
    maximumMessageSize = size == 0 ? .max : Int(clamping: size)
  }
}

extension MediaDescription {
  /// This side's section of data channels, without transport.
  init(
    dataChannels mid: MID, protocol transportProtocol: String = "UDP/DTLS/SCTP",
    port: UInt16 = NegotiatedDataChannels.offeredPort
  ) {
    self.init(
      kind: .application, port: 9, transportProtocol: transportProtocol, formats: ["webrtc-datachannel"])
    self.mid = mid
    sctpPort = port
    maximumMessageSize = UInt64(NegotiatedDataChannels.localMaximumMessageSize)
  }
}
