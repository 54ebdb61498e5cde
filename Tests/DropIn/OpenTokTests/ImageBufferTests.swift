import Foundation
import Parley
import TestSupport
import Testing

@testable import OpenTok

/// Pictures by Core Video's names, as a capturer of an app gives them.
@MainActor @Suite(.serialized) struct ImageBufferTests {
  /// A landscape picture, blue; with `isHalved` bright above and dark below instead.
  private static func buffer(_ format: OSType, width: Int = 160, height: Int = 120, isHalved: Bool = false)
    -> CVPixelBuffer?
  {
    var made: CVPixelBuffer?
    guard
      CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, nil, &made) == kCVReturnSuccess, let buffer = made
    else {
      return nil
    }
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    func fill(_ start: UnsafeMutableRawPointer?, _ stride: Int, _ rows: Int, _ row: Int, _ bytes: [UInt8]) {
      for y in 0..<rows {
        for x in 0..<row {
          let value =
            isHalved && CVPixelBufferIsPlanar(buffer) && row == width ? y < rows / 2 ? 200 : 40 : bytes[x % bytes.count]
          start?.storeBytes(of: value, toByteOffset: y * stride + x, as: UInt8.self)
        }
      }
    }
    let isFull =
      format == kCVPixelFormatType_420YpCbCr8PlanarFullRange || format == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
    // Blue is Y 41, U 240, V 110; of all values 29, 255 and 107.
    let (y, u, v): (UInt8, UInt8, UInt8) = isHalved ? (0, 128, 128) : isFull ? (29, 255, 107) : (41, 240, 110)
    let planes: [[UInt8]] =
      switch CVPixelBufferGetPlaneCount(buffer) {
      case 3: [[y], [u], [v]]
      case 2: [[y], [u, v]]
      default: []
      }
    for (index, bytes) in planes.enumerated() {
      let row = CVPixelBufferGetWidthOfPlane(buffer, index) * bytes.count
      fill(
        CVPixelBufferGetBaseAddressOfPlane(buffer, index), CVPixelBufferGetBytesPerRowOfPlane(buffer, index),
        CVPixelBufferGetHeightOfPlane(buffer, index), row, bytes)
    }
    let pixel: [UInt8] =
      switch format {
      case kCVPixelFormatType_32BGRA: [255, 0, 0, 255]
      case kCVPixelFormatType_32ARGB: [255, 0, 0, 255]
      default: [0, 0, 255]
      }
    if planes.isEmpty {
      fill(
        CVPixelBufferGetBaseAddress(buffer), CVPixelBufferGetBytesPerRow(buffer), height, width * pixel.count, pixel)
    }
    return buffer
  }

  private nonisolated static let formats: [OSType] = [
    kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
    kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_420YpCbCr8PlanarFullRange, kCVPixelFormatType_32ARGB,
    kCVPixelFormatType_32BGRA, kCVPixelFormatType_24RGB,
  ]

  /// The frame that is handed on.
  private func handedOn(
    _ buffer: CVImageBuffer, _ orientation: OTVideoOrientation = .up, metadata: Data? = nil
  ) -> VideoFrame? {
    let frames = Guarded<[VideoFrame]>([])
    let consumer = FrameConsumer { frame in frames.update { $0.append(frame) } }
    let isTaken = consumer.consumeImageBuffer(buffer, orientation: orientation, timestamp: .zero, metadata: metadata)
    let frame = frames.read { $0.first }
    #expect(isTaken == (frame != nil))
    return frame
  }

  /// The brightness, left above and so on around the picture.
  private func corners(_ frame: VideoFrame) -> [Bool] {
    let (right, below) = (frame.width - 1, frame.height - 1)
    return frame.withPlanes { y, _, _ in
      [(0, 0), (right, 0), (right, below), (0, below)].map { y[$0.1 * frame.yStride + $0.0] > 120 }
    }
  }

  @Test("every layout of the reference keeps its colour, in even and odd sizes", arguments: formats)
  func layouts(format: OSType) throws {
    for (width, height) in [(160, 120), (33, 17), (1, 1)] {
      let buffer = try #require(Self.buffer(format, width: width, height: height))
      #expect(CVPixelBufferGetPixelFormatType(buffer) == format)
      #expect(CVPixelBufferGetWidth(buffer) == width && CVPixelBufferGetHeight(buffer) == height)
      let frame = try #require(handedOn(buffer, metadata: Data(count: 32)))
      #expect(frame.width == width && frame.height == height)
      let colour = frame.withPlanes { y, u, v in (Int(y[0]), Int(u[0]), Int(v[0])) }
      #expect(abs(colour.0 - 41) < 4 && abs(colour.1 - 240) < 4 && abs(colour.2 - 110) < 4, "\(colour)")
    }
  }

  // Right by 90° to the left, down by 180°.
  @Test("a frame's orientation turns it: left by 90° to the right, and so on")
  func orientations() throws {
    let buffer = try #require(Self.buffer(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, isHalved: true))
    for (orientation, corners, isUpright) in [
      (OTVideoOrientation.up, [true, true, false, false], false), (.left, [false, true, true, false], true),
      (.down, [false, false, true, true], false), (.right, [true, false, false, true], true),
    ] {
      let frame = try #require(handedOn(buffer, orientation))
      #expect((frame.height > frame.width) == isUpright && self.corners(frame) == corners, "\(orientation)")
    }
  }

  @Test(
    "impossible images and too much metadata are refused; absent planes have no bytes")
  func refused() throws {
    var made: CVPixelBuffer?
    #expect(CVPixelBufferCreate(nil, 16, 16, 7, nil, &made) == kCVReturnInvalidPixelFormat)
    for (width, height) in [(0, 16), (16, -1), (Int.max, 16)] {
      #expect(CVPixelBufferCreate(nil, width, height, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnInvalidSize)
    }
    #expect(made == nil)
    let buffer = try #require(Self.buffer(kCVPixelFormatType_32BGRA, width: 16, height: 16))
    #expect(!CVPixelBufferIsPlanar(buffer) && CVPixelBufferGetPlaneCount(buffer) == 0)
    #expect(CVPixelBufferGetBaseAddressOfPlane(buffer, 9) == nil && CVPixelBufferGetBytesPerRowOfPlane(buffer, -1) == 0)
    #expect(CVPixelBufferGetWidthOfPlane(buffer, 9) == 0 && CVPixelBufferGetHeightOfPlane(buffer, 9) == 0)
    #expect(handedOn(buffer, metadata: Data(count: 33)) == nil)
    // Larger than what is sent.
    let large = try #require(Self.buffer(kCVPixelFormatType_420YpCbCr8Planar, width: 16_384, height: 1))
    #expect(handedOn(large) == nil)
  }

  // A capturer calls consumeImageBuffer.
  @Test(
    "a turned CVImageBuffer is upright at a subscriber",
    arguments: [(OTVideoOrientation.left, [false, true, true, false]), (.down, [false, false, true, true])])
  func seen(orientation: OTVideoOrientation, bright: [Bool]) async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let buffer: CVImageBuffer = try #require(
        Self.buffer(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, isHalved: true))
      try await ann.publish(try ann.publisher("Ann", capture: TimedCapture.giving(buffer, orientation)))
      let subscriber = try await ben.subscribe(to: "Ann")
      try await wait(for: "the turned picture: \(ben.book.lines)") {
        subscriber.picture.currentFrame.map {
          corners($0) == bright && ($0.height > $0.width) == (orientation == .left)
        } ?? false
      }
      var error: OTError?
      OTVideoFrame().setMetadata(Data(count: 33), error: &error)
      #expect(error?.domain == OTVideoKitErrorDomain)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }
}

extension TimedCapture {
  /// Gives one picture over and over.
  fileprivate static func giving(_ buffer: CVImageBuffer, _ orientation: OTVideoOrientation) -> TimedCapture {
    TimedCapture(every: .milliseconds(66)) { consumer, _ in
      consumer.consumeImageBuffer(buffer, orientation: orientation, timestamp: .zero, metadata: nil)
    }
  }
}
