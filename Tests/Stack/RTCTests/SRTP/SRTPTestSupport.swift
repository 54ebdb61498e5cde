@testable import RTC

extension SRTPSender {
  /// Protects a whole RTP packet.
  func protect(_ packet: [UInt8]) throws -> [UInt8] {
    let headerLength = SRTPPacketFacts(packet.span)?.headerLength ?? 12
    var out = [UInt8](repeating: 0, count: packet.count + rtpOverhead)
    var output = out.mutableSpan
    let whole = packet.span
    let length = try protectRTP(
      header: whole.extracting(0..<headerLength), payload: whole.extracting(headerLength..<packet.count), into: &output)
    return Array(out[..<length])
  }

  func protectRTCP(_ packet: [UInt8]) throws -> [UInt8] {
    var out = packet + [UInt8](repeating: 0, count: rtcpOverhead)
    var output = out.mutableSpan
    let length = try protectRTCP(&output, length: packet.count)
    return Array(out[..<length])
  }
}

extension SRTPReceiver {
  /// Opens a packet and gives the RTP packet.
  func unprotect(_ packet: inout [UInt8]) throws -> [UInt8] {
    var span = packet.mutableSpan
    let length = try unprotectRTP(&span)
    return Array(packet[..<length])
  }

  func open(_ packet: [UInt8]) throws -> [UInt8] {
    var copy = packet
    return try unprotect(&copy)
  }

  func unprotectRTCP(_ packet: inout [UInt8]) throws -> [UInt8] {
    var span = packet.mutableSpan
    let length = try unprotectRTCP(&span)
    return Array(packet[..<length])
  }

  func openRTCP(_ packet: [UInt8]) throws -> [UInt8] {
    var copy = packet
    return try unprotectRTCP(&copy)
  }
}

/// A sender and the receiver of what it sends.
struct SRTPPair {
  let material: SRTPKeyingMaterial
  let sender: SRTPSender
  let receiver: SRTPReceiver

  init(_ profile: SRTPProfile, seed: UInt64 = 1) throws {
    var random = SeededRandom(seed: seed)
    let master = SRTPMasterKey(
      key: random.bytes(profile.masterKeyLength), salt: random.bytes(profile.masterSaltLength))
    material = SRTPKeyingMaterial(profile: profile, local: master, remote: master)
    sender = try SRTPSender(material)
    receiver = try SRTPReceiver(material)
  }

  static func packet(ssrc: UInt32 = 0x0102_0304, _ sequence: UInt16, payload: [UInt8] = [1, 2, 3]) -> [UInt8] {
    [0x80, 96, UInt8(sequence >> 8), UInt8(sequence & 255), 0, 0, 0, 9]
      + (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> UInt32(24 - 8 * $0)) } + payload
  }

  static func report(ssrc: UInt32 = 0x0102_0304, payload: [UInt8] = [UInt8](repeating: 5, count: 20)) -> [UInt8] {
    [0x80, 200, 0, 6] + (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> UInt32(24 - 8 * $0)) } + payload
  }
}

/// The error that `body` throws.
func srtpError(_ body: () throws -> Void) -> SRTPError? {
  do {
    try body()
    return nil
  } catch {
    return error as? SRTPError
  }
}
