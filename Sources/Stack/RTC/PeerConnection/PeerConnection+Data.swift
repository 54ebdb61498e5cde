public import Basics

// MARK: - Data channels (RFC 8831) over SCTP over DTLS (RFC 8261)

extension PeerConnection {
  /// Opens a data channel and announces it to the peer (RFC 8832), or uses a number that both sides know. It may be
  /// called as soon as data channels are negotiated; messages wait until the connection is up.
  /// ``PeerConnectionEvent/data(_:)`` reports when it is open.
  /// - Throws: ``PeerConnectionError/noDataChannels`` before both sides agreed on them,
  ///   ``PeerConnectionError/dataChannel(_:)`` when no number is free or the options contradict each other.
  public func openDataChannel(
    _ options: DataChannelOptions, now: Instant
  ) throws(PeerConnectionError) -> DataChannelID {
    let id: DataChannelID?
    do throws(DataChannelError) {
      id = try data?.open(options, now: now)
    } catch { throw .dataChannel(error) }
    guard let id else { throw isClosed ? .closed : .noDataChannels }
    return id
  }

  /// Queues a message; poll for datagrams afterwards. Cost: one copy of the message, and a DTLS record for each packet.
  /// - Throws: ``PeerConnectionError/dataChannel(_:)`` when there is no such channel, the peer does not take so long a
  ///   message, or too much waits already.
  public func sendData(
    _ message: Span<UInt8>, kind: DataMessageKind = .binary, on channel: DataChannelID, now: Instant
  ) throws(PeerConnectionError) {
    guard data != nil else { throw isClosed ? .closed : .noDataChannels }
    do throws(DataChannelError) {
      try data?.send(message, kind: kind, on: channel, now: now)
    } catch { throw .dataChannel(error) }
  }

  /// Closes a channel (RFC 8831 section 6.7); does nothing when it is not open. The event that it is closed follows
  /// when the peer has agreed.
  public func closeDataChannel(_ channel: DataChannelID, now: Instant) { data?.close(channel, now: now) }

  /// Bytes of messages in `channel` that wait to be sent.
  public func bufferedAmount(of channel: DataChannelID) -> Int { data?.bufferedAmount(channel) ?? 0 }

  /// Counters of the data channels; nil if none were negotiated.
  public var dataChannelStatistics: DataChannelStatistics? { data?.statistics }

  /// Takes over what a description says about data channels. Their association outlives later descriptions and ICE
  /// restarts.
  func setDataChannels(_ agreed: NegotiatedDataChannels?, now: Instant) {
    defer { negotiatedDataChannels = agreed }
    guard let agreed, let dtls else {
      data = nil
      isDataStarted = false
      return
    }
    // A section that was stopped and offered again is another association.
    if agreed.mid != negotiatedDataChannels?.mid { data = nil }
    guard data == nil else {
      data?.maximumSendMessageSize = agreed.maximumMessageSize
      return
    }
    var sctp = SCTPConfiguration()
    // Chunks are padded to four bytes (RFC 9260 section 3.2).
    sctp.mtu = DTLSTransport.maximumPayload(mtu: configuration.mtu) & ~3
    sctp.port = agreed.port
    sctp.maximumReceiveMessageSize = NegotiatedDataChannels.localMaximumMessageSize
    data = DataChannelTransport(dtlsRole: dtls.role, configuration: sctp, random: random)
    data?.maximumSendMessageSize = agreed.maximumMessageSize
    // The next draw here must not repeat the transport's.
    _ = random.next() as UInt64
    isDataStarted = false
    startDataChannelsIfReady(now: now)
  }

  /// SCTP begins when DTLS stands.
  func startDataChannelsIfReady(now: Instant) {
    guard data != nil, !isDataStarted, dtls?.state == .connected else { return }
    isDataStarted = true
    data?.start(now: now)
  }

  /// Lets one SCTP packet go out through DTLS; false when none waits. A packet that DTLS does not take is lost, as on a
  /// network.
  func sendData() -> Bool {
    guard isDataStarted, let packet = data?.pollTransmit() else { return false }
    _ = dtls?.send(packet.span)
    return true
  }
}
