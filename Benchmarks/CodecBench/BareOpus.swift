import Basics
import COpus

/// libopus used bare, with the same settings as ours: 20 ms of speech at 32 kb/s, complexity 7.
struct BareOpus {
  func encode(_ samples: [Int16]) -> (cost: TimeSpan, packets: [[UInt8]]) {
    var status: Int32 = 0
    guard let encoder = opus_encoder_create(48_000, 1, OPUS_APPLICATION_VOIP, &status) else { return (.zero, []) }
    defer { opus_encoder_destroy(encoder) }
    for (request, value) in [
      (OPUS_SET_BITRATE_REQUEST, 32_000), (OPUS_SET_COMPLEXITY_REQUEST, 7), (OPUS_SET_INBAND_FEC_REQUEST, 1),
      (OPUS_SET_SIGNAL_REQUEST, OPUS_SIGNAL_VOICE), (OPUS_SET_VBR_REQUEST, 1), (OPUS_SET_VBR_CONSTRAINT_REQUEST, 1),
    ] { _ = parley_opus_encoder_set(encoder, request, value) }
    let output = UnsafeMutablePointer<UInt8>.allocate(capacity: 4_000)
    defer { output.deallocate() }
    var packets: [[UInt8]] = []
    let cost = CPUTime.measure {
      samples.withUnsafeBufferPointer { samples in
        guard let base = samples.baseAddress else { return }
        for start in stride(from: 0, to: samples.count - 959, by: 960) {
          let length = opus_encode(encoder, base + start, 960, output, 4_000)
          packets.append(Array(UnsafeBufferPointer(start: output, count: Int(max(length, 0)))))
        }
      }
    }
    return (cost, packets)
  }

  func decode(_ packets: [[UInt8]]) -> TimeSpan {
    var status: Int32 = 0
    guard let decoder = opus_decoder_create(48_000, 1, &status) else { return .zero }
    defer { opus_decoder_destroy(decoder) }
    let output = UnsafeMutablePointer<Int16>.allocate(capacity: 5_760)
    defer { output.deallocate() }
    return CPUTime.measure {
      for packet in packets {
        _ = packet.withUnsafeBufferPointer { opus_decode(decoder, $0.baseAddress, Int32($0.count), output, 5_760, 0) }
      }
    }
  }
}
