import Basics
import Media
public import Signaling

/// How a data message travels: `reliable` arrives and in order, `lossy` at once or never.
///
/// ```swift
/// let reliability: DataReliability = isPointer ? .lossy : .reliable
/// try await meeting.send(bytes, reliability: reliability)
/// ```
public typealias DataReliability = Signaling.DataReliability

extension Meeting {
  /// The longest payload in bytes: 64 KiB on the reliable channel, 1 KiB on the lossy one, which fits one packet.
  ///
  /// ```swift
  /// let limit = Meeting.maximumDataLength(.reliable)
  /// for start in stride(from: 0, to: bytes.count, by: limit) {
  ///   try await meeting.send(Array(bytes[start..<min(start + limit, bytes.count)]), topic: "file")
  /// }
  /// ```
  public static func maximumDataLength(_ reliability: DataReliability) -> Int { reliability.payloadLimit }

  /// Sends data to everybody else, or to some, over a data channel. While there is no connection, reliable data
  /// waits and lossy data is dropped.
  ///
  /// ```swift
  /// try await meeting.send(Array("ping".utf8), topic: "game")
  /// try await meeting.send(bytes, topic: "pointer", reliability: .lossy, to: [participant])
  /// ```
  ///
  /// - Parameters:
  ///   - bytes: The payload; at most ``maximumDataLength(_:)`` bytes.
  ///   - topic: The subject, by which receivers distinguish messages; at most 128 bytes.
  ///   - reliability: Whether it may be lost.
  ///   - recipients: The receivers, at most 100; empty for everybody.
  /// - Throws: ``JoinError/refused(code:message:)`` for what is too long (in an encrypted meeting 40 bytes fewer fit),
  ///   ``JoinError/ended``, ``JoinError/timedOut(_:)`` when
  ///   nothing could be sent for 30 seconds.
  public func send(
    _ bytes: [UInt8], topic: String = "", reliability: DataReliability = .reliable,
    to recipients: [RemoteParticipant] = []
  ) async throws(JoinError) {
    let header = ClientDataHeader(to: recipients.isEmpty ? nil : recipients.map(\.id), topic: topic)
    let room = isEncrypted ? MessageSealing.overhead : 0
    guard bytes.count + room <= reliability.payloadLimit else {
      throw .refused(
        code: "tooLarge",
        message: DataMessageError.payloadTooLarge(maximum: reliability.payloadLimit - room).description)
    }
    do throws(DataMessageError) {
      try Signaling.DataMessage(header: header, payload: bytes[...]).check(reliability)
    } catch {
      throw .refused(code: "tooLarge", message: error.description)
    }
    let end = MonotonicClock.now + .seconds(30)
    var encoded: (bytes: [UInt8], ring: KeyRing?)?
    while true {
      guard state != .ended else { throw .ended }
      // Another connection has other keys.
      if encoded.map({ $0.ring !== secret?.ring }) ?? true, let payload = onTheWire(data: bytes) {
        do throws(DataMessageError) {
          encoded = (try Signaling.DataMessage(header: header, payload: payload[...]).encoded(), secret?.ring)
        } catch { throw .refused(code: "tooLarge", message: error.description) }
      }
      let message = encoded?.bytes
      switch await connection?.call({ session, now in message.map { session.sendData($0, reliability, now: now) } })
        ?? nil
      {
      case .success?: return
      case .failure(.unavailable)? where connectionState.isFine && connectionState.mediaUp && joinedOnce:
        throw .refused(code: "noDataChannel", message: "The server takes no data on this connection.")
      default: break
      }
      // A lossy message is worth something now or never.
      if reliability == .lossy { return }
      guard MonotonicClock.now < end else { throw .timedOut("The data could not be sent within 30 seconds.") }
      // Room is announced; that a channel has opened, or the connection is back, within this time.
      _ = await dataWaiters.wait(within: .milliseconds(200))
      if Task.isCancelled { throw .cancelled }
    }
  }

  func takeData(_ sealed: ReceivedData, mayWait: Bool = true) {
    guard let data = opened(sealed, mayWait: mayWait) else { return }
    let sender = roster[data.from]
    emit(
      .data(
        DataMessage(
          sender: sender, senderID: data.from, topic: data.topic, bytes: data.bytes, isReliable: data.isReliable)))
  }
}
