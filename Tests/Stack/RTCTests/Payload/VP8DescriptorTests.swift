import RTC
import Testing

@Suite("VP8 payload descriptor, RFC 7741 section 4.2")
struct VP8DescriptorTests {
  @Test("every combination of the optional fields is read, RFC 7741 section 4.2")
  func combinations() throws {
    for long: Bool? in [nil, false, true] {
      for tl0: UInt8? in [nil, 200] {
        for temporal: (id: UInt8, sync: Bool)? in [nil, (3, false), (1, true)] {
          for keyIndex: UInt8? in [nil, 31] {
            let bytes = PayloadSample.vp8(
              long: long, pictureID: 0x7F2A, tl0: tl0, temporal: temporal, keyIndex: keyIndex)
            let descriptor = try VP8Descriptor.parse(bytes.span)
            #expect(descriptor.length == bytes.count - 4)
            #expect(descriptor.pictureID == long.map { $0 ? 0x7F2A : 0x2A })
            #expect(descriptor.hasLongPictureID == (long ?? false))
            #expect(descriptor.tl0PictureIndex == tl0)
            #expect(descriptor.temporalID == temporal?.id)
            #expect(descriptor.isLayerSync == (temporal?.sync ?? false))
            #expect(descriptor.keyIndex == keyIndex)
            #expect(descriptor.isKeyframeStart)
            #expect(descriptor.isReference)
          }
        }
      }
    }
  }

  @Test("a keyframe starts with partition 0 and a clear P bit (RFC 7741 4.3)")
  func keyframe() {
    let yes = PayloadSample.vp8()
    #expect(isKeyframeStart(.vp8, yes))
    for bytes in [
      PayloadSample.vp8(key: false), PayloadSample.vp8(start: false), PayloadSample.vp8(partition: 1), [], [0x10],
    ] {
      #expect(!isKeyframeStart(.vp8, bytes))
    }
  }

  @Test("rewriting changes PictureID and layer-0 index in place, at each width")
  func rewrite() throws {
    for long: Bool? in [nil, false, true] {
      for tl0: UInt8? in [nil, 200] {
        var bytes = PayloadSample.vp8(long: long, tl0: tl0)
        let before = try VP8Descriptor.parse(bytes.span)
        var span = bytes.mutableSpan
        before.rewrite(pictureID: 0x7FFE, tl0PictureIndex: 3, into: &span)
        let after = try VP8Descriptor.parse(bytes.span)
        #expect(after.pictureID == long.map { $0 ? 0x7FFE : 0x7E })
        #expect(after.tl0PictureIndex == tl0.map { _ in 3 })
        #expect(bytes == PayloadSample.vp8(long: long, pictureID: 0x7FFE, tl0: tl0.map { _ in 3 }))
      }
    }
  }

  @Test("all 2¹⁵ picture numbers and 256 layer-0 indices survive rewriting")
  func rewriteAll() throws {
    var bytes = PayloadSample.vp8()
    let descriptor = try VP8Descriptor.parse(bytes.span)
    for number in UInt16.min...0x7FFF {
      var span = bytes.mutableSpan
      descriptor.rewrite(pictureID: number, tl0PictureIndex: UInt8(number & 0xFF), into: &span)
      let after = try VP8Descriptor.parse(bytes.span)
      if after.pictureID != number || after.tl0PictureIndex != UInt8(number & 0xFF) || !after.hasLongPictureID {
        Issue.record("picture \(number)")
      }
    }
  }

  @Test("rewriting a payload that was cut since does nothing")
  func rewriteShort() throws {
    let bytes = PayloadSample.vp8()
    let descriptor = try VP8Descriptor.parse(bytes.span)
    for count in 0...descriptor.length {
      var short = [UInt8](bytes[..<count])
      var span = short.mutableSpan
      descriptor.rewrite(pictureID: 1, tl0PictureIndex: 1, into: &span)
      #expect(short == [UInt8](bytes[..<count]))
    }
  }

  @Test("threat 17: every cut inside the descriptor is truncated, not read past")
  func truncation() throws {
    let bytes = PayloadSample.vp8()
    let length = try VP8Descriptor.parse(bytes.span).length
    for count in 0...length {
      let cut = [UInt8](bytes[..<count])
      #expect(throws: PayloadError.truncated) { try VP8Descriptor.parse(cut.span) }
    }
  }
}
