public import Basics

/// One WebRTC connection: ICE, DTLS, SRTP and the offer/answer state that ties them together (RFC 9429, RFC 8827). A
/// state machine without I/O and clock: datagrams and the time go in; datagrams, events and the next deadline come out.
///
///     let peer = PeerConnection(.server, configuration: configuration)
///     let answer = try peer.setRemoteOffer(offer, now: now)
///     switch peer.receive(&datagram, path: path, now: now) {
///     case .rtp(let header, let length): route(header, datagram, length)
///     case .rtcp(let length): read(datagram, length)
///     case .handled, .dropped: break
///     }
///     while let datagram = peer.pollTransmit() { send(datagram.bytes, over: datagram.path) }
///     while let event = peer.pollEvent() { … }
///     // at peer.deadline: peer.handleTimeout(now: now), then poll again
///
/// The server is ICE-lite and DTLS passive and answers offers; the client is full ICE, and offers.
///
/// Rules that hold whatever arrives: only authenticated ICE checks prove a path; DTLS, RTP and RTCP from any other path
/// are dropped; only a check that nominates moves the path that is sent over; without consent nothing is sent at all.
/// Receiving an RTP packet of a known SSRC allocates nothing. Not thread-safe: use it from the worker that owns it.
public final class PeerConnection {
  /// A side of offer and answer.
  public enum Role: Hashable, Sendable {
    /// Answers offers, ICE-lite, DTLS passive.
    case server
    /// Makes offers (RFC 9429).
    case client
  }

  /// How many DTLS handshakes may fail before the connection stops trying: each costs CPU.
  public static let maximumHandshakes = 8
  /// How many replies wait to be polled; more are dropped, as a network does.
  static let maximumQueue = 256

  /// This side's part in offer and answer.
  public let role: Role
  /// The configuration at the start; it never changes.
  public let configuration: PeerConnectionConfiguration

  /// The live m-sections that both sides agreed on last.
  public internal(set) var media: [NegotiatedMedia] = []
  /// Why m-sections of the client's last offer were rejected; empty on the client's side.
  public internal(set) var rejected: [MID: RejectedMedia] = [:]
  /// The path that media goes over: the one that the peer has nominated, or on the server, until then, the proven one
  /// over which DTLS was finished. Nil before that, and without consent. Free to read.
  public internal(set) var selectedPath: IcePath?
  /// Protects what this side sends; nil before ``PeerConnectionEvent/connected``. A media router uses it directly, and
  /// sends only while ``selectedPath`` is not nil.
  public internal(set) var srtpSender: SRTPSender?
  /// Counts of dropped datagrams, by reason.
  public internal(set) var drops = DropCounts()
  /// Whether ``close()`` was called or the peer closed.
  public internal(set) var isClosed = false

  var random: any RandomNumberGenerator & Sendable
  var local: IceCredentials
  var negotiation: Negotiation
  var offers: OfferBuilder
  /// Credentials of an offer that is not answered yet.
  var offered: IceCredentials?
  var remote: TransportParameters?

  /// A server's own candidates for its next answer.
  var serverCandidates: [IceCandidate]
  /// The client's candidates that a server has left out.
  var unusedCandidates = IgnoredCandidateCounts()

  var lite: IceLiteAgent?
  /// The client's agent; nil on the server and after the end.
  var agent: IceAgent?
  /// How packets leave while the selected path is relayed.
  var relayRoute: IceRoute?
  var isConsentLost = false
  /// The proven path that media came over last, so that a packet costs one comparison.
  var mediaPath: IcePath?
  /// On the server: the proven path over which the handshake was finished, until the peer nominates one. A browser
  /// nominates a path to a lite agent only with its second check over it, some 50 ms later, and takes media at once.
  var handshakePath: IcePath?

  var dtls: DTLSTransport?
  var handshakes = 0
  var srtpReceiver: SRTPReceiver? { didSet { keys = BorrowedReference(srtpReceiver) } }
  /// ``srtpReceiver``, for packets that come: it stays while one is opened.
  private(set) var keys = BorrowedReference<SRTPReceiver>(nil)

  /// The section of data channels that both sides agreed on; nil without one.
  public internal(set) var negotiatedDataChannels: NegotiatedDataChannels?
  var data: DataChannelTransport?
  /// Whether ``data`` may send: DTLS is connected and the association was started.
  var isDataStarted = false

  var datagrams: [OutgoingDatagram] = []
  var events: [PeerConnectionEvent] = []

  /// A connection that waits for its first description.
  /// - Parameters:
  ///   - role: This side's part in offer and answer.
  ///   - configuration: Certificate, candidates and policy.
  ///   - random: The source of names, SSRCs and ICE credentials. Leave it out except in tests.
  public init(
    _ role: Role, configuration: PeerConnectionConfiguration,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.role = role
    self.configuration = configuration
    serverCandidates = configuration.candidates
    self.random = random
    local = IceCredentials.random(using: &self.random)
    negotiation = Negotiation(policy: configuration.policy, using: &self.random)
    offers = OfferBuilder(codecs: configuration.codecs, using: &self.random)
    guard role == .client else { return }
    // The agent draws from its own generator, so that its draws do not depend on ours.
    agent = IceAgent(
      local: local, sockets: configuration.sockets, servers: configuration.iceServers,
      policy: configuration.iceTransportPolicy, allocationLifetime: configuration.turnAllocationLifetime,
      random: self.random)
    _ = self.random.next() as UInt64
  }

  /// The user fragment that the peer's checks name: who receives datagrams finds the connection by it before a path is
  /// proven. It changes with an ICE restart; the one before stays good until
  /// ``PeerConnectionEvent/iceUfragRetired(_:)``.
  public var localUfrag: String { local.ufrag }

  /// Whether media may flow: keys are agreed on.
  public var isConnected: Bool { srtpSender != nil && !isClosed }

  /// The canonical name of this side's sources for SDES (RFC 3550 section 6.5.1).
  public var cname: String { role == .server ? negotiation.cname : offers.cname }

  /// Ends the connection: sends close_notify and releases relayed addresses, which are the last datagrams to poll, and
  /// drops everything that comes in from here on. Streams that were opened for ICE are then the owner's to close.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    datagrams.removeAll()
    dtls?.close()
    if let path = transmitPath, let bytes = dtls?.pollTransmit() {
      if let last = wrapped(OutgoingDatagram(path: path, bytes: bytes)) { datagrams.append(last) }
    }
    agent?.close()
    while let release = agent?.pollTransmit() { datagrams.append(release) }
    shutDown()
  }

  /// Lets go of everything that only a live connection needs.
  func shutDown() {
    isClosed = true
    dtls = nil
    data = nil
    srtpSender = nil
    srtpReceiver = nil
    lite = nil
    agent = nil
    relayRoute = nil
    mediaPath = nil
    handshakePath = nil
    selectedPath = nil
  }
}

/// Bytes that a connection wants sent over a path.
public typealias OutgoingDatagram = IceTransmission
