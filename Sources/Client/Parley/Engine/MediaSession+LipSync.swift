import Basics
import Media
import RTC

extension MediaSession {
  /// Synchronizes each participant's audio and video, a little at a time: by the sender reports of both streams, and by
  /// when each is heard and shown.
  func synchronize(_ now: Instant) {
    nextLipSync = now + LipSync.interval
    for case let audio as AudioSlot in slots.values where audio.track != nil {
      guard let video = slots.values.lazy.compactMap({ $0 as? VideoSlot }).first(where: { $0.belongs(with: audio) }),
        let heard = stream(of: audio), let shown = stream(of: video)
      else { continue }
      var state = lipSync[audio.participant] ?? LipSync()
      state.update(audio: heard, video: shown, now: now)
      lipSync[audio.participant] = state
      audio.setMinimumDelay(state.audioDelay)
      video.setMinimumDelay(state.videoDelay)
    }
  }

  private func stream(of slot: AudioSlot) -> LipSync.Stream? {
    guard let playout = slot.playout, let position = playout.position, let ssrc = slot.ssrc,
      let mapping = receiver.senderReportMapping(ssrc)
    else { return nil }
    return LipSync.Stream(
      mapping: mapping, timestamp: position.timestamp, time: position.time + (mixSink?.delay ?? .zero),
      delay: playout.currentDelay, network: playout.networkDelay)
  }

  private func stream(of slot: VideoSlot) -> LipSync.Stream? {
    guard let shown = slot.shown, let ssrc = slot.ssrc, let mapping = receiver.senderReportMapping(ssrc) else {
      return nil
    }
    return LipSync.Stream(
      mapping: mapping, timestamp: shown.timestamp, time: shown.time, delay: slot.buffer.currentDelay,
      network: slot.buffer.networkDelay)
  }
}

extension VideoSlot {
  /// Whether both slots carry the same participant. A screen next to a camera is synchronized with the audio only where
  /// it is alone.
  func belongs(with audio: AudioSlot) -> Bool { track != nil && participant == audio.participant && shown != nil }
}

extension AudioSlot {
  func setMinimumDelay(_ delay: TimeSpan) { playout?.minimumDelay = delay }
}
