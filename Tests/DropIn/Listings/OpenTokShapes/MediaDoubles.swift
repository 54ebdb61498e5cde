// Frames, formats and transformers of an app's own class.
import OpenTok

class UprightFrame: OTVideoFrame {
  override var orientation: OTVideoOrientation {
    get { .up }
    set {}
  }
  override func getPlaneStride(_ plane: Int32) -> Int32 { 16 }
}

class SmallFormat: OTVideoFormat {
  override var imageWidth: UInt32 {
    get { 16 }
    set {}
  }
}

class WideAudio: OTAudioFormat {
  override var sampleRate: UInt16 {
    get { 48_000 }
    set {}
  }
}

class SilentAudio: OTAudioData {
  override var numberOfSamples: UInt64 {
    get { 0 }
    set {}
  }
}

class NamedFilter: OTVideoTransformer {
  let title: String
  override init?(name: String, transformer: OTCustomVideoTransformer) {
    title = name
    super.init(name: name, transformer: transformer)
  }
}

class NamedTone: OTAudioTransformer {
  override init?(name: String, transformer: OTCustomAudioTransformer) {
    super.init(name: name, transformer: transformer)
  }
}

class NoDevices: OTAudioDeviceManager {
  override class func currentAudioDevice() -> OTAudioDevice? { nil }
}
