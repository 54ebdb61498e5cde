#if !canImport(AudioToolbox) || os(Linux)
import Foundation
import Parley

/// A kind of unit.
public final class OpaqueAudioComponent: Sendable {
  fileprivate init() {}
}

/// A kind of unit.
public typealias AudioComponent = OpaqueAudioComponent
/// A unit that plays or captures.
public typealias AudioComponentInstance = OpaqueAudioComponentInstance
/// A unit that plays or captures.
public typealias AudioUnit = AudioComponentInstance

// unchecked: what changes is touched under the lock, or on the unit's own queue while it runs.
/// A unit that plays its callback's audio, or notifies its callback of captured audio, 10 ms at a time. Without a
/// loudspeaker nobody hears the audio, and without a microphone silence is captured.
public final class OpaqueAudioComponentInstance: @unchecked Sendable {
  private struct Callback {
    var call: AURenderCallback
    var object: UnsafeMutableRawPointer
  }

  private let lock = NSLock()
  private let queue = DispatchQueue(label: "parley.audio-unit", qos: .userInteractive)
  private var playing: Callback?
  private var capturing: Callback?
  private var channels = 1
  private var timer: (any DispatchSourceTimer)?
  private var speaker: SpeakerSink?
  private var microphone: MicrophoneSource?
  private var captured: [Int16] = []
  private var position = 0

  fileprivate init() {}
  deinit { stop() }

  fileprivate func setCallback(_ callback: AURenderCallbackStruct, isCapture: Bool) {
    let new = callback.inputProc.flatMap { call in
      callback.inputProcRefCon.map { Callback(call: call, object: $0) }
    }
    lock.withLock { if isCapture { capturing = new } else { playing = new } }
  }

  fileprivate func setFormat(_ format: AudioStreamBasicDescription) -> OSStatus {
    guard format.mFormatID == kAudioFormatLinearPCM, format.mBitsPerChannel == 16,
      Int(format.mSampleRate) == AudioFrame.sampleRate, (1...2).contains(format.mChannelsPerFrame)
    else { return kAudioUnitErr_FormatNotSupported }
    lock.withLock { channels = Int(format.mChannelsPerFrame) }
    return noErr
  }

  fileprivate func start() {
    let (plays, captures) = lock.withLock { (playing != nil, capturing != nil) }
    queue.sync {
      guard timer == nil else { return }
      if plays { speaker = try? SpeakerSink() }
      if captures {
        let microphone = MicrophoneSource()
        if (try? microphone.start({ [weak self] in self?.hear($0) })) != nil { self.microphone = microphone }
      }
      let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
      timer.setEventHandler { [weak self] in self?.turn() }
      timer.schedule(deadline: .now(), repeating: .milliseconds(10), leeway: .milliseconds(1))
      timer.resume()
      self.timer = timer
    }
  }

  fileprivate func stop() {
    // On its own queue it is a callback that ends the unit.
    if DispatchQueue.getSpecific(key: Self.mark) == ObjectIdentifier(self) { return end() }
    queue.sync { end() }
  }

  private static let mark = DispatchSpecificKey<ObjectIdentifier>()

  private func end() {
    timer?.cancel()
    microphone?.stop()
    (timer, speaker, microphone) = (nil, nil, nil)
    lock.withLock { captured = [] }
  }

  private func hear(_ frame: AudioFrame) {
    lock.withLock {
      captured += frame.samples
      // More than 200 ms would only grow older.
      let most = AudioFrame.samplesPer10Milliseconds * 20
      if captured.count > most { captured.removeFirst(captured.count - most) }
    }
  }

  /// Calls the app's callbacks once, for 10 ms of audio.
  private func turn() {
    queue.setSpecific(key: Self.mark, value: ObjectIdentifier(self))
    let count = AudioFrame.samplesPer10Milliseconds
    let (playing, capturing, channels) = lock.withLock { (self.playing, self.capturing, self.channels) }
    var (flags, time) = (AudioUnitRenderActionFlags(), AudioTimeStamp())
    time.mSampleTime = Float64(position)
    time.mHostTime = DispatchTime.now().uptimeNanoseconds
    position += count
    if let playing {
      var samples = [Int16](repeating: 0, count: count * channels)
      let status = samples.withUnsafeMutableBytes { bytes in
        var list = AudioBufferList(
          mBuffers: AudioBuffer(
            mNumberChannels: UInt32(channels), mDataByteSize: UInt32(bytes.count), mData: bytes.baseAddress))
        return playing.call(playing.object, &flags, &time, 0, UInt32(count), &list)
      }
      if status == noErr {
        speaker?.receive(AudioFrame(samples: samples, channels: channels, time: MonotonicClock.now))
      }
    }
    if let capturing { _ = capturing.call(capturing.object, &flags, &time, 1, UInt32(count), nil) }
  }

  /// Fills a list with what was captured; silence where there is too little.
  fileprivate func render(_ frames: Int, _ list: UnsafeMutablePointer<AudioBufferList>) -> OSStatus {
    let buffer = list.pointee.mBuffers
    guard list.pointee.mNumberBuffers > 0, let data = buffer.mData else { return kAudioUnitErr_NoConnection }
    let room = min(Int(buffer.mDataByteSize) / 2, frames * max(Int(buffer.mNumberChannels), 1))
    let samples = lock.withLock {
      let taken = Array(captured.prefix(room))
      captured.removeFirst(taken.count)
      return taken + [Int16](repeating: 0, count: room - taken.count)
    }
    data.assumingMemoryBound(to: Int16.self).update(from: samples, count: room)
    return noErr
  }
}

/// The first kind of unit; there is one, after which there is none.
public func AudioComponentFindNext(
  _ inComponent: AudioComponent?, _ inDesc: UnsafePointer<AudioComponentDescription>
) -> AudioComponent? {
  inComponent == nil && inDesc.pointee.componentType == kAudioUnitType_Output ? OpaqueAudioComponent() : nil
}

/// Makes a unit, which doesn't run yet.
@discardableResult
public func AudioComponentInstanceNew(
  _ inComponent: AudioComponent, _ outInstance: UnsafeMutablePointer<AudioComponentInstance?>
) -> OSStatus {
  outInstance.pointee = OpaqueAudioComponentInstance()
  return noErr
}

/// Ends a unit that is no longer needed.
@discardableResult
public func AudioComponentInstanceDispose(_ inInstance: AudioComponentInstance) -> OSStatus {
  inInstance.stop()
  return noErr
}

/// Sets a property of a unit: its callbacks, or the layout of samples. Other properties have no effect.
@discardableResult
public func AudioUnitSetProperty(
  _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
  _ inData: UnsafeRawPointer?, _ inDataSize: UInt32
) -> OSStatus {
  switch inID {
  case kAudioUnitProperty_SetRenderCallback, kAudioOutputUnitProperty_SetInputCallback:
    guard let inData, Int(inDataSize) >= MemoryLayout<AURenderCallbackStruct>.size else {
      return kAudioUnitErr_InvalidProperty
    }
    let isCapture = inID == kAudioOutputUnitProperty_SetInputCallback
    inUnit.setCallback(inData.load(as: AURenderCallbackStruct.self), isCapture: isCapture)
    return noErr
  case kAudioUnitProperty_StreamFormat:
    guard let inData, Int(inDataSize) >= MemoryLayout<AudioStreamBasicDescription>.size else {
      return kAudioUnitErr_InvalidProperty
    }
    return inUnit.setFormat(inData.load(as: AudioStreamBasicDescription.self))
  default: return noErr
  }
}

/// Gets a unit ready.
@discardableResult public func AudioUnitInitialize(_ inUnit: AudioUnit) -> OSStatus { noErr }

/// Lets a unit go.
@discardableResult public func AudioUnitUninitialize(_ inUnit: AudioUnit) -> OSStatus {
  inUnit.stop()
  return noErr
}

/// Begins to play or capture.
@discardableResult public func AudioOutputUnitStart(_ ci: AudioUnit) -> OSStatus {
  ci.start()
  return noErr
}

/// Stops the unit, so that its callbacks are no longer called.
@discardableResult public func AudioOutputUnitStop(_ ci: AudioUnit) -> OSStatus {
  ci.stop()
  return noErr
}

/// Gives the captured audio, within the callback for it.
@discardableResult
public func AudioUnitRender(
  _ inUnit: AudioUnit, _ ioActionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>?,
  _ inTimeStamp: UnsafePointer<AudioTimeStamp>, _ inOutputBusNumber: UInt32, _ inNumberFrames: UInt32,
  _ ioData: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus { inUnit.render(Int(inNumberFrames), ioData) }
#endif
