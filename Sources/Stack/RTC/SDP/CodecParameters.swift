/// Rules for the format-specific parameters of each codec.
extension Codec {
  /// Whether packets with these parameters can be forwarded.
  func accepts(_ parameters: FormatParameters?) -> Bool {
    switch self {
    case .vp9: (parameters?["profile-id"] ?? "0") == "0"
    case .av1: (parameters?["profile"] ?? "0") == "0"
    // Interleaved mode (2) sends in an order that nothing here restores.
    case .h264: (0...1).contains(H264Profile.packetizationMode(parameters)) && H264Profile(parameters) != nil
    default: true
    }
  }

  /// The parameters of the answer to an offer with these.
  func answered(_ offered: FormatParameters?) -> FormatParameters? {
    guard self == .opus, let offered else { return offered }
    // The answer's parameters of Opus are this side's wishes for receiving; the rest is the offerer's own business.
    let echoed: Set = ["minptime", "useinbandfec", "usedtx", "stereo", "sprop-stereo"]
    let pairs = offered.pairs.filter { echoed.contains($0.name) }.map { "\($0.name)=\($0.value)" }
    return pairs.isEmpty ? nil : FormatParameters(pairs.joined(separator: ";"))
  }
}

/// The H.264 profiles that browsers use (RFC 6184 section 8.1), from the smallest set of tools to the largest.
enum H264Profile: Int, Comparable {
  case constrainedBaseline
  case baseline
  case main
  case constrainedHigh
  case high

  /// The packetization mode that the parameters name: 0 where it is absent (RFC 6184 section 8.1), -1 where it cannot
  /// be read.
  static func packetizationMode(_ parameters: FormatParameters?) -> Int {
    guard let text = parameters?["packetization-mode"] else { return 0 }
    return Substring(text).decimal(UInt8.self).map(Int.init) ?? -1
  }

  static func < (a: H264Profile, b: H264Profile) -> Bool { a.rawValue < b.rawValue }

  /// The profile that `profile-level-id` names; Baseline where it is absent, nil for a profile out of this list.
  init?(_ parameters: FormatParameters?) {
    guard let text = parameters?["profile-level-id"] else {
      self = .baseline
      return
    }
    guard text.utf8.count == 6, let bits = UInt32(text, radix: 16) else { return nil }
    let constraints = bits >> 8 & 0xFF
    switch bits >> 16 {
    case 0x42: self = constraints & 0x40 != 0 ? .constrainedBaseline : .baseline
    case 0x4D: self = constraints & 0x80 != 0 ? .constrainedBaseline : .main
    case 0x64: self = constraints & 0x0C == 0x0C ? .constrainedHigh : .high
    default: return nil
    }
  }
}

extension NegotiatedCodec {
  /// The codec out of `candidates` whose decoder understands packets of this codec: the same profile where there is
  /// one, otherwise for H.264 the next larger profile; and no smaller packetization mode, since a receiver of mode 0
  /// takes no aggregated or fragmented units (RFC 6184 section 6.2). Use it to choose the payload type when forwarding;
  /// rare, not per packet.
  public func bestMatch(in candidates: [NegotiatedCodec]) -> NegotiatedCodec? {
    let same = candidates.filter { $0.codec == codec }
    guard codec == .h264, let profile = H264Profile(parameters) else { return same.first }
    let mode = H264Profile.packetizationMode(parameters)
    func order(_ candidate: NegotiatedCodec) -> (H264Profile, Int)? {
      guard let larger = H264Profile(candidate.parameters), larger >= profile else { return nil }
      let largerMode = H264Profile.packetizationMode(candidate.parameters)
      return largerMode >= mode ? (larger, largerMode) : nil
    }
    return same.compactMap { candidate in order(candidate).map { ($0, candidate) } }.min { $0.0 < $1.0 }?.1
  }
}
