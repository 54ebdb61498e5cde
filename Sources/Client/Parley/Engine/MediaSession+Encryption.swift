import Basics
import Encryption
import RTC

extension MediaSession {
  /// Seals a frame and sends it. A frame that cannot be sealed is dropped and counted.
  func sendSealed(_ frame: EncodedFrame, with encryption: FrameEncryption, mid: MID, rid: RID?, now: Instant) {
    switch encryption.seal(frame, mid: mid, rid: rid, now: now) {
    case .sealed(var sealed):
      sender.send(sealed, mid: mid, rid: rid, now: now)
      encryption.recycle(&sealed)
    case .dropped(let needsKeyframe): if needsKeyframe { publishers[mid]?.requestKeyframe(rid) }
    }
  }

  /// Lets time pass for the keys, and finds out when they want to be called next.
  func settleKeys(_ encryption: FrameEncryption, now: Instant) {
    encryption.isUnsettled = false
    if encryption.keys.handleTimeout(now: now) { events.yield(.keysWanted) }
    keyDeadline = encryption.keys.deadline
  }

  /// Has key frames encoded of everything that is sent: somebody could open none before.
  func requestOwnKeyframes() {
    for publisher in publishers.values where publisher.kind == .video { publisher.requestKeyframe(nil) }
  }

  /// The key of a participant has come: plays the frames that wait for it, and asks for key frames where video begins
  /// with none of them.
  func openHeldFrames(of participant: String, now: Instant) {
    for case let slot as VideoSlot in slots.values where slot.track != nil && slot.participant == participant {
      if slot.openHeld(now: now) { receiver.requestKeyframe(slot.mid, now: now) }
    }
  }
}
