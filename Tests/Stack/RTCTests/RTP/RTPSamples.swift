import RTC

/// RTP packets for tests, put together byte by byte so that they do not depend on the writer under test.
enum RTPSample {
  /// A packet with the given parts; `extension` is the profile and the element bytes (padded here to a word).
  static func packet(
    csrcs: [UInt32] = [], extension element: (profile: UInt16, bytes: [UInt8])? = nil,
    payload: [UInt8] = [1, 2, 3, 4, 5], padding: Int = 0, sequence: UInt16 = 0x1234, marker: Bool = true
  ) -> [UInt8] {
    var out: [UInt8] = [
      0x80 | (padding > 0 ? 0x20 : 0) | (element == nil ? 0 : 0x10) | UInt8(csrcs.count),
      (marker ? 0x80 : 0) | 96, UInt8(sequence >> 8), UInt8(sequence & 0xFF),
      0xDE, 0xAD, 0xBE, 0xEF, 0xCA, 0xFE, 0xBA, 0xBE,
    ]
    for csrc in csrcs { out += bigEndian(csrc) }
    if let element {
      var bytes = element.bytes
      while bytes.count % 4 != 0 { bytes.append(0) }
      out += [UInt8(element.profile >> 8), UInt8(element.profile & 0xFF)]
      out += [UInt8((bytes.count / 4) >> 8), UInt8(bytes.count / 4 & 0xFF)]
      out += bytes
    }
    out += payload
    if padding > 0 { out += [UInt8](repeating: 0, count: padding - 1) + [UInt8(padding)] }
    return out
  }

  static func bigEndian(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
  }

  /// One packet of each shape.
  static let corpus: [[UInt8]] = [
    packet(),
    packet(csrcs: [1, 2, 3]),
    packet(extension: (0xBEDE, [0x10, 0x7F, 0x22, 1, 2, 3, 0, 0, 0x31, 9, 9])),
    packet(extension: (0x1000, [1, 0, 0, 200, 3, 7, 8, 9, 15, 1, 42])),
    packet(extension: (0xBEDE, []), payload: [], padding: 200),
    packet(csrcs: [7], extension: (0xABCD, [1, 2, 3, 4]), padding: 4),
  ]
}

func parseHeader(_ bytes: [UInt8]) throws(RTPError) -> RTPHeader { try RTPHeader.parse(bytes.span) }

/// The error that parsing throws, nil when it succeeds.
func headerError(_ bytes: [UInt8]) -> RTPError? {
  do {
    _ = try parseHeader(bytes)
    return nil
  } catch { return error }
}

extension RTPHeader {
  func element(_ id: UInt8, _ bytes: [UInt8]) -> [UInt8]? { element(id: id, in: bytes.span).map { [UInt8](bytes[$0]) } }
}
