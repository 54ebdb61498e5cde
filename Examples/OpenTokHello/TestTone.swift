import Foundation
import OpenTok

/// The audio device of a machine without one: captures a tone, and says which tones it hears in what it plays.
// unchecked: what two threads use is behind `lock`; the rest belongs to `queue`.
final class TestTone: OTAudioDevice, @unchecked Sendable {
  private let lock = NSLock()
  private let queue = DispatchQueue(label: "tone")
  private var timer: DispatchSourceTimer?
  private var captures = false
  private var renders = false
  private var position = 0
  private var played: [Int16] = []
  private var heard: Set<Int> = []
  private let onSound: (Int) -> Void
  private let format = OTAudioFormat()
  /// The pitch of the tone that is captured, in hertz.
  static let pitch = 620.0

  /// `onSound` is called on the main queue with the pitch of each tone that is heard, in hertz to the nearest ten; once
  /// for each.
  init(onSound: @escaping (Int) -> Void) {
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
        samples[index] = Int16(4_000 * sin(2 * .pi * Self.pitch * Double(position) / 48_000))
        position = (position + 1) % 48_000
      }
      samples.withUnsafeMutableBytes { bytes in
        if let base = bytes.baseAddress { bus.writeCaptureData(base, numberOfSamples: 960) }
      }
    }
    guard renders else { return }
    let count = samples.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { bus.readRenderData($0, numberOfSamples: 960) } ?? 0
    }
    played += samples.prefix(Int(count))
    guard played.count >= 4_800 else { return }
    if let pitch = Self.pitch(of: played), heard.insert(pitch).inserted {
      DispatchQueue.main.async { self.onSound(pitch) }
    }
    played = []
  }

  /// The pitch of a tone, to the nearest ten hertz; nil for silence, and for anything but a tone.
  private static func pitch(of samples: [Int16]) -> Int? {
    let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    guard power > Double(samples.count) * 200 * 200 else { return nil }
    var best = (pitch: 0, share: 0.0)
    for pitch in stride(from: 100, through: 2_000, by: 10) {
      // How much of the power lies at this pitch (Goertzel's algorithm).
      let factor = 2 * cos(2 * .pi * Double(pitch) / 48_000)
      var (last, before) = (0.0, 0.0)
      for sample in samples { (last, before) = (Double(sample) + factor * last - before, last) }
      let share = 2 * (last * last + before * before - factor * last * before) / Double(samples.count) / power
      if share > best.share { best = (pitch, share) }
    }
    return best.share > 0.8 ? best.pitch : nil
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
