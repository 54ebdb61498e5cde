import Basics
import SFU
import Signaling

/// Passes data messages between the participants of one meeting, one after the other, so that what one sends stays in
/// order.
///
/// The room chooses the receivers. The sender is the session's participant, whatever the message says.
struct DataRelay: Sendable {
  let media: any MediaPlane
  let counters: ServerCounters
  let log: Log
  let meeting: String

  /// Serves until the meeting ends. Messages that come after the room's end are dropped.
  func run(_ events: AsyncStream<MeetingDataEvent>, room: @Sendable () -> MeetingRoom?) async {
    for await event in events {
      guard let room = room() else { return }
      switch event {
      case .message(let sender, let delivery, let bytes):
        await pass(bytes, from: sender.rawValue, delivery == .reliable ? .reliable : .lossy, in: room)
      case .tooFast(let participant):
        await room.refuse(
          .init(
            .dataTooFast,
            "Data is sent too fast, and a message was dropped: at most \(DataLimits.messagesPerSecond) messages and "
              + "\(DataLimits.bytesPerSecond) bytes a second are accepted (in small meetings, "
              + "\(DataLimits.smallMeetingFactor) times the bytes)."), to: participant.rawValue)
      case .slowReader(let participant):
        log.info("data.slowReader", ["meeting": meeting, "participant": participant.rawValue])
        await room.refuse(
          .init(
            .dataTooSlow, "Data was not taken as fast as it came, so the reliable channel was closed. Open it again."),
          to: participant.rawValue)
      }
    }
  }

  private func pass(_ bytes: [UInt8], from sender: String, _ reliability: DataReliability, in room: MeetingRoom) async {
    let outgoing: [UInt8]
    let to: [String]?
    do throws(DataMessageError) {
      let message = try DataMessage<ClientDataHeader>(parsing: bytes)
      try message.check(reliability)
      to = message.header.to
      outgoing = try DataMessage(
        header: ServerDataHeader(from: sender, topic: message.header.topic), payload: message.payload
      ).encoded()
    } catch {
      counters.badData.add(1)
      log.debug("data.bad", ["meeting": meeting, "participant": sender, "reason": error.description])
      return
    }
    let receivers = await room.receivers(of: sender, to: to, bytes: outgoing.count)
    guard !receivers.isEmpty else { return }
    counters.dataMessages.add(1)
    await media.sendData(
      outgoing, reliability == .reliable ? .reliable : .lossy, to: receivers.map { ParticipantID(rawValue: $0) })
  }
}
