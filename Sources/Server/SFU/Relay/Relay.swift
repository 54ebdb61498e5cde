import Basics
import RTC

/// One router's end of the relay to another router of the same meeting, on another worker or another machine.
///
/// It says what it has (announcements), and forwards a publication from the moment the other end subscribes to it until
/// it no longer does: once, however many receivers there are. What goes back is what the other end's receivers want:
/// keyframes and layers.
public final class Relay {
  /// How far away the other end is. What came from one kind of relay is passed on over the other kind only, so that a
  /// gateway spreads over its machine what came from another machine, and nothing goes round in circles.
  public enum Reach: UInt8, Sendable {
    /// Another worker of this machine.
    case machine
    case network
  }

  /// The meeting's number on the link; both ends use the same.
  public let channel: UInt32
  /// The place of the other end.
  public let reach: Reach
  /// Whether the other end has said that it is there.
  public internal(set) var isOpen = false

  let output: RelayOutput
  /// Tells one life of this end from the next.
  let session: UInt64
  var otherSession: UInt64 = 0
  /// What the other end announced, by the low 16 bits of its number.
  var incoming: ContiguousArray<Publication?> = []
  var participants: [ParticipantID: RelayedParticipant] = [:]

  init(channel: UInt32, reach: Reach, output: RelayOutput, session: UInt64) {
    self.channel = channel
    self.reach = reach
    self.output = output
    self.session = session
  }

  /// The publication that the other end announced under `number`.
  @inline(__always)
  func publication(_ number: UInt32) -> Publication? {
    let index = Int(number & 0xFFFF)
    guard index < incoming.count, let publication = incoming[index], publication.origin?.number == number else {
      return nil
    }
    return publication
  }

  func send(
    _ kind: RelayRecord.Kind, flags: UInt8 = 0, value: UInt16 = 0, publication: UInt32 = 0,
    _ body: (inout [UInt8]) -> Void = { _ in }
  ) {
    output.send(
      RelayRecord.make(kind, flags: flags, value: value, channel: channel, publication: publication, body))
  }

  /// Forwards a packet of a publication that the other end subscribes to: one copy into the ring. False when that is
  /// full.
  @inline(__always)
  func forward(_ packet: StoredPacket, of stream: SourceStream, layer: UInt16, publication: UInt32) -> Bool {
    let descriptor = Int(packet.descriptorLength)
    let payload = Int(packet.payloadLength)
    let start = Int(packet.offset)
    let store = stream.store
    return output.sendMedia(length: RelayedPacket.length &+ descriptor &+ payload) { record in
      RelayedPacket(publication: publication, channel: channel, layer: layer, ssrc: stream.ssrc, packet: packet)
        .write(into: &record)
      if descriptor > 0 {
        let from = start &- RetransmissionStore.headroom &- descriptor
        RelayBytes.copy(store.span(from..<(from &+ descriptor), of: packet), into: &record, at: RelayedPacket.length)
      }
      RelayBytes.copy(
        store.span(start..<(start &+ payload), of: packet), into: &record, at: RelayedPacket.length &+ descriptor)
    }
  }
}

/// Somebody at the other end of a relay who sends.
final class RelayedParticipant {
  let id: ParticipantID
  /// The number by which ``ActiveSpeakers`` knows it.
  let number: Int
  /// How far the wall clock of its router is ahead of its own: one value for all its streams, so that they stay in
  /// step.
  var clockOffset: TimeSpan?
  var publications = 0

  init(id: ParticipantID, number: Int) {
    self.id = id
    self.number = number
  }
}

/// Where a publication comes from that does not come from a participant of this router.
final class RelayOrigin {
  let relay: Relay
  /// Its number at the other end.
  let number: UInt32
  let participant: RelayedParticipant
  /// Whether the other end was asked for it.
  var isWanted = false
  /// What the other end was last told that receivers here lose of it; see ``Publication/lossToBeReadyFor``.
  var toldLoss: UInt8 = 0

  init(relay: Relay, number: UInt32, participant: RelayedParticipant) {
    self.relay = relay
    self.number = number
    self.participant = participant
  }
}

/// The other end of a relay as a receiver of a publication.
struct RelayTarget {
  let relay: Relay
  /// The combined demand of its receivers.
  var level: LayerDemand.Level
  /// What the one of them loses of a voice who loses most; see ``Publication/lossToBeReadyFor``.
  var loss: UInt8 = 0
}
