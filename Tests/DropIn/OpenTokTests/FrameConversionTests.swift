import Foundation
import OpenTok
import TestSupport
import Testing

/// Frames that a renderer converts.
@MainActor @Suite(.serialized) struct FrameConversionTests {
  @Test("a frame made with a format, or cleared, takes its planes one by one")
  func addedPlanes() {
    let frame = OTVideoFrame(format: OTVideoFormat(i420WithWidth: 2, height: 2))
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 6)
    defer { bytes.deallocate() }
    for index in 0..<6 { bytes[index] = UInt8(40 + index) }
    for _ in 0..<2 {
      frame.clearPlanes()
      for offset in [0, 4, 5] { frame.planes?.addPointer(bytes + offset) }
      #expect((0..<3).map { frame.getPlaneBinaryData($0).pointee } == [40, 44, 45])
    }
    let other = OTVideoFrame(format: OTVideoFormat(i420WithWidth: 2, height: 2))
    other.planes?.addPointer(bytes)
    #expect(other.getPlaneBinaryData(0) == bytes && other.getPlaneBinaryData(1) != bytes)
  }

  @Test("convert(inPlace:planes:strides:) writes each layout, and over its planes")
  func received() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      try await ann.publish(try ann.publisher("Ann"))
      let subscriber = try await ben.subscribe(to: "Ann")
      let render = Converter()
      subscriber.videoRender = render
      // Ann's picture is red: Y 81, U 90, V 240.
      try await wait(for: "red in each layout: \(render.seen)") {
        let seen = render.seen
        return Converter.wanted.allSatisfy { name, bytes in
          zip(seen[name] ?? [], bytes).count { abs(Int($0) - $1) < 20 } == bytes.count
        }
      }
      #expect(render.areGapsUntouched)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test(
    "convert(inPlace:) writes nothing of an incomplete frame or a row over its stride")
  func refused() {
    var memory = [UInt8](repeating: 7, count: 64)
    memory.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var (planes, strides) = ([base, base, base], [Int32](repeating: 3, count: 3))
      OTVideoFrame().convert(inPlace: .ARGB, planes: &planes, strides: &strides)
      let frame = OTVideoFrame(format: OTVideoFormat(i420WithWidth: 4, height: 4))
      frame.convert(inPlace: .I420, planes: &planes, strides: &strides)
      var whole: [UnsafeMutablePointer<UInt8>?] = [base, base, base]
      frame.setPlanesWithPointers(&whole, numPlanes: 3)
      for format in [OTPixelFormat.I420, .NV12, .ARGB] {
        frame.convert(inPlace: format, planes: &planes, strides: &strides)
        for stride in [Int32.min, 0, .max] {
          strides = [stride, stride, stride]
          frame.convert(inPlace: format, planes: &planes, strides: &strides)
        }
      }
    }
    #expect(memory.allSatisfy { $0 == 7 })
  }
}

/// Converts each frame into each layout, as a renderer of an app's does that draws ARGB.
// unchecked: what is seen is behind `lock`.
private final class Converter: OTVideoRender, @unchecked Sendable {
  /// The first bytes: of the only plane, of brightness and colours, of the colours that were swapped.
  static let wanted: [String: [Int]] = ["ARGB": [0, 0, 255, 255], "NV12": [81, 90, 240], "swapped": [81, 240, 90]]
  private static let gap = 8

  private let lock = NSLock()
  private var found: [String: [UInt8]] = [:]
  private var isClean = true
  var seen: [String: [UInt8]] { lock.withLock { found } }
  var areGapsUntouched: Bool { lock.withLock { isClean } }

  func renderVideoFrame(_ frame: OTVideoFrame) {
    guard let format = frame.format else { return }
    let (width, height) = (Int(format.imageWidth), Int(format.imageHeight))
    var results: [String: [UInt8]] = [:]
    var isClean = true
    for (layout, row) in [(OTPixelFormat.ARGB, width * 4), (.NV12, width)] {
      let stride = row + Self.gap
      var memory = [UInt8](repeating: 9, count: stride * height * 2)
      memory.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        var (planes, strides) = ([base, base + stride * height], [Int32(stride), Int32(stride)])
        frame.convert(inPlace: layout, planes: &planes, strides: &strides)
      }
      isClean = isClean && memory[row..<stride].allSatisfy { $0 == 9 }
      let colours = stride * height
      results[layout == .ARGB ? "ARGB" : "NV12"] =
        layout == .ARGB ? Array(memory[..<4]) : [memory[0], memory[colours], memory[colours + 1]]
    }
    do {
      let (y, u, v) = (frame.getPlaneBinaryData(0), frame.getPlaneBinaryData(1), frame.getPlaneBinaryData(2))
      var (planes, strides) = ([y, v, u], [frame.getPlaneStride(0), frame.getPlaneStride(2), frame.getPlaneStride(1)])
      frame.convert(inPlace: .I420, planes: &planes, strides: &strides)
      results["swapped"] = [y[0], u[0], v[0]]
    }
    lock.withLock {
      found = results
      self.isClean = self.isClean && isClean
    }
  }
}
