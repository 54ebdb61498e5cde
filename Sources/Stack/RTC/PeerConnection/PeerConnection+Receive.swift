public import Basics

extension PeerConnection {
  /// Takes one datagram, or one frame's content on TCP. RTP and RTCP are decrypted in place. Poll for datagrams and
  /// events when the result is ``ReceiveResult/handled``.
  public func receive(_ datagram: inout MutableSpan<UInt8>, path: IcePath, now: Instant) -> ReceiveResult {
    let result: ReceiveResult
    switch PacketClass(datagram.span) {
    case .rtp: result = receiveRTP(&datagram, path: path)
    case .rtcp: result = receiveRTCP(&datagram, path: path)
    case .stun:
      if agent != nil, let inside = receiveRelayed(&datagram, path: path, now: now) { return inside }
      result = receiveSTUN(datagram.span, path: path, now: now)
    case .dtls: result = receiveDTLS(datagram.span, path: path, now: now)
    case .turnChannel:
      guard let inside = receiveRelayed(&datagram, path: path, now: now) else {
        drops.count(.unknownProtocol)
        return .dropped(.unknownProtocol)
      }
      return inside
    case .unknown: result = .dropped(.unknownProtocol)
    }
    if case .dropped(let reason) = result { drops.count(reason) }
    return result
  }

  /// Whether media and DTLS over `path` come from the peer: an authenticated ICE check has proven it.
  private func isProven(_ path: IcePath) -> Bool {
    if path == mediaPath { return true }
    guard lite?.isProven(path) ?? agent?.isProven(path) ?? false else { return false }
    mediaPath = path
    return true
  }

  private func receiveRTP(_ datagram: inout MutableSpan<UInt8>, path: IcePath) -> ReceiveResult {
    guard isProven(path) else { return .dropped(isClosed ? .closed : .mediaFromUnprovenPath) }
    return keys.use(with: &datagram) { Self.openRTP(&$1, $0) } ?? .dropped(.mediaBeforeKeys)
  }

  @inline(__always)
  private static func openRTP(_ datagram: inout MutableSpan<UInt8>, _ receiver: SRTPReceiver) -> ReceiveResult {
    do throws(RTPError) {
      var header = try RTPHeader.parse(protected: datagram.span)
      let length: Int
      do throws(SRTPError) {
        length = try receiver.unprotectRTP(&datagram)
      } catch { return .dropped(DropReason(error)) }
      try header.resolvePayload(in: datagram.span.extracting(0..<length))
      return .rtp(header: header, length: length)
    } catch {
      return .dropped(error == .padding ? .badPadding : .malformedMedia)
    }
  }

  private func receiveRTCP(_ datagram: inout MutableSpan<UInt8>, path: IcePath) -> ReceiveResult {
    guard isProven(path) else { return .dropped(isClosed ? .closed : .mediaFromUnprovenPath) }
    return keys.use(with: &datagram) { Self.openRTCP(&$1, $0) } ?? .dropped(.mediaBeforeKeys)
  }

  @inline(__always)
  private static func openRTCP(_ datagram: inout MutableSpan<UInt8>, _ receiver: SRTPReceiver) -> ReceiveResult {
    do throws(SRTPError) {
      return .rtcp(length: try receiver.unprotectRTCP(&datagram))
    } catch { return .dropped(DropReason(error)) }
  }

  /// Handles a packet of a STUN or TURN server: ChannelData, or STUN that may hold a packet of the peer.
  /// - Returns: The result; nil when the packet isn't from such a server.
  private func receiveRelayed(
    _ datagram: inout MutableSpan<UInt8>, path: IcePath, now: Instant
  ) -> ReceiveResult? {
    guard let taken = agent?.receiveFromServer(datagram.span, path: path, now: now) else { return nil }
    guard let inner = taken else {
      takeIceEvents()
      startHandshakeIfReady(now: now)
      return .handled
    }
    // The packet inside moves to the front, so that its place is the same as without a relay: some tens of nanoseconds.
    let length = inner.payload.count
    let offset = inner.payload.lowerBound
    for index in 0..<length { datagram[index] = datagram[offset + index] }
    var packet = datagram._mutatingExtracting(0..<length)
    return receive(&packet, path: inner.path, now: now)
  }

  private func receiveSTUN(_ datagram: Span<UInt8>, path: IcePath, now: Instant) -> ReceiveResult {
    guard !isClosed else { return .dropped(.closed) }
    if agent != nil {
      guard remote != nil else { return .dropped(.notNegotiated) }
      if let ignored = agent?.receiveCheck(datagram, path: path, now: now) { return .dropped(DropReason(ignored)) }
      takeIceEvents()
      startHandshakeIfReady(now: now)
      return .handled
    }
    switch lite?.receive(datagram, path: path, now: now) {
    case .answered(let reply, let change):
      enqueue(OutgoingDatagram(path: path, bytes: reply))
      if change.isValidated { events.append(.icePathValidated(path)) }
      if isConsentLost {
        isConsentLost = false
        events.append(.iceConsentRestored)
      }
      takeIceEvents()
      return .handled
    case .refused(let reply, _):
      enqueue(OutgoingDatagram(path: path, bytes: reply))
      return .handled
    case .ignored(let reason): return .dropped(DropReason(reason))
    case nil: return .dropped(.notNegotiated)
    }
  }

  private func receiveDTLS(_ datagram: Span<UInt8>, path: IcePath, now: Instant) -> ReceiveResult {
    guard !isClosed else { return .dropped(.closed) }
    guard isProven(path) else { return .dropped(.dtlsFromUnprovenPath) }
    let hadKeys = srtpSender != nil
    dtls?.receive(datagram, now: now)
    takeDTLSEvents(now: now)
    if !hadKeys, srtpSender != nil, lite != nil {
      handshakePath = path
      takeIceEvents()
    }
    return .handled
  }
}

extension DropReason {
  init(_ error: SRTPError) {
    self =
      switch error {
      case .tooShort, .malformedHeader, .notEncrypted, .tooLong, .outputTooSmall: .malformedMedia
      case .authenticationFailed: .unauthenticatedMedia
      case .replayed, .tooOld: .replayedMedia
      case .tooManyStreams, .keyExhausted, .cipherFailed, .wrongKeyLength: .mediaLimit
      }
  }

  init(_ reason: IceIgnoredReason) {
    self =
      switch reason {
      case .malformed: .malformedSTUN
      case .notForUs: .unexpectedSTUN
      case .wrongUsername, .wrongFingerprint, .missingIntegrity, .wrongIntegrity: .unauthenticatedSTUN
      case .consentLost: .consentLost
      }
  }
}
