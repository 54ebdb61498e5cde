import Basics
import Media
import RTC

/// The encoding of frames, on the publisher's queue.
extension VideoPublisher {
  /// - Parameter isRepeated: Whether it is only for the layers that want a keyframe, outside the source's rhythm.
  func encode(_ picture: VideoFrame, isRepeated: Bool = false) {
    // A picture that was sent again may have overtaken the time of the one that was on its way.
    let isLate = picture.time <= encoders.lastTime
    let frame = isLate ? picture.with(time: encoders.lastTime + .milliseconds(1)) : picture
    encoders.lastTime = frame.time
    let (due, destination) = state.withLock { state -> ([(Int, VideoLayer)], PublisherDestination?) in
      var due: [(Int, VideoLayer)] = []
      for index in state.layers.indices {
        let layer = state.layers[index].takeDue(at: frame.time, most: state.wantedRate, isRepeated: isRepeated)
        if let layer { due.append((index, layer)) }
      }
      return (due, state.destination)
    }
    guard let destination else { return }
    for (index, layer) in due {
      let start = MonotonicClock.now
      do throws(MediaError) {
        guard let encoded = try encode(frame, layer, index, destination.codec) else {
          if layer.wantsKeyframe { wantKeyframe(layer.rid) }
          continue
        }
        count(encoded, of: layer.rid, since: start)
        destination.connection.post { session, now in
          session.send(encoded, mid: destination.mid, rid: layer.rid, now: now)
        }
        encoders.failures[index] = nil
      } catch {
        encoders.byLayer[index] = nil
        encoders.failures[index, default: 0] += 1
        wantKeyframe(layer.rid)
        if encoders.failures[index] == PublisherProblem.failureLimit {
          onProblem.withLock { $0 }?(.encoderFailed(error))
        }
      }
    }
  }

  private func encode(
    _ frame: VideoFrame, _ layer: VideoLayer, _ index: Int, _ codec: Codec
  ) throws(MediaError) -> EncodedFrame? {
    let divisor = Double(layer.divisor) * max(layer.scale, 1)
    let settings = VideoEncoderSettings(
      width: Self.even(Double(frame.width) / divisor), height: Self.even(Double(frame.height) / divisor),
      framesPerSecond: layer.framesPerSecond, bitrate: layer.bitrate, isScreen: track.options.isScreen,
      // Packets of H.264 do not say of which layer they are.
      temporalLayers: codec == .h264 ? 1 : track.options.temporalLayers)
    let encoder: any VideoEncoder
    if let existing = encoders.byLayer[index], existing.codec == codec {
      encoder = existing
      if encoder.settings != settings { encoder.settings = settings }
    } else {
      encoder = try VideoCodecFactory.encoder(for: codec, settings: settings)
      encoders.byLayer[index] = encoder
    }
    guard var encoded = try encoder.encode(frame, forceKeyframe: layer.wantsKeyframe) else { return nil }
    encoded.timestamp = encoders.timeline.timestamp(at: frame.time)
    encoded.time = frame.time
    return encoded
  }

  private func count(_ frame: EncodedFrame, of rid: RID?, since start: Instant) {
    let end = MonotonicClock.now
    state.withLock { state in
      guard let index = state.layers.firstIndex(where: { $0.rid == rid }) else { return }
      state.layers[index].counts.encoded(isKeyframe: frame.isKeyframe, from: start, to: end)
    }
  }

  private static func even(_ size: Double) -> Int { max(2, Int(size.rounded()) & ~1) }
}
