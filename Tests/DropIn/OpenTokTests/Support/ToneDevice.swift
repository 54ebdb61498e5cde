import Foundation
import OpenTok

/// An audio device of an app: a tone is what it captures, and it looks for a tone in what it plays.
// unchecked: what two threads use is behind `lock`.
final class ToneDevice: OTAudioDevice, @unchecked Sendable {
  private let lock = NSLock()
  private var bus: (any OTAudioBus)?
  private var timer: (any DispatchSourceTimer)?
  private var captures = false
  private var renders = false
  private var phase = 0.0
  private var share = 0.0
  private var latest = 0.0
  private let frequency: Double
  private let amplitude: Double
  private let channels: Int
  private let format = OTAudioFormat()
  private var failing: FailurePoint?
  private var delay: UInt16 = 20
  private var asked = 0
  private var lateness: UInt16 = 20

  /// The step of starting to capture that fails; nil for none.
  enum FailurePoint: Sendable {
    case initializeCapture
    case startCapture
  }

  var step: FailurePoint? {
    get { lock.withLock { failing } }
    set { lock.withLock { failing = newValue } }
  }
  /// The reported age of its audio.
  var captureDelay: UInt16 {
    get { lock.withLock { delay } }
    set { lock.withLock { delay = newValue } }
  }
  /// How often it was asked for that.
  var delayAsked: Int { lock.withLock { asked } }
  /// The reported delay until its audio is heard.
  var renderDelay: UInt16 {
    get { lock.withLock { lateness } }
    set { lock.withLock { lateness = newValue } }
  }

  init(frequency: Double, amplitude: Double = 6_000, channels: Int = 1) {
    (self.frequency, self.amplitude, self.channels) = (frequency, amplitude, channels)
    format.sampleRate = 48_000
    format.numChannels = UInt8(channels)
  }

  /// How much of the loudest that was played lies at the tone's frequency, 0 to 1.
  var heardShare: Double { lock.withLock { share } }

  /// How loud the last 20 ms were that were played: the root of the mean square of the samples.
  var loudness: Double { lock.withLock { latest } }

  func setAudioBus(_ audioBus: (any OTAudioBus)?) -> Bool {
    lock.withLock { bus = audioBus }
    if audioBus == nil {
      timer?.cancel()
      timer = nil
    } else {
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tone"))
      timer.schedule(deadline: .now(), repeating: .milliseconds(20))
      timer.setEventHandler { [weak self] in self?.tick() }
      timer.resume()
      self.timer = timer
    }
    return true
  }

  private func tick() {
    let (bus, captures, renders) = lock.withLock { (self.bus, self.captures, self.renders) }
    guard let bus else { return }
    var samples = [Int16](repeating: 0, count: 960 * channels)
    if captures {
      for index in samples.indices {
        samples[index] = Int16(amplitude * sin(phase))
        if (index + 1) % channels == 0 { phase += 2 * .pi * frequency / 48_000 }
      }
      samples.withUnsafeMutableBytes { bytes in
        if let base = bytes.baseAddress { bus.writeCaptureData(base, numberOfSamples: 960) }
      }
    }
    guard renders else { return }
    let read = samples.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { bus.readRenderData($0, numberOfSamples: 960) } ?? 0
    }
    guard read == 960 else { return lock.withLock { if read == 0 { latest = 0 } } }
    let (real, imaginary, power) = samples.enumerated().reduce((0.0, 0.0, 0.0)) { sums, sample in
      let angle = 2 * .pi * frequency * Double(sample.offset / channels) / 48_000
      let value = Double(sample.element)
      return (sums.0 + value * cos(angle), sums.1 + value * sin(angle), sums.2 + value * value)
    }
    let count = Double(samples.count)
    lock.withLock { latest = (power / count).squareRoot() }
    guard power > count * 100 * 100 else { return }
    let tone = 2 * (real * real + imaginary * imaginary) / count / power
    lock.withLock { share = max(share, tone) }
  }

  func captureFormat() -> OTAudioFormat { format }
  func renderFormat() -> OTAudioFormat { format }
  func renderingIsAvailable() -> Bool { true }
  func initializeRendering() -> Bool { true }
  func renderingIsInitialized() -> Bool { true }
  func startRendering() -> Bool {
    lock.withLock {
      renders = true; return true
    }
  }
  func stopRendering() -> Bool {
    lock.withLock {
      renders = false; return true
    }
  }
  func isRendering() -> Bool { lock.withLock { renders } }
  func estimatedRenderDelay() -> UInt16 { renderDelay }
  func captureIsAvailable() -> Bool { true }
  func initializeCapture() -> Bool { step != .initializeCapture }
  func captureIsInitialized() -> Bool { step != .initializeCapture }
  func startCapture() -> Bool {
    lock.withLock {
      captures = failing != .startCapture
      return captures
    }
  }
  func stopCapture() -> Bool {
    lock.withLock {
      captures = false; return true
    }
  }
  func isCapturing() -> Bool { lock.withLock { captures } }
  func estimatedCaptureDelay() -> UInt16 {
    lock.withLock {
      asked += 1
      return delay
    }
  }
}

/// A capturer of an app: pictures of one colour, as an ARGB frame of its own.
// unchecked: the SDK calls it from one queue, one call after the other.
final class ColourCapture: OTVideoCapture, @unchecked Sendable {
  var videoCaptureConsumer: (any OTVideoCaptureConsumer)?
  var videoContentHint = OTVideoContentHint.none
  private(set) var calls: [String] = []
  private var timer: (any DispatchSourceTimer)?
  private let width: Int
  private let height: Int

  init(width: Int = 160, height: Int = 120) { (self.width, self.height) = (width, height) }

  func initCapture() { calls.append("initCapture") }
  func releaseCapture() { calls.append("releaseCapture") }

  func start() -> Int32 {
    calls.append("start")
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "colour"))
    timer.schedule(deadline: .now(), repeating: .milliseconds(66))
    timer.setEventHandler { [weak self] in self?.tick() }
    timer.resume()
    self.timer = timer
    return 0
  }

  func stop() -> Int32 {
    calls.append("stop")
    timer?.cancel()
    return 0
  }

  func isCaptureStarted() -> Bool { timer != nil }

  func captureSettings(_ videoFormat: OTVideoFormat) -> Int32 {
    calls.append("captureSettings")
    (videoFormat.imageWidth, videoFormat.imageHeight) = (UInt32(width), UInt32(height))
    videoFormat.pixelFormat = .ARGB
    return 0
  }

  private func tick() {
    // Red, as blue, green, red, alpha.
    var bytes = [UInt8](repeating: 0, count: width * height * 4)
    for pixel in stride(from: 0, to: bytes.count, by: 4) { (bytes[pixel + 2], bytes[pixel + 3]) = (255, 255) }
    let frame = OTVideoFrame(format: OTVideoFormat(argbWithWidth: UInt32(width), height: UInt32(height)))
    bytes.withUnsafeMutableBufferPointer { buffer in
      var plane: UnsafeMutablePointer<UInt8>? = buffer.baseAddress
      frame.setPlanesWithPointers(&plane, numPlanes: 1)
      videoCaptureConsumer?.consumeFrame(frame)
    }
  }
}
