import RTC

/// The destination of a ``MediaSession``'s packets.
protocol PacketOutput: AnyObject {
  /// Sends a media packet that is complete for its route: on UDP as it is, on a stream with what
  /// ``IceRoute/encapsulate(_:into:)`` put around it.
  func send(media packet: Span<UInt8>, over route: IceRoute)
  /// Sends a STUN or DTLS packet of ``PeerConnection/pollTransmit()``.
  func send(control packet: Span<UInt8>, over path: IcePath)
  /// Datagrams that were dropped on this machine because they were not read in time.
  var receiveBufferDrops: UInt64 { get }
}
