import Basics
import RTC
import Signaling

/// The two data channels of a session; see `docs/protocol/data.md`.
struct SessionDataChannels {
  var reliable: DataChannelID?
  var lossy: DataChannelID?
  /// When a channel that was closed is opened again.
  var nextOpening = Instant.distantFuture
  /// Whether the association under them is over: there are none any more.
  var isOver = false

  /// The pause before a closed channel is opened again, so that a server that closes each at once is not flooded.
  static let pause = TimeSpan.milliseconds(100)

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
  /// Opens the channels once both sides agreed on them, and what was closed since.
  func openDataChannels(now: Instant) {
    dataChannels.nextOpening = .distantFuture
    guard !dataChannels.isOver else { return }
    if dataChannels.reliable == nil {
      dataChannels.reliable = try? peer.openDataChannel(
        DataChannelOptions(label: DataReliability.reliable.label), now: now)
    }
    if dataChannels.lossy == nil {
      dataChannels.lossy = try? peer.openDataChannel(
        DataChannelOptions(label: DataReliability.lossy.label, ordered: false, maxRetransmits: 0), now: now)
    }
  }

  /// Queues a message, header and all.
  func sendData(_ message: [UInt8], _ reliability: DataReliability, now: Instant) -> Result<Void, SessionDataError> {
    guard let channel = dataChannels[reliability] else { return .failure(isReopening ? .full : .unavailable) }
    do throws(PeerConnectionError) {
      try peer.sendData(message.span, on: channel, now: now)
      return .success(())
    } catch {
      switch error {
      case .dataChannel(.bufferFull): return .failure(.full)
      case .dataChannel(.closing), .dataChannel(.unknownChannel): return .failure(isReopening ? .full : .unavailable)
      default: return .failure(.unavailable)
      }
    }
  }

  /// Whether a channel that is not there now will be in a moment.
  private var isReopening: Bool { !dataChannels.isOver && peer.negotiatedDataChannels != nil }

  func take(_ event: DataChannelEvent, now: Instant) {
    switch event {
    case .message(let channel, _, let bytes):
      // A message that doesn't parse isn't of this protocol, and means nothing to the app.
      guard let message = try? Signaling.DataMessage<ServerDataHeader>(parsing: bytes) else { return }
      events.yield(
        .data(
          ReceivedData(
            from: message.header.from, topic: message.header.topic, bytes: Array(message.payload),
            isReliable: channel == dataChannels.reliable)))
    case .closed(let channel):
      // The server closes the reliable channel of one who reads too slowly.
      if channel == dataChannels.reliable {
        dataChannels.reliable = nil
        events.yield(.dataLost)
      }
      if channel == dataChannels.lossy { dataChannels.lossy = nil }
      dataChannels.nextOpening = now + SessionDataChannels.pause
    case .failed:
      dataChannels = SessionDataChannels()
      dataChannels.isOver = true
    case .opened, .bufferedAmountLow: events.yield(.dataWanted)
    case .connected: break
    }
  }
}
