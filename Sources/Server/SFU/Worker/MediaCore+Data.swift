import Basics
import RTC

/// Data messages: what participants send is handed to the meeting's room as it came, and what the room sends goes into
/// their channels. The room decides the contents of slots, so that a meeting can span workers. Nothing here is on the
/// way of media.
extension MediaCore {
  func handle(_ event: DataChannelEvent, _ connection: Connection) {
    switch event {
    case .opened(let id, let options): opened(id, options, connection)
    case .message(let id, let kind, let bytes): received(bytes, kind, id, connection)
    case .closed(let id):
      if let delivery = connection.data.delivery(of: id) { connection.data.channels[delivery] = nil }
    case .failed: connection.data.channels.removeAll()
    case .connected, .bufferedAmountLow: break
    }
  }

  private func opened(_ id: DataChannelID, _ options: DataChannelOptions, _ connection: Connection) {
    let served = configuration.data.labels.first { $0.value == options.label }?.key
    guard let served else {
      connection.peer.closeDataChannel(id, now: loop.now)
      return
    }
    // A client that opens a channel again, after one of its own was lost, means the new one.
    if let before = connection.data.channels.updateValue(id, forKey: served), before != id {
      connection.peer.closeDataChannel(before, now: loop.now)
    }
  }

  private func received(
    _ bytes: [UInt8], _ kind: DataMessageKind, _ id: DataChannelID, _ connection: Connection
  ) {
    guard kind == .binary, let delivery = connection.data.delivery(of: id) else {
      count(.unexpected)
      return
    }
    guard bytes.count <= configuration.data.maximumMessage[delivery] ?? 0 else {
      count(.tooLarge)
      return
    }
    let now = loop.now
    guard connection.data.limit.consume(bytes.count, now: now) else {
      drop(.tooFast, delivery, of: connection, now)
      return
    }
    let event = MeetingDataEvent.message(from: connection.id, delivery, bytes)
    guard case .enqueued = connection.meeting.dataEvents?.yield(event) else {
      drop(.overload, delivery, of: connection, now)
      return
    }
    countReceived(bytes.count)
  }

  /// A message that nobody will get: on a reliable channel its sender is told, once a second.
  private func drop(_ reason: DataDrop, _ delivery: DataDelivery, of connection: Connection, _ now: Instant) {
    count(reason)
    guard delivery == .reliable, now >= connection.data.nextWarning else { return }
    connection.data.nextWarning = now + .seconds(1)
    connection.meeting.dataEvents?.yield(.tooFast(connection.id))
  }

  /// Sends a message to those of `participants` who are here and have such a channel. A receiver for whom too much
  /// waits gets no lossy message, and loses its reliable channel: what it would miss otherwise it could not know of.
  func sendData(_ message: [UInt8], _ delivery: DataDelivery, to participants: [ParticipantID]) {
    let now = loop.now
    for participant in participants {
      guard let connection = connection(of: participant), let channel = connection.data.channels[delivery] else {
        continue
      }
      let waiting = connection.peer.bufferedAmount(of: channel)
      if waiting &+ message.count <= configuration.data.maximumBuffer,
        (try? connection.peer.sendData(message.span, on: channel, now: now)) != nil
      {
        countSent(message.count)
      } else {
        count(.slowReader)
        if delivery == .reliable {
          connection.data.channels[delivery] = nil
          connection.peer.closeDataChannel(channel, now: now)
          countClosedChannel()
          connection.meeting.dataEvents?.yield(.slowReader(participant))
        }
      }
      settle(connection)
    }
  }
}
