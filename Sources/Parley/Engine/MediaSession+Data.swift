import Basics
import RTC
import Signaling

/// The two data channels of a session; see `docs/protocol.md`, "Data".
struct SessionDataChannels {
  var reliable: DataChannelID?
  var lossy: DataChannelID?

  subscript(_ reliability: DataReliability) -> DataChannelID? { reliability == .reliable ? reliable : lossy }
}

/// Why a session did not take a data message.
enum SessionDataError: Error {
  /// Too much waits to be sent: try again soon.
  case full
  /// The server offers no data channels, or closed ours.
  case unavailable
}

extension MediaSession {
  /// Opens the channels once both sides agreed on them.
  func openDataChannels(now: Instant) {
    guard dataChannels.reliable == nil, dataChannels.lossy == nil else { return }
    dataChannels.reliable = try? peer.openDataChannel(
      DataChannelOptions(label: DataReliability.reliable.label), now: now)
    dataChannels.lossy = try? peer.openDataChannel(
      DataChannelOptions(label: DataReliability.lossy.label, ordered: false, maxRetransmits: 0), now: now)
  }

  /// Queues a message, header and all.
  func sendData(_ message: [UInt8], _ reliability: DataReliability, now: Instant) -> Result<Void, SessionDataError> {
    guard let channel = dataChannels[reliability] else { return .failure(.unavailable) }
    do throws(PeerConnectionError) {
      try peer.sendData(message.span, on: channel, now: now)
      return .success(())
    } catch {
      if case .dataChannel(.bufferFull) = error { return .failure(.full) }
      return .failure(.unavailable)
    }
  }

  func take(_ event: DataChannelEvent) {
    switch event {
    case .message(let channel, _, let bytes):
      // What does not parse is not of this protocol and means nothing to the app.
      guard let message = try? Signaling.DataMessage<ServerDataHeader>(parsing: bytes) else { return }
      events.yield(
        .data(
          ReceivedData(
            from: message.header.from, topic: message.header.topic, bytes: Array(message.payload),
            isReliable: channel == dataChannels.reliable)))
    case .closed(let channel):
      if channel == dataChannels.reliable { dataChannels.reliable = nil }
      if channel == dataChannels.lossy { dataChannels.lossy = nil }
    case .failed: dataChannels = SessionDataChannels()
    case .opened, .bufferedAmountLow: events.yield(.dataWanted)
    case .connected: break
    }
  }
}
