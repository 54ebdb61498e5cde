public import Basics

extension PeerConnection {
  /// When ``handleTimeout(now:)`` wants to be called; ``Basics/Instant/distantFuture`` when never.
  public var deadline: Instant {
    guard !isClosed else { return .distantFuture }
    let ice = lite?.deadline ?? agent?.deadline ?? .distantFuture
    return min(min(ice, dtls?.deadline ?? .distantFuture), data?.deadline ?? .distantFuture)
  }

  /// Lets time pass: call it at ``deadline`` or later, then poll.
  public func handleTimeout(now: Instant) {
    guard !isClosed else { return }
    lite?.handleTimeout(now: now)
    agent?.handleTimeout(now: now)
    takeIceEvents()
    startHandshakeIfReady(now: now)
    dtls?.handleTimeout(now: now)
    takeDTLSEvents(now: now)
    if let due = data?.deadline, due <= now { data?.handleTimeout(now: now) }
  }

  /// The next control datagram (STUN or DTLS) to send; nil when there is none. Media does not come this way, see
  /// ``srtpSender``.
  public func pollTransmit() -> OutgoingDatagram? {
    if !datagrams.isEmpty { return datagrams.removeFirst() }
    if let transmission = agent?.pollTransmit() { return transmission }
    repeat {
      while let bytes = dtls?.pollTransmit() {
        // Without consent the datagram is lost, as on a network; the handshake's own timer, or SCTP's, repeats it.
        if let path = transmitPath, let datagram = wrapped(OutgoingDatagram(path: path, bytes: bytes)) {
          return datagram
        }
      }
    } while sendData()
    return nil
  }

  /// The next event; nil when there is none.
  public func pollEvent() -> PeerConnectionEvent? {
    if !events.isEmpty { return events.removeFirst() }
    return data?.pollEvent().map { .data($0) }
  }

  /// On the server: whether the peer has proven a path from this address of its, to whichever of ours. Two paths that
  /// differ in our address only are forgotten one by one.
  public func isProven(from remote: TransportAddress, handle: UInt32) -> Bool {
    lite?.isProven(from: remote, handle: handle) ?? false
  }

  /// Forgets a path whose TCP connection or socket is gone. The path's owner calls this, on the server; clients have
  /// ``streamClosed(_:now:)`` and ``removeSocket(_:now:)``.
  public func pathClosed(_ path: IcePath) {
    lite?.remove(path)
    if mediaPath == path { mediaPath = nil }
    takeIceEvents()
  }

  /// The path of control datagrams: the selected one, or a proven one before any is nominated.
  var transmitPath: IcePath? {
    lite == nil ? agent?.selectedPath : lite?.transmitPath
  }

  func enqueue(_ datagram: OutgoingDatagram) {
    guard datagrams.count < Self.maximumQueue, let datagram = wrapped(datagram) else { return }
    datagrams.append(datagram)
  }

  /// A datagram as it leaves: in ChannelData or a Send indication where its path is relayed; nil when the relay is
  /// gone.
  func wrapped(_ datagram: OutgoingDatagram) -> OutgoingDatagram? {
    guard datagram.path.isRelayed else { return datagram }
    guard let route = agent?.route(of: datagram.path) else { return nil }
    var out = [UInt8](repeating: 0, count: route.headroom + datagram.bytes.count + route.tailroom)
    var span = out.mutableSpan
    guard let length = route.encapsulate(datagram.bytes.span, into: &span) else { return nil }
    out.removeLast(out.count - length)
    return OutgoingDatagram(
      path: IcePath(transport: route.transport, local: route.local, remote: route.remote, handle: route.handle),
      bytes: out)
  }

  func takeIceEvents() {
    while let event = lite?.pollEvent() {
      switch event {
      case .consentLost:
        isConsentLost = true
        datagrams.removeAll()
        events.append(.iceConsentLost)
      case .pathForgotten(let path):
        if mediaPath == path { mediaPath = nil }
        events.append(.icePathForgotten(path))
      case .ufragRetired(let ufrag): events.append(.iceUfragRetired(ufrag))
      }
    }
    if agent != nil { takeAgentEvents() }
    let path = lite == nil ? agent?.selectedPath : litePath()
    if path != selectedPath {
      selectedPath = path
      events.append(.iceSelectedPathChanged(path))
    }
    if let path, path.isRelayed {
      // A permission is there, or no check would have been answered; so there is a route as long as the relay lives.
      relayRoute = agent?.route(of: path)
    } else {
      relayRoute = nil
    }
  }

  /// The path that the peer has nominated, else the one over which the handshake was finished, while it is proven.
  private func litePath() -> IcePath? {
    if let nominated = lite?.selectedPath {
      handshakePath = nil
      return nominated
    }
    guard let path = handshakePath, lite?.isProven(path) == true else { return nil }
    return path
  }

  private func takeAgentEvents() {
    while let event = agent?.pollEvent() {
      switch event {
      case .selected(let path):
        events.append(.icePathValidated(path))
        if isConsentLost {
          isConsentLost = false
          events.append(.iceConsentRestored)
        }
      case .pathLost: mediaPath = nil
      case .consentLost:
        isConsentLost = true
        mediaPath = nil
        events.append(.iceConsentLost)
      case .failed:
        mediaPath = nil
        events.append(.iceFailed)
      case .localCandidate(let candidate): events.append(.iceLocalCandidate(candidate))
      case .gatheringComplete: events.append(.iceGatheringComplete)
      case .serverFailed(let url, let error): events.append(.iceServerFailed(url: url, error))
      }
    }
  }

  /// A DTLS client says hello as soon as there is a path.
  func startHandshakeIfReady(now: Instant) {
    guard let dtls, dtls.role == .client, dtls.state == .idle, transmitPath != nil, !isClosed else { return }
    dtls.start(now: now)
  }

  func takeDTLSEvents(now: Instant) {
    while let event = dtls?.pollEvent() {
      switch event {
      case .connected(let material):
        takeKeys(material)
        startDataChannelsIfReady(now: now)
      case .received(let packet): data?.receive(packet.span, now: now)
      case .closed:
        shutDown()
        events.append(.closed)
      case .failed(let failure):
        events.append(.dtlsFailed(failure))
        tryAgain(after: failure, now: now)
      }
    }
  }

  private func takeKeys(_ material: SRTPKeyingMaterial) {
    do throws(SRTPError) {
      let receiver = try SRTPReceiver(material)
      srtpSender = try SRTPSender(material)
      srtpReceiver = receiver
      events.append(.connected)
    } catch {
      srtpSender = nil
      events.append(.dtlsFailed(.handshake("the SRTP keys could not be set up: \(error)")))
    }
  }

  /// A failed handshake ends that handshake only: another ClientHello over a proven path starts the next (RFC 8827
  /// leaves it open; one forged datagram must not end a call). A client tries again by itself, except with a wrong
  /// certificate.
  private func tryAgain(after failure: DTLSFailure, now: Instant) {
    handshakes += 1
    guard handshakes < Self.maximumHandshakes, let dtls else { return }
    guard dtls.role == .server || failure != .fingerprintMismatch else { return }
    // The alert with the reason goes out to the peer before the old association is gone.
    if let path = transmitPath {
      while let bytes = dtls.pollTransmit() { enqueue(OutgoingDatagram(path: path, bytes: bytes)) }
    }
    do throws(DTLSSetupError) { try dtls.reset() } catch { return }
    startHandshakeIfReady(now: now)
  }
}
