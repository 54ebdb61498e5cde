public import Basics

/// The first bytes of an Opus packet (RFC 6716 section 3.1).
public struct OpusPacket: Hashable, Sendable {
  /// Mode, bandwidth and frame size, 0 to 31.
  public let configuration: UInt8
  /// Whether the frames are stereo.
  public let isStereo: Bool
  /// How many frames the packet holds, 1 to 48.
  public let frameCount: Int

  /// Reads the table-of-contents byte, and the count byte where there is one.
  /// - Throws: ``PayloadError/truncated``; ``PayloadError/malformed`` for no frames or more than 120 ms (section 3.4).
  public static func parse(_ payload: Span<UInt8>) throws(PayloadError) -> OpusPacket {
    guard payload.count >= 1 else { throw .truncated }
    let toc = payload[0]
    var frames = 1
    switch toc & 0x03 {
    case 0: break
    case 1, 2: frames = 2
    default:
      guard payload.count >= 2 else { throw .truncated }
      frames = Int(payload[1] & 0x3F)
    }
    let packet = OpusPacket(configuration: toc >> 3, isStereo: toc & 0x04 != 0, frameCount: frames)
    guard frames > 0, packet.duration <= TimeSpan.milliseconds(120) else { throw .malformed }
    return packet
  }

  /// The length of one frame.
  public var frameDuration: TimeSpan {
    switch configuration {
    case 0..<12:
      switch configuration & 3 {
      case 0: .milliseconds(10)
      case 1: .milliseconds(20)
      case 2: .milliseconds(40)
      default: .milliseconds(60)
      }
    case 12..<16: .milliseconds(configuration & 1 == 0 ? 10 : 20)
    default: .microseconds(2_500 << Int64(configuration & 3))
    }
  }

  /// The duration of the packet's audio.
  public var duration: TimeSpan { frameDuration * Int64(frameCount) }

  /// Whether a payload of `length` bytes says that the sender is silent (discontinuous transmission): a packet that
  /// codes audio is longer than two bytes (RFC 6716 section 2.1.9, RFC 7587 section 3.1.3).
  @inlinable public static func isDiscontinuous(payloadLength length: Int) -> Bool { length <= 2 }
}
