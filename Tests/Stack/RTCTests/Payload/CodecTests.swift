import RTC
import Testing

@Suite("Codec names")
struct CodecTests {
  @Test("each codec is found by its rtpmap, whatever the case, RFC 8866 section 6.6")
  func lookup() {
    for codec in Codec.allCases {
      #expect(Codec(name: codec.name.uppercased(), clockRate: codec.clockRate, channels: codec.channels) == codec)
    }
    #expect(Codec(name: "opus", clockRate: 48_000, channels: 1) == nil)
    #expect(Codec(name: "VP8", clockRate: 8_000) == nil)
    #expect(Codec(name: "VP8", clockRate: 90_000, channels: 0) == .vp8)
  }
}
