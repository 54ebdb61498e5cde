// A function at the file's level is a callback of an audio unit.
import AudioToolbox
import OpenTok

final class CallbackDevice {
  var asked: UInt32 = 0
  var unit: AudioUnit?

  func setUp() -> OSStatus {
    var description = AudioComponentDescription()
    description.componentType = kAudioUnitType_Output
    guard let component = AudioComponentFindNext(nil, &description) else { return kAudioUnitErr_NoConnection }
    guard AudioComponentInstanceNew(component, &unit) == noErr, let unit else { return kAudioUnitErr_NoConnection }
    let object = Unmanaged.passUnretained(self).toOpaque()
    var callback = AURenderCallbackStruct(inputProc: fillWithSilence, inputProcRefCon: object)
    return AudioUnitSetProperty(
      unit, kAudioUnitProperty_SetRenderCallback, kAudioUnitScope_Input, 0, &callback,
      UInt32(MemoryLayout<AURenderCallbackStruct>.size))
  }
}

func fillWithSilence(
  object: UnsafeMutableRawPointer, flags: UnsafeMutablePointer<AudioUnitRenderActionFlags>,
  time: UnsafePointer<AudioTimeStamp>, bus: UInt32, frames: UInt32, data: UnsafeMutablePointer<AudioBufferList>?
) -> OSStatus {
  let device: CallbackDevice = Unmanaged.fromOpaque(object).takeUnretainedValue()
  device.asked += frames
  guard let buffer = data?.pointee.mBuffers, let memory = buffer.mData else { return noErr }
  memset(memory, 0, Int(buffer.mDataByteSize))
  return noErr
}
