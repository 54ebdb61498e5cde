/// The direction of media in an m-section, from the viewpoint of the description's author (RFC 8866 section 6.7).
public enum MediaDirection: String, Hashable, Sendable, CaseIterable {
  case sendrecv
  /// The writer only sends.
  case sendonly
  /// The writer only receives.
  case recvonly
  /// Neither sends for now.
  case inactive

  /// The same flow seen from the other side.
  public var reversed: MediaDirection {
    switch self {
    case .sendonly: .recvonly
    case .recvonly: .sendonly
    case .sendrecv, .inactive: self
    }
  }

  /// Whether the writer sends.
  public var sends: Bool { self == .sendrecv || self == .sendonly }
  /// Whether the writer receives.
  public var receives: Bool { self == .sendrecv || self == .recvonly }
}

/// The part in the DTLS handshake (RFC 4145, RFC 8842).
public enum SetupRole: String, Hashable, Sendable {
  /// The writer sends the ClientHello.
  case active
  /// The writer waits for it.
  case passive
  /// The writer leaves the choice to the answer.
  case actpass
  /// No connection for now.
  case holdconn
}

/// The digest of a certificate as `a=fingerprint` carries it (RFC 8122 section 5).
public struct FingerprintAttribute: Hashable, Sendable {
  /// The hash function's name in lower case, such as `sha-256`.
  public var algorithm: String
  /// The digest's bytes.
  public var digest: [UInt8]

  /// A fingerprint of `digest`, computed with `algorithm`.
  public init(algorithm: String, digest: [UInt8]) {
    self.algorithm = algorithm
    self.digest = digest
  }
}

/// The format-specific parameters of a payload type, the part of `a=fmtp` after the payload type. The text is kept as
/// it came, because an answer has to repeat it.
public struct FormatParameters: Hashable, Sendable {
  /// The text, such as `minptime=10;useinbandfec=1`.
  public let text: String

  /// Parameters as they stand in a description.
  public init(_ text: String) { self.text = text }

  /// The parameters in order, split at `;`; a parameter without `=` has an empty value. Names are in lower case.
  public var pairs: [(name: String, value: String)] {
    text.split(separator: ";").compactMap { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(trimmed(pair[0])).lowercased()
      return name.isEmpty ? nil : (name, pair.count > 1 ? String(trimmed(pair[1])) : "")
    }
  }

  /// The value of the parameter called `name` (lower case), or nil when it is absent or empty.
  public subscript(name: String) -> String? { pairs.first { $0.name == name && !$0.value.isEmpty }?.value }

  private func trimmed(_ part: Substring) -> Substring {
    var part = part
    while part.first == " " { part.removeFirst() }
    while part.last == " " { part.removeLast() }
    return part
  }
}

/// A payload type of an m-section with what `a=rtpmap`, `a=fmtp` and `a=rtcp-fb` say about it.
public struct CodecDescription: Hashable, Sendable {
  /// The payload type that packets carry.
  public var payloadType: PayloadType
  /// The encoding's name as it was written; compare without regard to case.
  public var name: String
  /// RTP clock rate in hertz.
  public var clockRate: UInt32
  /// Audio channels; 1 where the description says none.
  public var channels: UInt8
  /// Format-specific parameters, or nil without `a=fmtp`.
  public var parameters: FormatParameters?
  /// The feedback messages (RFC 4585 section 4.2) such as `nack pli`, in order.
  public var feedback: [String]

  /// A codec of an m-section.
  public init(
    payloadType: PayloadType, name: String, clockRate: UInt32, channels: UInt8 = 1,
    parameters: FormatParameters? = nil, feedback: [String] = []
  ) {
    self.payloadType = payloadType
    self.name = name
    self.clockRate = clockRate
    self.channels = channels
    self.parameters = parameters
    self.feedback = feedback
  }
}

/// A header extension of an m-section, `a=extmap` (RFC 8285 section 5).
public struct ExtensionAttribute: Hashable, Sendable {
  /// The local identifier that packets carry; 4096 and above are placeholders that no packet can carry.
  public var id: Int
  /// The direction suffix, or nil where it is the m-section's.
  public var direction: MediaDirection?
  /// The URI that names the extension.
  public var uri: String

  /// A mapping of `id` to `uri`.
  public init(id: Int, direction: MediaDirection? = nil, uri: String) {
    self.id = id
    self.direction = direction
    self.uri = uri
  }
}

/// A source of an m-section, the `a=ssrc` lines of one SSRC (RFC 5576).
public struct SourceAttribute: Hashable, Sendable {
  public var ssrc: SSRC
  /// Its canonical name, where it is given.
  public var cname: String?
  /// The stream and track it belongs to, where `a=ssrc:… msid:` says so.
  public var streamID: MediaStreamID?

  public init(ssrc: SSRC, cname: String? = nil, streamID: MediaStreamID? = nil) {
    self.ssrc = ssrc
    self.cname = cname
    self.streamID = streamID
  }
}

/// Sources that belong together, `a=ssrc-group` (RFC 5576 section 4.2), such as `FID` for a stream and its
/// retransmissions.
public struct SourceGroup: Hashable, Sendable {
  /// The meaning of the group: `FID`, `SIM`, `FEC-FR`.
  public var semantics: String
  /// Its members, in order.
  public var sources: [SSRC]

  /// A group of `sources`.
  public init(semantics: String, sources: [SSRC]) {
    self.semantics = semantics
    self.sources = sources
  }
}

/// The MediaStream and the track of an m-section, `a=msid` (RFC 8830).
public struct MediaStreamID: Hashable, Sendable {
  /// The MediaStream's id; `-` for none.
  public var stream: String
  /// The track's id, where it is given.
  public var track: String?

  /// A stream id and a track id.
  public init(stream: String, track: String? = nil) {
    self.stream = stream
    self.track = track
  }
}

/// A restriction on one simulcast layer, `a=rid` (RFC 8851).
public struct RIDAttribute: Hashable, Sendable {
  /// The direction of a layer, from the author's viewpoint.
  public enum Direction: String, Hashable, Sendable {
    /// The writer sends the layer.
    case send
    /// The writer receives it.
    case recv
    /// The same layer seen from the other side.
    public var reversed: Direction { self == .send ? .recv : .send }
  }
  public var id: RID
  /// `send` or `recv`, from the author's viewpoint.
  public var direction: Direction
  /// The restrictions as written (`pt=96;max-width=1280`), or nil.
  public var restrictions: String?

  public init(id: RID, direction: Direction, restrictions: String? = nil) {
    self.id = id
    self.direction = direction
    self.restrictions = restrictions
  }
}

/// The simulcast streams of an m-section, `a=simulcast` (RFC 8853). Streams are in the order of the sender's
/// preference.
public struct SimulcastAttribute: Hashable, Sendable {
  /// One way to send a simulcast stream.
  public struct Alternative: Hashable, Sendable {
    public var rid: RID
    /// Whether it starts paused (`~`).
    public var isPaused: Bool
    /// A layer's name and whether it starts paused.
    public init(rid: RID, isPaused: Bool = false) {
      self.rid = rid
      self.isPaused = isPaused
    }
  }
  /// The streams the writer sends; each is a list of alternatives.
  public var send: [[Alternative]]
  /// The streams the writer receives.
  public var receive: [[Alternative]]

  /// Simulcast streams both ways.
  public init(send: [[Alternative]] = [], receive: [[Alternative]] = []) {
    self.send = send
    self.receive = receive
  }
}
