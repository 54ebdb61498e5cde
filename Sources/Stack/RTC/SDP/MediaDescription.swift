public import Basics

/// One m-section of a session description (RFC 8866 section 5.14) with the attributes that WebRTC needs (RFC 9429).
/// Attributes that are not listed here are dropped when a description is read.
public struct MediaDescription: Hashable, Sendable {
  /// The purpose of an m-section.
  public enum Kind: Hashable, Sendable {
    /// RTP audio or video.
    case media(MediaKind)
    /// Data channels and the like.
    case application
    /// Something else, by the name that stands in the m-line.
    case other(String)

    /// The word in the m-line.
    public var text: String {
      switch self {
      case .media(let kind): kind.rawValue
      case .application: "application"
      case .other(let name): name
      }
    }
  }

  /// The purpose of the section.
  public var kind: Kind
  /// The port; 0 says rejected or stopped, or that the section has no transport of its own (``isBundleOnly``).
  public var port: UInt16
  /// The transport protocol, such as `UDP/TLS/RTP/SAVPF`.
  public var transportProtocol: String
  /// The formats of the m-line in order of preference: payload types for RTP.
  public var formats: [String]
  /// The name of the section, `a=mid`.
  public var mid: MID?
  /// The direction of media; `sendrecv` without an attribute.
  public var direction: MediaDirection = .sendrecv
  /// The part in the DTLS handshake, `a=setup`.
  public var setup: SetupRole?
  public var fingerprints: [FingerprintAttribute] = []
  /// The ICE user name fragment.
  public var iceUfrag: String?
  public var icePassword: Secret<String>?
  /// `a=ice-options`.
  public var iceOptions: [String] = []
  /// Candidates as written, without `a=candidate:`.
  public var candidates: [String] = []
  /// How many more there were than are kept (``SDPLimit/candidates``).
  public var surplusCandidates = 0
  /// Whether no more candidates follow.
  public var hasEndOfCandidates = false
  /// `a=rtcp-mux`.
  public var hasRTCPMux = false
  /// `a=rtcp-rsize`.
  public var hasReducedSizeRTCP = false
  /// `a=bundle-only`.
  public var isBundleOnly = false
  /// `a=extmap-allow-mixed`, of the section or the session.
  public var allowsMixedExtensions = false
  /// Payload types with an `a=rtpmap`, in the m-line's order.
  public var codecs: [CodecDescription] = []
  public var extensions: [ExtensionAttribute] = []
  public var sources: [SourceAttribute] = []
  public var sourceGroups: [SourceGroup] = []
  public var streamIDs: [MediaStreamID] = []
  public var rids: [RIDAttribute] = []
  public var simulcast: SimulcastAttribute?
  /// The SCTP port of data channels, `a=sctp-port` (RFC 8841 section 5).
  public var sctpPort: UInt16?
  /// The most bytes of a message that the writer takes, `a=max-message-size` (RFC 8841 section 6); 0 for any number.
  public var maximumMessageSize: UInt64?

  /// A section without attributes.
  public init(kind: Kind, port: UInt16, transportProtocol: String, formats: [String]) {
    self.kind = kind
    self.port = port
    self.transportProtocol = transportProtocol
    self.formats = formats
  }

  /// Whether the section is rejected or stopped: port 0 without `a=bundle-only` (RFC 9143 section 6).
  public var isStopped: Bool { port == 0 && !isBundleOnly }
}
