import Basics
import Media
import RTC
import Signaling

extension MediaSession {
  /// A video slot now carries what `track` shows.
  func show(mid: MID, in track: RemoteVideoTrack, participant: String, source: TrackSource = .camera) {
    guard let slot = slots[mid] as? VideoSlot else { return }
    let isNew = slot.isNew
    slot.start(track, participant: participant, source: source)
    lipSync[participant] = nil
    guard !isNew else { return }
    slot.baseline = receiver.statistics(mid)
    receiver.reset(mid)
  }

  /// An audio slot now carries what `track` lets hear.
  func play(mid: MID, in track: RemoteAudioTrack, participant: String, source: TrackSource = .microphone) {
    guard let slot = slots[mid] as? AudioSlot else { return }
    let isNew = slot.isNew
    slot.start(track, participant: participant, source: source)
    lipSync[participant] = nil
    guard !isNew else { return }
    slot.baseline = receiver.statistics(mid)
    receiver.reset(mid)
  }

  /// A slot does not carry `track` any more.
  func clear(mid: MID, track: RemoteVideoTrack) {
    guard let slot = slots[mid] as? VideoSlot, slot.track === track else { return }
    slot.stop()
  }

  /// A slot does not carry `track` any more.
  func clear(mid: MID, track: RemoteAudioTrack) {
    guard let slot = slots[mid] as? AudioSlot, slot.track === track else { return }
    slot.stop()
  }

  /// Somebody began or ceased to listen to a slot.
  func setListened(_ listened: Bool, mid: MID, now: Instant) {
    (slots[mid] as? AudioSlot)?.isListened = listened
    schedulePlayout(now)
  }

  /// Plays everything that is heard to `sink`, mixed; nil ends it.
  func setMixSink(_ sink: (any AudioSink)?, now: Instant) {
    mixSink = sink
    schedulePlayout(now)
  }

  private func schedulePlayout(_ now: Instant) {
    for case let slot as AudioSlot in slots.values { slot.isMixed = mixSink != nil }
    let isHeard = mixSink != nil || slots.values.contains { ($0 as? AudioSlot)?.isListened == true }
    if !isHeard {
      nextPlayout = .distantFuture
      nextLipSync = .distantFuture
    } else if nextPlayout == .distantFuture {
      nextPlayout = now
      nextLipSync = now + LipSync.interval
    }
  }

  /// Gives out the 10 ms that are due. When the thread was held up for long, what was missed is left out.
  func playOut(_ now: Instant) {
    if now - nextPlayout > .milliseconds(200) { nextPlayout = now }
    while nextPlayout <= now {
      for (mid, slot) in slots {
        guard let slot = slot as? AudioSlot, let frame = slot.playOut(now: nextPlayout, always: mixSink != nil) else {
          continue
        }
        if mixSink != nil, let heard = slot.inMix(frame) { mixer.add(heard, from: mid) }
      }
      if let mixSink {
        mixSink.receive(mixer.mix(time: nextPlayout))
        mixer.next()
      }
      nextPlayout = nextPlayout + .milliseconds(10)
    }
  }
}
