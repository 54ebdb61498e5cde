import Foundation
import OpenTok

/// A renderer that reads the planes of what it is shown.
// unchecked: behind `lock`.
final class PlaneReader: OTVideoRender, @unchecked Sendable {
  private let lock = NSLock()
  private var latest = (u: UInt8(0), planes: 0, seconds: 0.0)
  var seen: (u: UInt8, planes: Int, seconds: Double) { lock.withLock { latest } }

  func renderVideoFrame(_ frame: OTVideoFrame) {
    let u = frame.getPlaneBinaryData(1).pointee
    let (count, seconds) = (frame.planes?.count ?? 0, frame.timestamp.seconds)
    lock.withLock { latest = (u, count, seconds) }
  }
}

/// Paints every frame blue, so that a receiver can see it.
final class Painter: OTCustomVideoTransformer {
  func transform(_ videoFrame: OTVideoFrame) {
    guard let format = videoFrame.format, format.pixelFormat == .I420 else { return }
    let rows = (Int(format.imageHeight) + 1) / 2
    for (plane, value) in [(Int32(1), UInt8(240)), (2, 110)] {
      videoFrame.getPlaneBinaryData(plane).update(
        repeating: value, count: rows * Int(videoFrame.getPlaneStride(plane)))
    }
  }
}

/// Halves the amplitude of every sample.
// unchecked: behind `lock`.
final class Quieter: OTCustomAudioTransformer, @unchecked Sendable {
  struct Facts {
    var bitsPerSample: UInt32
    var sampleRate: UInt32
    var numberOfChannels: UInt64
    var numberOfSamples: UInt64
  }

  private let lock = NSLock()
  private var facts: Facts?
  var last: Facts? { lock.withLock { facts } }

  func transform(_ audioData: OTAudioData) {
    guard let buffer = audioData.sampleBuffer else { return }
    let samples = UnsafeMutablePointer(mutating: buffer)
    for index in 0..<Int(audioData.numberOfSamples * audioData.numberOfChannels) { samples[index] /= 2 }
    let new = Facts(
      bitsPerSample: audioData.bitsPerSample, sampleRate: audioData.sampleRate,
      numberOfChannels: audioData.numberOfChannels, numberOfSamples: audioData.numberOfSamples)
    lock.withLock { facts = new }
  }
}
