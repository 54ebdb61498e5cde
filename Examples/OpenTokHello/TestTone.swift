import Foundation
import OpenTok

/// The audio device of a machine without one: captures a tone of 440 Hz, and says how loud what it plays is.
// unchecked: what two threads use is behind `lock`; the rest belongs to `queue`.
final class TestTone: OTAudioDevice, @unchecked Sendable {
  private let lock = NSLock()
  private let queue = DispatchQueue(label: "tone")
  private var timer: DispatchSourceTimer?
  private var captures = false
  private var renders = false
  private var position = 0
  private var isLoud = false
  private let onSound: () -> Void
  private let format = OTAudioFormat()

  init(onSound: @escaping () -> Void) {
    self.onSound = onSound
    format.sampleRate = 48_000
  }

  func setAudioBus(_ audioBus: OTAudioBus?) -> Bool {
    timer?.cancel()
    timer = nil
    guard let audioBus else { return true }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now(), repeating: .milliseconds(20))
    timer.setEventHandler { [weak self] in self?.tick(audioBus) }
    timer.resume()
    self.timer = timer
    return true
  }

  private func tick(_ bus: OTAudioBus) {
    let (captures, renders) = lock.withLock { (self.captures, self.renders) }
    var samples = [Int16](repeating: 0, count: 960)
    if captures {
      for index in samples.indices {
        samples[index] = Int16(4_000 * sin(2 * .pi * 440 * Double(position) / 48_000))
        position = (position + 1) % 48_000
      }
      samples.withUnsafeMutableBytes { bytes in
        if let base = bytes.baseAddress { bus.writeCaptureData(base, numberOfSamples: 960) }
      }
    }
    guard renders, !isLoud else { return }
    _ = samples.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { bus.readRenderData($0, numberOfSamples: 960) } ?? 0
    }
    guard samples.contains(where: { $0.magnitude > 500 }) else { return }
    isLoud = true
    DispatchQueue.main.async(execute: onSound)
  }

  func captureFormat() -> OTAudioFormat { format }
  func renderFormat() -> OTAudioFormat { format }
  func renderingIsAvailable() -> Bool { true }
  func initializeRendering() -> Bool { true }
  func renderingIsInitialized() -> Bool { true }
  func startRendering() -> Bool { set { renders = true } }
  func stopRendering() -> Bool { set { renders = false } }
  func isRendering() -> Bool { lock.withLock { renders } }
  func estimatedRenderDelay() -> UInt16 { 20 }
  func captureIsAvailable() -> Bool { true }
  func initializeCapture() -> Bool { true }
  func captureIsInitialized() -> Bool { true }
  func startCapture() -> Bool { set { captures = true } }
  func stopCapture() -> Bool { set { captures = false } }
  func isCapturing() -> Bool { lock.withLock { captures } }
  func estimatedCaptureDelay() -> UInt16 { 20 }

  private func set(_ body: () -> Void) -> Bool {
    lock.withLock(body)
    return true
  }
}
