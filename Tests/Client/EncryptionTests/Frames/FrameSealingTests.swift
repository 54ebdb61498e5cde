import Foundation
import TestVectors
import Testing

@testable import Encryption

/// The forms of encrypted frames: the tests of the JavaScript client use the same file.
@Suite("Encrypted frames of each codec")
struct FrameSealingTests {
  struct Vectors: Decodable {
    struct Frame: Decodable, CustomTestStringConvertible {
      let name: String
      let codec: String
      let frame: Hex?
      let sealed: Hex?

      var testDescription: String { name }
      var frameCodec: FrameCodec {
        switch codec {
        case "vp8": .vp8
        case "av1": .av1
        case "h264": .h264
        default: .opaque
        }
      }
    }

    let frames: [Frame]
    let refused: [Frame]
    let unsealable: [Frame]
  }

  static let all = try? vectors(Vectors.self, "frames.json")

  /// In place of SFrame, as the vectors have it.
  static func seal(_ content: Span<UInt8>, _ metadata: Span<UInt8>, _ output: inout [UInt8]) throws(FrameDrop) {
    output += [0x11, 0x07]
    for index in stride(from: content.count - 1, through: 0, by: -1) { output.append(content[index] ^ 0x5A) }
    var sum = 0
    for index in 0..<metadata.count { sum += Int(metadata[index]) }
    output += [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: metadata.count)]
  }

  static func open(_ sealed: Span<UInt8>, _ metadata: Span<UInt8>, _ output: inout [UInt8]) throws(FrameDrop) {
    var again: [UInt8] = []
    try seal(Span(), metadata, &again)
    guard sealed.count >= 4, sealed[sealed.count - 2] == again[2], sealed[sealed.count - 1] == again[3] else {
      throw .noKey
    }
    for index in stride(from: sealed.count - 3, to: 1, by: -1) { output.append(sealed[index] ^ 0x5A) }
  }

  @Test("leave as packetizers take them, and come back as they were", arguments: all?.frames ?? [])
  func frames(_ vector: Vectors.Frame) throws {
    let frame = try #require(vector.frame).bytes
    var sealing = FrameSealing()
    var sealed: [UInt8] = [7]
    try sealing.seal(frame.span, codec: vector.frameCodec, appendingTo: &sealed, with: Self.seal)
    #expect(Array(sealed.dropFirst()) == vector.sealed?.bytes)
    var opened: [UInt8] = [7]
    let content = Array(sealed.dropFirst())
    try sealing.open(content.span, codec: vector.frameCodec, appendingTo: &opened, with: Self.open)
    #expect(Array(opened.dropFirst()) == frame)
  }

  @Test("are refused when their form is another, and nothing is played", arguments: all?.refused ?? [])
  func refused(_ vector: Vectors.Frame) throws {
    let sealed = try #require(vector.sealed).bytes
    var sealing = FrameSealing()
    var opened: [UInt8] = []
    #expect(throws: FrameDrop.malformed) {
      try sealing.open(sealed.span, codec: vector.frameCodec, appendingTo: &opened, with: Self.open)
    }
    #expect(opened.isEmpty)
  }

  @Test("are not made of frames of another codec, and nothing leaves", arguments: all?.unsealable ?? [])
  func unsealable(_ vector: Vectors.Frame) throws {
    let frame = try #require(vector.frame).bytes
    var sealing = FrameSealing()
    var sealed: [UInt8] = []
    #expect(throws: FrameDrop.malformed) {
      try sealing.seal(frame.span, codec: vector.frameCodec, appendingTo: &sealed, with: Self.seal)
    }
    #expect(sealed.isEmpty)
  }

  @Test("the vectors are read")
  func read() throws {
    let all = try #require(Self.all)
    #expect(all.frames.count > 10 && all.refused.count > 10 && all.unsealable.count > 5)
  }

  @Test("AV1: separately sealed layers of a frame open together, at most eight")
  func layers() throws {
    let frame = try #require(Self.all?.frames.first { $0.frameCodec == .av1 }?.frame).bytes
    var sealing = FrameSealing()
    var sealed: [UInt8] = []
    for layer in 1...9 {
      try sealing.seal(frame.span, codec: .av1, appendingTo: &sealed, with: Self.seal)
      var opened: [UInt8] = [7]
      guard layer <= 8 else {
        #expect(throws: FrameDrop.malformed) {
          try sealing.open(sealed.span, codec: .av1, appendingTo: &opened, with: Self.open)
        }
        #expect(opened == [7])
        continue
      }
      try sealing.open(sealed.span, codec: .av1, appendingTo: &opened, with: Self.open)
      #expect(opened == [7] + [[UInt8]](repeating: frame, count: layer).joined())
    }
  }

  @Test("that do not open leave nothing behind", arguments: FrameCodec.allCases)
  func failure(_ codec: FrameCodec) throws {
    let vector = try #require(Self.all?.frames.first { $0.frameCodec == codec }?.sealed).bytes
    var sealing = FrameSealing()
    var opened: [UInt8] = [1]
    #expect(throws: FrameDrop.wrongSender) {
      try sealing.open(vector.span, codec: codec, appendingTo: &opened) {
        (_: Span<UInt8>, _: Span<UInt8>, _: inout [UInt8]) throws(FrameDrop) in throw .wrongSender
      }
    }
    #expect(opened == [1])
  }
}
