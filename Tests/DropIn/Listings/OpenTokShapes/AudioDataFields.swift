// The fields of sound, as the header has them.
import OpenTok

class Halver: NSObject, OTCustomAudioTransformer {
  func transform(_ audioData: OTAudioData) {
    let (channels, count): (UInt64, UInt64) = (audioData.numberOfChannels, audioData.numberOfSamples)
    guard let samples: UnsafePointer<Int16> = audioData.sampleBuffer else { return }
    let writable = UnsafeMutablePointer(mutating: samples)
    for index in 0..<Int(channels * count) { writable[index] /= 2 }
  }
  static func made() -> OTAudioData {
    let data = OTAudioData()
    data.sampleRate = 16_000
    return data
  }
}
